import { Modal } from "antd";
import type { Overview } from "#console/pages/disease-command/overview/use-changes.ts";
import { ScreenMock } from "#console/pages/disease-command/theme/screen-mock.tsx";

interface ScreenPreviewProps {
  readonly title: string;
  readonly themeName: string;
  readonly overview: Overview | undefined;
  readonly onClose: () => void;
}

// As wide as there is room for, and for nine sixteenths of it in height below the title.
const width = "min(1600px, 94vw, calc((100vh - 120px) * 1.7778))";

/** The big screen in a theme, as large as the window allows. */
export function ScreenPreview({ title, themeName, overview, onClose }: ScreenPreviewProps) {
  return (
    <Modal open centered title={title} width={width} footer={null} onCancel={onClose}>
      <ScreenMock themeName={themeName} overview={overview} label={title} />
    </Modal>
  );
}

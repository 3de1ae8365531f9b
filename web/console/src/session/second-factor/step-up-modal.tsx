import { Modal } from "antd";
import { late } from "#console/blocks/late.tsx";
import { settleFactor, useIsFactorWanted } from "#console/session/second-factor/step-up.ts";
import { useTexts } from "#console/session/texts.ts";

const SecondStep = late(
  async () => (await import("#console/session/second-factor/second-step.tsx")).SecondStep,
  () => null,
);

export function StepUpModal() {
  const t = useTexts();
  return (
    <Modal
      open={useIsFactorWanted()}
      title={t.stepUp}
      width={420}
      zIndex={2900}
      mask={{ closable: false }}
      destroyOnHidden
      footer={null}
      onCancel={() => settleFactor(false)}
    >
      <SecondStep about={t.stepUpAbout} onDone={() => settleFactor(true)} />
    </Modal>
  );
}

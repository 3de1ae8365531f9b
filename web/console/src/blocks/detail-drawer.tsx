import { Descriptions, Drawer, Skeleton } from "antd";
import type { ReactNode } from "react";
import { PrintButton, PrintNote } from "#console/printing.tsx";
import { type Audited, RecordHistory } from "#console/blocks/record-history.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { useIsCompact } from "#shared/media.ts";

export interface Detail {
  readonly label: string;
  readonly value: ReactNode;
  readonly wide?: boolean;
}

interface DetailDrawerProps {
  readonly title: string;
  readonly details: readonly Detail[] | undefined;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly width?: number;
  readonly audited?: Audited | undefined;
  readonly children?: ReactNode;
}

export function DetailDrawer({ title, details, actions, onClose, width = 640, audited, children }: DetailDrawerProps) {
  return (
    <Drawer
      open
      rootClassName="q-sheet"
      title={title}
      extra={
        <>
          {audited && <RecordHistory of={audited} />}
          <PrintButton />
        </>
      }
      size={width}
      onClose={onClose}
      footer={actions === undefined ? null : <div className="q-buttons q-drawer-footer">{actions}</div>}
    >
      {details === undefined ? <Skeleton active paragraph={{ rows: 8 }} /> : <Details details={details} />}
      {children}
      <PrintNote />
    </Drawer>
  );
}

export function Details({ details }: { readonly details: readonly Detail[] }) {
  const t = useTexts();
  const isCompact = useIsCompact();
  return (
    <Descriptions
      bordered
      size="small"
      column={isCompact ? 1 : 2}
      items={details.map(({ label, value, wide }, key) => ({
        key,
        label,
        children: <div className="q-value">{value === null || value === "" ? t.none : value}</div>,
        ...(wide && { span: "filled" as const }),
      }))}
    />
  );
}

import { Descriptions, Drawer, Skeleton, Space } from "antd";
import type { ReactNode } from "react";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#console/language/language.ts";

export interface Detail {
  readonly label: string;
  readonly value: ReactNode;
  /** The whole width. */
  readonly wide?: boolean;
}

interface DetailDrawerProps {
  readonly title: string;
  /** Undefined while it is being read. */
  readonly details: readonly Detail[] | undefined;
  /** What can be done with the record. */
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly width?: number;
  /** Below the details. */
  readonly children?: ReactNode;
}

/** A record beside its list. */
export function DetailDrawer({ title, details, actions, onClose, width = 640, children }: DetailDrawerProps) {
  const t = useTexts(texts);
  return (
    <Drawer
      open
      title={title}
      size={width}
      onClose={onClose}
      footer={actions === undefined ? null : <Space className="q-drawer-footer">{actions}</Space>}
    >
      {details === undefined ? (
        <Skeleton active paragraph={{ rows: 8 }} />
      ) : (
        <Descriptions
          bordered
          size="small"
          column={2}
          items={details.map(({ label, value, wide }, key) => ({
            key,
            label,
            children: <div className="q-value">{value === null || value === "" ? t.none : value}</div>,
            ...(wide && { span: "filled" as const }),
          }))}
        />
      )}
      {children}
    </Drawer>
  );
}

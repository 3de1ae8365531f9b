import { Button } from "antd";
import type { ReactNode } from "react";

interface RowActionProps {
  readonly children: ReactNode;
  /** With the record's name in it, for those who hear the page: "编辑 张三". */
  readonly label: string;
  readonly danger?: boolean;
  readonly onClick: () => void;
}

/** What can be done with a row, as a word in it. */
export function RowAction({ children, label, danger = false, onClick }: RowActionProps) {
  return (
    <Button type="link" size="small" className="q-row-action" aria-label={label} danger={danger} onClick={onClick}>
      {children}
    </Button>
  );
}

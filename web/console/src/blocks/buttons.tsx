import { Alert, Button, type ButtonProps } from "antd";
import type { MouseEvent, ReactNode } from "react";
import { type Judged, useMay } from "#console/session/session.ts";
import { useHref, useLinkClickHandler } from "react-router";
import { useTexts } from "#console/blocks/texts.ts";

interface RowActionProps {
  readonly children: ReactNode;
  /** The label names the record too, for screen readers: "编辑 张三". */
  readonly label: string;
  readonly danger?: boolean;
  /**
   * The operation that the button or its form calls, or "nothing". Accounts without the right to the operation do not
   * see the button.
   */
  readonly needs: Judged | "nothing";
  readonly onClick: () => void;
}

export function RowAction({ children, label, danger = false, needs, onClick }: RowActionProps) {
  const may = useMay();
  if (needs !== "nothing" && !may(needs)) return null;
  return (
    <Button type="link" size="small" className="q-row-action" aria-label={label} danger={danger} onClick={onClick}>
      {children}
    </Button>
  );
}

export function ButtonLink({ to, ...props }: Omit<ButtonProps, "href" | "onClick"> & { readonly to: string }) {
  const go = useLinkClickHandler(to);
  return <Button {...props} href={useHref(to)} onClick={(event) => go(event as MouseEvent<HTMLAnchorElement>)} />;
}

export function IfMay({ operation, children }: { readonly operation: Judged; readonly children: ReactNode }) {
  return useMay()(operation) ? children : null;
}

/** `test/browser/rights-walk.ts` finds this message by its class name. */
export function MayNot() {
  const t = useTexts();
  return <Alert type="warning" showIcon title={t.mayNot} className="q-may-not" />;
}

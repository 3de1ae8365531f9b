import { Progress } from "antd";
import type { ReactNode } from "react";

interface ProgressLineProps {
  readonly percent: number;
  /** What is being done. */
  readonly label: string;
  /** More of it, behind the label. */
  readonly children?: ReactNode;
}

/** How far something is, and what is being done, in a line each. */
export function ProgressLine({ percent, label, children }: ProgressLineProps) {
  return (
    <div className="q-progress-line">
      <Progress percent={percent} size="small" status="active" aria-label={label} />
      <span className="q-soft q-figures">
        {label} {children}
      </span>
    </div>
  );
}

import { Progress } from "antd";
import type { ReactNode } from "react";

interface ProgressLineProps {
  readonly percent: number;
  readonly label: string;
  readonly children?: ReactNode;
}

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

import "#console/pages/disease-command/records/bar.css";

interface BarProps {
  /** Of the whole width, 0 to 100. */
  readonly percent: number;
  readonly text: string;
}

/** A figure as a bar beside its text. */
export function Bar({ percent, text }: BarProps) {
  return (
    <span className="q-disease-bar">
      <span className="q-disease-bar-line">
        <span style={{ width: `${percent}%` }} />
      </span>
      <span className="q-figures">{text}</span>
    </span>
  );
}

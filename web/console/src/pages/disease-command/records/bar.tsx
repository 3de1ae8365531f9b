import { formatCount } from "#console/blocks/format.ts";
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

interface RankingProps {
  readonly title: string;
  /** Highest first. */
  readonly rows: readonly { readonly id: number; readonly name: string; readonly value: number }[];
  readonly format?: (value: number) => string;
}

/** Figures by size, each a bar beside its name. */
export function Ranking({ title, rows, format = formatCount }: RankingProps) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <ol className="q-disease-ranking" aria-label={title}>
      {rows.map(({ id, name, value }) => (
        <li key={id}>
          <span className="q-disease-ranking-name" title={name}>
            {name}
          </span>
          <Bar percent={(value / most) * 100} text={format(value)} />
        </li>
      ))}
    </ol>
  );
}

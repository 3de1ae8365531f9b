import { formatCount } from "#console/blocks/format.ts";
import { Bar } from "#console/pages/disease-command/records/bar.tsx";

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

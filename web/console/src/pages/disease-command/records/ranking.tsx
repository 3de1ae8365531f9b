import { Bar } from "#console/blocks/bar.tsx";
import { formatCount } from "#console/blocks/format.ts";
import "#console/pages/disease-command/records/ranking.css";

interface RankingProps {
  readonly title: string;
  readonly rows: readonly { readonly id: number; readonly name: string; readonly value: number }[];
  readonly format?: (value: number) => string;
}

export function Ranking({ title, rows, format = formatCount }: RankingProps) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <ol className="q-disease-ranking" aria-label={title}>
      {rows.map(({ id, name, value }) => (
        <li key={id}>
          <span className="q-cut" title={name}>
            {name}
          </span>
          <Bar percent={(value / most) * 100} text={format(value)} />
        </li>
      ))}
    </ol>
  );
}

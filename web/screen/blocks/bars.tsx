import type { ReactNode } from "react";
import { Counting } from "#screen/blocks/counting.tsx";

export interface Bar {
  readonly id: number;
  readonly name: string;
  readonly value: number;
  readonly about?: string;
  readonly onOpen?: () => void;
}

interface BarsProps {
  readonly label: string;
  readonly rows: readonly Bar[];
  readonly format: (value: number) => string;
}

export function Bars({ label, rows, format }: BarsProps) {
  const most = Math.max(...rows.map(({ value }) => value), 0);
  return (
    <ol className="s-bars" aria-label={label}>
      {rows.map((row) => (
        <li key={row.id}>
          <Row row={row}>
            <span className="s-bar-name">{row.name}</span>
            <span className="s-bar-value">
              {row.about !== undefined && <small>{row.about}</small>}
              <Counting value={row.value} format={format} />
            </span>
            <span className="s-bar" aria-hidden>
              <i style={{ transform: `scaleX(${most > 0 ? row.value / most : 0})` }} />
            </span>
          </Row>
        </li>
      ))}
    </ol>
  );
}

function Row({ row: { onOpen }, children }: { readonly row: Bar; readonly children: ReactNode }) {
  if (!onOpen) return <div className="s-bar-row">{children}</div>;
  return (
    <button type="button" className="s-bar-row" aria-haspopup="dialog" onClick={onOpen}>
      {children}
    </button>
  );
}

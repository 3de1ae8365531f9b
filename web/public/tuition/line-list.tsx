import { formatFen } from "#shared/money.ts";
import { byYear, type Line, sumFen } from "./choice.ts";
import { useTexts } from "./texts.ts";

export function LineList({ lines, total }: { readonly lines: readonly Line[]; readonly total: string }) {
  const t = useTexts();
  return (
    <section className="card stack">
      {byYear(lines).map(([years, own]) => (
        <div key={years}>
          <h2>{t.year(years)}</h2>
          <ul className="tuition-items">
            {own.map(({ key, name, amountFen }) => (
              <li key={key} className="tuition-item">
                <span className="tuition-name">{name}</span>
                <span className="tuition-amount">{formatFen(amountFen)}</span>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p className="tuition-total">
        <span>{total}</span> <strong>{formatFen(sumFen(lines))}</strong>
      </p>
    </section>
  );
}

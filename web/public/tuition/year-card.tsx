import { useTexts } from "#shared/language/language.ts";
import { formatFen } from "#shared/money.ts";
import { type Line, sumFen } from "./choice.ts";
import { texts } from "./texts.ts";

interface YearCardProps {
  readonly years: string;
  readonly lines: readonly Line[];
  readonly isChosen: (line: Line) => boolean;
  readonly onToggle: (key: string) => void;
}

/** One charging year: each item with its amount and state, to be chosen where it can be paid. */
export function YearCard({ years, lines, isChosen, onToggle }: YearCardProps) {
  const t = useTexts(texts);
  const dueFen = sumFen(lines.filter(({ state }) => state !== "paid"));
  return (
    <fieldset className="card stack tuition-year">
      <legend>
        <span className="tuition-ends">
          {t.year(years)}
          <span className="tag" data-tone={dueFen > 0 ? "warn" : "good"}>
            {dueFen > 0 ? t.stillDue(formatFen(dueFen)) : t.allPaid}
          </span>
        </span>
      </legend>
      <ul className="tuition-items">
        {lines.map((line) => (
          <li key={line.key}>
            <Item line={line} isChosen={isChosen(line)} onToggle={onToggle} />
          </li>
        ))}
      </ul>
      <p className="tuition-total">
        <span>{t.total}</span> <span>{formatFen(sumFen(lines))}</span>
      </p>
    </fieldset>
  );
}

interface ItemProps {
  readonly line: Line;
  readonly isChosen: boolean;
  readonly onToggle: (key: string) => void;
}

function Item({ line: { key, name, amountFen, state }, isChosen, onToggle }: ItemProps) {
  const t = useTexts(texts);
  const what = (
    <>
      <span className="tuition-name">{name}</span>
      <span className="tuition-amount">{formatFen(amountFen)}</span>
      {state !== "unpaid" && (
        <span className="tag" data-tone={state === "paid" ? "good" : "warn"}>
          {t.states[state]}
        </span>
      )}
    </>
  );
  if (state !== "unpaid") return <div className="tuition-item">{what}</div>;
  return (
    <label className="tuition-item">
      <input type="checkbox" checked={isChosen} onChange={() => onToggle(key)} />
      {what}
    </label>
  );
}

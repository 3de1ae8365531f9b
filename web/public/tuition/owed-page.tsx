import { useState } from "react";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { useTexts } from "#shared/language/language.ts";
import { formatFen } from "#shared/money.ts";
import { byYear, type Line, sumFen } from "./choice.ts";
import { keepChoice } from "./chosen.ts";
import { Link } from "./link.tsx";
import { LookUp } from "./look-up.tsx";
import { Notice, Nothing } from "./notice.tsx";
import { type Owed, useOwed } from "./owed.ts";
import { go, paths } from "./route.ts";
import { StudentLine } from "./student-line.tsx";
import { texts } from "./texts.ts";
import { YearCard } from "./year-card.tsx";

/** What the student has to pay, year by year, of which some or all is chosen. */
export function OwedPage() {
  const { data, failure, retry } = useOwed();
  return (
    <>
      {failure && <Failed failure={failure} retry={retry} />}
      {data ? <Present owed={data} /> : !failure && <Waiting />}
      <LookUp />
    </>
  );
}

function Present({ owed }: { readonly owed: Owed }) {
  const t = useTexts(texts);
  const { payables, lines } = owed;
  const isDue = lines.some(({ state }) => state !== "paid");
  return (
    <>
      <StudentLine payable={payables.at(-1)} />
      {payables.length === 0 ? (
        <Nothing title={t.nothingOwed}>{t.nothingOwedAbout}</Nothing>
      ) : (
        <>
          {!isDue && (
            <Notice tone="good" title={t.everythingPaid}>
              <p>{t.everythingPaidAbout}</p>
            </Notice>
          )}
          <Hindrances owed={owed} />
          <Choice lines={lines} />
        </>
      )}
    </>
  );
}

/** Why something that is due cannot be chosen, and what to do about it. */
function Hindrances({ owed: { payables, limits, lines } }: { readonly owed: Owed }) {
  const t = useTexts(texts);
  const off = new Set(lines.filter(({ state }) => state === "off").map(({ payableId }) => payableId));
  const grades = [...new Set(payables.filter(({ id }) => off.has(id)).map(({ grade }) => grade))];
  return (
    <>
      {grades.map((grade) => (
        <Notice
          key={grade}
          tone="warn"
          title={t.gradeOff(limits.find((limit) => limit.grade === grade)?.gradeName ?? grade)}
        >
          <p>{t.gradeOffAbout}</p>
          <Link to={paths.feedback} className="button">
            {t.toFeedback}
          </Link>
        </Notice>
      ))}
      {lines.some(({ state }) => state === "held") && (
        <Notice title={t.held}>
          <p>{t.heldAbout}</p>
          <Link to={paths.orders} className="button">
            {t.toOrders}
          </Link>
        </Notice>
      )}
    </>
  );
}

/** Everything that is due is chosen unless somebody says otherwise. */
function Choice({ lines }: { readonly lines: readonly Line[] }) {
  const t = useTexts(texts);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const due = lines.filter(({ state }) => state === "unpaid");
  const chosen = due.filter(({ key }) => !left.has(key));
  const toggle = (key: string) =>
    setLeft((before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]));
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        keepChoice(chosen);
        go(paths.pay);
      }}
    >
      {byYear(lines).map(([years, own]) => (
        <YearCard key={years} years={years} lines={own} isChosen={({ key }) => !left.has(key)} onToggle={toggle} />
      ))}
      {due.length > 0 && (
        <div className="tuition-bar">
          <output aria-live="polite">
            {t.chosenCount(chosen.length)} <strong>{formatFen(sumFen(chosen))}</strong>
          </output>
          <button type="submit" className="button" data-kind="main" disabled={sumFen(chosen) === 0}>
            {t.next}
          </button>
        </div>
      )}
    </form>
  );
}

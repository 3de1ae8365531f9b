import { useState } from "react";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { formatFen } from "#shared/money.ts";
import { byYear, type Line, sumFen } from "#public/tuition/choice.ts";
import { keepChoice, type Owed, useOwed } from "#public/tuition/owed.ts";
import { go, Link, paths } from "#public/tuition/route.tsx";
import { LookUp } from "#public/tuition/look-up.tsx";
import { NoticeWish } from "#public/blocks/notice-wish.tsx";
import { Nothing, Notice } from "#public/blocks/notice.tsx";
import { useTexts } from "#public/tuition/texts.ts";
import { useTexts as useSignInTexts } from "#public/blocks/sign-in-texts.ts";
import { ask, identity, students } from "#public/tuition/student.ts";

export function OwedPage() {
  const { data, failure, retry } = useOwed();
  return (
    <>
      {failure && <Failed failure={failure} retry={retry} />}
      {data ? <Present owed={data} /> : !failure && <Waiting />}
      <LookUp />
      {data?.payables.some(({ studentNo }) => studentNo !== null) && (
        <NoticeWish
          read={(signal) => ask(tuitionPayment.readOwnNotices, {}, { signal })}
          change={(body) => ask(tuitionPayment.changeOwnNotices, { body })}
        />
      )}
    </>
  );
}

function Present({ owed }: { readonly owed: Owed }) {
  const t = useTexts();
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

function Hindrances({ owed: { payables, limits, lines } }: { readonly owed: Owed }) {
  const t = useTexts();
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

function Choice({ lines }: { readonly lines: readonly Line[] }) {
  const t = useTexts();
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

interface StudentLineProps {
  readonly payable:
    | { readonly studentName: string; readonly studentNo: string | null; readonly collegeName: string }
    | undefined;
}

function StudentLine({ payable }: StudentLineProps) {
  const t = useTexts();
  const signIn = useSignInTexts();
  const student = students.current();
  return (
    <div className="tuition-ends tuition-student">
      <div>
        {identity === "demo" && <span className="tag">{signIn.demo}</span>}{" "}
        {payable && <strong>{payable.studentName}</strong>}{" "}
        <span className="soft">
          {payable
            ? [payable.studentNo ?? t.noNumber, payable.collegeName].filter(Boolean).join(" · ")
            : student?.number}
        </span>
      </div>
      {student && (
        <button type="button" className="button" data-kind="quiet" onClick={students.leave}>
          {identity === "demo" ? t.switchStudent : t.signOut}
        </button>
      )}
    </div>
  );
}

interface YearCardProps {
  readonly years: string;
  readonly lines: readonly Line[];
  readonly isChosen: (line: Line) => boolean;
  readonly onToggle: (key: string) => void;
}

function YearCard({ years, lines, isChosen, onToggle }: YearCardProps) {
  const t = useTexts();
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
  const t = useTexts();
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

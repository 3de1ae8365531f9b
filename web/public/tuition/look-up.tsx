import { type FormEvent, useState } from "react";
import { Field } from "#public/blocks/field.tsx";
import { Failed } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { formatFen, toFen } from "#shared/money.ts";
import { ask } from "./student.ts";
import { useTexts } from "./texts.ts";

type Found = DataOf<typeof tuitionPayment.matchPayable>;

export function LookUp() {
  const t = useTexts();
  return (
    <details className="card tuition-look-up">
      <summary>{t.lookUp}</summary>
      <div className="stack">
        <p className="soft">{t.lookUpAbout}</p>
        <LookUpForm />
      </div>
    </details>
  );
}

const readItems = (detail: string) =>
  detail.split("\\").map((part) => {
    const [name = "", amount = ""] = part.split(":");
    return { name, amountFen: toFen(Number(amount)) };
  });

type Outcome = { readonly found: Found } | { readonly failure: CallFailure } | "asking" | undefined;

function LookUpForm() {
  const t = useTexts();
  const [number, setNumber] = useState("");
  const [name, setName] = useState("");
  const [isTried, setIsTried] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const search = async (event?: FormEvent) => {
    event?.preventDefault();
    setIsTried(true);
    if (number.trim() === "" || name.trim() === "" || outcome === "asking") return;
    setOutcome("asking");
    try {
      const params = { studentNo: number.trim(), studentName: name.trim() };
      setOutcome({ found: await ask(tuitionPayment.matchPayable, { params }) });
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setOutcome({ failure: error });
    }
  };
  const missing = (text: string) => (isTried && text.trim() === "" ? t.required : undefined);
  return (
    <>
      <form className="stack" noValidate onSubmit={(event) => void search(event)}>
        <Field needed label={t.studentNo} hint={t.studentNoHelp} error={missing(number)}>
          {(control) => (
            <input
              {...control}
              value={number}
              maxLength={64}
              onInput={(event) => setNumber(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field needed label={t.studentName} error={missing(name)}>
          {(control) => (
            <input {...control} value={name} maxLength={255} onInput={(event) => setName(event.currentTarget.value)} />
          )}
        </Field>
        <button type="submit" className="button" disabled={outcome === "asking"}>
          {t.search}
        </button>
      </form>
      <div aria-live="polite">
        {typeof outcome === "object" && <Result outcome={outcome} retry={() => void search()} />}
      </div>
    </>
  );
}

function Result({
  outcome,
  retry,
}: {
  readonly outcome: Exclude<Outcome, "asking" | undefined>;
  readonly retry: () => void;
}) {
  const t = useTexts();
  if ("failure" in outcome)
    return outcome.failure.code === "10013" ? <p>{t.noMatch}</p> : <Failed failure={outcome.failure} retry={retry} />;
  const { studentName, years, realPayAmount, payItemDetail, pay, due } = outcome.found;
  return (
    <section className="stack">
      <h3>
        {studentName} · {t.year(years)}
      </h3>
      <ul className="tuition-items">
        {readItems(payItemDetail).map(({ name, amountFen }) => (
          <li key={name} className="tuition-item">
            <span className="tuition-name">{name}</span>
            <span className="tuition-amount">{formatFen(amountFen)}</span>
          </li>
        ))}
      </ul>
      <p className="tuition-total">
        <span>
          {t.total}{" "}
          <span className="tag" data-tone={pay ? "good" : "warn"}>
            {pay ? t.isPaid : t.stillDue(formatFen(toFen(due)))}
          </span>
        </span>
        <span>{formatFen(toFen(realPayAmount))}</span>
      </p>
    </section>
  );
}

import type { ReactNode } from "react";
import { AskedField } from "./asked-field.tsx";
import { asked, stepNames } from "./fields.ts";
import { Files } from "./files.tsx";
import { Review } from "./review.tsx";
import { toSignIn } from "./submitter.ts";
import { useReportTexts } from "./texts.ts";
import { type Filling, useFilling } from "./use-filling.ts";
import type { SubmissionGiven, Trouble } from "./use-submission.ts";

export interface StepsProps extends Omit<SubmissionGiven, "uploads"> {
  readonly startOver: () => void;
}

/** The steps of the form, one at a time; the last of them submits. */
export function Steps({ startOver, ...given }: StepsProps): ReactNode {
  const filling = useFilling(given);
  const { step, name, goTo, faults, uploads, submission, form } = filling;
  const { draft } = given;
  return (
    <form
      ref={form}
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        filling.advance();
      }}
    >
      <StepHead step={step} faults={Object.keys(faults).length} />
      {asked[name].map((field) => (
        <AskedField
          key={field.name}
          field={field}
          value={draft.values[field.name]}
          fault={faults[field.name]}
          change={(text) => filling.set(field.name, text)}
        />
      ))}
      {name === "details" && <Files uploads={uploads} />}
      {name === "review" && <Review values={draft.values} uploads={uploads.list} goTo={goTo} />}
      {submission.trouble && <Hindrance trouble={submission.trouble} />}
      <Buttons filling={filling} startOver={startOver} />
    </form>
  );
}

function StepHead({ step, faults }: { readonly step: number; readonly faults: number }): ReactNode {
  const t = useReportTexts();
  const name = stepNames[step] ?? stepNames[0];
  return (
    <div>
      <p className="soft">{t.stepOf(step + 1, stepNames.length)}</p>
      <h2 tabIndex={-1}>{t.steps[name]}</h2>
      <div className="report-progress" aria-hidden="true">
        {stepNames.map((one, place) => (
          <span key={one} data-done={place <= step ? "" : undefined} />
        ))}
      </div>
      {faults > 0 && <p className="report-faults">{t.stepFaulty(faults)}</p>}
    </div>
  );
}

function Hindrance({ trouble: { message, remedy } }: { readonly trouble: Trouble }): ReactNode {
  const t = useReportTexts();
  const signIn = remedy === "signIn" ? toSignIn() : undefined;
  return (
    <div className="note" data-tone={remedy === "signIn" ? "warn" : "bad"} role="alert">
      <p>{message}</p>
      {remedy === "retry" && (
        <button className="button" type="submit">
          {t.retry}
        </button>
      )}
      {signIn && (
        <a className="button" href={signIn}>
          {t.signIn}
        </a>
      )}
    </div>
  );
}

interface ButtonsProps {
  readonly filling: Filling;
  readonly startOver: () => void;
}

function Buttons({ filling: { step, name, goTo, submission, restart }, startOver }: ButtonsProps): ReactNode {
  const t = useReportTexts();
  const last = submission.isSending ? t.submitting : t.submit;
  const clear = () => {
    if (!window.confirm(t.clearAsked)) return;
    restart();
    startOver();
  };
  return (
    <div className="report-buttons">
      <button className="button" data-kind="main" type="submit" disabled={submission.isSending}>
        {name === "review" ? last : t.next}
      </button>
      {step > 0 && (
        <button className="button" type="button" onClick={() => goTo(step - 1)}>
          {t.back}
        </button>
      )}
      <button className="button" data-kind="quiet" type="button" onClick={clear}>
        {t.clear}
      </button>
    </div>
  );
}

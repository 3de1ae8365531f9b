import type { ReactNode } from "react";
import {
  asked,
  type FieldAsked,
  type FieldName,
  licensingChoices,
  type StepName,
  stepNames,
  toEntries,
  toTime,
  type Values,
} from "#public/report/fields.ts";
import { describe, Files } from "#public/report/files.tsx";
import { toSignIn } from "#public/report/submitter.ts";
import { type ReportTexts, useTexts } from "#public/report/texts.ts";
import { type Filling, type SubmissionGiven, type Trouble, useFilling } from "#public/report/use-filling.ts";
import { Field, type FieldControl } from "#public/blocks/field.tsx";
import type { Upload } from "#public/report/uploads.ts";

interface StepsProps extends Omit<SubmissionGiven, "uploads"> {
  readonly startOver: () => void;
}

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
  const t = useTexts();
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
  const t = useTexts();
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
  const t = useTexts();
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

interface AskedFieldProps {
  readonly field: FieldAsked;
  readonly value: string;
  readonly fault: string | undefined;
  readonly change: (text: string) => void;
}

export function AskedField({ field, value, fault, change }: AskedFieldProps): ReactNode {
  const t = useTexts();
  const hints: Readonly<Partial<Record<string, string>>> = t.hints;
  return (
    <Field label={t.fields[field.name]} hint={hints[field.name]} error={fault} needed={!field.optional}>
      {(control) => <Control control={control} field={field} value={value} change={change} />}
    </Field>
  );
}

interface ControlProps extends Omit<AskedFieldProps, "fault"> {
  readonly control: FieldControl;
}

function Control({ control, field: { name, kind, most, autoComplete }, value, change }: ControlProps): ReactNode {
  const t = useTexts();
  if (kind === "choice")
    return (
      <select {...control} name={name} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        <option value="">{t.choose}</option>
        {licensingChoices.map((choice) => (
          <option key={choice} value={choice}>
            {t.licensings[choice]}
          </option>
        ))}
      </select>
    );
  if (kind === "long")
    return (
      <textarea
        {...control}
        name={name}
        rows={4}
        maxLength={most}
        value={value}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  return (
    <input
      {...control}
      name={name}
      type={kind === "phone" ? "tel" : kind === "time" ? "datetime-local" : "text"}
      autoComplete={autoComplete ?? "off"}
      maxLength={kind === "list" || kind === "time" ? undefined : most}
      value={value}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

interface ReviewProps {
  readonly values: Values;
  readonly uploads: readonly Upload[];
  readonly goTo: (step: number) => void;
}

function Review({ values, uploads, goTo }: ReviewProps): ReactNode {
  const t = useTexts();
  const steps = stepNames.filter((name) => name !== "review");
  return (
    <>
      {steps.map((name, place) => (
        <section className="card" key={name}>
          <div className="row report-part">
            <h3>{t.steps[name]}</h3>
            <button
              className="button"
              data-kind="quiet"
              type="button"
              aria-label={t.changeNamed(t.steps[name])}
              onClick={() => goTo(place)}
            >
              {t.change}
            </button>
          </div>
          <Part name={name} values={values} uploads={uploads} />
        </section>
      ))}
    </>
  );
}

interface PartProps extends Omit<ReviewProps, "goTo"> {
  readonly name: StepName;
}

function Part({ name, values, uploads }: PartProps): ReactNode {
  const t = useTexts();
  return (
    <dl className="facts">
      {asked[name].map((field) => (
        <Fact key={field.name} label={t.fields[field.name]} text={show(field.name, values, t)} />
      ))}
      {name === "details" && (
        <Fact
          label={t.files}
          text={uploads.map((upload) => t.withState(upload.name, describe(upload.state, t))).join("\n") || t.none}
        />
      )}
    </dl>
  );
}

const Fact = ({ label, text }: { readonly label: string; readonly text: string }): ReactNode => (
  <>
    <dt>{label}</dt>
    <dd>{text}</dd>
  </>
);

function show(name: FieldName, values: Values, t: ReportTexts): string {
  const text = values[name].trim();
  if (text === "") return t.none;
  if (name === "tenderTime") return toTime(text);
  if (name === "bProduct") return toEntries(text).join(t.between);
  const choice = name === "licensing" && licensingChoices.find((one) => one === text);
  return choice ? t.licensings[choice] : text;
}

import type { ReactNode } from "react";
import {
  asked,
  type FieldName,
  licensingChoices,
  type StepName,
  stepNames,
  toEntries,
  toTime,
  type Values,
} from "./fields.ts";
import { describe } from "./files.tsx";
import { type ReportTexts, useReportTexts } from "./texts.ts";
import type { Upload } from "./uploads.ts";

export interface ReviewProps {
  readonly values: Values;
  readonly uploads: readonly Upload[];
  readonly goTo: (step: number) => void;
}

/** Everything once more before it leaves; afterwards it cannot be changed. */
export function Review({ values, uploads, goTo }: ReviewProps): ReactNode {
  const t = useReportTexts();
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
  const t = useReportTexts();
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

import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { Draft } from "./draft.ts";
import { asked, type FieldName, findFault, type StepName, stepNames } from "./fields.ts";
import { type ReportTexts, useReportTexts } from "./texts.ts";
import { type Uploads, useUploads } from "./uploads.ts";
import { useStep } from "./use-step.ts";
import { type Faults, type Submission, type SubmissionGiven, useSubmission } from "./use-submission.ts";

/** The form as it is being filled in. */
export interface Filling {
  readonly step: number;
  readonly name: StepName;
  readonly goTo: (step: number) => void;
  /** What is wrong with the fields of this step, once somebody has tried to go on. */
  readonly faults: Faults;
  readonly uploads: Uploads;
  readonly submission: Submission;
  readonly set: (field: FieldName, text: string) => void;
  /** Goes on to the next step, or submits; or leads to the first field that is wrong. */
  readonly advance: () => void;
  readonly restart: () => void;
  readonly form: RefObject<HTMLFormElement | null>;
}

type Given = Omit<SubmissionGiven, "uploads">;

export function useFilling({ draft, change, ...given }: Given): Filling {
  const t = useReportTexts();
  const [step, goTo] = useStep();
  const [tried, setTried] = useState(-1);
  const keepFiles = useCallback((files: Draft["files"]) => change(() => ({ files })), [change]);
  const uploads = useUploads(draft.files, keepFiles);
  const submission = useSubmission({ draft, change, uploads: uploads.list, ...given });
  const [form, lead] = useLead(step);
  const name = stepNames[step] ?? stepNames[0];
  const faultsOf = (of: StepName): Faults => ({ ...findFaults(of, draft, t), ...pick(submission.refused, of) });

  const leadTo = (place: number) => {
    goTo(place);
    lead();
  };
  const advance = () => {
    setTried(Math.max(tried, step));
    const wrong = stepNames.findIndex((of, place) => place <= step && hasAny(faultsOf(of)));
    if (wrong >= 0) return leadTo(wrong);
    if (name !== "review") return goTo(step + 1);
    void submit();
  };
  const submit = async () => {
    const refused = await submission.submit();
    const first = stepNames.findIndex((of) => hasAny(pick(refused, of)));
    if (first >= 0) leadTo(first);
  };
  const set = (field: FieldName, text: string) => {
    submission.forgive(field);
    change(({ values }) => ({ values: { ...values, [field]: text } }));
  };
  const restart = () => {
    uploads.clear();
    setTried(-1);
    goTo(0);
  };
  const faults = step <= tried ? faultsOf(name) : pick(submission.refused, name);
  return { step, name, goTo, faults, uploads, submission, set, advance, restart, form };
}

function findFaults(step: StepName, { values }: Draft, t: ReportTexts): Faults {
  const found = asked[step].map((field) => [field.name, findFault(field, values, t)] as const);
  return Object.fromEntries(found.filter(([, fault]) => fault !== undefined));
}

const pick = (faults: Faults, step: StepName): Faults =>
  Object.fromEntries(asked[step].flatMap(({ name }) => (faults[name] ? [[name, faults[name]]] : [])));

const hasAny = (faults: Faults): boolean => Object.keys(faults).length > 0;

/** Leads the focus: to the head of a step that opens, and when asked to, to the first field that is wrong. */
function useLead(step: number): readonly [RefObject<HTMLFormElement | null>, () => void] {
  const form = useRef<HTMLFormElement>(null);
  const [turn, setTurn] = useState(0);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) form.current?.querySelector<HTMLElement>("h2")?.focus();
    if (shown.current !== step) window.scrollTo(0, 0);
    shown.current = step;
  }, [step]);
  useEffect(() => {
    if (turn > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [turn]);
  return [form, () => setTurn((last) => last + 1)];
}

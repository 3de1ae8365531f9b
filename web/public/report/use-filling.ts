import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { Draft } from "#public/report/draft.ts";
import {
  asked,
  type FieldName,
  fieldNames,
  findFault,
  type StepName,
  stepNames,
  toBody,
} from "#public/report/fields.ts";
import { type ReportTexts, useTexts } from "#public/report/texts.ts";
import { type Upload, type Uploads, useUploads } from "#public/report/uploads.ts";
import { reporting } from "#shared/api/reporting.ts";
import { exchange, makeKey, patienceMs, readData } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import {
  forgetSubmitter,
  isSignedOut,
  type SignedIn,
  type Submitter,
  submitterHeaders,
} from "#public/report/submitter.ts";

export interface Filling {
  readonly step: number;
  readonly name: StepName;
  readonly goTo: (step: number) => void;
  /** Until the user tries to leave the step, these are only the faults that the server reported. */
  readonly faults: Faults;
  readonly uploads: Uploads;
  readonly submission: Submission;
  readonly set: (field: FieldName, text: string) => void;
  readonly advance: () => void;
  readonly restart: () => void;
  readonly form: RefObject<HTMLFormElement | null>;
}

type Given = Omit<SubmissionGiven, "uploads">;

export function useFilling({ draft, change, ...given }: Given): Filling {
  const t = useTexts();
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

/** Each step is a history entry, so that Back returns to the previous step. */
function useStep(): readonly [step: number, goTo: (step: number) => void] {
  const [step, setStep] = useState(readStep);
  useEffect(() => {
    const follow = () => setStep(readStep());
    window.addEventListener("popstate", follow);
    return () => window.removeEventListener("popstate", follow);
  }, []);
  const goTo = (next: number) => {
    if (next === step) return;
    if (next > step) history.pushState({ step: next }, "");
    else history.replaceState({ step: next }, "");
    setStep(next);
  };
  return [step, goTo];
}

function readStep(): number {
  const { step } = (history.state ?? {}) as { step?: unknown };
  return typeof step === "number" && step in stepNames ? step : 0;
}

type Faults = Readonly<Partial<Record<FieldName, string | undefined>>>;

export interface Trouble {
  readonly message: string;
  readonly remedy?: "signIn" | "retry";
}

interface Submission {
  readonly refused: Faults;
  readonly trouble: Trouble | undefined;
  readonly isSending: boolean;
  readonly submit: () => Promise<Faults>;
  readonly forgive: (field: FieldName) => void;
}

export interface SubmissionGiven {
  readonly draft: Draft;
  readonly change: (part: (last: Draft) => Partial<Draft>) => void;
  readonly uploads: readonly Upload[];
  readonly submitter: SignedIn;
  readonly done: (receipt: string) => void;
}

function useSubmission({ draft, change, uploads, submitter, done }: SubmissionGiven): Submission {
  const t = useTexts();
  const [refused, setRefused] = useState<Faults>({});
  const [trouble, setTrouble] = useState<Trouble>();
  const [isSending, setSending] = useState(false);
  const submit = async (): Promise<Faults> => {
    const hindrance = findHindrance(uploads, t);
    setTrouble(hindrance);
    if (hindrance) return {};
    setSending(true);
    try {
      done(await send(draft, uploads, submitter.current));
      return {};
    } catch (failure) {
      const faults = toFaults(failure);
      setRefused(faults);
      if (Object.keys(faults).length === 0) setTrouble(toTrouble(failure, t));
      if (isSignedOut(failure)) submitter.forget();
      if (isKeyUsed(failure)) change(() => ({ idempotencyKey: makeKey() }));
      return faults;
    } finally {
      setSending(false);
    }
  };
  const forgive = (field: FieldName) => setRefused((all) => ({ ...all, [field]: undefined }));
  return { refused, trouble, isSending, submit, forgive };
}

export function findHindrance(uploads: readonly Upload[], t: ReportTexts): Trouble | undefined {
  if (uploads.some(({ state }) => state.is === "waiting" || state.is === "sending")) return { message: t.filesPending };
  return uploads.some(({ state }) => state.is !== "done") ? { message: t.filesFailed } : undefined;
}

/** Returns the receipt, or "" if a proxy dropped it from the response. */
async function send(draft: Draft, uploads: readonly Upload[], submitter: Submitter | undefined): Promise<string> {
  const files = uploads.flatMap(({ state }) => (state.is === "done" ? [state.path] : []));
  const exchanged = await exchange(
    reporting.addReport,
    { body: toBody(draft.values, files) },
    { idempotencyKey: draft.idempotencyKey, headers: submitterHeaders(submitter), patienceMs },
  );
  await readData(reporting.addReport, exchanged);
  return exchanged.answer.headers.get("report_receipt") ?? "";
}

function toFaults(failure: unknown): Faults {
  const fields = failure instanceof CallFailure ? failure.fields : [];
  const known = fields.filter(({ field }) => (fieldNames as readonly string[]).includes(field));
  return Object.fromEntries(known.map(({ field, message }) => [field, message]));
}

/** The key was already used with other content: an earlier submission was stored, but its response was lost. */
const isKeyUsed = (failure: unknown): boolean => failure instanceof CallFailure && failure.code === "10004";

function toTrouble(failure: unknown, t: ReportTexts): Trouble {
  if (isSignedOut(failure)) {
    forgetSubmitter();
    return { message: t.sessionEnded, remedy: "signIn" };
  }
  if (isKeyUsed(failure)) return { message: t.keyUsed };
  return { message: failure instanceof Error ? failure.message : String(failure), remedy: "retry" };
}

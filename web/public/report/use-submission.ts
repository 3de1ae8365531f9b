import { useState } from "react";
import { reporting } from "#shared/api/reporting.ts";
import { exchange, readData } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { makeKey } from "#shared/call/idempotency.ts";
import type { Draft } from "./draft.ts";
import { type FieldName, fieldNames, toBody } from "./fields.ts";
import { forgetSubmitter, isSignedOut, type Submitter, submitterHeaders } from "./submitter.ts";
import { type ReportTexts, useReportTexts } from "./texts.ts";
import type { Upload } from "./uploads.ts";
import type { SignedIn } from "./use-submitter.ts";

/** What is wrong, by field. */
export type Faults = Readonly<Partial<Record<FieldName, string | undefined>>>;

/** Why nothing was submitted. */
export interface Trouble {
  readonly message: string;
  /** What to do about it beside pressing the button again. */
  readonly remedy?: "signIn" | "retry";
}

export interface Submission {
  /** What the server says of fields. */
  readonly refused: Faults;
  readonly trouble: Trouble | undefined;
  readonly isSending: boolean;
  /** Submits, and gives what the server says of fields. */
  readonly submit: () => Promise<Faults>;
  /** The field is being changed: what was said of it holds no more. */
  readonly forgive: (field: FieldName) => void;
}

export interface SubmissionGiven {
  readonly draft: Draft;
  readonly change: (part: (last: Draft) => Partial<Draft>) => void;
  readonly uploads: readonly Upload[];
  readonly submitter: SignedIn;
  readonly done: (receipt: string) => void;
}

/** Sends the draft, and keeps what came of it. */
export function useSubmission({ draft, change, uploads, submitter, done }: SubmissionGiven): Submission {
  const t = useReportTexts();
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

function findHindrance(uploads: readonly Upload[], t: ReportTexts): Trouble | undefined {
  if (uploads.some(({ state }) => state.is === "waiting" || state.is === "sending")) return { message: t.filesPending };
  return uploads.some(({ state }) => state.is !== "done") ? { message: t.filesFailed } : undefined;
}

/** The receipt; "" where something on the way dropped it. */
async function send(draft: Draft, uploads: readonly Upload[], submitter: Submitter | undefined): Promise<string> {
  const files = uploads.flatMap(({ state }) => (state.is === "done" ? [state.path] : []));
  const exchanged = await exchange(
    reporting.addReport,
    { body: toBody(draft.values, files) },
    { idempotencyKey: draft.idempotencyKey, headers: submitterHeaders(submitter) },
  );
  await readData(reporting.addReport, exchanged);
  return exchanged.answer.headers.get("report_receipt") ?? "";
}

function toFaults(failure: unknown): Faults {
  const fields = failure instanceof CallFailure ? failure.fields : [];
  const known = fields.filter(({ field }) => (fieldNames as readonly string[]).includes(field));
  return Object.fromEntries(known.map(({ field, message }) => [field, message]));
}

/** The same key with another content: the first was received, though its answer was not. */
const isKeyUsed = (failure: unknown): boolean => failure instanceof CallFailure && failure.code === "10004";

function toTrouble(failure: unknown, t: ReportTexts): Trouble {
  if (isSignedOut(failure)) {
    forgetSubmitter();
    return { message: t.sessionEnded, remedy: "signIn" };
  }
  if (isKeyUsed(failure)) return { message: t.keyUsed };
  return { message: failure instanceof Error ? failure.message : String(failure), remedy: "retry" };
}

import { CallFailure } from "#console/call/failure.ts";
import type { Data, Given, Operation } from "#console/call/operation.ts";
import { texts } from "#console/call/texts.ts";
import { type Answer, send, type Sent } from "#console/call/transport.ts";
import { currentLanguage, currentTexts } from "#console/language/language.ts";
import { place } from "#console/place.ts";
import { currentSession } from "#console/session/session.ts";
import { askToSignIn } from "#console/session/sign-in-again.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Envelope } from "#platform/contract/envelope.ts";

/** What goes along with a call beside what the contract asks for. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told how much of an upload has left, in whole percent. */
  readonly onProgress?: ((percent: number) => void) | undefined;
  /** In place of the session's: to ask whose it is before there is a session. */
  readonly token?: string;
  /** Makes a repeated create harmless; a form gives the same one until it succeeds. */
  readonly idempotencyKey?: string | undefined;
}

type Plain = string | number | boolean | null | undefined;

/** The loose shape of what an operation takes, once its types have done their work. */
export interface Parts {
  readonly params?: Readonly<Record<string, Plain>>;
  readonly query?: Readonly<Record<string, Plain | readonly Plain[]>>;
  readonly body?: unknown;
  readonly fields?: Readonly<Record<string, Plain>>;
  readonly file?: File;
}

type GivenOrNone<E extends Endpoint> = {} extends Given<E> ? [given?: Given<E>] : [given: Given<E>];

/**
 * Calls an operation and gives its data. When the token has run out, the person signs in again in place, and the call
 * is repeated.
 * @throws {CallFailure} in words for people.
 */
export function call<E extends Endpoint>(operation: Operation<E>, ...[given]: GivenOrNone<E>): Promise<Data<E>> {
  return callWith(operation, (given ?? {}) as Given<E>);
}

/** `call` with a signal, an ear for the progress or an idempotency key. */
export async function callWith<E extends Endpoint>(
  operation: Operation<E>,
  given: Given<E>,
  options: CallOptions = {},
): Promise<Data<E>> {
  const answer = await sendSignedIn(operation, given as Parts, options);
  if (operation.answer === "text") return (await answer.body.text()) as Data<E>;
  const envelope = await readEnvelope(answer);
  if (!envelope?.success) throw toFailure(answer, envelope);
  return envelope.data as Data<E>;
}

/** A file that an operation answered with. */
export interface Downloaded {
  readonly blob: Blob;
  readonly fileName: string;
}

/** Calls an operation for a file. @throws {CallFailure} */
export async function fetchFile(operation: Operation, given: Parts, options: CallOptions = {}): Promise<Downloaded> {
  const answer = await sendSignedIn(operation, given, options);
  const fileName = toFileName(answer.headers.get("content-disposition")) ?? operation.name;
  return { blob: answer.body, fileName };
}

/** The name that an answer gives its file. */
export function toFileName(disposition: string | null): string | undefined {
  const [, encoded, plain] = /filename\*=UTF-8''([^;]+)|filename="([^"]*)"/i.exec(disposition ?? "") ?? [];
  return encoded ? decodeURIComponent(encoded) : plain;
}

/** Calls an operation for a file and hands it to the browser to keep. @throws {CallFailure} */
export async function download<E extends Endpoint>(
  operation: Operation<E>,
  given: Partial<Given<E>>,
  options: CallOptions = {},
): Promise<void> {
  const { blob, fileName } = await fetchFile(operation, given, options);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The address of a path that the interface gave, such as an uploaded file's. */
export const toAddress = (path: string): string =>
  place.base !== "" && path.startsWith(`${place.base}/`) ? path : place.base + path;

async function sendSignedIn(operation: Operation, parts: Parts, options: CallOptions): Promise<Answer> {
  for (;;) {
    const token = options.token ?? currentSession()?.token;
    const answer = await send(toSent(operation, parts, token), options);
    if (answer.ok && !isEnvelope(answer)) return answer;
    const envelope = await readEnvelope(answer);
    if (envelope?.success) return answer;
    if (token === undefined || options.token !== undefined || !isTokenRefused(operation, envelope?.code))
      throw toFailure(answer, envelope);
    // Another call may have signed in meanwhile.
    if (currentSession()?.token === token) await askToSignIn(options.signal);
  }
}

function toSent(
  { method, url, idempotent }: Operation,
  parts: Parts,
  token: string | undefined,
): Omit<Sent, "idempotencyKey"> {
  const path = url.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(parts.params?.[name])));
  return {
    method,
    address: `${place.base}${path}${toQuery(parts.query)}`,
    headers: { "accept-language": currentLanguage(), ...(token !== undefined && { "admin-token": token }) },
    body: parts.file ? toForm(parts.file, parts.fields) : parts.body,
    idempotent: idempotent === true,
  };
}

function toQuery(query: Parts["query"] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== "") search.append(name, String(one));
  return search.size > 0 ? `?${search}` : "";
}

function toForm(file: File, fields: Parts["fields"] = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null && value !== "") form.append(name, String(value));
  form.append("file", file, file.name);
  return form;
}

const isEnvelope = ({ headers }: Answer): boolean => (headers.get("content-type") ?? "").startsWith("application/json");

async function readEnvelope(answer: Answer): Promise<Envelope | undefined> {
  if (!isEnvelope(answer)) return undefined;
  try {
    return JSON.parse(await answer.body.text()) as Envelope;
  } catch {
    return undefined;
  }
}

// By code and not by status, which may always be 200 (STATUS_STYLE).
const isTokenRefused = ({ who, tokenRefusals }: Operation, code: string | undefined): boolean =>
  who !== "anyone" && tokenRefusals.includes(code ?? "");

function toFailure(answer: Answer, envelope: Envelope | undefined): CallFailure {
  const t = currentTexts(texts);
  const retryAfterSeconds = Number(answer.headers.get("retry-after")) || undefined;
  if (!envelope) return new CallFailure({ code: "network", message: t.notOurs(answer.status), status: answer.status });
  const message = toAdvice(envelope, retryAfterSeconds);
  return new CallFailure({ ...envelope, message, status: answer.status, retryAfterSeconds });
}

/** The server says what is wrong; for the failures that it cannot know the way out of, this says what to do. */
function toAdvice({ code, message }: Envelope, retryAfterSeconds: number | undefined): string {
  const t = currentTexts(texts);
  const wait = retryAfterSeconds === undefined ? "" : t.retryAfter(retryAfterSeconds);
  const advice = code in t.advice ? t.advice[code as keyof typeof t.advice] : "";
  return [message, wait, advice].filter((part) => part !== "").join(t.stop);
}

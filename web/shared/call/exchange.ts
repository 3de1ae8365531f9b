import { CallFailure } from "#shared/call/failure.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import { useTexts } from "#shared/call/texts.ts";
import { type Answer, type CallOptions, send, type Sent } from "#shared/call/transport.ts";
import { currentLanguage } from "#shared/language/language.ts";
import { place } from "#shared/place.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Envelope } from "#platform/contract/envelope.ts";

// Every application under web/ calls the API's operations through this file, except for files and event streams. The
// console authenticates by a session header, a public page by its visitor's identity headers.

type Plain = string | number | boolean | null | undefined;

export interface Parts {
  readonly params?: Readonly<Record<string, Plain>>;
  readonly query?: Readonly<Record<string, Plain | readonly Plain[]>>;
  readonly body?: unknown;
  readonly fields?: Readonly<Record<string, Plain>>;
  readonly file?: File;
}

export type GivenOrNone<E extends Endpoint> = {} extends Given<E> ? [given?: Given<E>] : [given: Given<E>];

export interface Exchange {
  readonly answer: Answer;
  readonly envelope: Envelope | undefined;
}

/** Returns the response whatever its status. @throws {CallFailure} if no response arrives */
export async function exchange(operation: Operation, parts: Parts, options: CallOptions): Promise<Exchange> {
  const answer = await send(toSent(operation, parts, options), options);
  return { answer, envelope: await readEnvelope(answer) };
}

export const hasSucceeded = ({ answer, envelope }: Exchange): boolean =>
  envelope ? envelope.success : answer.ok && !isEnvelope(answer);

/**
 * Returns the operation's data.
 * @throws {CallFailure} with a user-facing message if the operation failed
 */
export async function readData<E extends Endpoint>(operation: Operation<E>, exchanged: Exchange): Promise<Data<E>> {
  const { answer, envelope } = exchanged;
  if (operation.answer === "text" && answer.ok) return (await answer.body.text()) as Data<E>;
  if ((operation.answer === "bare" || operation.answer === "document") && answer.ok)
    return JSON.parse(await answer.body.text()) as Data<E>;
  if (!envelope?.success) throw toFailure(exchanged);
  return envelope.data as Data<E>;
}

/** The code decides, since with STATUS_STYLE=always-200 a refusal has status 200. */
export const isTokenRefused = ({ who, tokenRefusals }: Operation, code: string | undefined): boolean =>
  who !== "anyone" && tokenRefusals.includes(code ?? "");

export function toFailure({ answer, envelope }: Exchange): CallFailure {
  const t = useTexts[currentLanguage()];
  const retryAfterSeconds = Number(answer.headers.get("retry-after")) || undefined;
  if (!envelope) return new CallFailure({ code: "network", message: t.notOurs(answer.status), status: answer.status });
  const message = toAdvice(envelope, retryAfterSeconds);
  return new CallFailure({ ...envelope, message, status: answer.status, retryAfterSeconds });
}

export const toAddress = (path: string): string =>
  place.base !== "" && path.startsWith(`${place.base}/`) ? path : place.base + path;

export function toCallAddress({ url }: Pick<Operation, "url">, { params, query }: Parts = {}): string {
  const path = url.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(params?.[name])));
  return `${place.base}${path}${toQuery(query)}`;
}

function toSent(operation: Operation, parts: Parts, { headers }: CallOptions): Omit<Sent, "idempotencyKey"> {
  return {
    method: operation.method,
    address: toCallAddress(operation, parts),
    headers: { "accept-language": currentLanguage(), ...headers },
    body: parts.file ? toForm(parts.file, parts.fields) : parts.body,
    idempotent: operation.idempotent === true,
    ...(operation.answer === "document" && { cache: "no-cache" }),
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
    const read = JSON.parse(await answer.body.text()) as Omit<Envelope, "code"> & { code: string | number };
    if (typeof read.success === "boolean") return { ...read, code: String(read.code) };
    // Operations without an envelope report errors with a numeric code; in an envelope the code is a string.
    return answer.ok ? undefined : { success: false, code: String(read.code), message: read.message, data: null };
  } catch {
    return undefined;
  }
}

/** Returns the server's message, followed by the waiting time and the page's own advice, if any. */
function toAdvice({ code, message }: Envelope, retryAfterSeconds: number | undefined): string {
  const t = useTexts[currentLanguage()];
  const wait = retryAfterSeconds === undefined ? "" : t.retryAfter(retryAfterSeconds);
  const advice = code in t.advice ? t.advice[code as keyof typeof t.advice] : "";
  return [message, wait, advice].filter((part) => part !== "").join(t.stop);
}

/** Longer than a payment gateway may take, which the server asks up to three times, for 10 s each. */
export const patienceMs = 60_000;

/** Makes a unique idempotency key. crypto.randomUUID is missing where the page is not a secure context. */
export const makeKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @throws {CallFailure} with a user-facing message if the operation failed */
export function call<E extends Endpoint>(operation: Operation<E>, ...[given]: GivenOrNone<E>): Promise<Data<E>> {
  return callWith(operation, (given ?? {}) as Given<E>);
}

export async function callWith<E extends Endpoint>(
  operation: Operation<E>,
  given: Given<E>,
  options: CallOptions = {},
): Promise<Data<E>> {
  return readData(operation, await exchange(operation, given as Parts, { patienceMs, ...options }));
}

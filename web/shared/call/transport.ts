import { CallFailure } from "#shared/call/failure.ts";
import { suspectLine, trustLine } from "#shared/call/line.ts";
import { useTexts } from "#shared/call/texts.ts";
import { currentLanguage } from "#shared/language/language.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((percent: number) => void) | undefined;
  /** The server executes requests with the same key only once; a form reuses its key until a request succeeds. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly keepalive?: boolean;
  /** The call fails if its response has not begun by then. An upload instead reports its progress. */
  readonly patienceMs?: number | undefined;
}

export interface Sent {
  readonly method: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly idempotent: boolean;
  readonly cache?: RequestCache;
}

export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Blob;
}

/** Uploads use XMLHttpRequest, since fetch cannot report upload progress. */
export async function send(sent: Sent, options: CallOptions): Promise<Answer> {
  const headers = { ...sent.headers, ...toKeyHeader(sent, options) };
  try {
    const answer = await (sent.body instanceof FormData
      ? upload({ ...sent, headers }, sent.body, options)
      : request({ ...sent, headers }, options));
    if (isFromProxy(answer)) suspectLine();
    else trustLine();
    return answer;
  } catch (error) {
    if (error instanceof CallFailure || options.signal?.aborted) throw error;
    suspectLine();
    throw new CallFailure({ code: "network", message: useTexts[currentLanguage()].unreachable, status: 0 });
  }
}

// If the server is unreachable, a proxy answers instead, and not in JSON.
const isFromProxy = ({ status, headers }: Answer): boolean =>
  status >= 502 && status <= 504 && !(headers.get("content-type") ?? "").startsWith("application/json");

const toKeyHeader = ({ idempotent }: Sent, { idempotencyKey }: CallOptions): Record<string, string> =>
  idempotent && idempotencyKey !== undefined ? { "idempotency-key": idempotencyKey } : {};

async function request(
  { method, address, headers, body, cache }: Sent,
  { signal, keepalive = false, patienceMs }: CallOptions,
): Promise<Answer> {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const stop = new AbortController();
  const abort = () => stop.abort();
  const timer = patienceMs === undefined ? undefined : setTimeout(abort, patienceMs);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  const response = await fetch(address, {
    method,
    headers: { ...json, ...headers },
    credentials: "same-origin",
    keepalive,
    ...(cache && { cache }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: stop.signal,
  }).finally(() => clearTimeout(timer));
  return { ok: response.ok, status: response.status, headers: response.headers, body: await response.blob() };
}

function upload(
  { method, address, headers }: Sent,
  form: FormData,
  { signal, onProgress }: CallOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open(method, address);
    sending.responseType = "blob";
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.upload.addEventListener("loadstart", () => onProgress?.(0));
    sending.upload.addEventListener("progress", ({ loaded, total }) =>
      onProgress?.(Math.floor((loaded / total) * 100)),
    );
    sending.addEventListener("load", () =>
      resolve({
        ok: sending.status >= 200 && sending.status < 300,
        status: sending.status,
        headers: readHeaders(sending.getAllResponseHeaders()),
        body: sending.response as Blob,
      }),
    );
    sending.addEventListener("error", () => reject(new Error("unreachable")));
    sending.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    signal?.addEventListener("abort", () => sending.abort());
    sending.send(form);
  });
}

const readHeaders = (text: string): Headers =>
  new Headers(
    text
      .split("\r\n")
      .filter((line) => line.includes(":"))
      .map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );

import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";

export interface Response {
  readonly headers: IncomingHttpHeaders;
  readonly body: readonly Buffer[];
  readonly cut: boolean;
}

/**
 * `statusCode` is null if there was no answer, and `error` is null after a 2xx status, unless `wholeBytes` is set and
 * the answer is incomplete. Only `response` and `retryAfter` contain text from the receiver.
 */
export interface Answer {
  readonly statusCode: number | null;
  readonly retryAfter: string | null;
  readonly error: string | null;
  readonly response: Response | null;
}

export const isSuccess = (statusCode: number | null): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode <= 299;

const mostShownBytes = 16 * 1024;
const restMs = 1000;

export interface Outgoing {
  readonly origin?: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | string | null;
  /** With `wholeBytes`, the time for the whole exchange; otherwise, the time until the response headers arrive. */
  readonly timeoutMs: number;
  readonly wholeBytes?: number;
}

export function sendOnce(dispatcher: Dispatcher, outgoing: Outgoing): Promise<Answer> {
  const { origin, method, path, headers, body } = outgoing;
  return new Promise((resolve) => {
    const sending = new Sending(outgoing, resolve);
    const to = { method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 };
    dispatcher.dispatch(origin === undefined ? to : { ...to, origin }, sending);
  });
}

/** This is a class, because closures would add 1 µs to the 30 µs that a push takes. */
class Sending implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  readonly #wholeBytes: number | undefined;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #statusCode: number | null = null;
  #headers: IncomingHttpHeaders = {};
  #body: Buffer[] = [];
  #bytes = 0;
  #over = false;

  constructor({ timeoutMs, wholeBytes }: Outgoing, resolve: (answer: Answer) => void) {
    this.#resolve = resolve;
    this.#wholeBytes = wholeBytes;
    this.#timer = setTimeout(() => this.#cutOff(`no response within ${timeoutMs} ms`), timeoutMs);
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    // Connecting used up the whole time, so the request is no longer sent.
    if (this.#over) started.abort(new Error("the time limit was reached before the request was sent"));
    else this.#controller = started;
  }

  onResponseStart(_controller: unknown, code: number, headers: IncomingHttpHeaders): void {
    if (code < 200) return;
    this.#statusCode = code;
    this.#headers = headers;
    if (this.#wholeBytes !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#cutOff(null), restMs);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    const most = this.#wholeBytes ?? mostShownBytes;
    this.#body.push(chunk.subarray(0, most - this.#bytes));
    if ((this.#bytes += chunk.length) <= most) return;
    this.#cutOff(this.#wholeBytes === undefined ? null : `the response is larger than ${most} bytes`);
  }

  onResponseEnd(): void {
    this.#finish(null, true);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#finish(nameFailure(error));
  }

  #cutOff(failure: string | null): void {
    if (this.#finish(failure)) this.#controller?.abort(new Error("the request was aborted"));
  }

  #finish(failure: string | null, isWhole = false): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    const [statusCode, headers] = [this.#statusCode, this.#headers];
    if (statusCode === null || (this.#wholeBytes !== undefined && !isWhole))
      this.#resolve({ statusCode, retryAfter: null, error: failure, response: null });
    else {
      const refusal = statusCode >= 300 && statusCode <= 399 ? ": redirects are not followed" : "";
      this.#resolve({
        statusCode,
        retryAfter: [headers["retry-after"]].flat()[0] ?? null,
        error: isSuccess(statusCode) ? null : `HTTP ${statusCode}${refusal}`,
        response: { headers, body: this.#body, cut: !isWhole },
      });
    }
    return true;
  }
}

/** The error of a request that was in flight when its dispatcher was destroyed. */
export const cutOff = "Quintet stopped before the response arrived";

const words: Readonly<Record<string, string>> = {
  REFUSED_ADDRESS: "the address is not allowed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_SOCKET: "the connection was closed without a response",
  UND_ERR_DESTROYED: cutOff,
  UND_ERR_HEADERS_OVERFLOW: "the response headers are too large",
};

/** Only the error's code is used, because its text may quote the receiver or contain the URL. */
function nameFailure(error: Error): string {
  if (error.name === "HTTPParserError") return "the response is not HTTP";
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return "invalid response";
  return words[code] ?? `no connection, ${code.replace(/[^A-Z0-9_]/g, "").slice(0, 40)}`;
}

import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";

export interface Response {
  readonly headers: IncomingHttpHeaders;
  readonly body: readonly Buffer[];
  /** There was more of the body. */
  readonly cut: boolean;
}

/**
 * What came of one request. The status code is null when there was none, the error null after a 2xx; no text of the other
 * side is in it.
 */
export interface Answer {
  readonly statusCode: number | null;
  readonly retryAfter: string | null;
  readonly error: string | null;
  /** Null when there was none. */
  readonly response: Response | null;
}

export const isSuccess = (statusCode: number | null): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode <= 299;

/** Where only the status counts, this much of the body shows what the receiver means. */
const mostShownBytes = 16 * 1024;
/** How long the rest of an answer may take then. */
const restMs = 1000;

export interface Outgoing {
  /** Left out where the dispatcher has but one. */
  readonly origin?: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  /** A name, its value, the next name … */
  readonly headers: string[];
  readonly body: Buffer | string | null;
  /** For the connection, the request and the answer: all of it where `wholeBytes` is given, otherwise its head. */
  readonly timeoutMs: number;
  /** The answer is needed to its end, and is no longer than this; left out, it counts from the moment its status is here. */
  readonly wholeBytes?: number;
}

/** Sends once and says what came of it; never throws. Redirects are not followed. */
export function sendOnce(dispatcher: Dispatcher, outgoing: Outgoing): Promise<Answer> {
  const { origin, method, path, headers, body } = outgoing;
  return new Promise((resolve) => {
    const sending = new Sending(outgoing, resolve);
    const to = { method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 };
    dispatcher.dispatch(origin === undefined ? to : { ...to, origin }, sending);
  });
}

/** A class, since a closure for each of its steps makes a push dearer: 1 of 30 microseconds. */
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
    this.#timer = setTimeout(() => this.#cutOff(`no answer within ${timeoutMs} ms`), timeoutMs);
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    // When the connection took all the time there was, it must not be sent any more.
    if (this.#over) started.abort(new Error("too late"));
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
    this.#cutOff(this.#wholeBytes === undefined ? null : `an answer of more than ${most} bytes`);
  }

  onResponseEnd(): void {
    this.#finish(null, true);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#finish(nameFailure(error));
  }

  #cutOff(failure: string | null): void {
    if (this.#finish(failure)) this.#controller?.abort(new Error("cut off"));
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

const words: Readonly<Record<string, string>> = {
  REFUSED_ADDRESS: "the address is not allowed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_SOCKET: "the connection was closed without an answer",
  UND_ERR_HEADERS_OVERFLOW: "the answer's head is too large",
};

/** The failure's own name is kept, its text is not: it can hold what the receiver sent, or the whole address. */
function nameFailure(error: Error): string {
  if (error.name === "HTTPParserError") return "the answer is not HTTP";
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return "no usable answer";
  return words[code] ?? `no connection, ${code.replace(/[^A-Z0-9_]/g, "").slice(0, 40)}`;
}

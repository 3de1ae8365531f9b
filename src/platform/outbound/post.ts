import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";

/** What came back, as it was read. */
export interface Response {
  readonly headers: IncomingHttpHeaders;
  /** At most 16 KB. */
  readonly body: readonly Buffer[];
  readonly cut: boolean;
}

/** What came of one request. The status code is null when there was none, the error null after a 2xx. */
export interface Answer {
  readonly statusCode: number | null;
  readonly retryAfter: string | null;
  readonly error: string | null;
  /** Null when there was none. */
  readonly response: Response | null;
}

export const isSuccess = (statusCode: number | null): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode <= 299;

/** More of an answer is not read: its status counts, and this much shows what the receiver means. */
const mostAnswerBytes = 16 * 1024;
/** How long the rest of an answer may take whose status is here. */
const restMs = 1000;

export interface PostRequest {
  readonly path: string;
  /** A name, its value, the next name … */
  readonly headers: string[];
  readonly body: Buffer;
  /** For all of it: the connection, the request, the answer's head. */
  readonly timeoutMs: number;
}

/**
 * Posts once and says what came of it; never throws. Redirects are not followed. An answer counts from the moment its
 * status is here: whatever its body does then, the receiver has spoken.
 */
export function post(dispatcher: Dispatcher, { path, headers, body, timeoutMs }: PostRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const posting = new Posting(timeoutMs, resolve);
    dispatcher.dispatch({ path, method: "POST", headers, body, headersTimeout: 0, bodyTimeout: 0 }, posting);
  });
}

/** A class, since a closure for each of its steps makes a push dearer: 1 of 30 microseconds. */
class Posting implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #statusCode: number | null = null;
  #headers: IncomingHttpHeaders = {};
  #body: Buffer[] = [];
  #bytes = 0;
  #over = false;

  constructor(timeoutMs: number, resolve: (answer: Answer) => void) {
    this.#resolve = resolve;
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
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#cutOff(null), restMs);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#body.push(chunk.subarray(0, mostAnswerBytes - this.#bytes));
    if ((this.#bytes += chunk.length) > mostAnswerBytes) this.#cutOff(null);
  }

  onResponseEnd(): void {
    this.#finish(null, true);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#finish(describeFailure(error));
  }

  #cutOff(failure: string | null): void {
    if (this.#finish(failure)) this.#controller?.abort(new Error("cut off"));
  }

  #finish(failure: string | null, isWhole = false): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    const [statusCode, headers] = [this.#statusCode, this.#headers];
    if (statusCode === null) this.#resolve({ statusCode, retryAfter: null, error: failure, response: null });
    else
      this.#resolve({
        statusCode,
        retryAfter: readFirst(headers["retry-after"]),
        error: describeStatus(statusCode),
        response: { headers, body: this.#body, cut: !isWhole },
      });
    return true;
  }
}

const readFirst = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null;

function describeStatus(code: number): string | null {
  if (isSuccess(code)) return null;
  return code >= 300 && code <= 399 ? `HTTP ${code}: redirects are not followed` : `HTTP ${code}`;
}

const words: Readonly<Record<string, string>> = {
  REFUSED_ADDRESS: "the address is not allowed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_SOCKET: "the connection was closed without an answer",
  UND_ERR_HEADERS_OVERFLOW: "the answer's head is too large",
};

/** The failure's own name is kept, its text is not: it can hold what the receiver sent. */
function describeFailure(error: Error): string {
  if (error.name === "HTTPParserError") return "the answer is not HTTP";
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return "no usable answer";
  return words[code] ?? `no connection, ${code.replace(/[^A-Z0-9_]/g, "").slice(0, 40)}`;
}

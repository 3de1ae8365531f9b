import type { Dispatcher } from "undici";
import type { Answer } from "./model.ts";
import { isSuccess } from "./schedule.ts";

/** More of an answer is not read: only its status counts. */
const mostAnswerBytes = 16 * 1024;
/** How long the rest of an answer may take whose status is here. */
const restMs = 1000;

export interface PostRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
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
    let controller: Dispatcher.DispatchController | undefined;
    let statusCode: number | null = null;
    let retryAfter: string | null = null;
    let bytes = 0;
    let over = false;
    const finish = (failure: string | null): boolean => {
      if (over) return false;
      over = true;
      clearTimeout(timer);
      resolve({ statusCode, retryAfter, error: statusCode === null ? failure : describeStatus(statusCode) });
      return true;
    };
    const cutOff = (failure: string | null): void => {
      if (finish(failure)) controller?.abort(new Error("cut off"));
    };
    let timer = setTimeout(() => cutOff(`no answer within ${timeoutMs} ms`), timeoutMs);
    dispatcher.dispatch(
      { path, method: "POST", headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        // When the connection took all the time there was, it must not be sent any more.
        onRequestStart: (started) => (over ? started.abort(new Error("too late")) : void (controller = started)),
        onResponseStart: (_controller, code, answered) => {
          if (code < 200) return;
          statusCode = code;
          retryAfter = [answered["retry-after"]].flat()[0] ?? null;
          clearTimeout(timer);
          timer = setTimeout(() => cutOff(null), restMs);
        },
        onResponseData: (_controller, chunk) => {
          if ((bytes += chunk.length) > mostAnswerBytes) cutOff(null);
        },
        onResponseEnd: () => void finish(null),
        onResponseError: (_controller, error) => void finish(describeFailure(error)),
      },
    );
  });
}

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

import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { parseJson } from "#platform/contract/json.ts";
import { OutboundFailure, request } from "#platform/outbound/request.ts";

export type OutsideService = "wechat" | "campus" | "dingtalk" | "wecom";

/**
 * `unavailable`: no usable answer (network, timeout, busy, protocol error); `refused`: the external platform rejected
 * the call; `quota`: a limit was exceeded; `code-invalid`: the authorisation code is unknown, used or expired.
 */
export type OutsideProblem = "unavailable" | "refused" | "quota" | "code-invalid";

export type OutsideFacts = {
  service: OutsideService;
  kind: OutsideProblem;
  retryable: boolean;
  retryAfterMs?: number | undefined;
  status?: number | undefined;
  errcode?: number | undefined;
  mayBeDone?: boolean | undefined;
};

/**
 * The only error thrown for failures of an external platform. Its message contains only our own words, numbers and
 * names of template fields, so it may be logged and stored. All other text of the external platform, URLs and causes
 * are left out, because they may contain secrets, tokens, codes or open identifiers.
 */
export class OutsideError extends Error {
  override readonly name = "OutsideError";
  declare readonly service: OutsideService;
  declare readonly kind: OutsideProblem;
  declare readonly retryable: boolean;
  declare readonly retryAfterMs: number | undefined;
  declare readonly status: number | undefined;
  declare readonly errcode: number | undefined;
  declare readonly mayBeDone: boolean | undefined;

  constructor(reason: string, facts: OutsideFacts) {
    const { service, errcode, status } = facts;
    const numbers = Object.entries({ errcode, status }).filter(([, number]) => number !== undefined);
    const told = numbers.map((pair) => pair.join(" ")).join(", ");
    super(`${service}: ${reason}${told && ` (${told})`}`);
    Object.assign(this, facts);
  }
}

export type Kind = Pick<OutsideFacts, "kind" | "retryable">;

export const unavailable: Kind = { kind: "unavailable", retryable: true };
export const badCode: Kind = { kind: "code-invalid", retryable: false };
export const refused: Kind = { kind: "refused", retryable: false };
export const overQuota: Kind = { kind: "quota", retryable: true };
export const misconfigured: Kind = { kind: "refused", retryable: true };

/** Real answers are smaller than 4 KiB; a larger answer does not come from the external platform. */
const mostAnswerBytes = 64 * 1024;

export type OutsideCall<Answer> = {
  service: OutsideService;
  url: URL;
  body?: object | undefined;
  timeoutMs: number;
  answer: z.ZodType<Answer>;
  toError: (errcode: number, errmsg: string) => OutsideError;
};

const outcome = z.object({
  // Some private deployments send the error code as text.
  errcode: z.coerce.number().int().default(0),
  errmsg: z.string().catch(""),
});

/**
 * Sends one request without retries.
 * @throws {OutsideError} unless the answer has status 2xx, the expected shape and no `errcode` other than 0
 */
export async function callOutside<Answer>(call: OutsideCall<Answer>): Promise<Answer> {
  const { service, url, body, timeoutMs } = call;
  const posted = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const method = posted ? "POST" : "GET";
  const asked = { whom: service, url, method, timeoutMs, mostBytes: mostAnswerBytes, ...posted } as const;
  const answer = await request(asked).catch((error: unknown) => {
    if (!(error instanceof OutboundFailure)) throw error;
    throw new OutsideError(error.message, { service, ...unavailable, mayBeDone: error.mayHaveArrived });
  });
  const { status, headers } = answer;
  // The content type is not checked, because some answers are JSON sent as text/plain.
  const json = parseJson(answer.body.toString());
  const said = outcome.safeParse(json);
  if (said.success && said.data.errcode !== 0) throw call.toError(said.data.errcode, said.data.errmsg);
  // The external platforms answer 200 even for errors, so another status without an `errcode` comes from an
  // intermediary.
  if (status < 200 || status > 299) {
    // A Retry-After with a date is ignored, because it depends on clocks and no external platform is known to send one.
    const seconds = /^\d{1,6}$/.exec(headers["retry-after"] ?? "")?.[0];
    const retryAfterMs = seconds === undefined ? undefined : Number(seconds) * 1000;
    const mayBeDone = status === 504;
    throw new OutsideError("the response came from a proxy instead of the service", {
      service,
      ...unavailable,
      status,
      retryAfterMs,
      mayBeDone,
    });
  }
  const parsed = call.answer.safeParse(json);
  if (!parsed.success) throw new OutsideError("unexpected response", { service, ...unavailable, mayBeDone: true });
  return parsed.data;
}

/** The pause is long enough for a load balancer to choose another instance, and short enough for a user who waits. */
const pauseMs = 200;

/** Only calls that may be repeated safely may be retried, since a failed call may have taken effect. */
export async function retryOnce<T>(again: (error: OutsideError) => boolean, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof OutsideError) || !again(error)) throw error;
  }
  await pause(pauseMs);
  return call();
}

export const isBusy = (error: OutsideError): boolean => error.errcode === -1;

/**
 * Real codes have 32 to 64 alphanumeric characters. The pattern allows more, but keeps arbitrary input out of requests.
 */
const plausibleCode = /^[\x21-\x7e]{1,512}$/;

export function checkCode(service: OutsideService, code: string): void {
  if (!plausibleCode.test(code)) throw new OutsideError("not an authorization code", { service, ...badCode });
}

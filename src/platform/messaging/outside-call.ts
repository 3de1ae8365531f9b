import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { parseJson } from "#platform/contract/json.ts";
import { OutboundFailure, request } from "#platform/outbound/request.ts";

export type OutsideService = "wechat" | "campus" | "dingtalk" | "wecom";

/**
 * - `unavailable`: no usable answer (network, time-out, busy, an answer that is not the protocol's)
 * - `refused`: the platform understood and said no
 * - `quota`: a limit is used up
 * - `code-invalid`: the authorisation code is unknown, spent or expired
 */
export type OutsideProblem = "unavailable" | "refused" | "quota" | "code-invalid";

export type OutsideFacts = {
  service: OutsideService;
  kind: OutsideProblem;
  /** Whether the same call may succeed later. The caller's job decides when and how often. */
  retryable: boolean;
  /** The platform's own word on the earliest useful time, where it has one. */
  retryAfterMs?: number | undefined;
  /** HTTP status, where an answer arrived that was not 2xx. */
  status?: number | undefined;
  errcode?: number | undefined;
  /** It was on its way, and nobody knows whether it was done. */
  mayBeDone?: boolean | undefined;
};

/**
 * The only error that the clients throw for what happens outside.
 * The message may be logged and stored: it is made from our own words and numbers, never from the platform's text,
 * an address, or a `cause`, because each of those can hold secrets, tokens, codes or open identifiers.
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
/** What an operator can put right at the platform's console: what waits is then still done. */
export const misconfigured: Kind = { kind: "refused", retryable: true };

/** The largest genuine answer is below 4 KiB; more means that something else answered. */
const mostAnswerBytes = 64 * 1024;

export type OutsideCall<Answer> = {
  service: OutsideService;
  url: URL;
  /** Sent as a JSON POST; without it the request is a GET. */
  body?: object | undefined;
  /** For the whole exchange, the body of the answer included. */
  timeoutMs: number;
  answer: z.ZodType<Answer>;
  /** What a non-zero errcode means for this call. */
  toError: (errcode: number, errmsg: string) => OutsideError;
};

const outcome = z.object({
  // Some private deployments send the number as text.
  errcode: z.coerce.number().int().default(0),
  errmsg: z.string().catch(""),
});

/**
 * Sends one request and checks the answer. Nothing is retried here.
 * @throws OutsideError for everything that is not a 2xx answer of the expected shape without an errcode.
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
  // JSON sometimes arrives as text/plain, so the content type is not looked at.
  const json = parseJson(answer.body.toString());
  const said = outcome.safeParse(json);
  if (said.success && said.data.errcode !== 0) throw call.toError(said.data.errcode, said.data.errmsg);
  // The platforms answer 200 even on failure, so any other status without an errcode comes from a machine in between.
  if (status < 200 || status > 299) {
    // Only the form in seconds: the date form needs clocks that agree, and neither platform is known to send it.
    const seconds = /^\d{1,6}$/.exec(headers["retry-after"] ?? "")?.[0];
    const retryAfterMs = seconds === undefined ? undefined : Number(seconds) * 1000;
    const mayBeDone = status === 504;
    throw new OutsideError("an answer from something in between", {
      service,
      ...unavailable,
      status,
      retryAfterMs,
      mayBeDone,
    });
  }
  const parsed = call.answer.safeParse(json);
  if (!parsed.success)
    throw new OutsideError("an answer that is not of the protocol", { service, ...unavailable, mayBeDone: true });
  return parsed.data;
}

/** Long enough for a busy instance to be replaced by the balancer's next choice, short enough for someone who waits. */
const pauseMs = 200;

/** Runs a call a second time when the first failure is one that `again` names. For reads: the call may have taken effect. */
export async function retryOnce<T>(again: (error: OutsideError) => boolean, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof OutsideError) || !again(error)) throw error;
  }
  await pause(pauseMs);
  return call();
}

/** errcode -1, with which both platforms ask for another try. */
export const isBusy = (error: OutsideError): boolean => error.errcode === -1;

/** Real codes are 32 to 64 letters and digits; the bound keeps what strangers send out of our requests. */
const plausibleCode = /^[\x21-\x7e]{1,512}$/;

/** @throws OutsideError `code-invalid` for a text that cannot be a code, so that nothing is sent for it. */
export function checkCode(service: OutsideService, code: string): void {
  if (!plausibleCode.test(code)) throw new OutsideError("the text is no authorisation code", { service, ...badCode });
}

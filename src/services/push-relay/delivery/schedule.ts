import { type Answer, cutOff, isSuccess } from "#platform/outbound/send.ts";
import { toExchange } from "./exchange-store.ts";
import type { Claimed, Outcome, Settlement } from "./queue-store.ts";

const jitter = 0.2;
const gone = 410;
const retryAfterCodes: ReadonlySet<number | null> = new Set([429, 503]);
const mostRetryAfterSteps = 2;
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

export const isGone = ({ statusCode }: Pick<Answer, "statusCode">): boolean => statusCode === gone;

const delivered: Outcome = { kind: "delivered", delayMs: 0 };

export interface Plan {
  readonly failures: number;
  readonly answer: Pick<Answer, "statusCode" | "retryAfter"> & Partial<Pick<Answer, "error">>;
  readonly stepsSeconds: readonly number[];
  readonly nowMs: number;
  readonly random: number;
}

/**
 * Retry-After at most doubles a step and never shortens it, since a mistaken `Retry-After: 0` would use up all attempts
 * within a second.
 */
export function planOutcome({ failures, answer, stepsSeconds, nowMs, random }: Plan): Outcome {
  if (isSuccess(answer.statusCode) && !answer.error) return delivered;
  // If the receiver answered 410, or the relay stopped during the push, the delivery is due immediately. After a 410,
  // however, the project is disabled, so the delivery is sent only once somebody has enabled the project again.
  if (isGone(answer) || answer.error === cutOff) return { kind: "retry", delayMs: 0 };
  const stepSeconds = stepsSeconds[failures];
  if (stepSeconds === undefined) return { kind: "dead", delayMs: 0 };
  const stepMs = stepSeconds * 1000;
  const jitteredMs = stepMs * (1 - jitter + 2 * jitter * random);
  const asked = retryAfterCodes.has(answer.statusCode) ? readRetryAfterMs(answer.retryAfter, nowMs) : 0;
  return { kind: "retry", delayMs: Math.round(Math.max(jitteredMs, Math.min(asked, mostRetryAfterSteps * stepMs))) };
}

function readRetryAfterMs(text: string | null, nowMs: number): number {
  if (text === null) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}

export const handedBack = (claimed: Claimed, nowMs: number): Settlement => ({
  claimed,
  outcome: { kind: "back", delayMs: 0 },
  startedMs: nowMs,
  durationMs: 0,
  statusCode: null,
  error: null,
  exchange: null,
});

export interface Attempt {
  readonly claimed: Claimed;
  readonly url: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly answer: Answer;
}

export function attempted(
  { claimed, url, startedMs, endedMs, answer }: Attempt,
  stepsSeconds: readonly number[],
): Settlement {
  const { statusCode, error } = answer;
  const { failures } = claimed;
  const outcome = planOutcome({ failures, answer, stepsSeconds, nowMs: endedMs, random: Math.random() });
  const exchange = toExchange(url, answer.response);
  return { claimed, outcome, startedMs, durationMs: Math.round(endedMs - startedMs), statusCode, error, exchange };
}

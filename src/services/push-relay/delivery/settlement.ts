import type { Answer } from "#platform/outbound/send.ts";
import { toExchange } from "./exchange.ts";
import type { Claimed, Settlement } from "./model.ts";
import { planOutcome } from "./schedule.ts";

// What becomes of a claimed delivery, to be written down.

/** It goes back as if it had not been claimed. */
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
  /** Where it was sent. */
  readonly url: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly answer: Answer;
}

/** It was sent; the answer says whether it is delivered, and if not, when it is sent again. */
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

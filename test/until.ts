import { setTimeout as delay } from "node:timers/promises";

export interface UntilOptions {
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks `question` repeatedly until the answer is truthy, for conditions without an event: rows, processes, files.
 * @param what the condition as the error message names it, such as "the standby follows"
 * @throws if there is no truthy answer within the time
 */
export async function until<T>(
  what: string,
  question: () => T | false | undefined | Promise<T | false | undefined>,
  { withinMs = 110_000, everyMs = 10 }: UntilOptions = {},
): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const answer = await question();
    if (answer) return answer;
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(everyMs);
  }
}

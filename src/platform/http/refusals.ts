import type { FastifyRequest } from "fastify";
import { Problem } from "#platform/contract/problem.ts";
import type { Guard } from "#platform/http/access.ts";
import { toProblem } from "#platform/http/failure.ts";
import { countHit } from "#platform/http/rate-limit.ts";

/** Not the caller's fault. */
const isOurs = ({ problem }: Problem): boolean => problem === "unknownError" || problem === "unavailable";

const mostRemembered = 10_000;

/**
 * The part of a route that counts what it refuses, whatever the reason, and says 20001 once an address is over the
 * limit. What is taken is never limited: behind one address there may be many senders, and one of them is at fault.
 */
export function limitRefusals({ pool, settings }: Guard) {
  // Until when an address is known to be over its limit, so that a flood does not become one of the database.
  const fullUntilMs = new Map<string, number>();
  const findWaitSeconds = async (address: string): Promise<number | undefined> => {
    const leftMs = (fullUntilMs.get(address) ?? 0) - performance.now();
    if (leftMs > 0) return Math.ceil(leftMs / 1000);
    const seconds = await countHit(pool, "refusals", address, settings.RATE_LIMIT_OPEN);
    if (seconds === undefined) return undefined;
    if (fullUntilMs.size >= mostRemembered) fullUntilMs.clear();
    fullUntilMs.set(address, performance.now() + seconds * 1000);
    return seconds;
  };
  // Fastify hands what an error handler throws to the next one, which answers.
  const errorHandler = async (error: unknown, request: FastifyRequest): Promise<never> => {
    if (isOurs(toProblem(error, {}))) throw error;
    const seconds = await findWaitSeconds(request.clientAddress);
    throw seconds === undefined
      ? error
      : new Problem("tooManyRequests", { headers: { "retry-after": String(seconds) } });
  };
  return { errorHandler };
}

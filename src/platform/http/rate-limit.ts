import type { FastifyRequest } from "fastify";
import { Problem } from "#platform/contract/problem.ts";
import { batchByPool, type Pool, sql } from "#platform/database/index.ts";
import { toProblem } from "#platform/http/failure.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { ExpiredRows } from "#platform/process/removal.ts";

interface Hit {
  readonly scope: string;
  readonly address: string;
}

const keyOf = ({ scope, address }: Hit): string => `${scope}\n${address}`;

/** Which hit of its minute each is, and the seconds until the next minute: calls that come together are one statement. */
const countHits = batchByPool(async (pool: Pool, hits: readonly Hit[]) => {
  const counts = new Map<string, Hit & { count: number }>();
  const places = hits.map((hit) => {
    const known = counts.getOrInsertComputed(keyOf(hit), () => ({ ...hit, count: 0 }));
    return { known, place: ++known.count };
  });
  // In the order of the key, for processes not to wait for one another in a circle.
  const rows = await pool<(Hit & { hits: number; secondsLeft: number })[]>`
    insert into platform.rate_count as known (scope, address, minute, hits)
    select scope, address, floor(extract(epoch from clock_timestamp()) / 60), count
    from json_to_recordset(${JSON.stringify([...counts.values()])}) as asked (scope text, address text, count int)
    order by scope, address
    on conflict (scope, address) do update set
      hits = case when known.minute = excluded.minute then least(known.hits, 2000000000) + excluded.hits else excluded.hits end,
      minute = excluded.minute
    returning scope, address, hits, ceil(60 - extract(epoch from clock_timestamp())::numeric % 60)::int as "secondsLeft"`;
  const sums = new Map(rows.map((row) => [keyOf(row), row]));
  return places.map(({ known, place }) => {
    const { hits: sum = 0, secondsLeft = 0 } = sums.get(keyOf(known)) ?? {};
    return { hits: sum - known.count + place, secondsLeft };
  });
});

/**
 * Counts a call of the address (or of whatever the scope counts by) in the present minute, together with all processes.
 * @param of a student's card may be an identity card, so under a data key only a keyed hash of it is kept
 * @throws {Problem} tooManyRequests beyond the limit.
 */
export async function enforceRateLimit(pool: Pool, scope: string, of: string, limit: number): Promise<void> {
  const address = pool.keys.blindIndex("platform.rate_count.address", of);
  const { hits, secondsLeft } = await countHits(pool, { scope, address });
  const headers = { "retry-after": String(Math.max(1, secondsLeft)) };
  if (hits > limit) throw new Problem("tooManyRequests", { headers });
}

/**
 * The error handler of a route that counts what it refuses, unless the fault is ours, and says 20001 once an address is
 * over the limit. What is taken is never limited: behind one address there may be many senders, and one is at fault.
 */
export const rateLimitRefusals =
  ({ pool, settings }: Platform) =>
  // Fastify hands what an error handler throws to the next one, which answers.
  async (error: unknown, { clientAddress }: FastifyRequest): Promise<never> => {
    const { problem } = toProblem(error, {});
    if (problem !== "unknownError" && problem !== "unavailable")
      await enforceRateLimit(pool, "refusals", clientAddress, settings.RATE_LIMIT_OPEN);
    throw error;
  };

export const expiredCounts: ExpiredRows = {
  table: "platform.rate_count",
  isExpired: sql`minute < floor(extract(epoch from now()) / 60) - 2`,
};

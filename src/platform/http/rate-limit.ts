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

/**
 * Counts concurrent calls in one statement. Returns for each call its number within the minute and the seconds until
 * the next minute.
 */
const countHits = batchByPool(async (pool: Pool, hits: readonly Hit[]) => {
  const counts = new Map<string, Hit & { count: number }>();
  const places = hits.map((hit) => {
    const known = counts.getOrInsertComputed(keyOf(hit), () => ({ ...hit, count: 0 }));
    return { known, place: ++known.count };
  });
  // The rows are sorted by key, so that two processes lock them in the same order and cannot deadlock.
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
 * @param of the caller whose calls are counted, such as an address or an identity card number; if there is a data key,
 * only a keyed hash of the caller is stored
 * @throws {Problem} tooManyRequests beyond the limit
 */
export async function enforceRateLimit(pool: Pool, scope: string, of: string, limit: number): Promise<void> {
  const address = pool.keys.blindIndex("platform.rate_count.address", of);
  const { hits, secondsLeft } = await countHits(pool, { scope, address });
  const headers = { "retry-after": String(Math.max(1, secondsLeft)) };
  if (hits > limit) throw new Problem("tooManyRequests", { headers });
}

/**
 * Counts the refused calls of an address, except for server faults, and answers them with tooManyRequests (20001)
 * beyond the limit. Successful calls are never limited, since many senders may share an address with a faulty one.
 */
export const rateLimitRefusals =
  ({ pool, settings }: Platform) =>
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

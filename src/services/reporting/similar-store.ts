import { type Db, type Pool, type Within } from "#platform/database/index.ts";
import type { VerdictCode } from "./rules.ts";
import { places } from "./scope-contract.ts";
import type { Shares } from "./similarity.ts";

export interface Candidate {
  readonly id: number;
  readonly customerName: string;
  readonly entryName: string;
  readonly company: string;
  readonly tenderTime: Date;
  readonly createdAt: Date;
  readonly closed: boolean;
  readonly verdict: 0 | VerdictCode;
}

export const listCandidates = (db: Db, id: number, pieces: readonly string[], within: Within): Promise<Candidate[]> =>
  db<Candidate[]>`
    select id, customer_name as "customerName", entry_name as "entryName", company, tender_time as "tenderTime",
      created_at as "createdAt", closed, verdict
    from reporting.report
    where platform.grams(search) && ${pieces}::text[] and not deleted and id <> ${id} ${within.and(places)}`;

export interface Statistics {
  readonly shares: Shares;
  readonly reports: number;
}

/**
 * Reads the number of reports and the frequencies of common bigrams from PostgreSQL's statistics. PostgreSQL
 * has no frequencies before the first ANALYZE or while the table is small.
 */
async function readStatistics(db: Db): Promise<Statistics> {
  const row = await db.first<{ reports: number; pieces: string[] | null; shares: number[] | null }>`
    select greatest(reltuples, 0)::float8 as reports, most_common_elems::text::text[] as pieces,
      most_common_elem_freqs::float8[] as shares
    from pg_class left join pg_stats
      on schemaname = 'reporting' and tablename = 'report_search_grams' and most_common_elems is not null
    where pg_class.oid = 'reporting.report'::regclass`;
  const shares = new Map(row?.pieces?.map((piece, place) => [piece, row.shares?.[place] ?? 1]));
  return { shares, reports: row?.reports ?? 0 };
}

const kept = new WeakMap<Pool, { readonly readMs: number; readonly statistics: Statistics }>();
const keptMs = 600_000;

export async function findStatistics(pool: Pool): Promise<Statistics> {
  const last = kept.get(pool);
  if (last && performance.now() - last.readMs < keptMs) return last.statistics;
  const statistics = await readStatistics(pool);
  if (statistics.shares.size > 0) kept.set(pool, { readMs: performance.now(), statistics });
  return statistics;
}

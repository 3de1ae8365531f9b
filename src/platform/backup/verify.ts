import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import type { Pool } from "#platform/database/index.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import type { BookCheck } from "#platform/process/service.ts";
import type { Backup } from "./manifest.ts";
import { loadDatabase } from "./restore.ts";

export interface VerifyOptions {
  readonly aside: string;
  readonly open: (url: string) => Pool;
  readonly checks: readonly ((pool: Pool) => Promise<readonly BookCheck[]>)[];
}

/**
 * Restores a backup into a temporary database, and returns pairs of totals that must be equal, such as a stored total
 * and the number of rows.
 * @throws {Error} if the backup cannot be restored
 */
export async function verify(backup: Backup, { aside, open, checks }: VerifyOptions): Promise<BookCheck[]> {
  const dataDir = await mkdtemp(path.join(aside, "quintet-verify-"));
  try {
    const server = await startEmbeddedPostgres({ dataDir, fast: true });
    const pool = open(server.ownerUrl);
    try {
      await loadDatabase(backup, pool, server.url);
      const all: BookCheck[] = [];
      for (const check of [checkTallies, ...checks]) all.push(...(await check(pool)));
      return all;
    } finally {
      await pool.end({ timeoutMs: 5000 });
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function checkTallies(pool: Pool): Promise<BookCheck[]> {
  const tallies = await pool<{ source: string; addition: string; tally: string }[]>`
    select source, source || '_addition' as addition, table_schema || '.' || table_name as tally
    from platform.tallied
    join information_schema.columns on table_schema = split_part(source, '.', 1) and column_name = 'step'
      and recount like '%' || table_schema || '.' || table_name || '%'
    order by source, tally`;
  const all: BookCheck[] = [];
  for (const { source, addition, tally } of tallies) {
    const [row] = await pool.script<{ expected: number; found: number }>(
      `select (select count(*) from ${source}) as expected,
        (select coalesce(sum(lines), 0)::bigint from ${tally} where step = 'all') +
        (select coalesce(sum(lines), 0)::bigint from ${addition}) as found`,
    );
    if (row) all.push({ what: `rows of ${source} counted in ${tally}`, ...row });
  }
  return all;
}

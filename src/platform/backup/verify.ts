import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { type Db, type Pool, sql } from "#platform/database/index.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import type { BookCheck } from "#platform/process/service.ts";
import { loadDatabase } from "./load.ts";
import type { Backup } from "./manifest.ts";

export interface VerifyOptions {
  /** A folder with room for the whole database, which is gone again afterwards. */
  readonly aside: string;
  /** Opens the database that is restored aside. */
  readonly open: (url: string) => Pool;
  /** What services compare. */
  readonly checks: readonly ((pool: Pool) => Promise<readonly BookCheck[]>)[];
}

/**
 * Restores a backup's database aside, and holds its books against its rows. Returns what was compared, whether it agrees or
 * not. @throws {Error} of one line when it cannot be restored
 */
export async function verify(backup: Backup, { aside, open, checks }: VerifyOptions): Promise<BookCheck[]> {
  const dataDir = await mkdtemp(path.join(aside, "quintet-verify-"));
  try {
    const server = await startEmbeddedPostgres({ dataDir, fast: true });
    const pool = open(server.ownerUrl);
    try {
      await loadDatabase(backup, pool, server.url);
      const own = [...(await checkTallies(pool)), ...(await checkUploads(pool, backup))];
      for (const check of checks) own.push(...(await check(pool)));
      return own;
    } finally {
      await pool.end({ timeoutMs: 5000 });
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Each list's rows against the total that its tally says (`platform.keep_tallies`). */
async function checkTallies(db: Db): Promise<BookCheck[]> {
  const tallies = await db<{ source: string; addition: string; tally: string }[]>`
    select source, addition, table_schema || '.' || table_name as tally
    from platform.tallied
    join information_schema.columns on table_schema = split_part(source, '.', 1) and column_name = 'step'
      and recount like '%' || table_schema || '.' || table_name || '%'
    order by source, tally`;
  const all: BookCheck[] = [];
  for (const { source, addition, tally } of tallies) {
    // Each step, such as the months, has all of them, but what was not folded yet; before the first fold there is no step.
    const rows = await db.script<{ step: string; expected: number; found: number }>(
      `with added as (select coalesce(sum(lines), 0)::bigint as lines from ${addition})
      select coalesce(step, 'added') as step, (select count(*) from ${source}) as expected,
        coalesce(folded, 0)::bigint + lines as found
      from added left join (select step, sum(lines) as folded from ${tally} group by step) as each on true order by 1`,
    );
    for (const { step, ...row } of rows)
      all.push({ what: `rows of ${source}, as ${tally} has them (${step})`, ...row });
  }
  return all;
}

async function checkUploads(db: Db, { manifest: { files } }: Backup): Promise<BookCheck[]> {
  const names = new Set(files.map(({ name }) => name));
  const rows = await db<{ name: string; bytes: number }[]>(sql`select name, bytes from platform.upload`);
  const [room] = await db<{ found: number }[]>`
    select coalesce(sum(bytes), 0)::bigint as found from platform.upload_usage`;
  return [
    {
      what: "uploaded files of which there are rows",
      expected: rows.length,
      found: rows.filter(({ name }) => names.has(name)).length,
    },
    {
      what: "bytes of uploaded files, as their quota has them",
      expected: rows.reduce((sum, { bytes }) => sum + bytes, 0),
      found: room?.found ?? 0,
    },
  ];
}

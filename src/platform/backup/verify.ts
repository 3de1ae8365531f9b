import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { type Db, type Pool, sql } from "#platform/database/index.ts";
import type { BookCheck } from "#platform/process/service.ts";
import { type Manifest, readAdded } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";
import { rebuild } from "./rebuild.ts";
import { toStoredName } from "./uploads.ts";

export interface VerifyOptions {
  readonly place: BackupPlace;
  readonly manifest: Manifest;
  /** A folder with room for the whole cluster, which is gone again afterwards. */
  readonly aside: string;
  /** Opens the database that was started aside. */
  readonly open: (url: string) => Pool;
  readonly checks: readonly ((pool: Pool) => Promise<readonly BookCheck[]>)[];
}

/**
 * Holds every file of a backup against its checksum, starts it aside, reads every table to its end, and holds its books against
 * its rows. Returns what was compared, whether it agrees or not.
 * @throws {Error} of one line when a file is damaged or missing, or PostgreSQL cannot start or read it.
 */
export async function verify({ place, manifest, aside, open, checks }: VerifyOptions): Promise<BookCheck[]> {
  const folder = await mkdtemp(path.join(aside, "quintet-verify-"));
  try {
    const rebuilt = await rebuild({ place, manifest, folder, lasting: false });
    const pool = open(rebuilt.administratorUrl);
    try {
      await readEverything(pool);
      const stored = new Map(
        [...manifest.files, ...(await readAdded(place, manifest.id))].map(({ name, bytes }) => [name, bytes]),
      );
      const own = [...(await checkTallies(pool)), ...(await checkUploads(pool, stored))];
      for (const check of checks) own.push(...(await check(pool)));
      return own;
    } finally {
      await pool.end({ timeoutMs: 5000 });
      await rebuilt.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** PostgreSQL has a checksum on each page, and holds what it reads against it. */
async function readEverything(db: Db): Promise<void> {
  const tables = await db<{ name: string }[]>`
    select oid::regclass::text as name from pg_class where relkind in ('r', 'm', 't') and relpersistence = 'p'`;
  for (const { name } of tables)
    await db.script(`select count(*) from ${name}`).catch((cause: unknown) => {
      throw new Error(`${name} cannot be read: ${cause instanceof Error ? cause.message : ""}`, { cause });
    });
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

async function checkUploads(db: Db, stored: ReadonlyMap<string, number>): Promise<BookCheck[]> {
  const rows = await db<{ name: string; bytes: number }[]>(sql`select name, bytes from platform.upload`);
  const [room] = await db<{ found: number }[]>`
    select coalesce(sum(bytes), 0)::bigint as found from platform.upload_usage`;
  const whole = rows.filter(({ name, bytes }) => stored.get(toStoredName(name)) === bytes);
  return [
    { what: "uploaded files of which there are rows", expected: rows.length, found: whole.length },
    {
      what: "bytes of uploaded files, as their quota has them",
      expected: rows.reduce((sum, { bytes }) => sum + bytes, 0),
      found: room?.found ?? 0,
    },
  ];
}

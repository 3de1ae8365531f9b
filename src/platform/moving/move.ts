import { copyOut, migrate, openCopyIn, type Pool, type Session } from "#platform/database/index.ts";
import { migrateJobs } from "#platform/jobs/runner.ts";
import {
  listForeignKeys,
  listSequences,
  listTables,
  listTriggers,
  readContent,
  readSystem,
  type Table,
} from "./tables.ts";

// From one PostgreSQL to another, table by table, while nobody writes to the first. What was cut off is gone on with: the
// other one remembers which tables it has, and no server works with it until it has all.

export interface MoveOptions {
  /** Nobody else uses it. */
  readonly from: Pool;
  /** The other, and its address. */
  readonly to: Pool;
  readonly url: string;
  readonly say: (line: string) => void;
}

// Both then write a row as the same text, and name what is in a schema with it.
const alike = `set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex';
  set extra_float_digits = 1; set search_path = ''; set statement_timeout = 0; set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0`;

/**
 * Moves everything that a database holds into another, which is empty or has a part of the very same move, and compares each
 * table. Returns how many rows there were.
 * @throws {Error} of one line when the other holds something else, or when what it has is not what the first has.
 */
export async function move({ from, to, url, say }: MoveOptions): Promise<number> {
  const source = await from.reserve();
  try {
    await source.script(alike);
    const isLoose = await begin(to, await readSystem(source));
    if (!isLoose) {
      await migrate(to);
      await migrateJobs(url);
    }
    const session = await to.reserve();
    try {
      await session.script(alike);
      if (!isLoose) await loosen(source, session);
      const rows = await copyTables(source, session, say);
      await finish(source, session);
      return rows;
    } finally {
      await session.script("reset all").catch(() => undefined);
      session.release();
    }
  } finally {
    // Its settings are no others'.
    await source.script("reset all").catch(() => undefined);
    source.release();
  }
}

const marker = "quintet_move";

/** @throws {Error} when a move into the database was begun and is not finished. */
export async function refuseUnfinishedMove(pool: Pool): Promise<void> {
  const [row] = await pool<{ found: boolean }[]>`select to_regnamespace(${marker}) is not null as found`;
  if (row?.found === true)
    throw new Error("a move into this database is not finished: run it again, or drop the database and begin anew");
}

/** Returns whether the tables are there, and loose: then no migration runs any more, since what has run is among the rows. */
async function begin(target: Pool, system: string): Promise<boolean> {
  const [found] = await target<{ moving: boolean }[]>`select to_regnamespace(${marker}) is not null as moving`;
  if (found?.moving !== true) {
    const [other] = await listTables(target);
    if (other) throw new Error(`the database of --to holds something else (${other.name}): create an empty one`);
    await target.script(`begin; create schema ${marker};
      create table ${marker}.state (system text not null, is_loose boolean not null);
      create table ${marker}.done (name text primary key);
      insert into ${marker}.state values ('${system.replaceAll(/\D/g, "")}', false); commit`);
  }
  const [state] = await target<{ system: string; isLoose: boolean }[]>`
    select system, is_loose as "isLoose" from quintet_move.state`;
  if (state?.system !== system)
    throw new Error("another database is being moved into that of --to: create an empty one");
  return state.isLoose;
}

/** What holds rows together would need them in an order that there is not: months name their imports, and imports their month. */
async function loosen(source: Session, target: Session): Promise<void> {
  await requireSameTables(await listTables(source), await listTables(target));
  const statements: string[] = [];
  for (const { table, name } of await listForeignKeys(target))
    statements.push(`alter table ${table} drop constraint ${name}`);
  for (const table of new Set((await listTriggers(target)).map((one) => one.table)))
    statements.push(`alter table ${table} disable trigger user`);
  // What migrations have put there comes with the rest. The ledger is empty, and nobody may empty it.
  for (const table of await listTables(target))
    if ((await readContent(target, table)).rows > 0) statements.push(`truncate ${table.name}`);
  await target.script(["begin", ...statements, `update ${marker}.state set is_loose = true`, "commit"].join("; "));
}

async function requireSameTables(ours: readonly Table[], theirs: readonly Table[]): Promise<void> {
  const known = new Map(theirs.map(({ name, columns }) => [name, columns]));
  const other = ours.find(({ name, columns }) => known.get(name) !== columns);
  if (other || ours.length !== theirs.length)
    throw new Error(`${other?.name ?? "a table"} is not what this version makes: it cannot be moved`);
}

async function copyTables(source: Session, target: Session, say: MoveOptions["say"]): Promise<number> {
  const rows = await target<{ name: string }[]>`select name from quintet_move.done`;
  const done = new Set(rows.map(({ name }) => name));
  let total = 0;
  for (const table of await listTables(source)) {
    const ours = await readContent(source, table);
    if (!done.has(table.name)) await copyTable(source, target, table);
    const theirs = await readContent(target, table);
    if (ours.rows !== theirs.rows || ours.sum !== theirs.sum)
      throw new Error(
        `${table.name} has ${ours.rows} rows here and ${theirs.rows} there, or others: was it written to? Begin anew with an empty database`,
      );
    total += ours.rows;
    if (ours.rows > 0) say(`${table.name}: ${ours.rows} rows${done.has(table.name) ? ", there before" : ""}`);
  }
  return total;
}

/** With its name among those that are done, or not at all. */
async function copyTable(source: Session, target: Session, { name, columns }: Table): Promise<void> {
  await target.script("begin");
  try {
    const copy = await openCopyIn(target, `${name} (${columns})`, "(format binary)");
    try {
      for await (const piece of copyOut(source, `${name} (${columns})`, "(format binary)")) await copy.write(piece);
    } catch (error) {
      copy.abandon();
      throw error;
    }
    await copy.finish();
    await target`insert into quintet_move.done values (${name})`;
    await target.script("commit");
  } catch (error) {
    await target.script("rollback").catch(() => undefined);
    throw error;
  }
}

/** Everything that was loosened is as it is in the first database, and the mark of the move goes with the same commit. */
async function finish(source: Session, target: Session): Promise<void> {
  const statements: string[] = [];
  for (const { table, name, definition } of await listForeignKeys(source))
    statements.push(`alter table ${table} add constraint ${name} ${definition}`);
  const verbs: Readonly<Record<string, string>> = {
    O: "enable",
    A: "enable always",
    R: "enable replica",
    D: "disable",
  };
  for (const { table, name, fired } of await listTriggers(source))
    statements.push(`alter table ${table} ${verbs[fired]} trigger ${name}`);
  for (const { name, last, isCalled } of await listSequences(source))
    statements.push(`select setval('${name.replaceAll("'", "''")}', ${last}, ${isCalled})`);
  await target.script(["begin", ...statements, `drop schema ${marker} cascade`, "commit"].join("; "));
  await target.script("analyze");
}

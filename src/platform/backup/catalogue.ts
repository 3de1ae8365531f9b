import { type Db, listMigrations } from "#platform/database/index.ts";

// What PostgreSQL itself says of our tables. Names are quoted where they must be, so that statements can be made of them.

/** The schemas that migrations make, and the jobs'; an operator may have others in the same database. */
async function listSchemas(): Promise<string[]> {
  const made = (await listMigrations()).flatMap(({ sql }) => [...sql.matchAll(/^create schema (\w+);/gm)]);
  return ["graphile_worker", ...made.map(([, name = ""]) => name)];
}

/** Made by migrations alone; one of them holds statements that the database runs. */
const madeByMigrations = ["platform.migration", "platform.tallied", "graphile_worker.migrations"];

export interface Table {
  readonly name: string;
  /** Those that are not generated. */
  readonly columns: readonly string[];
}

/** Every table of the platform, its services and its jobs whose rows are not the migrations'. */
export const listTables = async (db: Db): Promise<Table[]> => db<Table[]>`
  select format('%I.%I', nspname, relname) as name,
    (select array_agg(format('%I', attname) order by attnum) from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind = 'r' and nspname = any (${await listSchemas()}) and nspname || '.' || relname <> all (${madeByMigrations})
  order by 1`;

/** The first table of whomever, system tables aside; nothing in an empty database. */
export async function findAnyTable(db: Db): Promise<string | undefined> {
  const [row] = await db<{ name: string }[]>`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p') and nspname !~ '^pg_' and nspname <> 'information_schema' order by 1 limit 1`;
  return row?.name;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

export const listForeignKeys = async (db: Db): Promise<ForeignKey[]> => db<ForeignKey[]>`
  select format('%I.%I', nspname, relname) as table, format('%I', conname) as name,
    pg_get_constraintdef(pg_constraint.oid) as definition
  from pg_constraint join pg_class on pg_class.oid = conrelid join pg_namespace on pg_namespace.oid = relnamespace
  where contype = 'f' and nspname = any (${await listSchemas()}) order by 1, 2`;

interface Index {
  readonly name: string;
  readonly definition: string;
}

/** Indexes that no constraint stands on. */
export const listIndexes = async (db: Db): Promise<Index[]> => db<Index[]>`
  select format('%I.%I', nspname, relname) as name, pg_get_indexdef(indexrelid) as definition
  from pg_index join pg_class on pg_class.oid = indexrelid join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = any (${await listSchemas()}) and not exists (select from pg_constraint where conindid = indexrelid)
  order by 1`;

interface Trigger {
  readonly table: string;
  readonly name: string;
  /** How it is switched on again. */
  readonly verb: string;
}

/** Triggers of ours that are switched on. */
export const listTriggers = async (db: Db): Promise<Trigger[]> => db<Trigger[]>`
  select format('%I.%I', nspname, relname) as table, format('%I', tgname) as name,
    case tgenabled when 'A' then 'enable always' when 'R' then 'enable replica' else 'enable' end as verb
  from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_namespace on pg_namespace.oid = relnamespace
  where not tgisinternal and tgenabled <> 'D' and nspname = any (${await listSchemas()}) order by 1, 2`;

export interface Sequence {
  readonly name: string;
  readonly last: string;
  readonly isCalled: boolean;
}

export const listSequenceNames = async (db: Db): Promise<string[]> => {
  const rows = await db<{ name: string }[]>`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'S' and nspname = any (${await listSchemas()}) order by 1`;
  return rows.map(({ name }) => name);
};

export async function readSequences(db: Db): Promise<Sequence[]> {
  const all: Sequence[] = [];
  for (const name of await listSequenceNames(db)) {
    const [row] = await db.script<Omit<Sequence, "name">>(
      `select last_value::text as last, is_called as "isCalled" from ${name}`,
    );
    if (row) all.push({ name, ...row });
  }
  return all;
}

export async function countRows(db: Db, table: string): Promise<number> {
  const [row] = await db.script<{ rows: number }>(`select count(*) as rows from ${table}`);
  return row?.rows ?? -1;
}

/** Nobody waits for it, and nothing that it does is short. */
export const noLimits = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };

/** Whoever writes and whoever reads a COPY then means the same by its text; names come with their schema. */
export const plainForms = `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local search_path = ''`;

import type { Db } from "#platform/database/index.ts";

/** A table with rows of its own, and what has to be said of it to move them. Names are quoted where they must be. */
export interface Table {
  readonly name: string;
  /** Those that are not generated, with commas between. */
  readonly columns: string;
}

/** All tables of the platform, its services and its jobs. */
export const listTables = (db: Db): Promise<Table[]> => db<Table[]>`
  select format('%I.%I', nspname, relname) as name,
    (select string_agg(format('%I', attname), ', ' order by attnum) from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind = 'r' and nspname !~ '^pg_' and nspname not in ('information_schema', 'quintet_move')
  order by 1`;

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

export const listForeignKeys = (db: Db): Promise<ForeignKey[]> => db<ForeignKey[]>`
  select format('%I.%I', nspname, relname) as table, format('%I', conname) as name,
    pg_get_constraintdef(pg_constraint.oid) as definition
  from pg_constraint join pg_class on pg_class.oid = conrelid join pg_namespace on pg_namespace.oid = relnamespace
  where contype = 'f' and nspname !~ '^pg_' order by 1, 2`;

/** Triggers of ours, and whether they are fired as usual (O), always (A) or never (D). */
interface Trigger {
  readonly table: string;
  readonly name: string;
  readonly fired: string;
}

export const listTriggers = (db: Db): Promise<Trigger[]> => db<Trigger[]>`
  select format('%I.%I', nspname, relname) as table, format('%I', tgname) as name, tgenabled as fired
  from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_namespace on pg_namespace.oid = relnamespace
  where not tgisinternal and nspname !~ '^pg_' order by 1, 2`;

interface Sequence {
  readonly name: string;
  readonly last: string;
  readonly isCalled: boolean;
}

export async function listSequences(db: Db): Promise<Sequence[]> {
  const names = await db<{ name: string }[]>`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'S' and nspname !~ '^pg_' order by 1`;
  const all: Sequence[] = [];
  for (const { name } of names) {
    const [row] = await db.script<{ last: string; isCalled: boolean }>(
      `select last_value::text as last, is_called as "isCalled" from ${name}`,
    );
    if (row) all.push({ name, ...row });
  }
  return all;
}

/** What a table holds: how many rows, and a sum over all of them that no order changes. */
interface Content {
  readonly rows: number;
  readonly sum: string;
}

export async function readContent(db: Db, { name }: Table): Promise<Content> {
  const [row] = await db.script<Content>(
    `select count(*) as rows, coalesce(sum(hashtextextended(one::text, 0)::numeric), 0)::text as sum from ${name} as one`,
  );
  if (!row) throw new Error(`${name} could not be counted`);
  return row;
}

/** By which a cluster is told from any other. */
export async function readSystem(db: Db): Promise<string> {
  const [row] = await db<{ system: string }[]>`select system_identifier::text as system from pg_control_system()`;
  return row?.system ?? "";
}

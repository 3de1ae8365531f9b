import { type Db, listMigrations } from "#platform/database/index.ts";

// The queries in this file return quoted names, which can be inserted into statements.

async function listSchemas(): Promise<string[]> {
  const made = (await listMigrations()).flatMap(({ sql }) => [...sql.matchAll(/^create schema (\w+);/gm)]);
  return ["graphile_worker", ...made.map(([, name = ""]) => name)];
}

/**
 * These tables are not copied, because migrations fill them. platform.tallied contains statements that the database
 * executes, so a backup must not supply them.
 */
const madeByMigrations = ["platform.migration", "platform.tallied", "graphile_worker.migrations"];

export const listTables = async (db: Db) => db<{ name: string; columns: string[] }[]>`
  select format('%I.%I', nspname, relname) as name,
    (select array_agg(format('%I', attname) order by attnum) from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind = 'r' and nspname = any (${await listSchemas()}) and nspname || '.' || relname <> all (${madeByMigrations})
  order by 1`;

export const findAnyTable = (db: Db): Promise<string | undefined> =>
  db.value<string | undefined>`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p') and nspname !~ '^pg_' and nspname <> 'information_schema' order by 1 limit 1`;

export const listRules = async (db: Db) => db<{ without: string; again: string }[]>`
  with ours as (
    select pg_class.oid, format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = any (${await listSchemas()}))
  select without, again from (
    select 1 as step, format('drop index %s', name) as without, pg_get_indexdef(indexrelid) as again
    from pg_index join ours on oid = indexrelid where not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select 2, format('alter table %s drop constraint %I', name, conname),
      format('alter table %s add constraint %I %s', name, conname, pg_get_constraintdef(pg_constraint.oid))
    from pg_constraint join ours on ours.oid = conrelid where contype = 'f'
    union all
    select 3, format('alter table %s disable trigger %I', name, tgname),
      format('alter table %s enable %s trigger %I', name,
        case tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end, tgname)
    from pg_trigger join ours on ours.oid = tgrelid where not tgisinternal and tgenabled <> 'D') as rule
  order by step, without`;

export const readSequences = async (db: Db) => db<{ name: string; last: string; isCalled: boolean }[]>`
  select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value)::text as last,
    last_value is not null as "isCalled"
  from pg_sequences where schemaname = any (${await listSchemas()}) order by 1`;

export async function countRows(db: Db, table: string): Promise<number> {
  const [row] = await db.script<{ rows: number }>(`select count(*) as rows from ${table}`);
  return row?.rows ?? -1;
}

export const noLimits = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };

/** Under these settings, COPY writes values in an unambiguous form and PostgreSQL qualifies all names. */
export const plainForms = `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local search_path = ''`;

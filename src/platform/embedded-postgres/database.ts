import { openConnection } from "#platform/database/index.ts";
import { type Address, administrator, serverRole } from "./address.ts";

const name = "quintet";
// A database is a copy of some megabytes, on whatever disk there is.
const answerMs = 60_000;

/**
 * Makes the database and the role that the server works as, where they are missing, and gives the role whatever of the
 * database it does not own: earlier versions worked as the administrator. Asked on every start, as any may be interrupted.
 * Throws when PostgreSQL ends meanwhile.
 */
export async function prepareDatabase(toUrl: Address["toUrl"], ended: Promise<string>): Promise<void> {
  const died = ended.then((ending) => {
    throw new Error(`PostgreSQL ended while starting (${ending})`);
  });
  died.catch(() => {});
  await Promise.race([prepare(toUrl), died]);
}

async function prepare(toUrl: Address["toUrl"]): Promise<void> {
  const { password } = new URL(toUrl(name, serverRole));
  const statements = [makeRole, ...(password === "" ? [] : [`alter role ${serverRole} password '${password}'`])];
  const failure = await runStatements(toUrl(name, administrator), [...statements, handOver]).catch(
    (error: unknown) => error,
  );
  if (hasCode(failure, "3D000"))
    await runStatements(toUrl("postgres", administrator), [
      ...statements,
      `create database ${name} owner ${serverRole}`,
    ]);
  else if (failure !== undefined) throw failure;
}

// Not a superuser: a statement that somebody smuggled in can then neither read files nor start programs.
const makeRole = `
do $$ begin
  if not exists (select from pg_roles where rolname = '${serverRole}') then
    create role ${serverRole} login nosuperuser nocreatedb nocreaterole noreplication;
  end if;
end $$`;

// What depends on another object (the sequence of a column, the row type of a table, what an extension brought) goes along
// with it, or stays. One transaction, so that a start that is killed leaves either the one owner or the other.
const handOver = `
do $$
declare
  v_role oid := '${serverRole}'::regrole;
  v_command text;
begin
  for v_command in
    with own_schema as (
      select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
    ), dependent as (
      select classid, objid, deptype from pg_depend
      where deptype in ('a', 'i', 'e') and refclassid <> 'pg_namespace'::regclass
    )
    select format('schema %I', nspname) from pg_namespace
    where oid in (select oid from own_schema) and nspname <> 'public' and nspowner <> v_role
    union all
    select format('%s %s', case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view'
      else 'table' end, oid::regclass) from pg_class
    where relnamespace in (select oid from own_schema) and relkind in ('r', 'p', 'v', 'm', 'S') and relowner <> v_role
      and not exists (select from dependent where classid = 'pg_class'::regclass and objid = pg_class.oid
        -- A table depends on the one that it is a part of, and keeps an owner of its own.
        and (relkind = 'S' or deptype = 'e'))
    union all
    select format('routine %s', oid::regprocedure) from pg_proc
    where pronamespace in (select oid from own_schema) and proowner <> v_role
      and not exists (select from dependent where classid = 'pg_proc'::regclass and objid = pg_proc.oid)
    union all
    select format('type %s', oid::regtype) from pg_type
    where typnamespace in (select oid from own_schema) and typowner <> v_role and typtype in ('c', 'd', 'e', 'r')
      and not exists (select from dependent where classid = 'pg_type'::regclass and objid = pg_type.oid)
    union all
    select format('database %I', datname) from pg_database where datname = current_database() and datdba <> v_role
  loop
    execute format('alter %s owner to ${serverRole}', v_command);
  end loop;
end $$`;

async function runStatements(url: string, texts: readonly string[]): Promise<undefined> {
  const connection = await openConnection(url, { answerMs });
  try {
    for (const text of texts) await connection.query(text);
  } finally {
    await connection.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

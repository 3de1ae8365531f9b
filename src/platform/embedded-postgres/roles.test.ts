import assert from "node:assert/strict";
import { test } from "node:test";
import { startEmbeddedPostgres } from "./index.ts";
import { makeFolder, query } from "./test-server.ts";

const others = `
  select count(*)::int as others from (
    select nspowner as owner from pg_namespace where nspname in ('kept', 'public')
    union all select relowner from pg_class where relnamespace = 'kept'::regnamespace
    union all select proowner from pg_proc where pronamespace = 'kept'::regnamespace
    union all select typowner from pg_type where typnamespace = 'kept'::regnamespace
    union all select datdba from pg_database where datname = current_database()
  ) as each
  where owner <> 'quintet_server'::regrole and owner <> 'pg_database_owner'::regrole`;

/** What a server of before left: all of it the superuser's. */
const asBefore = [
  "alter database quintet owner to quintet",
  "create schema kept",
  "create table kept.thing (id bigint generated always as identity, old serial, name text)",
  "create table kept.part (like kept.thing) partition by range (id)",
  "create table kept.part_1 partition of kept.part for values from (1) to (10)",
  "create view kept.seen as select * from kept.thing",
  "create materialized view kept.stored as select * from kept.thing",
  "create sequence kept.loose",
  "create type kept.\"Odd Name\" as enum ('a')",
  "create type kept.pair as (a int, b int)",
  "create domain kept.short as text check (length(value) < 9)",
  "create function kept.count(given kept.pair) returns bigint language sql as 'select count(*) from kept.thing'",
  "create procedure kept.fill() language sql as 'insert into kept.thing (name) values (''x'')'",
  "create aggregate kept.total(int) (sfunc = int4pl, stype = int)",
  "insert into kept.thing (name) values ('here')",
];

test("the server works as one who owns the database and is no superuser", async (context) => {
  const database = await startEmbeddedPostgres({ dataDir: await makeFolder(context), fast: true });
  context.after(database.stop);
  const [role] = await query(
    database.url,
    `select rolname as name, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as mighty,
       (select datdba = pg_roles.oid from pg_database where datname = current_database()) as owns
     from pg_roles where rolname = current_user`,
  );
  assert.deepEqual(role, { name: "quintet_server", mighty: false, owns: true });
  await query(database.url, "create schema mine", "create table mine.thing (id int)", "create temp table t (id int)");
  for (const text of [
    "copy mine.thing from '/etc/hostname'",
    "copy mine.thing to program 'true'",
    "set role quintet",
    "alter role quintet_server superuser",
    "select pg_read_file('/etc/hostname')",
    "create role another",
    "create database another",
  ])
    await assert.rejects(query(database.url, text), { code: "42501" }, text);
});

test("a folder of before is handed over at the start, wholly and with what it holds", async (context) => {
  const dataDir = await makeFolder(context);
  const first = await startEmbeddedPostgres({ dataDir, fast: true });
  context.after(first.stop);
  await query(first.administratorUrl, ...asBefore, "drop owned by quintet_server", "drop role quintet_server");
  await first.stop();
  for (let start = 1; start <= 2; start++) {
    const next = await startEmbeddedPostgres({ dataDir, fast: true });
    context.after(next.stop);
    assert.deepEqual(await query(next.url, others), [{ others: 0 }]);
    assert.deepEqual(await query(next.url, "select name from kept.thing where id = 1"), [{ name: "here" }]);
    await query(
      next.url,
      "call kept.fill()",
      "alter table kept.thing add column more int",
      "alter table kept.thing drop column more",
      "insert into kept.part values (2, 2, 'x')",
      "refresh materialized view kept.stored",
      "select nextval('kept.loose'), kept.count((1, 2)), kept.total(1)",
    );
    await next.stop();
  }
});

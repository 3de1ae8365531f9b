import assert from "node:assert/strict";
import { test } from "node:test";
import { startEmbeddedPostgres } from "./index.ts";
import { makeFolder, query } from "./test-server.ts";

test("neither the server nor the tables' owner is a superuser, and the server is not the owner", async (context) => {
  const database = await startEmbeddedPostgres({ dataDir: await makeFolder(context), fast: true });
  context.after(database.stop);
  const [role] = await query(
    database.url,
    `select rolname as name, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as mighty,
       (select datdba = pg_roles.oid from pg_database where datname = current_database()) as owns
     from pg_roles where rolname = current_user`,
  );
  assert.deepEqual(role, { name: "quintet_server", mighty: false, owns: false });
  await query(database.url, "create schema mine", "create table mine.thing (id int)", "create temp table t (id int)");
  await query(database.ownerUrl, "insert into mine.thing values (1)");
  for (const text of [
    "copy mine.thing from '/etc/hostname'",
    "copy mine.thing to program 'true'",
    "set role quintet",
    "set role quintet_owner",
    "alter role quintet_server superuser",
    "select pg_read_file('/etc/hostname')",
    "create role another",
    "create database another",
  ])
    await assert.rejects(query(database.url, text), { code: "42501" }, text);
});

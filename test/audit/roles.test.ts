import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { auditSink, writeAudit } from "#platform/accounts/audit.ts";
import { isAuditProtected, listAuditLines, retainedAudit } from "#platform/accounts/operators/audit-store.ts";
import { inTransaction, openPool } from "#platform/database/index.ts";
import { toOwnerUrl } from "#platform/embedded-postgres/index.ts";
import { openDatabase } from "#quintet/open-database.ts";
import { readSettings } from "#quintet/settings.ts";

const folder = await mkdtemp(path.join(tmpdir(), "quintet-audit-"));
const file = path.join(folder, "log", "audit.jsonl");
const database = await openDatabase(readSettings({ DATA_DIR: folder, AUDIT_LOG: `file:${file}` }), "alone");
const { pool, directUrl } = database;
const owner = openPool(toOwnerUrl(directUrl), { connections: 1 });
after(async () => {
  await owner.end();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const entry = {
  service: "platform",
  userName: "somebody",
  action: "updateOperator",
  outcome: "done",
  address: "::1",
} as const;
const count = async () => Number((await pool`select count(*) as lines from platform.audit`)[0]?.["lines"]);

test("the server's role adds lines and reads them", async () => {
  await writeAudit(pool, { ...entry, records: [7] });
  await inTransaction(pool, (tx) => writeAudit(tx, entry));
  const { rows } = await listAuditLines(
    pool,
    { services: null, span: { start: undefined, end: undefined } },
    { descending: true, offset: 0, limit: 10 },
  );
  assert.equal(rows.length, 2);
  assert.equal(await isAuditProtected(pool), true);
});

test("it can change none, remove none, nor get round that", async () => {
  const before = await count();
  const statements = [
    "update platform.audit set user_name = 'nobody'",
    "delete from platform.audit",
    "truncate platform.audit",
    "insert into platform.audit (at, service, user_name, action, outcome, address) values ('2020-01-01', 'a', 'b', 'c', 'done', '')",
    "alter table platform.audit disable trigger audit_stays",
    "alter table platform.audit disable trigger all",
    "drop trigger audit_stays on platform.audit",
    "create trigger away before insert on platform.audit for each row execute function suppress_redundant_updates_trigger()",
    "create rule away as on insert to platform.audit do instead nothing",
    "alter table platform.audit rename to away",
    "drop table platform.audit",
    "drop schema platform cascade",
    "create or replace function platform.refuse_change() returns trigger language plpgsql as 'begin return old; end'",
    "create or replace function platform.remove_audit(before timestamptz, most integer) returns bigint language sql as 'select 0::bigint'",
    "alter function platform.remove_audit(timestamptz, integer) owner to quintet_server",
    "grant delete on platform.audit to quintet_server; delete from platform.audit",
    "update platform.tallied set fold = 'delete from platform.audit'",
    "delete from platform.migration",
    "set role quintet_owner",
    "set session authorization quintet_owner",
    "grant quintet_owner to quintet_server",
    "alter role quintet_owner password 'x'",
    "set session_replication_role = replica",
    "set quintet.remove_audit = 'on'; delete from platform.audit",
    "create extension dblink",
    "copy platform.audit to program 'true'",
    "set role quintet",
    "alter role quintet_server superuser",
    "select pg_read_file('/etc/hostname')",
    "create role another",
    "create database another",
  ];
  for (const statement of statements)
    await assert.rejects(pool.script(statement), { code: /^(42501|0LP01)$/ }, statement);
  assert.equal(await count(), before);
});

test("the one function removes what is older than 180 days, and nothing younger, however it is asked", async () => {
  await owner`
    insert into platform.audit (at, service, user_name, action, outcome, address)
    select now() - days * interval '1 day', 'platform', 'old', 'x', 'done', '' from unnest(array[179, 181, 400]) as days`;
  const before = await count();
  const place = { after: "", most: 1 };
  const dueSince = new Date(Date.now() - 300 * 86_400_000);
  assert.deepEqual(await inTransaction(pool, (tx) => retainedAudit.remove(tx, dueSince, place)), {
    removed: 1,
    after: "on",
  });
  assert.deepEqual(await inTransaction(pool, (tx) => retainedAudit.remove(tx, dueSince, place)), {
    removed: 0,
    after: null,
  });
  const [{ removed }] = (await pool`select platform.remove_audit('infinity', 1000) as removed`) as [
    { removed: number },
  ];
  assert.equal(removed, 1);
  assert.equal(await count(), before - 2);
  await assert.rejects(pool.script("delete from platform.audit"), { code: "42501" });
});

test("lines leave as they are committed, and not where their transaction is undone", async () => {
  const undone = inTransaction(pool, async (tx) => {
    await writeAudit(tx, { ...entry, userName: "undone" });
    throw new Error("undone");
  });
  await assert.rejects(undone, /undone/);
  await inTransaction(pool, (tx) => writeAudit(tx, { ...entry, userName: "kept", records: [1, "two"] }));
  const lines = (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).audit);
  const [row] = await pool`select id from platform.audit where user_name = 'kept'`;
  assert.equal(lines.length, 3);
  const { id, userName, records, outcome, at, changes } = lines.at(-1);
  assert.deepEqual([id, userName, records, outcome, changes], [row?.["id"], "kept", [1, "two"], "done", null]);
  assert.ok(Date.parse(at) <= Date.now());
  assert.deepEqual(auditSink?.readFigures(), { waiting: 0, lost: 0 });
});

test("on a PostgreSQL of one's own two roles do the same; where one is given, triggers stand in its way", async () => {
  const administrator = openPool(Object.assign(new URL(directUrl), { username: "quintet" }).href, { connections: 1 });
  for (const name of ["two", "one"])
    await administrator.script(`create database ${name} owner ${name === "two" ? "quintet_owner" : "quintet_server"}`);
  await administrator.script("grant create on database two to quintet_server");
  await administrator.end();
  const at = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const open = (name: string, more = {}) =>
    openDatabase(readSettings({ DATABASE_URL: at(directUrl, name), DATA_DIR: folder, ...more }), "alone");
  const two = await open("two", { DATABASE_OWNER_URL: at(toOwnerUrl(directUrl), "two") });
  assert.equal(await isAuditProtected(two.pool), true);
  await two.close();
  const again = await open("two");
  await writeAudit(again.pool, entry);
  await assert.rejects(again.pool.script("delete from platform.audit"), { code: "42501" });
  await again.close();
  const one = await open("one");
  assert.equal(await isAuditProtected(one.pool), false);
  await writeAudit(one.pool, entry);
  for (const statement of [
    "update platform.audit set user_name = 'x'",
    "delete from platform.audit",
    "truncate platform.audit",
    "set quintet.remove_audit = 'on'; delete from platform.audit",
  ])
    await assert.rejects(one.pool.script(statement), { code: "42501" }, statement);
  await one.close();
});

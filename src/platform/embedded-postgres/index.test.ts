import assert from "node:assert/strict";
import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { startEmbeddedPostgres } from "./index.ts";
import {
  awaitNoProcess,
  kill,
  makeFolder,
  query,
  readPostmasterId,
  startServer,
} from "#test/embedded-postgres/server.ts";

const sharedDir = await makeFolder();

test("a first start makes a durable cluster, a restart finds its rows, and stop leaves no process", async (context) => {
  const dataDir = path.join(await makeFolder(context), "a b,%41é\"'");
  const unfinished = path.join(dataDir, "postgres", "cluster.new-killed");
  await mkdir(unfinished, { recursive: true });
  await writeFile(path.join(unfinished, "PG_VERSION"), "18\n");

  const first = await startEmbeddedPostgres({ dataDir });
  context.after(first.stop);
  const names = ["fsync", "full_page_writes", "synchronous_commit", "data_checksums", "jit", "listen_addresses"];
  const [row] = await query(
    first.ownerUrl,
    "create table kept (id int)",
    "insert into kept values (7)",
    `select lower('ÀÉ') as folded, current_user as owner, current_database() as name, pg_encoding_to_char(encoding)
       as encoding, ${names.map((name) => `current_setting('${name}') as ${name}`).join()}
       from pg_database where datname = current_database()`,
  );
  assert.deepEqual(row, {
    folded: "àé",
    owner: "quintet_owner",
    name: "quintet",
    encoding: "UTF8",
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    data_checksums: "on",
    jit: "off",
    listen_addresses: "",
  });
  await first.stop();
  await first.stop();
  assert.ok((await awaitNoProcess(dataDir, 1000)) < 1000);
  const left = ["cluster", "postgres.log", "server.lock", "socket"];
  assert.deepEqual((await readdir(path.join(dataDir, "postgres"))).sort(), left);

  const second = await startEmbeddedPostgres({ dataDir });
  context.after(second.stop);
  assert.deepEqual(await query(second.ownerUrl, "select id from kept"), [{ id: 7 }]);
  await second.stop();
});

test("the URL serves, whatever PGPORT and PGHOST say", async (context) => {
  const database = await startEmbeddedPostgres({ dataDir: sharedDir, fast: true, maxConnections: 40 });
  context.after(database.stop);
  Object.assign(process.env, { PGPORT: "1", PGHOST: "nowhere.invalid" });
  context.after(() => {
    delete process.env["PGPORT"];
    delete process.env["PGHOST"];
  });
  const text = "select current_setting('fsync') as fsync, current_setting('max_connections') as connections";
  const expected = [{ fsync: "off", connections: "40" }];
  assert.deepEqual(await query(database.url, text), expected);
});

test("a socket path that is too long moves to a private folder under /tmp", async (context) => {
  const dataDir = path.join(await makeFolder(context), "x".repeat(120));
  const database = await startEmbeddedPostgres({ dataDir, fast: true });
  context.after(database.stop);
  assert.deepEqual(await query(database.url, "select 1 as one"), [{ one: 1 }]);
  const folder = decodeURIComponent(new URL(database.url).hostname);
  assert.match(folder, /^\/(private\/)?tmp\/quintet-[0-9a-f]{16}-socket$/);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  await database.stop();
  await rm(folder, { recursive: true });
});

test("a second server on the directory is refused in one line, and the first goes on", async (context) => {
  const first = await startServer(context, sharedDir, { fast: true });
  const second = await startServer(context, sharedDir, { fast: true });
  assert.match(second.refusal, /^Another Quintet server is using [^\n]+$/);
  assert.deepEqual(await query(first.url, "select 1 as one"), [{ one: 1 }]);
});

test("Ctrl-C to the server's process group does not reach the database", async (context) => {
  const server = await startServer(context, sharedDir, { fast: true });
  process.kill(-(server.child.pid ?? 0), "SIGINT");
  assert.deepEqual(await query(server.url, "select 1 as one"), [{ one: 1 }]);
  await kill(server.child, "SIGTERM");
  assert.equal(server.child.exitCode, 0);
});

test("what a statement holds stays out of the log", async (context) => {
  const database = await startEmbeddedPostgres({ dataDir: sharedDir, fast: true });
  context.after(database.stop);
  await query(database.ownerUrl, "create table card (number text unique)", "insert into card values ('private-1')");
  const failures = ["insert into card values ('private-1')", "select 'private-2'::int", "select private_3 from card"];
  for (const text of failures) await assert.rejects(query(database.ownerUrl, text));
  await database.stop();
  const text = await readFile(path.join(sharedDir, "postgres", "postgres.log"), "utf8");
  assert.match(text, /ready to accept connections/);
  assert.doesNotMatch(text, /private/);
});

test(
  "a log that cannot be written costs its lines, not the server",
  { skip: process.platform !== "linux" && "/dev/full is Linux's" },
  async (context) => {
    const dataDir = await makeFolder(context);
    await mkdir(path.join(dataDir, "postgres"), { mode: 0o700 });
    await symlink("/dev/full", path.join(dataDir, "postgres", "postgres.log"));
    const database = await startEmbeddedPostgres({ dataDir, fast: true });
    context.after(database.stop);
    assert.deepEqual(await query(database.url, "select 1 as one"), [{ one: 1 }]);
  },
);

test("another release's cluster is refused with what to do", async (context) => {
  const dataDir = await makeFolder(context);
  await mkdir(path.join(dataDir, "postgres", "cluster"), { recursive: true, mode: 0o700 });
  await writeFile(path.join(dataDir, "postgres", "cluster", "PG_VERSION"), "17\n");
  await assert.rejects(
    startEmbeddedPostgres({ dataDir }),
    /created by PostgreSQL 17, but this release contains PostgreSQL 18: back it up/,
  );
});

test("a postmaster that ends by itself is started again, again and again, until it is stopped", async (context) => {
  const told: string[] = [];
  let back = Promise.withResolvers<void>();
  const database = await startEmbeddedPostgres({
    dataDir: sharedDir,
    onLost: (reason) => told.push(reason),
    onBack: () => back.resolve(),
  });
  context.after(database.stop);
  await query(database.ownerUrl, "create table kept (id int)", "insert into kept values (7)");
  for (let time = 1; time <= 2; time++) {
    const killed = await readPostmasterId(sharedDir);
    process.kill(killed, "SIGKILL");
    await back.promise;
    back = Promise.withResolvers();
    assert.notEqual(await readPostmasterId(sharedDir), killed);
    assert.deepEqual(await query(database.ownerUrl, "select id from kept"), [{ id: 7 }]);
    assert.equal(told.length, time);
    assert.match(told.at(-1) ?? "", /^PostgreSQL stopped unexpectedly \(signal 9\); its log is .*postgres\.log$/);
  }
  await database.stop();
  assert.ok((await awaitNoProcess(sharedDir, 1000)) < 1000);
  assert.equal(told.length, 2, "an end that was asked for is none of its own");
});

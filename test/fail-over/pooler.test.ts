import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Db,
  inLongTransaction,
  inSnapshot,
  inTransaction,
  isOverLimit,
  longLimits,
  openCopyIn,
  openPool,
  type Pool,
  sql,
  streamRows,
  usualLimits,
} from "#platform/database/index.ts";
import { query } from "#test/embedded-postgres/server.ts";
import { readSettings } from "#quintet/settings.ts";
import { openDatabase } from "#quintet/open-database.ts";
import { createTestDatabase } from "#test/database.ts";
import { startNetworkPostgres } from "#test/network-postgres.ts";
import { needsPgBouncer, startPgBouncer } from "./pgbouncer.ts";
import { startThroughPgBouncer } from "./through-pgbouncer.ts";

// In transaction mode a pooler gives a client a session for one transaction only, so no state may stay in a session.

const database = await createTestDatabase();
const { url } = database;
await database.pool`create table told (word text)`;

async function useAll(pool: Pool, word: string): Promise<void> {
  assert.deepEqual([...(await pool`select ${word}::text as word`)], [{ word }]);
  await inTransaction(pool, async (tx) => {
    await tx.send`insert into told values (${word})`;
    assert.equal(await tx.count`update told set word = word where word = ${word}`, 1);
  });
  await inLongTransaction(pool, (tx) => tx`select 1`);
  assert.deepEqual(await inSnapshot(pool, (tx) => tx`select word from told where word = ${word}`), [{ word }]);
  let rows = 0;
  for await (const batch of streamRows(pool, sql`select generate_series(1, ${50})`, 20)) rows += batch.length;
  assert.equal(rows, 50);
  const copy = await openCopyIn(pool, "told (word)");
  await copy.write(`copied ${word}\n`);
  await copy.finish();
  const session = await pool.reserve();
  await session`select pg_advisory_lock(7), set_config('own.word', ${word}, false)`;
  assert.deepEqual([...(await session`select current_setting('own.word') as word`)], [{ word }]);
  const [other] = await pool`select pg_try_advisory_xact_lock(7) as taken`;
  assert.equal(other?.["taken"], false);
  await session`select pg_advisory_unlock(7), set_config('own.word', '', false)`;
  session.release();
}

async function hear(pool: Pool): Promise<void> {
  const told = Promise.withResolvers<string>();
  await pool.listen("news", told.resolve);
  await pool`select pg_notify('news', 'one')`;
  assert.equal(await told.promise, "one");
}

const limitNames = Object.keys(usualLimits);
const readLimits = async (db: Db) =>
  Object.fromEntries(
    (await db`select name, setting from pg_settings where name = any(${limitNames})`).map(({ name, setting }) => [
      name,
      Number(setting),
    ]),
  );

test("a pool with another address for sessions leaves nothing in those that it shares", async (t) => {
  const pool = openPool(url, { connections: 1, direct: url });
  t.after(() => pool.end());
  await useAll(pool, "one");
  await hear(pool);
  const [left] = await pool`
    select (select count(*) from pg_prepared_statements) as statements, (select count(*) from pg_listening_channels()) as channels,
      (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks,
      (select count(*) from pg_cursors where name <> '') as cursors, current_setting('own.word', true) as word,
      array(select name from pg_settings where source = 'session' order by name) as settings`;
  assert.deepEqual(left, { statements: 0, channels: 0, locks: 0, cursors: 0, word: null, settings: [] });
});

test("limits of time hold in its transactions, and for nobody afterwards", async (t) => {
  const pool = openPool(url, { connections: 1, direct: url });
  t.after(() => pool.end());
  const before = await readLimits(pool);
  assert.deepEqual(await inTransaction(pool, readLimits), usualLimits);
  assert.deepEqual(await inLongTransaction(pool, readLimits), longLimits);
  assert.deepEqual(await inSnapshot(pool, readLimits), usualLimits);
  assert.deepEqual(await readLimits(pool), before);
  const hasty = openPool(url, { connections: 1, direct: url, limits: { ...usualLimits, statement_timeout: 50 } });
  t.after(() => hasty.end());
  await assert.rejects(
    inTransaction(hasty, (tx) => tx`select pg_sleep(30)`),
    isOverLimit,
  );
});

test("an address past the pooler that leads to another database stops the start", async () => {
  const other = await createTestDatabase();
  const start = (direct: string) =>
    openDatabase(readSettings({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct }), "server");
  await assert.rejects(start(other.url), /^Error: DATABASE_DIRECT_URL and DATABASE_URL lead to different databases$/);
  const right = await start(url);
  assert.deepEqual(right.warnings, [
    "statements through DATABASE_URL have no time limit: set a statement_timeout for its role",
  ]);
  await right.close();
});

test("PgBouncer in transaction mode", needsPgBouncer, async (t) => {
  const { host, localUrl } = await startNetworkPostgres(t);
  const base = await startPgBouncer(t, host, 3);
  const direct = `postgres://quintet_server@${host}/quintet`;
  // The superuser creates the table, since the server's role cannot.
  await query(localUrl, "create table told (word text)", "grant all on told to quintet_server");
  const pool = openPool(`${base}/quintet`, { connections: 10, direct });
  t.after(() => pool.end({ timeoutMs: 0 }));

  await t.test("carries everything, for many at once", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => useAll(pool, `word ${index}`)));
    await hear(pool);
    assert.equal((await query(direct, "select from told")).length, 80);
  });

  await t.test("does not let a long statement look like a lost one", async () => {
    assert.equal((await pool`select pg_sleep(${1.5})`).length, 1);
  });

  await t.test(
    "is left by those who write when the server takes no more writes, and serves them when it does",
    async () => {
      const set = (value: "on" | "off") =>
        query(localUrl, `alter system set default_transaction_read_only = ${value}`, "select pg_reload_conf()");
      const writer = openPool(`${base}/quintet`, { connections: 2, direct });
      t.after(() => writer.end({ timeoutMs: 0 }));
      const write = () =>
        writer`insert into told values ('kept')`.then(
          () => "",
          (error: { code: string }) => error.code,
        );
      assert.equal(await write(), "");
      await set("on");
      while ((await write()) !== "CONNECTION_READ_ONLY");
      assert.equal(await write(), "CONNECTION_READ_ONLY");
      await set("off");
      while ((await write()) !== "");
    },
  );
});

test(
  "a whole process works through PgBouncer: an import, an analysis, an order that is paid",
  needsPgBouncer,
  async (t) => {
    const { app } = await startThroughPgBouncer(t);
    const { status, json } = await app.call("GET", "/readyz");
    assert.deepEqual(
      [status, json],
      [
        200,
        {
          ready: true,
          parts: { database: true, migrations: true, newest: true, beside: true, jobs: true, room: true },
        },
      ],
    );
  },
);

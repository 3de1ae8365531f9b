import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import * as z from "zod";
import { inTransaction, isConnectionLoss, openPool, type Pool } from "#platform/database/index.ts";
import { query } from "#platform/embedded-postgres/test-server.ts";
import { addJob, migrateJobs, startJobs, taskWith } from "#platform/jobs/runner.ts";
import { followAs, needsLinux, startNetworkPostgres, startStandby } from "#test/network-postgres.ts";

const isLoss = (error: unknown) => isConnectionLoss(error) || assert.fail(String(error));
const hostOf = async (pool: Pool): Promise<string> =>
  (await pool`select host(inet_server_addr()) as host`)[0]?.["host"];

/** Writes as often as it takes, and returns where. */
async function write(pool: Pool, word: string): Promise<string> {
  for (;;) {
    const host = await inTransaction(pool, async (tx) => {
      await tx`insert into told values (${word})`;
      return (await tx`select host(inet_server_addr()) as host`)[0]?.["host"] as string;
    }).catch(isLoss);
    if (typeof host === "string") return host;
  }
}

test(
  "the pool, who listens and who works off jobs go where writes are taken, and on when that changes",
  needsLinux,
  async (context) => {
    const first = await startNetworkPostgres(context);
    const firstUrl = `postgres://quintet_server@${first.host}/quintet`;
    await query(firstUrl, "create table told (word text)");
    await migrateJobs(firstUrl);
    await first.stop();
    const one = await startNetworkPostgres(context, { dataDir: first.dataDir, host: first.host });
    const two = await startStandby(context, one.dataDir, one.host);
    const address = `postgres://quintet_server@${two.host},${one.host}:5432/quintet?target_session_attrs=read-write`;

    const pool = openPool(address, { connections: 4, patienceMs: 500 });
    const heard: string[] = [];
    const worked: string[] = [];
    let begun = 0;
    await pool.listen(
      "news",
      (payload) => heard.push(payload),
      () => begun++,
    );
    const jobs = await startJobs({
      url: address,
      tasks: { work: taskWith(z.object({ word: z.string() }), async ({ word }) => void worked.push(word)) },
      recurring: [],
      concurrency: 1,
      log: pino({ level: "silent" }),
    });
    context.after(() => Promise.all([jobs.stop(), pool.end({ timeoutMs: 0 })]));
    const tell = (word: string) => pool`select pg_notify('news', ${word})`;
    const order = (word: string) => inTransaction(pool, (tx) => addJob(tx, "work", { word }));
    const until = async (isTrue: () => boolean | Promise<boolean>) => {
      while (!(await isTrue())) await new Promise(setImmediate);
    };

    assert.equal(await write(pool, "one"), one.host);
    await tell("one");
    await order("one");
    await until(() => heard.includes("one") && worked.includes("one"));
    await until(async () => (await query(two.localUrl, "select from told")).length === 1);

    // The first ends, and the second is made the primary.
    await one.stop();
    await query(two.localUrl, "select pg_promote()");
    assert.equal(await write(pool, "two"), two.host);
    await until(() => begun === 2);
    await tell("two");
    await order("two");
    await until(() => heard.includes("two") && worked.includes("two"));

    // The first is back as a standby: whoever begins there goes on to the second.
    const back = await followAs(context, { dataDir: one.dataDir, host: one.host, primary: two.host });
    const other = openPool(`postgres://quintet_server@${one.host},${two.host}/quintet`, { connections: 1 });
    assert.equal(await hostOf(other), two.host);
    await other.end();

    // The second takes no more writes while it runs on: everybody leaves it, and finds the first when it takes them.
    await until(async () => (await query(back.localUrl, "select from told where word = 'two'")).length === 1);
    await query(two.localUrl, "alter system set default_transaction_read_only = on");
    await query(two.localUrl, "select pg_reload_conf()");
    await until(() => pool`insert into told values ('lost')`.then(() => false, isLoss));
    await assert.rejects(hostOf(pool), { code: "CONNECTION_READ_ONLY" });
    await query(back.localUrl, "select pg_promote()");
    assert.equal(await write(pool, "three"), one.host);
    await until(() => begun === 3);
    await tell("three");
    await order("three");
    await until(() => heard.includes("three") && worked.includes("three"));
  },
);

test("with any host that will do, the first that answers is taken", needsLinux, async (context) => {
  const one = await startNetworkPostgres(context);
  const any = openPool(`postgres://quintet_server@127.0.0.1:1,${one.host}/quintet?target_session_attrs=any`, {
    connections: 1,
  });
  context.after(() => any.end());
  assert.equal(await hostOf(any), one.host);
});

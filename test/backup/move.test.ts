import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { openPool, type Pool } from "#platform/database/index.ts";
import { migrateJobs } from "#platform/jobs/runner.ts";
import { move, refuseUnfinishedMove } from "#platform/moving/move.ts";
import { createTestDatabase } from "#test/database.ts";
import { makeFolder, startCluster } from "./cluster.ts";

// From an embedded database into one of the run's own PostgreSQL.

const reports = 5000;
const dataDir = path.join(await makeFolder(), "data");
const source = await startCluster(dataDir);
await migrateJobs(source.postgres.url);
// Rows that hold one another in a circle, a ledger that nobody may change, triggers that count, a job for later.
await source.pool.script(`
  insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade, licensing, b_product)
  select 'n' || i, '1', 'c', 'c', 'e', '1', '2027-03-01', 'education', 'yes', '{switch}' from generate_series(1, ${reports}) i;
  insert into attendance.month (month) values ('2027-03');
  insert into attendance.version (month, number, note, employees, settings, units, covered, warnings, locked_by)
  values ('2027-03', 1, '', 0, '{}', '[]', '[]', '[]', 'a');
  update attendance.month set version_id = version.id from attendance.version;
  insert into tuition_payment.pay_order (order_no, card_number, student_name, grade, amount_fen, expires_at)
  values ('A00001', '1', 'x', '1', 1, now());
  insert into tuition_payment.ledger (posting, order_id, what, account, gateway, amount_fen)
  select 1, id, 'payment', account, 'abc', fen from tuition_payment.pay_order,
    (values ('gateway', 1), ('tuition', -1)) as line (account, fen);
  select graphile_worker.add_job('platform-housekeeping', run_at => now() + interval '1 day')`);

const silent = (): void => {};
const noServer = "postgres://nobody@127.0.0.1:1/none";

test("a database that holds something else is refused and stays as it is, and so is one that is not there", async () => {
  const other = await createTestDatabase();
  await assert.rejects(
    move({ from: source.pool, to: other.pool, url: other.url, say: silent }),
    /holds something else/,
  );
  await refuseUnfinishedMove(other.pool);
  const none = openPool(noServer, { connections: 1 });
  await assert.rejects(move({ from: source.pool, to: none, url: noServer, say: silent }));
  await none.end({ timeoutMs: 100 });
});

test("cut off, it is gone on with, and both agree in rows, rules and what comes next", async () => {
  const target = await createTestDatabase({ empty: true });
  await assert.rejects(
    move({ from: source.pool, to: target.pool, url: target.url, say: cutOffAt("platform.migration") }),
    /cut off/,
  );
  await assert.rejects(refuseUnfinishedMove(target.pool), /not finished: run it again/);
  assert.equal(await count(target.pool, "tuition_payment.ledger"), 0);

  const said: string[] = [];
  await move({ from: source.pool, to: target.pool, url: target.url, say: (line) => said.push(line) });
  assert.ok(said.includes("attendance.month: 1 rows, there before"), said.join("\n"));
  assert.ok(said.includes(`reporting.report: ${reports} rows`), said.join("\n"));
  await refuseUnfinishedMove(target.pool);
  await assertAlike(source.pool, target.pool);
});

test("what was written to the first meanwhile is noticed, and the other is not taken for whole", async () => {
  const target = await createTestDatabase({ empty: true });
  await assert.rejects(
    move({ from: source.pool, to: target.pool, url: target.url, say: cutOffAt("attendance.version") }),
    /cut off/,
  );
  await source.pool`update attendance.version set note = 'changed'`;
  await assert.rejects(
    move({ from: source.pool, to: target.pool, url: target.url, say: silent }),
    /was it written to\?/,
  );
  await assert.rejects(refuseUnfinishedMove(target.pool), /not finished/);
});

/** Whoever hears that a table is there ends the move. */
function cutOffAt(table: string): (line: string) => void {
  return (line) => {
    if (line.startsWith(`${table}:`)) throw new Error("cut off");
  };
}

const count = async (pool: Pool, table: string): Promise<number> =>
  (await pool.script<{ rows: number }>(`select count(*)::int as rows from ${table}`))[0]?.rows ?? -1;

/** Rules as PostgreSQL writes them, and what the next row gets. */
async function assertAlike(ours: Pool, theirs: Pool): Promise<void> {
  const rules = `
    select conrelid::regclass::text || ' ' || conname::text || ' ' || pg_get_constraintdef(oid) as rule
    from pg_constraint where connamespace::regnamespace::text !~ '^(pg_|information)' and contype <> 'n'
    union all
    select tgrelid::regclass::text || ' ' || tgname::text || ' ' || tgenabled::text from pg_trigger where not tgisinternal
    order by 1`;
  assert.deepEqual(await theirs.script(rules), await ours.script(rules));
  assert.equal(await count(theirs, "graphile_worker.jobs"), 1);
  const add = `
    insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade, licensing, b_product)
    values ('next', '1', 'c', 'c', 'e', '1', '2027-03-01', 'education', 'yes', '{switch}') returning id::int`;
  assert.deepEqual(await theirs.script(add), [{ id: reports + 1 }]);
  await assert.rejects(theirs.script("update tuition_payment.ledger set amount_fen = 2"));
}

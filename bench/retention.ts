// Measures the first removal of expired data and its effect on users: reports, answered feedback, and the personal data
// of unpaid orders. Every second row has expired, so the expired rows are interleaved with the others. Meanwhile a
// server answers reads and writes, each timed from when it was due. by=statement removes the same data by a single
// statement.
// `node bench/retention.ts [reports=1000000] [feedback=1000000] [orders=1000000] [by=batches,statement]`
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "#platform/database/index.ts";
import { foldTallies } from "#services/reporting/tally.ts";
import { removeOld } from "#quintet/removal.ts";
import { readSettings } from "#quintet/settings.ts";
import { sampleReport } from "#test/sample-report.ts";
import { type Ground, insertReports, openGround, type Server, signIn, startServer } from "./ground.ts";
import { quantile, sendAtRate, shoot, type Shot } from "./measure.ts";

const given = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=") as [string, string]));
const ways = (given["by"] ?? "batches,statement").split(",") as ("batches" | "statement")[];

interface Kind {
  readonly table: string;
  readonly service: string;
  readonly setting: string;
  readonly fill: (pool: Pool, old: number) => Promise<unknown>;
  readonly statement: string;
  readonly reading: Shot;
  readonly writing: () => Shot;
}

const aSecond = 5;
const json = { "content-type": "application/json" } as const;
const at = "now() - interval '900 days' + i * interval '30 seconds'";

const giveFeedback = (): Shot => ({
  url: "/tuitionpayment/feedbackmsg/save",
  method: "POST",
  headers: { ...json, card_number: "S1" },
  body: JSON.stringify({ feedbackPersonName: "李示例", feedbackPersonPhone: "555 0100 0001", feedbackInfo: "演示" }),
});

const kinds: Readonly<Record<string, Kind>> = {
  reports: {
    table: "reporting.report",
    service: "reporting",
    setting: "REPORTING_KEEP_DAYS",
    fill: fillReports,
    statement: `delete from reporting.report where (closed or deleted) and updated_at < now() - interval '30 days'`,
    reading: { url: "/reporting/informationReporting/list", method: "GET", headers: {} },
    writing: () => ({
      url: "/reporting/informationReporting/add",
      method: "POST",
      headers: json,
      body: JSON.stringify(sampleReport()),
    }),
  },
  feedback: {
    table: "tuition_payment.feedback",
    service: "tuition-payment",
    setting: "TUITION_KEEP_FEEDBACK_DAYS",
    fill: (pool, old) =>
      pool.script(`
        insert into tuition_payment.feedback (card_number, name, phone, info, created_at, processed_at)
        select 'F' || i, '李示例', '555 0100 0001', repeat('演示数据', 10), ${at}, case when i % 2 = 0 then ${at} end
        from generate_series(1, ${old * 2}) as i`),
    statement: `delete from tuition_payment.feedback where processed_at < now() - interval '30 days'`,
    reading: { url: "/tuitionpayment/feedbackmsg/listOfCurrentUser", method: "GET", headers: { card_number: "F7" } },
    writing: giveFeedback,
  },
  orders: {
    table: "tuition_payment.pay_order",
    service: "tuition-payment",
    setting: "TUITION_KEEP_UNPAID_DAYS",
    fill: (pool, old) =>
      pool.script(`
        insert into tuition_payment.pay_order (order_no, card_number, student_no, student_name, grade, amount_fen, status,
          gateway, expires_at, created_at, closed_at, paid_at, received_fen)
        select 'BENCH' || i, 'S' || i / 4, 'S' || i / 4, '李示例', '2024', 600000, case when i % 2 = 0 then 'closed' else 'paid' end,
          'simulated', ${at}, ${at}, case when i % 2 = 0 then ${at} end, case when i % 2 = 1 then ${at} end,
          case when i % 2 = 1 then 600000 end
        from generate_series(1, ${old * 2}) as i`),
    statement: `
      update tuition_payment.pay_order set card_number = '', card_number_sealed = null, student_no = null, student_name = '—'
      where status = 'closed' and closed_at < now() - interval '30 days' and paid_at is null and received_fen is null
        and not exists (select from tuition_payment.refund where refund.order_id = pay_order.id)`,
    reading: { url: "/tuitionpayment/feedbackmsg/listOfCurrentUser", method: "GET", headers: { card_number: "F7" } },
    writing: giveFeedback,
  },
};

async function fillReports(pool: Pool, old: number): Promise<void> {
  await insertReports(
    pool,
    `
    insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, content,
      trade, licensing, b_product, closed, created_at, updated_at)
    select chr(0x4e00 + i % 3000) || chr(0x5a00 + i % 2999), '555 0100 ' || i % 10000, '虚构' || chr(0x5f00 + i % 900) || '科技有限公司',
      '示例客户' || i % 5000, '示例项目' || i, '90万元', now(), '演示数据', (array['教育','医疗','政府'])[1 + i % 3], '是',
      array['交换机'], i % 2 = 0, ${at}, ${at}
    from generate_series(1, ${old * 2}) as i;
    insert into reporting.report_event (report_id, what, user_name, name) select id, 'closed', 'bench', 'bench' from reporting.report where closed`,
  );
  await foldTallies(pool, "reporting.report");
}

/**
 * Sends reads and writes at random intervals, `rate` of each per second on average. Returns a function that stops them
 * and returns their durations in ms, counted from when the call was due, and the number of failures.
 */
function use({ address }: Server, token: string, { reading, writing }: Kind, rate: number) {
  const times = { read: [] as number[], write: [] as number[], failed: 0 };
  const over = new AbortController();
  const repeat = (into: number[], next: () => Shot) =>
    sendAtRate(
      rate,
      () => over.signal.aborted,
      (dueMs) => {
        const shot = next();
        return shoot({ ...shot, url: address + shot.url, headers: { ...shot.headers, admin_token: token } })
          .then(() => void into.push(performance.now() - dueMs))
          .catch(() => void times.failed++);
      },
    );
  const ended = Promise.all([repeat(times.read, () => reading), repeat(times.write, writing)]);
  return async () => {
    over.abort();
    await ended;
    return times;
  };
}

const part = (times: readonly number[], share: number): string => (quantile(times, share) || 0).toFixed(1);

const describe = (times: readonly number[]): string =>
  `${times.length} calls, median ${part(times, 0.5)} ms, p99 ${part(times, 0.99)}, slowest ${part(times, 1)}`;

/** Counts the rows read so far by index or scan. This figure measures cost independently of the machine. */
async function countReads({ pool }: Ground, table: string): Promise<number> {
  const [row] = await pool<{ reads: number }[]>`
    select seq_tup_read + idx_tup_fetch as reads from pg_stat_user_tables where relid = ${table}::text::regclass`;
  return row?.reads ?? 0;
}

async function sizeMb({ pool }: Ground, table: string): Promise<number> {
  const [row] = await pool<{ bytes: number }[]>`select pg_total_relation_size(${table}::text::regclass) as bytes`;
  return (row?.bytes ?? 0) / 2 ** 20;
}

async function measure(name: string, kind: Kind, old: number, way: "batches" | "statement"): Promise<void> {
  const ground = await openGround();
  const { pool } = ground;
  await kind.fill(pool, old);
  await pool.script("vacuum analyze");
  await pool.script("checkpoint");
  const server = await startServer(ground, {
    BENCH_SERVICE: kind.service,
    STUDENT_IDENTITY: "header",
    RATE_LIMIT_OPEN: "1000000000",
  });
  const token = await signIn(server.address);
  const before = await sizeMb(ground, kind.table);
  const endIdle = use(server, token, kind, aSecond);
  await delay(10_000);
  const idle = await endIdle();
  const readsBefore = await countReads(ground, kind.table);
  const end = use(server, token, kind, aSecond);
  const started = performance.now();
  if (way === "statement") await pool.script(kind.statement);
  else
    await removeOld(
      pool,
      readSettings({ DATA_DIR: ground.settings.DATA_DIR, [kind.setting]: "30" }),
      Date.now(),
      "bench",
    );
  const seconds = (performance.now() - started) / 1000;
  const { read, write, failed } = await end();
  // PostgreSQL publishes a session's statistics up to a second late.
  await delay(2000);
  const [left] = await pool<{ dead: number }[]>`
    select n_dead_tup as dead from pg_stat_user_tables where relid = ${kind.table}::text::regclass`;
  const reads = (await countReads(ground, kind.table)) - readsBefore;
  console.log(
    `${name}, ${old} old of ${old * 2}, ${way}: ${seconds.toFixed(1)} s, ${(old / seconds).toFixed(0)} a second, ${(reads / old).toFixed(1)} rows read for each old row`,
  );
  console.log(`  reads before the removal: ${describe(idle.read)}; during it: ${describe(read)}`);
  console.log(`  writes before the removal: ${describe(idle.write)}; during it: ${describe(write)}, ${failed} failed`);
  console.log(
    `  ${before.toFixed(0)} MB before, ${(await sizeMb(ground, kind.table)).toFixed(0)} after, ${left?.dead} dead rows to be vacuumed`,
  );
  await server.end();
  await ground.end();
}

const named = Object.keys(kinds).filter((name) => given[name] !== undefined);
for (const name of named.length > 0 ? named : Object.keys(kinds)) {
  const kind = kinds[name];
  if (kind) for (const way of ways) await measure(name, kind, Number(given[name] ?? 1_000_000), way);
}

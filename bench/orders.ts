// Measures the cost of orders: create, pay and notify per second over HTTP, with create and notify compared with their
// bare statements; and the seconds and memory that it takes to reconcile 100,000 orders with a statement of as many
// rows.
// `node bench/orders.ts [orders a round] [rows of the statement]`
import http from "node:http";
import { compareDay } from "#services/tuition-payment/orders/reconcile-store.ts";
import type { StatementRow } from "#services/tuition-payment/gateways/gateway.ts";
import { inLongTransaction, inTransaction, openPool } from "#platform/database/index.ts";
import { openGround, startServer } from "./ground.ts";
import { shoot } from "./measure.ts";

const orders = Number(process.argv[2] ?? 3000);
const statementRows = Number(process.argv[3] ?? 100_000);
const callers = 16;

const ground = await openGround();
const { pool } = ground;
const numbers = Array.from({ length: orders }, (_, index) => `B${String(index).padStart(8, "0")}`);
await pool`insert into tuition_payment.pay_limit (grade, grade_name) values ('2026', '2026')`;
await pool`
  insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen)
  select number, '虚构', '2026', '2026', 600000, array['学费', '住宿费'], array[480000, 120000]
  from unnest(${numbers}::text[]) as number`;
// The statistics are updated, as autovacuum does within a minute of an import.
await pool.script("analyze tuition_payment.payable");
const payables = new Map(
  (await pool<{ id: number; no: string }[]>`select id, student_no as no from tuition_payment.payable`).map(
    ({ id, no }) => [no, id],
  ),
);

const server = await startServer(ground, {
  BENCH_SERVICE: "tuition-payment",
  STUDENT_IDENTITY: "header",
  PAY_SIMULATED: "1",
  RATE_LIMIT_OPEN: "1000000000",
});
const { address } = server;
const agent = new http.Agent({ keepAlive: true, maxSockets: callers });

async function rate<T>(list: readonly T[], work: (one: T) => Promise<unknown>): Promise<number> {
  let next = 0;
  const started = performance.now();
  const worker = async () => {
    for (let index = next++; index < list.length; index = next++) await work(list[index] as T);
  };
  await Promise.all(Array.from({ length: callers }, worker));
  return list.length / ((performance.now() - started) / 1000);
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  shoot(
    {
      url: `${address}/tuitionpayment${path}`,
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    },
    agent,
  );

const made: { no: string; orderNo: string }[] = [];
const created = await rate(numbers, async (no) => {
  const wish = { payables: [{ payableId: payables.get(no) }], amount: 6000 };
  const { data } = JSON.parse(await post("/order/create", wish, { card_number: no })) as { data: { orderNo: string } };
  made.push({ no, orderNo: data.orderNo });
});
const payed = await rate(made, ({ no, orderNo }) =>
  post(`/order/pay/${orderNo}`, { gateway: "simulated" }, { card_number: no }),
);
const notices: object[] = [];
await rate(made, async ({ orderNo }) => {
  const said = await post(`/simulated/${orderNo}`, { result: "success", notify: false });
  notices.push((JSON.parse(said) as { data: { notice: object } }).data.notice);
});
const notified = await rate(notices, (notice) => post("/pay/notify/simulated", notice));
await server.end();

// The baseline for creating an order is one transaction: lock the payable, insert the order, its items and its event.
const floorPool = openPool(ground.url, { connections: callers });
await pool`update tuition_payment.order_item set state = 'free'`;
const floorCreate = await rate(numbers, (no) =>
  inTransaction(floorPool, async (tx) => {
    await tx`select id, item_names, item_fen from tuition_payment.payable where student_no = ${no} for update`;
    await tx`
      with made as (insert into tuition_payment.pay_order (order_no, card_number, student_name, grade, amount_fen, expires_at)
        values (${`F${no}`}, ${no}, '虚构', '2026', 600000, now() + interval '1 day') returning id),
      items as (insert into tuition_payment.order_item (order_id, payable_id, years, name, amount_fen)
        select id, ${payables.get(no) ?? 0}, '2026', item.name, item.fen
        from made, (values ('学费', 480000), ('住宿费', 120000)) as item (name, fen))
      insert into tuition_payment.order_event (order_id, to_status, by) select id, 'created', 'student' from made`;
  }),
);
const floorNotify = await rate(numbers, (no) =>
  inTransaction(floorPool, async (tx) => {
    const [order] = await tx<{ id: number }[]>`
      update tuition_payment.pay_order set status = 'paid', gateway = 'simulated', paid_at = now() where order_no = ${`F${no}`}
      returning id`;
    const id = order?.id ?? 0;
    await tx`update tuition_payment.order_item set state = 'paid' where order_id = ${id}`;
    await tx`
      with next as (select nextval('tuition_payment.posting') as posting)
      insert into tuition_payment.ledger (posting, order_id, what, account, gateway, amount_fen)
      select posting, ${id}, 'payment', line.account, 'simulated', line.fen
      from next, (values ('gateway', 600000), ('tuition', -600000)) as line (account, fen)`;
    await tx`
      update tuition_payment.payable set paid_by = 'orders', paid_at = now() where id = ${payables.get(no) ?? 0}`;
    await tx`insert into tuition_payment.order_event (order_id, to_status, by) values (${id}, 'paid', 'notice')`;
  }),
);
await floorPool.end();

// The day has one order for each row of the statement, and one row in a thousand has a different amount.
await pool`
  insert into tuition_payment.pay_order (order_no, card_number, student_name, grade, amount_fen, status, gateway, trade_no,
    expires_at, paid_at)
  select 'R' || lpad(n::text, 12, '0'), 'B', '虚构', '2026', 600000, 'paid', 'wechat', 'T' || n, now(),
    timestamptz '2026-11-20 12:00:00+08' from generate_series(1, ${statementRows}::int) as n`;
await pool`analyze tuition_payment.pay_order`;
const at = new Date("2026-11-20T04:00:00Z");
const rows: StatementRow[] = Array.from({ length: statementRows }, (_, index) => ({
  kind: "payment",
  orderNo: `R${String(index + 1).padStart(12, "0")}`,
  tradeNo: `T${index + 1}`,
  amountFen: index % 1000 === 0 ? 600_001 : 600_000,
  at,
}));
const before = process.memoryUsage.rss();
let most = before;
const watching = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
const started = performance.now();
const found = await inLongTransaction(pool, (tx) => compareDay(tx, "wechat", "2026-11-20", rows));
const seconds = (performance.now() - started) / 1000;
clearInterval(watching);

const line = (what: string, own: number, floor?: number) =>
  console.log(
    `${what}: ${own.toFixed(0)} a second${floor === undefined ? "" : `, bare statements ${floor.toFixed(0)}, ratio ${(own / floor).toFixed(2)}`}`,
  );
line("create", created, floorCreate);
line("pay", payed);
line("notify", notified, floorNotify);
console.log(
  `${statementRows} orders compared in ${seconds.toFixed(1)} s, ${((most - before) / 2 ** 20).toFixed(0)} MiB more memory: ${JSON.stringify(found)}`,
);
agent.destroy();
await ground.end();

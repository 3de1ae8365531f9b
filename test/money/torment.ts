import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import type { Pool } from "#platform/database/index.ts";
import { createRandom } from "#test/crash/random.ts";
import { operatorPassword, type RunningServer, startServerProcess } from "#test/crash/server.ts";
import { startAlipay } from "#test/stand-ins/payment-alipay.ts";
import { startAbc } from "#test/stand-ins/payment-abc.ts";
import { startCcb } from "#test/stand-ins/payment-ccb.ts";
import type { Delivery } from "#test/stand-ins/payment-notices.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";
import type { PaymentStandIn } from "#test/stand-ins/payment.ts";
import { endAsked, endFailed, endLate } from "./decisions.ts";
import { startHttpFront } from "./front.ts";
import { call, type Ground, pick, type StandIns, studentNo, type TormentOptions } from "./ground.ts";
import { judgeBooks } from "./judge.ts";
import { judgeStatements } from "./statements.ts";
import { untilQuiet } from "./quiet.ts";
import { playStudent } from "./students.ts";

const processes = 2;
const studentsAtOnce = 16;

/**
 * Students order and pay at four gateways. Notifications are duplicated, delayed, reordered, forged and lost; calls to
 * gateways fail, mostly after the gateway has performed them; server processes are killed. In the end all books must
 * balance.
 */
export async function torment(options: TormentOptions): Promise<void> {
  const random = createRandom(options.seed);
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-money-"));
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  try {
    const servers: RunningServer[] = [];
    const front = await startHttpFront(() => servers[Math.floor(random() * servers.length)]?.address ?? "");
    closers.push(() => front.close());
    const notifyUrl = `${front.url}/tuitionpayment/pay/notify/ccb`;
    const [ccb, abc, wechat, alipay] = await Promise.all([
      startCcb({ notifyUrl }),
      startAbc(),
      startWeChatPay(),
      startAlipay(),
    ]);
    const standIns: StandIns = { ccb, abc, wechat, alipay };
    closers.push(() => Promise.all(Object.values(standIns).map((standIn) => standIn.close())));
    const settings = {
      DATABASE_URL: options.database.url,
      PUBLIC_URL: front.url,
      STUDENT_IDENTITY: "header",
      PAY_TIMEOUT_MS: String(options.timeoutMs),
      ...ccb.settings,
      ...abc.settings,
      ...wechat.settings,
      ...alipay.settings,
      REFUND_APPROVAL: options.approval,
    };
    const start = (own: object = {}) => startServerProcess(folder, { ...settings, ...own }, ["tuition-payment"]);
    servers.push(await start(), ...(await Promise.all(Array.from({ length: processes - 1 }, () => start()))));
    closers.push(() => Promise.all(servers.map((server) => server.kill())));
    await addSecond(options.database.pool);
    const [token, second] = await Promise.all([
      logIn(front.url, "/platform/login", "operator"),
      logIn(front.url, "/tuitionpayment/admininfo/login", secondPerson),
    ]);
    const ground: Ground = { ...options, random, front, standIns, token, second, refusing: new Set() };
    // Only CCB and WeChat Pay refuse refunds here. ABC and Alipay do not report refused refunds when queried, so after
    // a lost response only the statements of two days would reveal a refusal.
    for (const { books } of [ccb, wechat]) books.refuses = (orderNo) => ground.refusing.has(orderNo);
    await play(ground, servers, () => start());
    // The servers so far had a short timeout because of the lost responses. On a busy machine a statement takes longer
    // than that timeout.
    await Promise.all(servers.splice(0).map((server) => server.kill()));
    servers.push(await start({ PAY_TIMEOUT_MS: "10000" }));
    for (const standIn of Object.values(standIns)) standIn.stopFailing();
    await judgeBooks(options.database.pool, standIns);
    const askAdmin = (method: string, target: string, body?: object) =>
      call(ground, method, target, { admin_token: ground.token }, body);
    await judgeStatements(standIns, askAdmin);
    await judgeBooks(options.database.pool, standIns);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

const secondPerson = "second";

async function addSecond(pool: Pool): Promise<void> {
  const passwordHash = await hashPassword(operatorPassword);
  const named = { userName: secondPerson, name: secondPerson, passwordHash };
  await insertAccount(pool, { service: "tuition-payment", ...named, isSuper: true, enabled: true, services: null });
}

async function logIn(url: string, path: string, userName: string): Promise<string> {
  const body = JSON.stringify({ userName, password: operatorPassword });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body });
  return ((await answer.json()) as { data: { token: string } }).data.token;
}

async function play(ground: Ground, servers: RunningServer[], start: () => Promise<RunningServer>): Promise<void> {
  const { orders, say, standIns, database } = ground;
  await addPayables(database.pool, orders);
  for (const standIn of Object.values(standIns)) standIn.notices.plan(() => planNotices(ground, standIn));
  const playing = new AbortController();
  const killing = killNowAndThen(ground, servers, start, playing.signal);
  let next = 0;
  const student = async () => {
    for (let index = next++; index < orders; index = next++) await playStudent(ground, index);
  };
  await Promise.all(Array.from({ length: studentsAtOnce }, student));
  playing.abort();
  const kills = await killing;
  await Promise.all(Object.values(standIns).map(({ notices }) => notices.settle()));
  await untilQuiet(database.pool);
  const late = await endLate(ground);
  await endAsked(ground);
  await untilQuiet(database.pool);
  const failed = await endFailed(ground);
  await endAsked(ground);
  await untilQuiet(database.pool);
  const { totalCount } = (await call(ground, "GET", "/desk/list?handled=false", { admin_token: ground.token })).data;
  assert.equal(totalCount, 0, "something still waits at the desk");
  const delivered = Object.values(standIns).flatMap(({ notices }) => notices.delivered);
  const forged = delivered.filter(({ forgery, status }) => forgery !== undefined && status !== null);
  assert.deepEqual(
    forged.filter(({ status }) => (status ?? 0) < 300),
    [],
    "a forged notice was taken",
  );
  say(
    `${orders} students, ${delivered.length} notices of which ${forged.length} forged, ${failed} refunds that failed, ${late} paid late, ${await tell(database.pool)}, ${kills} kills`,
  );
}

async function tell(pool: Pool): Promise<string> {
  const [row] = await pool<{ orders: number; refunds: number; adjustments: number; undone: number }[]>`
    select (select count(*)::int from tuition_payment.pay_order) as orders,
      (select count(*)::int from tuition_payment.refund) as refunds,
      (select count(*)::int from tuition_payment.adjustment) as adjustments,
      (select count(*)::int from tuition_payment.adjustment where undone_at is not null) as undone`;
  return `${row?.orders} orders, ${row?.refunds} refunds, ${row?.adjustments} adjustments, ${row?.undone} undone`;
}

async function addPayables(pool: Pool, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => studentNo(index));
  await pool`
    insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen)
    select number, '虚构', '2026', years, 600050, array['学费', '住宿费', '教材费'], array[480000, 120000, 50]
    from unnest(${numbers}::text[]) as number, unnest(array['2025', '2026']) as years`;
  await pool`insert into tuition_payment.pay_limit (grade, grade_name) values ('2026', '2026级') on conflict do nothing`;
}

function planNotices({ random }: Ground, { forgeries }: PaymentStandIn): readonly Delivery[] {
  const forged = (): Delivery => ({ afterMs: random() * 500, forgery: pick(random, forgeries) });
  const genuine = (mostMs: number): Delivery => ({ afterMs: random() * mostMs });
  const kind = random();
  if (kind < 0.2) return [];
  if (kind < 0.4) return [genuine(10)];
  if (kind < 0.6) return [genuine(10), genuine(10), genuine(10)];
  if (kind < 0.8) return [forged(), genuine(1500), forged()];
  return [genuine(3000), genuine(3000)];
}

async function killNowAndThen(
  { killEveryMs, random }: Ground,
  servers: RunningServer[],
  start: () => Promise<RunningServer>,
  signal: AbortSignal,
): Promise<number> {
  let kills = 0;
  do {
    await delay(killEveryMs, undefined, { signal }).catch(() => undefined);
    const place = Math.floor(random() * servers.length);
    await servers[place]?.kill();
    servers[place] = await start();
    kills++;
  } while (!signal.aborted);
  return kills;
}

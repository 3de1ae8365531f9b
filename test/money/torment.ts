import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import type { Pool } from "#platform/database/index.ts";
import type { PayAnswer } from "#services/tuition-payment/gateways/gateway.ts";
import { createRandom } from "#test/crash/random.ts";
import { operatorPassword, type RunningServer, startServerProcess } from "#test/crash/server.ts";
import type { TestDatabase } from "#test/database.ts";
import { startAlipay } from "#test/stand-ins/payment-alipay.ts";
import { startAbc } from "#test/stand-ins/payment-abc.ts";
import { startCcb } from "#test/stand-ins/payment-ccb.ts";
import type { Delivery } from "#test/stand-ins/payment-notices.ts";
import type { PaymentFault } from "#test/stand-ins/payment-server.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";
import type { PaymentStandIn } from "#test/stand-ins/payment.ts";
import { type HttpFront, startHttpFront } from "./front.ts";
import { judgeBooks } from "./judge.ts";
import { judgeStatements } from "./statements.ts";
import { untilQuiet } from "./quiet.ts";

export interface TormentOptions {
  readonly seed: number;
  readonly orders: number;
  /** Between one kill and the next, in milliseconds. */
  readonly killEveryMs: number;
  /** After which an order closes by itself. */
  readonly limitSeconds: number;
  /** After which a gateway that says nothing is given up. */
  readonly timeoutMs: number;
  /** How many people a refund needs. */
  readonly approval: "one" | "two";
  readonly database: TestDatabase;
  readonly say: (line: string) => void;
}

type Name = "ccb" | "abc" | "wechat" | "alipay";
type StandIns = Readonly<Record<Name, PaymentStandIn>>;

interface Ground extends TormentOptions {
  readonly random: () => number;
  readonly front: HttpFront;
  readonly standIns: StandIns;
  readonly token: string;
  /** Of another person. */
  readonly second: string;
  /** Orders of which the platforms refuse to give anything back. */
  readonly refusing: Set<string>;
}

const processes = 2;
const studentsAtOnce = 16;
const studentNo = (index: number): string => `M${String(index).padStart(8, "0")}`;

/**
 * Students order and pay at three gateways whose notices are doubled, delayed, reordered, forged and lost, and whose
 * calls fail, mostly after they succeeded, while processes of the server are killed. In the end all books agree.
 */
export async function torment(options: TormentOptions): Promise<void> {
  const random = createRandom(options.seed);
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-money-"));
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  try {
    const servers: RunningServer[] = [];
    const front = await startHttpFront(() => servers[Math.floor(Math.random() * servers.length)]?.address ?? "");
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
    const start = () => startServerProcess(folder, settings, ["tuition-payment"]);
    servers.push(await start(), ...(await Promise.all(Array.from({ length: processes - 1 }, start))));
    closers.push(() => Promise.all(servers.map((server) => server.kill())));
    await addSecond(options.database.pool);
    const [token, second] = await Promise.all([
      logIn(front.url, "/platform/login", "operator"),
      logIn(front.url, "/tuitionpayment/admininfo/login", secondPerson),
    ]);
    const ground: Ground = { ...options, random, front, standIns, token, second, refusing: new Set() };
    // ABC and Alipay show no refund that they have refused: where that answer was lost, the statements of two days must tell.
    for (const { books } of [ccb, wechat]) books.refuses = (orderNo) => ground.refusing.has(orderNo);
    await play(ground, servers, start);
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

const pick = <T>(random: () => number, list: readonly T[]): T => {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error("nothing to pick");
  return one;
};

/** Lost, on time, doubled, late, or with forged ones before and between. */
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

// Mostly those in which what was asked is done, and nobody hears of it.
const faults: readonly PaymentFault[] = ["lost", "lost", "reset", "half", "silent", "altered", "busy", "twice"];

/** Has one of the next calls fail: fewer than there are calls, or nothing would ever be done. */
function failSometimes({ standIns, random }: Ground): void {
  if (random() < 0.6) pick(random, Object.values(standIns)).fail(pick(random, faults));
}

interface Said {
  readonly code: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the contract says is there
  readonly data: any;
}

const answerTimeoutMs = 300_000;

/** Asks until somebody answers: whoever was killed is not the student's matter. */
async function call(
  { front }: Ground,
  method: string,
  target: string,
  who: Record<string, string>,
  body?: object,
): Promise<Said> {
  const endMs = performance.now() + answerTimeoutMs;
  while (performance.now() < endMs) {
    const headers = { "content-type": "application/json", ...who };
    const answer = await fetch(`${front.url}/tuitionpayment${target}`, {
      signal: AbortSignal.timeout(20_000),
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    const said = (await answer?.json().catch(() => undefined)) as Said | undefined;
    // The front says it without words; a server that the database has left says 10000.
    if (said && said.code !== "10000") return said;
    await delay(100);
  }
  throw new Error(`${method} ${target} was not answered`);
}

/** One student's way through: mostly orders and pays, sometimes changes gateways, pays late or a fen less, or is refunded. */
async function playStudent(ground: Ground, index: number): Promise<void> {
  const { random } = ground;
  failSometimes(ground);
  const card = { card_number: studentNo(index) };
  const own = (await call(ground, "GET", "/order/payables", card)).data as { id: number; items: { name: string }[] }[];
  const payableId = own[0]?.id ?? assert.fail("no payable");
  const [other] = own.slice(1);
  if (other && random() < 0.2) return playSplit(ground, card, [payableId, other.id]);
  await Promise.all([playOne(ground, card, payableId), random() < 0.4 ? decide(ground, payableId) : undefined]);
}

/** Each of two orders has items of both payables; both are paid in the same moment, and one is refunded beside the other. */
async function playSplit(ground: Ground, card: Record<string, string>, ids: readonly number[]): Promise<void> {
  const parts = [
    { names: ["学费"], amount: 9600 },
    { names: ["住宿费", "教材费"], amount: 2401 },
  ];
  const begun = await Promise.all(
    parts.map(({ names, amount }) =>
      payOnce(ground, card, { payables: ids.map((payableId) => ({ payableId, items: names })), amount }),
    ),
  );
  const orders = begun.flatMap((order) => order ?? []);
  await Promise.all([
    ...orders.map(({ gateway, orderNo }) => payAt(ground.standIns[gateway], orderNo)),
    ...ids.map((payableId) => (ground.random() < 0.5 ? decide(ground, payableId) : undefined)),
  ]);
  const [one] = orders;
  if (one) await refundAll(ground, { admin_token: ground.token }, one.orderNo);
}

const decisions = ["waiver", "cash", "true", "false", "undo"] as const;

/** Two people change what is due of a payable, and take it back, while it is ordered, paid and refunded. */
async function decide(ground: Ground, payableId: number): Promise<void> {
  const { random } = ground;
  const made: number[] = [];
  for (let each = 0; each < 4; each++) {
    const token = { admin_token: random() < 0.5 ? ground.token : ground.second };
    const what = pick(random, decisions);
    await delay(random() * 1500);
    if (what === "true" || what === "false") await call(ground, "PUT", `/payableinfo/pay/${payableId}/${what}`, token);
    else if (what === "undo") {
      const id = made.pop();
      const body = { reason: "有误" };
      if (id !== undefined)
        await Promise.all([1, 2].map(() => call(ground, "PUT", `/payableinfo/adjust/${id}/undo`, token, body)));
    } else {
      const items = random() < 0.5 ? { items: [{ name: "住宿费", amount: 100.01 }] } : {};
      const body = { kind: what, evidence: "凭证 2", ...items };
      const said = await Promise.all(
        [1, 2].map(() => call(ground, "POST", `/payableinfo/adjust/${payableId}`, token, body)),
      );
      made.push(...said.flatMap(({ code, data }) => (code === "0" ? [Number(data.id)] : [])));
    }
  }
}

async function playOne(ground: Ground, card: Record<string, string>, payableId: number): Promise<void> {
  const { random, standIns, token } = ground;
  const all = { payables: [{ payableId }], amount: 6000.5 };
  const first = await payOnce(ground, card, all);
  if (first === undefined) return;
  const kind = random();
  if (kind < 0.15) return;
  if (kind < 0.35) {
    // Given up, and paid all the same after another order of the same bill: by banks that cannot close.
    await call(ground, "POST", `/order/close/${first.orderNo}`, card);
    if (random() < 0.5) await call(ground, "PUT", `/payableinfo/pay/${payableId}/true`, { admin_token: token });
    const second = await payOnce(ground, card, all);
    if (second) await payAt(standIns[second.gateway], second.orderNo);
  }
  if (kind > 0.9) {
    await payAt(standIns[first.gateway], first.orderNo, 600_049);
    return giveBack(ground, { admin_token: token }, first.orderNo);
  }
  await payAt(standIns[first.gateway], first.orderNo);
  if (random() < 0.4) await refundSome(ground, { admin_token: token }, first.orderNo, payableId);
}

interface Begun {
  readonly orderNo: string;
  readonly gateway: Name;
}

async function payOnce(ground: Ground, card: Record<string, string>, wished: object): Promise<Begun | undefined> {
  const { random, standIns, limitSeconds } = ground;
  const key = { "idempotency-key": `${card["card_number"]}-${random()}` };
  const wish = { ...wished, limitSeconds };
  const created = await call(ground, "POST", "/order/create", { ...card, ...key }, wish);
  if (created.code !== "0") return undefined;
  const { orderNo } = created.data as { orderNo: string };
  for (let attempt = 0; attempt < 4; attempt++) {
    const gateway = pick(random, ["ccb", "abc", "wechat", "alipay"] as const);
    const body = { gateway, openId: "openid-of-nobody" };
    const asked = await Promise.all(
      (random() < 0.3 ? [1, 2] : [1]).map(() => call(ground, "POST", `/order/pay/${orderNo}`, card, body)),
    );
    const answer = asked.find(({ code }) => code === "0")?.data as (PayAnswer & { gateway: Name }) | undefined;
    if (!answer) continue;
    // The bank's page may be the one that fails; the payer then gives up.
    const visit = standIns[gateway].visit(answer).then(
      () => true,
      () => false,
    );
    const visited = await Promise.race([visit, delay(2000).then(() => false)]);
    return visited ? { orderNo, gateway } : undefined;
  }
  return undefined;
}

/** It may be closed or past its time by now: then the platform takes nothing. */
async function payAt(standIn: PaymentStandIn, orderNo: string, amountFen?: number): Promise<void> {
  try {
    await standIn.pay(orderNo, amountFen);
  } catch {
    return;
  }
}

/** Asked for twice at once, until the gateway has told what it has. */
async function giveBack(ground: Ground, token: Record<string, string>, orderNo: string): Promise<void> {
  const body = { reason: "金额有误" };
  for (let attempt = 0; attempt < 60; attempt++) {
    const said = await Promise.all([1, 2].map(() => call(ground, "POST", `/order/giveBack/${orderNo}`, token, body)));
    if (said.some(({ code }) => code === "0" || code === "10007")) return;
    await delay(250);
  }
}

const refundSome = (ground: Ground, token: Record<string, string>, orderNo: string, payableId: number): Promise<void> =>
  refundAll(ground, token, orderNo, ground.random() < 0.5 ? { items: [{ payableId, name: "住宿费" }] } : {});

async function refundAll(ground: Ground, token: Record<string, string>, orderNo: string, items = {}): Promise<void> {
  if (ground.random() < 0.5) ground.refusing.add(orderNo);
  for (let attempt = 0; attempt < 20; attempt++) {
    const body = { reason: "退学", ...items };
    const said = await Promise.all([1, 2].map(() => call(ground, "POST", `/order/refund/${orderNo}`, token, body)));
    if (said.some(({ code }) => code === "0")) return;
    await delay(250);
  }
}

/** What has failed is done once more, or given back by hand; two people do so at once, and one of them does. */
async function endFailed(ground: Ground): Promise<number> {
  const token = { admin_token: ground.token };
  const target = "/desk/list?kind=refundFailed&handled=false&pageSize=1000";
  const { list } = (await call(ground, "GET", target, token)).data as { list: { id: string; orderNo: string }[] };
  for (const { id, orderNo } of list) {
    const action = ground.random() < 0.5 ? "outside" : "again";
    ground.refusing.delete(orderNo);
    const body = { evidence: "凭证 1" };
    const said = await Promise.all([1, 2].map(() => call(ground, "POST", `/desk/${id}/${action}`, token, body)));
    assert.deepEqual(said.map(({ code }) => code).toSorted(), ["0", "10007"], `${action} of ${orderNo}`);
  }
  return list.length;
}

interface Waiting {
  readonly id: string;
  readonly orderNo: string;
}

async function listWaiting(ground: Ground, kind: string): Promise<readonly Waiting[]> {
  const target = `/desk/list?kind=${kind}&handled=false&pageSize=1000`;
  return (await call(ground, "GET", target, { admin_token: ground.token })).data.list;
}

/** Two people act on a row at once until one has done it; a gateway may fail meanwhile. */
async function endOne(ground: Ground, { id, orderNo }: Waiting, actors: readonly (readonly [string, string])[]) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const said = await Promise.all(
      actors.map(([token, action]) => call(ground, "POST", `/desk/${id}/${action}`, { admin_token: token })),
    );
    const done = said.filter(({ code }) => code === "0").length;
    assert.ok(done <= 1, `${orderNo} is decided twice`);
    if (done === 1) return;
    await delay(250);
  }
  assert.fail(`nobody could decide about ${orderNo}`);
}

/** What came after a decision: one settles or refunds while another refunds. */
async function endLate(ground: Ground): Promise<number> {
  const rows = await listWaiting(ground, "late");
  for (const row of rows) {
    const first = ground.random() < 0.5 ? "settle" : "refund";
    await endOne(ground, row, [
      [ground.token, first],
      [ground.second, "refund"],
    ]);
  }
  return rows.length;
}

/** What waits for a second person is refused to whoever asked for it, and done by the other one, once. */
async function endAsked(ground: Ground): Promise<void> {
  for (const row of await listWaiting(ground, "refundAsked")) {
    const [refund] = await ground.database.pool<{ by: string }[]>`
      select asked_by as by from tuition_payment.refund where id = ${Number(row.id.slice(1))}`;
    const [asker, other] = refund?.by === "operator" ? [ground.token, ground.second] : [ground.second, ground.token];
    const refused = await call(ground, "POST", `/desk/${row.id}/refund`, { admin_token: asker });
    assert.equal(refused.code, "10008", `${row.orderNo} is approved by whoever asked for it`);
    await endOne(ground, row, [
      [other, "refund"],
      [other, "refund"],
    ]);
  }
}

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { PaymentStandIn } from "./payment.ts";
import { beijingTime } from "./payment-books.ts";
import type { Forgery, SentNotice } from "./payment-notices.ts";
import { paymentFaults } from "./payment-server.ts";
import {
  type Gateway,
  GatewayError,
  type GatewayFailure,
  type NoticeFault,
  NoticeRefusal,
  type OrderReference,
  type RawNotice,
  type RefundRequest,
} from "#services/tuition-payment/gateways/gateway.ts";

/** A gateway and the platform behind it, as far as tests reach into it. */
export interface GatewayBench extends Pick<
  PaymentStandIn,
  "visit" | "pay" | "makeNotice" | "forgeries" | "shiftClock"
> {
  readonly gateway: Gateway;
  /** The same with a time-out of 100 ms; undefined where no call leaves the process. */
  readonly impatient?: Gateway;
  readonly standIn?: PaymentStandIn;
  /** What no error may show. */
  readonly secrets: readonly string[];
  readonly setStatement: (orderNo: string, fen: number | null) => void;
  /** What the platform has, once refunds are taken off. */
  readonly sumFen: () => Promise<number>;
  readonly close: () => Promise<void>;
}

const amountFen = 480_050;
let numbers = Date.now();

function makeOrder(): OrderReference {
  return { orderNo: `T${++numbers}`, amountFen, createdAt: new Date() };
}

const begin = (gateway: Gateway, order: OrderReference, minutes = 30) =>
  gateway.pay({
    ...order,
    description: "学费 2026",
    expiresAt: new Date(Date.now() + minutes * 60_000),
    notifyUrl: "http://127.0.0.1:9/none",
    returnUrl: "http://127.0.0.1:9/back",
    openId: "openid-of-nobody",
  });

const toRaw = ({ body, headers }: SentNotice): RawNotice => ({ body, headers });

const makeRefund = (order: OrderReference, fen: number, refundNo = `R${++numbers}`): RefundRequest => ({
  order,
  refundNo,
  amountFen: fen,
  requestedAt: new Date(),
  reason: "退学",
  notifyUrl: "http://127.0.0.1:9/none",
});

/** What is refused for each forgery; a byte that was altered may leave a signature or no message at all. */
const faultOf: Readonly<Record<Forgery, readonly NoticeFault[]>> = {
  signature: ["signature"],
  serial: ["signature"],
  stale: ["stale"],
  merchant: ["merchant"],
  altered: ["signature", "malformed"],
  amount: ["signature"],
  seal: ["signature"],
  associated: ["signature"],
  nonce: ["signature"],
  missing: ["signature"],
};

/** What every gateway must do; run it against each. */
export function testGateway(title: string, open: () => Promise<GatewayBench>): void {
  describe(`payment gateway: ${title}`, async () => {
    const bench = await open();
    after(() => bench.close());
    const tools = openTools(bench);
    testOrders(bench, tools);
    testNotices(bench, tools);
    testRefunds(bench, tools);
    testStatement(bench, tools);
    if (bench.standIn) {
      testFaults(bench, bench.standIn, tools);
      testRefundFaults(bench, bench.standIn, tools);
    }
    testClock(bench, tools);
  });
}

/** What the tests do again and again. */
function openTools(bench: GatewayBench) {
  const { gateway, secrets } = bench;
  const openOrder = async (): Promise<OrderReference> => {
    const order = makeOrder();
    await bench.visit(await begin(gateway, order));
    return order;
  };
  const openPaid = async (fen?: number): Promise<OrderReference> => {
    const order = await openOrder();
    await bench.pay(order.orderNo, fen);
    return order;
  };
  const showsNothing = (error: Error): void => {
    const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const secret of secrets) assert.ok(!shown.includes(secret), shown);
    assert.doesNotMatch(error.message, /127\.0\.0\.1|openid/);
  };
  const failOf = async (call: Promise<unknown>, failure: GatewayFailure): Promise<GatewayError> => {
    const error = await call.then(
      (outcome) => assert.fail(`did not fail: ${JSON.stringify(outcome)}`),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof GatewayError, String(error));
    assert.deepEqual([error.gateway, error.failure], [gateway.name, failure], error.message);
    showsNothing(error);
    return error;
  };
  return { openOrder, openPaid, showsNothing, failOf };
}

type Tools = ReturnType<typeof openTools>;

function testOrders({ gateway, ...bench }: GatewayBench, { openOrder, openPaid }: Tools): void {
  describe("an order", () => {
    test("is offered to the payer in the way that the gateway names", async () => {
      const order = makeOrder();
      const answer = await begin(gateway, order);
      assert.equal(answer.kind, gateway.kind);
      await bench.visit(answer);
      await bench.visit(await begin(gateway, order));
    });

    test("that nobody has begun is absent, then pending, then paid", async () => {
      const order = makeOrder();
      assert.deepEqual(await gateway.query(order), { state: "absent" });
      await bench.visit(await begin(gateway, order));
      assert.match((await gateway.query(order)).state, /^(?:absent|pending)$/);
      await bench.pay(order.orderNo);
      const paid = await gateway.query(order);
      assert.ok(paid.state === "paid");
      assert.equal(paid.amountFen, amountFen);
      assert.ok(Math.abs(paid.paidAt.getTime() - Date.now()) < 60_000);
      if (gateway.name !== "ccb") assert.match(paid.tradeNo ?? "", /^\w+$/);
    });

    test("that was paid a fen less says so", async () => {
      const order = await openPaid(amountFen - 1);
      const paid = await gateway.query(order);
      assert.deepEqual(paid.state === "paid" && paid.amountFen, amountFen - 1);
    });

    test("with money in it cannot be opened again", async () => {
      const order = await openPaid();
      assert.equal((await gateway.query(order)).state, "paid");
      const again = begin(gateway, { ...order, amountFen: amountFen + 1 }).then((answer) => bench.visit(answer));
      await assert.rejects(again);
    });

    test("is closed once, and not at all when it is paid", { skip: !gateway.close }, async () => {
      const order = await openOrder();
      assert.equal(await gateway.close?.(order), "closed");
      assert.equal(await gateway.close?.(order), "closed");
      assert.deepEqual(await gateway.query(order), { state: "closed" });
      const paid = await openPaid();
      assert.equal(await gateway.close?.(paid), "paid");
      assert.equal((await gateway.query(paid)).state, "paid");
      assert.equal(await gateway.close?.(makeOrder()), "absent");
    });
  });
}

function testNotices({ gateway, ...bench }: GatewayBench, { openPaid, showsNothing }: Tools): void {
  describe("a notice", () => {
    test("is believed, as often as it comes", async () => {
      const order = await openPaid(amountFen + 1);
      const raw = toRaw(bench.makeNotice(order.orderNo));
      const [first, second] = [await gateway.verifyNotice(raw), await gateway.verifyNotice(raw)];
      assert.ok(first.kind === "payment" && first.payment.state === "paid");
      assert.deepEqual([first.orderNo, first.payment.amountFen], [order.orderNo, amountFen + 1]);
      assert.ok(second.kind === "payment" && second.payment.state === "paid");
      assert.equal(second.payment.tradeNo, first.payment.tradeNo);
    });

    for (const forgery of bench.forgeries)
      test(`that is forged is refused: ${forgery}`, async () => {
        const order = await openPaid();
        const raw = toRaw(bench.makeNotice(order.orderNo, forgery));
        const error: unknown = await gateway.verifyNotice(raw).then(
          () => assert.fail("believed"),
          (reason: unknown) => reason,
        );
        assert.ok(error instanceof NoticeRefusal, String(error));
        assert.ok(faultOf[forgery].includes(error.fault), `${error.fault}: ${error.message}`);
        showsNothing(error);
      });

    test("with any one bit turned is refused", async () => {
      const order = await openPaid();
      const { body, headers } = toRaw(bench.makeNotice(order.orderNo));
      for (let place = 0; place < body.length; place += 7) {
        const altered = Buffer.from(body);
        altered[place] = (altered[place] ?? 0) ^ (1 << (place % 7));
        const outcome = await gateway.verifyNotice({ body: altered, headers }).catch((error: unknown) => error);
        // The case of a hexadecimal digit is no part of a signature's value.
        if (!(outcome instanceof NoticeRefusal))
          assert.equal(altered.toString().toLowerCase(), body.toString().toLowerCase(), `byte ${place}`);
      }
    });

    test("that is nothing of the kind is refused", async () => {
      for (const text of ["", "{}", "null", "[]", "MSG=", "SIGN=", "\u0000", "{".repeat(1000)])
        await assert.rejects(gateway.verifyNotice({ body: Buffer.from(text), headers: {} }), NoticeRefusal, text);
    });

    test("is answered in two ways", () => {
      const [good, bad] = [gateway.answerNotice(), gateway.answerNotice("amount")];
      if (good === "envelope" || bad === "envelope") return assert.equal(gateway.name, "simulated");
      assert.ok(good.status === 200 || good.status === 204);
      assert.equal(bad.status, 400);
    });
  });
}

function testRefunds({ gateway, ...bench }: GatewayBench, { openOrder, openPaid, failOf }: Tools): void {
  describe("a refund", () => {
    test("moves money once, however often it is asked for", async () => {
      const order = await openPaid();
      const before = await bench.sumFen();
      const request = makeRefund(order, 50);
      assert.match((await gateway.refund(request)).state, /^(?:done|running)$/);
      assert.match((await gateway.refund(request)).state, /^(?:done|running)$/);
      const refund = await gateway.queryRefund(request);
      assert.deepEqual(refund.state === "done" && refund.amountFen, 50);
      assert.equal((await bench.sumFen()) - before, -50);
      assert.equal((await gateway.query(order)).state, "paid");
    });

    test("goes by parts, and never over what was paid", async () => {
      const order = await openPaid();
      for (const fen of [100, amountFen - 100]) await gateway.refund(makeRefund(order, fen));
      await failOf(gateway.refund(makeRefund(order, 1)), "refused");
    });

    test("that nobody has asked for is absent; of what was not paid, refused", async () => {
      const order = await openOrder();
      assert.deepEqual(await gateway.queryRefund(makeRefund(order, 1)), { state: "absent" });
      await failOf(gateway.refund(makeRefund(order, 1)), "refused");
      await failOf(gateway.refund(makeRefund(makeOrder(), 1)), "refused");
    });
  });
}

function testStatement({ gateway, ...bench }: GatewayBench, { openPaid }: Tools): void {
  test("a day's statement has its payments and refunds, as the platform has them", async () => {
    const [order, off, missing] = [await openPaid(), await openPaid(), await openPaid()];
    const refund = makeRefund(order, 70);
    await gateway.refund(refund);
    bench.setStatement(off.orderNo, amountFen - 1);
    bench.setStatement(missing.orderNo, null);
    const statement = await gateway.fetchStatement(beijingTime(Date.now()).slice(0, 10));
    assert.ok(statement.state === "ready");
    const of = ({ orderNo }: OrderReference) => statement.rows.filter((row) => row.orderNo === orderNo);
    assert.deepEqual(
      of(order).map((row) => [row.kind, row.amountFen]),
      [
        ["payment", amountFen],
        ["refund", 70],
      ],
    );
    assert.ok(of(order).some((row) => row.kind === "refund" && row.refundNo === refund.refundNo));
    assert.deepEqual(
      of(off).map((row) => row.amountFen),
      [amountFen - 1],
    );
    assert.deepEqual(of(missing), []);
    assert.deepEqual(await gateway.fetchStatement("2020-01-02"), { state: "ready", rows: [] });
  });
}

function testFaults({ gateway, ...bench }: GatewayBench, standIn: PaymentStandIn, { openPaid, failOf }: Tools): void {
  describe("when the platform misbehaves", () => {
    for (const fault of paymentFaults.filter((each) => each !== "silent" && each !== "lost" && each !== "twice"))
      test(`${fault}: what happened is unknown, and asked again it is known`, async () => {
        // Nothing of this bank's client is signed: a network of one's own is what its answers are believed for.
        if (gateway.name === "ccb" && fault === "altered") return;
        const order = await openPaid();
        standIn.fail(fault);
        await failOf(gateway.query(order), "unknown");
        assert.equal((await gateway.query(order)).state, "paid");
      });

    test("an answer that comes twice is one", async () => {
      const order = await openPaid();
      standIn.fail("twice");
      assert.equal((await gateway.query(order)).state, "paid");
      assert.equal((await gateway.query(order)).state, "paid");
    });

    test("silence ends at the time-out", async () => {
      const order = await openPaid();
      standIn.fail("silent");
      const error = await failOf(bench.impatient?.query(order) ?? assert.fail("no gateway"), "unknown");
      assert.match(error.message, /no answer within 100 ms/);
    });

    test("a caller may give up before it", async () => {
      const order = await openPaid();
      standIn.fail("silent");
      const giveUp = new AbortController();
      const called = standIn.nextCall(/./);
      const call = failOf(gateway.query(order, { signal: giveUp.signal }), "unknown");
      await called;
      giveUp.abort();
      await call;
    });
  });
}

function testRefundFaults(
  { gateway, ...bench }: GatewayBench,
  standIn: PaymentStandIn,
  { openPaid, failOf }: Tools,
): void {
  describe("a refund when the platform misbehaves", () => {
    for (const fault of ["lost", "half", "reset", "busy", "silent"] as const)
      test(`a refund whose answer is ${fault} is made once in the end`, async () => {
        const order = await openPaid();
        const before = await bench.sumFen();
        const request = makeRefund(order, 30);
        const matching = standIn.refundCall;
        standIn.fail(fault, { matching });
        const giveUp = new AbortController();
        const called = standIn.nextCall(matching);
        const first = failOf(gateway.refund(request, { signal: giveUp.signal }), "unknown");
        await called;
        if (fault === "lost" || fault === "silent") giveUp.abort();
        await first;
        const isMade = fault === "lost" || fault === "half" || fault === "reset";
        assert.equal((await gateway.queryRefund(request)).state, isMade ? "done" : "absent");
        assert.match((await gateway.refund(request)).state, /^(?:done|running)$/);
        assert.equal((await bench.sumFen()) - before, -30);
      });
  });
}

function testClock({ gateway, ...bench }: GatewayBench, { openPaid }: Tools): void {
  test("a platform whose clock is an hour off is not believed wrongly", async () => {
    const order = await openPaid();
    bench.shiftClock(3_600_000);
    const outcome = await gateway.query(order).catch((error: unknown) => error);
    const notice = await gateway.verifyNotice(toRaw(bench.makeNotice(order.orderNo))).catch((error: unknown) => error);
    bench.shiftClock(0);
    if (!bench.forgeries.includes("stale")) return assert.equal((outcome as { state: string }).state, "paid");
    assert.ok(outcome instanceof GatewayError && outcome.failure === "unknown", String(outcome));
    assert.ok(notice instanceof NoticeRefusal && notice.fault === "stale", String(notice));
  });
}

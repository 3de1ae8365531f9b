import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { NoticeRefusal, type OrderReference } from "#services/tuition-payment/gateways/gateway.ts";
import {
  amountFen,
  begin,
  type GatewayBench,
  makeOrder,
  makeRefund,
  openTools,
  toRaw,
  type Tools,
} from "./payment-bench.ts";
import { beijingTime } from "./payment-books.ts";
import { testBillFaults, testClock, testFaults, testRefundFaults } from "./payment-fault-conformance.ts";
import type { Forgery } from "./payment-notices.ts";

/** The fault that each forgery must be refused with; an altered byte may break the signature or the whole message. */
const faultOf: Readonly<Record<Forgery, readonly NoticeRefusal["fault"][]>> = {
  signature: ["signature"],
  serial: ["signature"],
  stale: ["stale"],
  merchant: ["merchant"],
  seller: ["merchant"],
  currency: ["malformed"],
  altered: ["signature", "malformed"],
  amount: ["signature"],
  tradeNo: ["signature"],
  seal: ["signature"],
  associated: ["signature"],
  nonce: ["signature"],
  missing: ["signature"],
};

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
      testBillFaults(bench, bench.standIn, tools);
    }
    testClock(bench, tools);
  });
}

function testOrders({ gateway, ...bench }: GatewayBench, { openOrder, openPaid }: Tools): void {
  describe("an order", () => {
    test("is offered to the payer in the way that the gateway names", async () => {
      const order = makeOrder();
      const answer = await begin(gateway, order);
      assert.equal(answer.kind, gateway.kinds[0]);
      await bench.visit(answer);
      await bench.visit(await begin(gateway, order));
    });

    test("is offered in each of its ways, on a phone and on a desk", async () => {
      for (const kind of gateway.kinds)
        for (const device of ["phone", "desk"] as const) {
          const answer = await begin(gateway, makeOrder(), 30, { kind, device });
          assert.equal(answer.kind, kind);
          await bench.visit(answer);
        }
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
        // A notification may pass if only the case of a hexadecimal digit changed: the signature's value is the same.
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

    test("gives back whole what came in another amount than the order's", async () => {
      const order = await openPaid(amountFen + 1);
      const before = await bench.sumFen();
      const request = makeRefund({ ...order, amountFen: amountFen + 1 }, amountFen + 1);
      assert.match((await gateway.refund(request)).state, /^(?:done|running)$/);
      assert.equal((await gateway.queryRefund(request)).state, "done");
      assert.equal((await bench.sumFen()) - before, -amountFen - 1);
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

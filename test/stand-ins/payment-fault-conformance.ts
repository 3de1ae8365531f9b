import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GatewayError, NoticeRefusal } from "#services/tuition-payment/gateways/gateway.ts";
import type { PaymentStandIn } from "./payment.ts";
import { beijingTime } from "./payment-books.ts";
import { type GatewayBench, makeRefund, toRaw, type Tools } from "./payment-bench.ts";
import { paymentFaults } from "./payment-server.ts";

export function testFaults(
  { gateway, ...bench }: GatewayBench,
  standIn: PaymentStandIn,
  { openPaid, failOf }: Tools,
): void {
  describe("when the platform misbehaves", () => {
    for (const fault of paymentFaults.filter((each) => each !== "silent" && each !== "lost" && each !== "twice"))
      test(`${fault}: what happened is unknown, and asked again it is known`, async () => {
        // CCB's client interface is unsigned (its answers are trusted because the network is private), so an altered
        // answer is not detected.
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
      assert.match(error.message, /no response within 400 ms/);
    });
  });
}

export function testRefundFaults(
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
        standIn.fail(fault, { matching: standIn.refundCall });
        const asked = fault === "lost" || fault === "silent" ? bench.impatient : gateway;
        await failOf(asked?.refund(request) ?? assert.fail("no gateway"), "unknown");
        const isMade = fault === "lost" || fault === "half" || fault === "reset";
        assert.equal((await gateway.queryRefund(request)).state, isMade ? "done" : "absent");
        assert.match((await gateway.refund(request)).state, /^(?:done|running)$/);
        assert.equal((await bench.sumFen()) - before, -30);
      });
  });
}

export function testBillFaults({ gateway }: GatewayBench, standIn: PaymentStandIn, { openPaid, failOf }: Tools): void {
  for (const fault of ["half", "reset"] as const)
    test(`a statement that comes ${fault} is none, and asked for again it is whole`, async () => {
      const order = await openPaid();
      const date = beijingTime(Date.now()).slice(0, 10);
      standIn.fail(fault, { matching: standIn.billCall });
      await failOf(gateway.fetchStatement(date), "unknown");
      const statement = await gateway.fetchStatement(date);
      assert.ok(statement.state === "ready" && statement.rows.some(({ orderNo }) => orderNo === order.orderNo));
    });
}

const hourMs = 3_600_000;

export function testClock({ gateway, ...bench }: GatewayBench, { openPaid }: Tools): void {
  for (const [title, ms] of [
    ["an hour fast", hourMs],
    ["a day fast", 24 * hourMs],
    ["a day slow", -24 * hourMs],
  ] as const)
    test(`a platform whose clock is ${title} is not believed wrongly`, async () => {
      const order = await openPaid();
      bench.shiftClock(ms);
      const outcome = await gateway.query(order).catch((error: unknown) => error);
      const sent = toRaw(bench.makeNotice(order.orderNo));
      const notice = await gateway.verifyNotice(sent).catch((error: unknown) => error);
      bench.shiftClock(0);
      if (!bench.forgeries.includes("stale")) return assert.equal((outcome as { state: string }).state, "paid");
      assert.ok(outcome instanceof GatewayError && outcome.failure === "unknown", String(outcome));
      assert.ok(notice instanceof NoticeRefusal && notice.fault === "stale", String(notice));
    });
}

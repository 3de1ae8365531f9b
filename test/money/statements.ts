import assert from "node:assert/strict";
import { beijingTime } from "#test/stand-ins/payment-books.ts";
import type { PaymentStandIn } from "#test/stand-ins/payment.ts";

type AskAdmin = (
  method: string,
  target: string,
  body?: object,
) => Promise<{ readonly code: string; readonly data: unknown }>;

/**
 * Has each platform's statement of the day lack a payment, tell another amount of one, and have one of an order that nobody
 * knows: each is found, nothing moves by it, and with a true statement only the foreign one is left.
 */
export async function judgeStatements(
  standIns: Readonly<Record<string, PaymentStandIn>>,
  ask: AskAdmin,
): Promise<void> {
  const date = beijingTime(Date.now()).slice(0, 10);
  for (const [gateway, { books }] of Object.entries(standIns)) {
    const paid = [...books.orders.values()].filter(
      ({ state, paidAtMs }) => state === "paid" && beijingTime(paidAtMs).startsWith(date),
    );
    const [missing, other] = paid;
    if (missing) books.statementFen.set(missing.orderNo, null);
    if (other) books.statementFen.set(other.orderNo, other.paidFen + 1);
    const foreign = { orderNo: "FOREIGN00001", amountFen: 500, expiresAtMs: Date.now() + 60_000, notifyUrl: "" };
    books.open(foreign);
    books.pay(foreign.orderNo);
    const run = async () => (await ask("POST", "/reconcile/run", { gateway, date })).data as Record<string, number>;
    const { long, short, mismatch } = await run();
    assert.deepEqual([long, short, mismatch], [1, missing ? 1 : 0, other ? 1 : 0], `differences at ${gateway}`);
    books.statementFen.clear();
    const after = await run();
    assert.deepEqual([after["long"], after["short"], after["mismatch"]], [1, 0, 0], `a true statement of ${gateway}`);
    books.orders.delete(foreign.orderNo);
  }
}

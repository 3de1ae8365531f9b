import assert from "node:assert/strict";
import { beijingTime } from "#test/stand-ins/payment-books.ts";
import type { PaymentStandIn } from "#test/stand-ins/payment.ts";

type AskAdmin = (
  method: string,
  target: string,
  body?: object,
) => Promise<{ readonly code: string; readonly data: unknown }>;

/**
 * Each platform's daily statement omits a payment, changes an amount, contains an unknown order, and repeats a payment.
 * Each fault except a repeated row at CCB is reported. After a correct statement, only the unknown order still needs a
 * decision, until a person adds a note to it.
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
    const [missing, other, twice] = paid;
    if (missing) books.statementFen.set(missing.orderNo, null);
    if (other) books.statementFen.set(other.orderNo, other.paidFen + 1);
    if (twice) books.statementTwice.add(twice.orderNo);
    const foreign = { orderNo: "FOREIGN00001", amountFen: 500, expiresAtMs: Date.now() + 60_000, notifyUrl: "" };
    books.open(foreign);
    books.pay(foreign.orderNo);
    const run = async () => {
      const { code, data } = await ask("POST", "/reconcile/run", { gateway, date });
      assert.equal(code, "0", `the statement of ${gateway}`);
      return data as Record<string, number>;
    };
    const { long, short, mismatch } = await run();
    // A repeated row is one more difference (a doubled amount, or another payment), except at CCB, whose pages may
    // repeat a row.
    const doubled = twice && gateway !== "ccb" ? 1 : 0;
    const differs = [Number(long) + Number(mismatch), short];
    assert.deepEqual(differs, [1 + (other ? 1 : 0) + doubled, missing ? 1 : 0], `differences at ${gateway}`);
    books.statementFen.clear();
    books.statementTwice.clear();
    const after = await run();
    assert.deepEqual([after["long"], after["short"], after["mismatch"]], [1, 0, 0], `a true statement of ${gateway}`);
    books.orders.delete(foreign.orderNo);
  }
  const waiting = async () =>
    (await ask("GET", "/desk/list?handled=false&pageSize=1000")).data as { list: { id: string; orderNo: string }[] };
  const { list } = await waiting();
  assert.deepEqual(new Set(list.map(({ orderNo }) => orderNo)), new Set(["FOREIGN00001"]));
  for (const { id } of list) await ask("POST", `/desk/${id}/note`, { note: "非本校订单" });
  assert.deepEqual((await waiting()).list, []);
}

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { codeOf, openOrders } from "#test/orders.ts";
import { pick } from "#test/pick.ts";

const plain = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const sealed = await startTestApp({ settings: { PAY_SIMULATED: "1", DATA_KEY: randomBytes(32).toString("base64") } });

for (const [how, app] of [
  ["as they are", plain],
  ["sealed", sealed],
] as const) {
  const { token } = await app.signIn("tuition-payment", { isSuper: true });
  const { asCard, asAdmin, addPayer, settle, create } = openOrders(app, token);
  const idCard = "99000020080101901X";
  const seen = async (card: string) =>
    pick(getData(await asCard("GET", "/order/listOfCurrentUser?pageSize=100", card)).list, "orderNo").toSorted();

  test(`orders belong to the person, with the identity card and with the number, cards ${how}`, async () => {
    const fresh = await addPayer({ studentNo: "", idCard, years: "2025" });
    const other = await addPayer();
    const spelled = { card: idCard.toLowerCase(), payableId: fresh.payableId };
    const first = await settle(spelled);
    assert.deepEqual(await seen("P2026000001"), []);
    const numbered = await addPayer({ studentNo: "P2026000001", idCard, years: "2026" });
    const second = await settle({ card: "P2026000001", payableId: numbered.payableId });
    const both = [first, second].toSorted();
    for (const card of ["P2026000001", idCard, spelled.card]) assert.deepEqual(await seen(card), both, card);
    getData(await asAdmin("PUT", "/payableinfo/update", { id: fresh.payableId, studentNo: "P2026000001" }));
    for (const card of ["P2026000001", idCard, spelled.card]) {
      assert.deepEqual(await seen(card), both, card);
      for (const orderNo of both) {
        assert.equal(getData(await asCard("GET", `/order/detail/${orderNo}`, card)).orderNo, orderNo);
        assert.match(getData(await asCard("GET", `/order/receipt/${orderNo}`, card)).receiptNo, /^R\d{4}-00000[12]$/);
      }
    }
    assert.deepEqual(await seen(other.card), []);
    assert.deepEqual(codeOf(await asCard("GET", `/order/receipt/${first}`, other.card)), ["10014", 404]);
  });

  test(`an order whose person was erased is nobody's, cards ${how}`, async () => {
    const payer = await addPayer({ idCard: "990000200801019028" });
    const { orderNo } = getData(await create(payer));
    getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
    assert.deepEqual(await seen("990000200801019028"), [orderNo]);
    await app.pool`
      update tuition_payment.pay_order set card_number = '', card_number_sealed = null, student_no = null where order_no = ${orderNo}`;
    for (const card of [payer.card, "990000200801019028"]) {
      assert.deepEqual(await seen(card), []);
      assert.deepEqual(codeOf(await asCard("GET", `/order/detail/${orderNo}`, card)), ["10014", 404]);
    }
  });
}

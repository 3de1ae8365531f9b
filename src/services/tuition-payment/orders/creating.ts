import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { toFen } from "#services/tuition-payment/amounts.ts";
import { listPayLimits } from "#services/tuition-payment/pay-limit-store.ts";
import { lockOwnPayables, type PayableRow } from "#services/tuition-payment/payable-store.ts";
import { itemsOf } from "#services/tuition-payment/wire-rows.ts";
import { insertOrder } from "./change-store.ts";
import { type Desk, makeOrderNo } from "./desk.ts";
import { listTaken } from "./item-store.ts";
import { type Choice, type OfferedItem, pickItems, sumFen } from "./rules.ts";

export interface Wish {
  readonly payables: readonly Choice[];
  readonly amount: number;
  readonly limitSeconds?: number | undefined;
}

/**
 * Orders items of the own payables, which no other order can have from now on; returns the order's number.
 * @throws {Problem} for whatever cannot be ordered; then nothing is.
 */
export async function createOrder(tx: Db, { platform }: Desk, card: string, wish: Wish): Promise<string> {
  if (wish.payables.length === 0) throw new Problem("payablesEmpty");
  const ids = [...new Set(wish.payables.map(({ payableId }) => payableId))];
  const payables = await lockOwnPayables(tx, card, ids);
  const items = chooseItems(wish, payables);
  await requireFree(tx, items, payables);
  await requireGrades(
    tx,
    payables.map(({ grade }) => grade),
  );
  const amountFen = sumFen(items);
  if (amountFen !== toFen(wish.amount))
    throw explain("amountWrong", "amount: 与所选项目合计不符", "amount: is not what the items add up to");
  const [first] = payables;
  if (!first) throw new Problem("paymentNotFound");
  const orderNo = makeOrderNo(platform);
  const { studentNo, studentName, grade } = first;
  const limitSeconds = wish.limitSeconds ?? platform.settings.PAY_LIMIT_SECONDS;
  await insertOrder(tx, { orderNo, cardNumber: card, studentNo, studentName, grade, amountFen, limitSeconds, items });
  return orderNo;
}

function chooseItems({ payables: choices }: Wish, payables: readonly PayableRow[]): OfferedItem[] {
  const offered = payables.map((row) => [row.id, { id: row.id, years: row.years, items: itemsOf(row) }] as const);
  const picked = pickItems(choices, new Map(offered));
  if (typeof picked === "string") throw new Problem(picked);
  return picked;
}

const nameItem = ({ payableId, name }: { payableId: number; name: string }): string =>
  JSON.stringify([payableId, name]);

/** @throws {Problem} itemPaid, or notAllowedNow for what another order holds. */
async function requireFree(tx: Db, items: readonly OfferedItem[], payables: readonly PayableRow[]): Promise<void> {
  const paid = new Set(payables.flatMap(({ id, paidBy }) => (paidBy === null ? [] : [id])));
  const ids = payables.map(({ id }) => id);
  const taken = new Map((await listTaken(tx, ids)).map((item) => [nameItem(item), item.state]));
  for (const item of items) {
    const state = paid.has(item.payableId) ? "paid" : taken.get(nameItem(item));
    if (state === "paid") throw explain("itemPaid", item.name, item.name);
  }
  const held = items.find((item) => taken.has(nameItem(item)));
  if (held)
    throw explain("notAllowedNow", `“${held.name}”已在另一个未支付的订单中`, `"${held.name}" is in another open order`);
}

/** @throws {Problem} gradeNotFound, or notAllowedNow for a grade that may not pay. */
export async function requireGrades(db: Db, grades: readonly string[]): Promise<void> {
  const limits = new Map((await listPayLimits(db)).map(({ grade, enabled }) => [grade, enabled]));
  for (const grade of grades) {
    const enabled = limits.get(grade);
    if (enabled === undefined) throw new Problem("gradeNotFound");
    if (!enabled) throw explain("notAllowedNow", "该年级暂未开放缴费", "the grade may not pay now");
  }
}

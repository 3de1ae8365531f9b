import { explain, Problem } from "#platform/contract/problem.ts";
import { formatFen, type PayItem } from "#services/tuition-payment/amounts.ts";
import type { DueItem } from "#services/tuition-payment/due-store.ts";

export interface AdjustedItem {
  readonly name: string;
  readonly amountFen: number | undefined;
}

export const nothingDue = (): Problem => explain("notAllowedNow", "没有待缴金额", "no amount is due");

/**
 * Without `wish`, everything that is due is adjusted.
 * @throws {Problem} itemNotFound; paymentItemExists for a repeated item; notAllowedNow if nothing is due, if an unpaid
 * or paid order has an item, or if an amount exceeds the amount due
 */
export function chooseAdjusted(dues: readonly DueItem[], wish: readonly AdjustedItem[] | undefined): PayItem[] {
  const wished = wish ?? dues.filter(({ dueFen, state }) => dueFen > 0 || state === "held");
  if (wish === undefined && wished.length === 0) throw nothingDue();
  const chosen = new Map<string, PayItem>();
  for (const each of wished) {
    const name = each.name.trim();
    const due = dues.find((item) => item.name === name);
    if (!due) throw new Problem("itemNotFound");
    if (chosen.has(name))
      throw explain("paymentItemExists", `“${name}”在请求中重复`, `"${name}" is listed more than once in the request`);
    const amountFen = wish === undefined ? due.dueFen : each.amountFen;
    chosen.set(name, { name, amountFen: takeOff(due, amountFen) });
  }
  return [...chosen.values()];
}

function takeOff({ name, dueFen, state }: DueItem, amountFen = dueFen): number {
  if (state !== null) {
    const [zh, en] =
      state === "held"
        ? ["已在未支付的订单中", "is in an unpaid order"]
        : ["已由订单支付", "has been paid by an order"];
    throw explain("notAllowedNow", `“${name}”${zh}`, `"${name}" ${en}`);
  }
  if (dueFen === 0) throw nothingDue();
  if (amountFen > dueFen)
    throw explain(
      "notAllowedNow",
      `“${name}”的待缴金额仅为${formatFen(dueFen)}`,
      `only ${formatFen(dueFen)} is due for "${name}"`,
    );
  return amountFen;
}

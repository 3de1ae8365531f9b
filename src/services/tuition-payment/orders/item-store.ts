import type { Db } from "#platform/database/index.ts";

/** An item that an order has. */
export interface TakenItem {
  readonly payableId: number;
  readonly name: string;
  readonly state: "held" | "paid";
}

/** Which items of the payables orders have. For who decides by it the payables are locked. */
export async function listTaken(db: Db, payableIds: readonly number[]): Promise<TakenItem[]> {
  return db<TakenItem[]>`
    select payable_id as "payableId", name, state from tuition_payment.order_item
    where payable_id = any(${payableIds}) and state in ('held', 'paid')`;
}

/** Whether an order holds, or has paid, an item of the payable. */
export async function hasTaken(db: Db, payableId: number, state?: "held" | "paid"): Promise<boolean> {
  const taken = await listTaken(db, [payableId]);
  return taken.some((item) => state === undefined || item.state === state);
}

/**
 * Whether a closed order could have its items back: each is still asked for as it was, is not paid, and no other order
 * has it. The payables stay as they are until the transaction ends.
 */
export async function canTakeBack(tx: Db, orderId: number): Promise<boolean> {
  await tx`
    select from tuition_payment.payable
    where id in (select payable_id from tuition_payment.order_item where order_id = ${orderId}) order by id for update`;
  const [row] = await tx<{ taken: number }[]>`
    select count(*)::int as taken from tuition_payment.order_item as own
    where own.order_id = ${orderId} and (
      exists (select from tuition_payment.order_item as other
        where other.payable_id = own.payable_id and other.name = own.name and other.state in ('held', 'paid'))
      or not exists (select from tuition_payment.payable, unnest(item_names, item_fen) as item (name, fen)
        where payable.id = own.payable_id and paid_by is null and item.name = own.name and item.fen = own.amount_fen))`;
  return row?.taken === 0;
}

import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import type { AdjustmentKind } from "./adjustment-contract.ts";

// Amounts due are not stored: they are derived from items, active adjustments and paid orders by the expression below
// alone. The paid flag is stored, and only this file sets it.

export const dueOfItem = `(item.fen
  - coalesce((select sum(part.fen) from tuition_payment.adjustment as standing,
      unnest(standing.item_names, standing.item_fen) as part (name, fen)
    where standing.payable_id = payable.id and standing.undone_at is null and part.name = item.name), 0)
  - coalesce((select bought.amount_fen from tuition_payment.order_item as bought
    where bought.payable_id = payable.id and bought.name = item.name and bought.state = 'paid'), 0))::bigint`;

const items = "unnest(payable.item_names, payable.item_fen) with ordinality as item (name, fen, place)";

export const itemDues = `array(select ${dueOfItem} from ${items} order by place)`;

export const isAdjusted = `exists (select from tuition_payment.adjustment as standing
  where standing.payable_id = payable.id and standing.undone_at is null and standing.kind <> 'deferral')`;

/** Whether a paid order has an item of the payable, or an adjustment other than a deferral is in force. */
export const isBegun = `id in (
  select payable_id from tuition_payment.order_item where state = 'paid'
  union all select payable_id from tuition_payment.adjustment where undone_at is null and kind <> 'deferral')`;

export const dueDate = `coalesce((select deferral.until from tuition_payment.adjustment as deferral
  where deferral.payable_id = payable.id and deferral.kind = 'deferral' and deferral.undone_at is null
  order by deferral.id desc limit 1), payable.due_date)`;

export interface StoredAdjustment {
  readonly id: number;
  readonly payableId: number;
  readonly kind: AdjustmentKind;
  readonly itemNames: readonly string[];
  readonly itemFen: readonly number[];
  readonly until: string | null;
  readonly evidence: string;
  readonly reason: string;
  readonly by: string;
  readonly madeAt: Date | string;
  readonly undoneAt: Date | string | null;
  readonly undoneBy: string | null;
  readonly undoReason: string | null;
}

export const adjustmentColumns = `id, payable_id as "payableId", kind, item_names as "itemNames", item_fen as "itemFen",
  to_char(until, 'YYYY-MM-DD') as until, evidence, reason, made_by as "by", made_at as "madeAt", undone_at as "undoneAt",
  undone_by as "undoneBy", undo_reason as "undoReason"`;

export const standingAdjustments = `coalesce((select json_agg(standing order by standing.id) from (
  select ${adjustmentColumns} from tuition_payment.adjustment
  where payable_id = payable.id and undone_at is null) as standing), '[]')`;

const paidBy = `case when (select sum(${dueOfItem}) from ${items}) = 0
  then case when ${isAdjusted} then 'decision' else 'orders' end end`;

export interface DueItem {
  readonly payableId: number;
  readonly name: string;
  readonly amountFen: number;
  readonly dueFen: number;
  /** Null if no open or paid order has the item. */
  readonly state: "held" | "paid" | null;
}

/**
 * The caller must have locked the payables. The array is in a subquery, since PostgreSQL would otherwise plan the
 * statement anew for each length.
 */
export const listDues = async (db: Db, payableIds: readonly number[]): Promise<DueItem[]> =>
  db<DueItem[]>`
    select payable.id as "payableId", item.name, item.fen as "amountFen", ${sql.raw(dueOfItem)} as "dueFen",
      (select taken.state from tuition_payment.order_item as taken
       where taken.payable_id = payable.id and taken.name = item.name and taken.state in ('held', 'paid')) as state
    from tuition_payment.payable, ${sql.raw(items)} where payable.id = any((select ${payableIds}::bigint[])::bigint[])
    order by payable.id, place`;

/**
 * Updates the paid flags of the chosen payables and returns the number of changed flags. The caller must have locked
 * the payables.
 */
export const settlePayables = async (tx: Db, which: Fragment): Promise<number> =>
  tx.count`
    with told as materialized (
      select payable.id, ${sql.raw(paidBy)} as paid_by from tuition_payment.payable where ${which})
    update tuition_payment.payable set paid_by = told.paid_by,
      paid_at = case when told.paid_by is not null then coalesce(payable.paid_at, now()) end, updated_at = now()
    from told where payable.id = told.id and payable.paid_by is distinct from told.paid_by`;

export const isWrong = sql.raw(`payable.paid_by is distinct from ${paidBy}`);

export async function settleWrong(tx: Db): Promise<number> {
  const rows = await tx<{ id: number }[]>`
    select id from tuition_payment.payable where ${isWrong} order by id for update`;
  return settlePayables(tx, sql`payable.id = any(${rows.map(({ id }) => id)})`);
}

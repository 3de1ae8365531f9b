import { explain } from "#platform/contract/problem.ts";
import { type Db, sql } from "#platform/database/index.ts";
import type { AdjustmentKind } from "#services/tuition-payment/adjustment-contract.ts";
import { listDues, settlePayables } from "#services/tuition-payment/due-store.ts";
import {
  insertAdjustment,
  listOrdered,
  listStanding,
  type NewAdjustment,
  undoAdjustments,
} from "./adjustment-store.ts";
import { type AdjustedItem, chooseAdjusted } from "./choice.ts";

interface Undoing {
  readonly by: string;
  readonly reason: string;
}

/**
 * Takes off what the wish says of a payable, which is locked; without one, all that is due. Returns the adjustment's id.
 * @throws {Problem} as chooseAdjusted
 */
export async function adjust(
  tx: Db,
  made: Omit<NewAdjustment, "items" | "until">,
  wish?: readonly AdjustedItem[],
): Promise<number> {
  const id = await insertAdjustment(tx, { ...made, items: chooseAdjusted(await listDues(tx, [made.payableId]), wish) });
  await settlePayables(tx, sql`payable.id = ${made.payableId}`);
  return id;
}

/** Undoes adjustments of a payable, which is locked; returns how many. @throws {Problem} notAllowedNow where an order has taken the rest */
export async function undo(tx: Db, payableId: number, ids: readonly number[], why: Undoing): Promise<number> {
  const undone = await undoAdjustments(tx, ids, why);
  if (undone === undefined) throw explain("notAllowedNow", "其余金额已在订单中", "an order has since taken the rest");
  await settlePayables(tx, sql`payable.id = ${payableId}`);
  return undone;
}

/** Undoes what stands of one kind on a payable, which is locked; returns how many. @throws {Problem} as undo */
export const undoKind = async (tx: Db, payableId: number, kind: AdjustmentKind, why: Undoing): Promise<number> =>
  undo(tx, payableId, await listStanding(tx, payableId, { kind }), why);

/**
 * Undoes what was decided, since an order was made, about its payables, which are locked: then its items are due again as
 * they were. Returns how many. @throws {Problem} as undo
 */
export async function undoDecision(tx: Db, orderId: number, why: Undoing): Promise<number> {
  let undone = 0;
  for (const { payableId, createdAt } of await listOrdered(tx, orderId))
    undone += await undo(tx, payableId, await listStanding(tx, payableId, { since: createdAt }), why);
  return undone;
}

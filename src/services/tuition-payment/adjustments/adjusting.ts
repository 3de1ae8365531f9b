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
 * Records an adjustment and returns its id. Without `wish`, the adjustment covers everything that is due. The caller
 * must have locked the payable.
 * @throws {Problem} itemNotFound, paymentItemExists or notAllowedNow, as in `chooseAdjusted`
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

/**
 * Revokes the adjustments and returns how many were in force. The caller must have locked the payable.
 * @throws {Problem} notAllowedNow if an unpaid or paid order has one of the adjusted items
 */
export async function undo(tx: Db, payableId: number, ids: readonly number[], why: Undoing): Promise<number> {
  const undone = await undoAdjustments(tx, ids, why);
  if (undone === undefined)
    throw explain(
      "notAllowedNow",
      "所调整的项目已在订单中，不能撤销调整",
      "an adjusted item is in an order, so the adjustment cannot be undone",
    );
  await settlePayables(tx, sql`payable.id = ${payableId}`);
  return undone;
}

export const undoKind = async (tx: Db, payableId: number, kind: AdjustmentKind, why: Undoing): Promise<number> =>
  undo(tx, payableId, await listStanding(tx, payableId, { kind }), why);

/**
 * Revokes the adjustments of the order's items made since the order was created, so that the items are due again.
 * Returns the number of revoked adjustments. The caller must have locked the payables.
 * @throws {Problem} notAllowedNow if an unpaid or paid order has one of the adjusted items
 */
export async function undoDecision(tx: Db, orderId: number, why: Undoing): Promise<number> {
  let undone = 0;
  for (const { payableId, createdAt, names } of await listOrdered(tx, orderId))
    undone += await undo(tx, payableId, await listStanding(tx, payableId, { since: createdAt, names }), why);
  return undone;
}

import type { Db, Within } from "#platform/database/index.ts";
import { sql, writeSelected } from "#platform/database/index.ts";
import { type FeedbackRow, listFeedback } from "#services/tuition-payment/feedback-store.ts";
import { listOrders, type OrderRow, sumRefunded } from "#services/tuition-payment/orders/order-store.ts";
import { listOwn, ownPayables, spellCard } from "#services/tuition-payment/own-store.ts";
import { keyColumns, listPayablesById, type PayableRow } from "#services/tuition-payment/payable-store.ts";
import { openCard, type StoredIdCard } from "#services/tuition-payment/sealed.ts";

export interface AccountRows {
  readonly payables: readonly PayableRow[];
  readonly orders: readonly OrderRow[];
  /** The total over all orders of the student, not only those in `orders`. */
  readonly refundedFen: number;
  readonly feedback: readonly FeedbackRow[];
}

export async function listNames(db: Db, payableIds: readonly number[]): Promise<string[]> {
  const rows = await db<(StoredIdCard & { studentNo: string | null })[]>`
    select ${sql.raw(writeSelected(keyColumns))} from tuition_payment.payable where id = any(${payableIds})`;
  return rows.flatMap(({ studentNo, ...stored }) =>
    [studentNo, openCard(db.keys, stored)].filter((name) => name !== null),
  );
}

const newest = { descending: true, offset: 0, limit: 200 } as const;

/**
 * A student may have records under a student number and under an identity card. A payable with both links the two, so
 * records under either are included.
 */
export async function readAccount(db: Db, names: readonly string[], within: Within): Promise<AccountRows> {
  const ids = (await Promise.all(names.map((name) => listOwn(db, ownPayables, name)))).flat();
  const all = [...new Set([...names, ...(await listNames(db, ids))])];
  const spelt = all.map((name) => spellCard(db, name));
  const whose: ReturnType<typeof spellCard> = [
    spelt.flatMap(([cards]) => cards),
    spelt.flatMap(([, idCards]) => idCards),
  ];
  const ofStudent = { within, whose };
  const [payables, orders, refundedFen, feedback] = await Promise.all([
    listPayablesById(db, ids, within),
    listOrders(db, ofStudent, { field: "createTime", ...newest }),
    sumRefunded(db, ofStudent),
    // Feedback has no grade or college, so only a caller without scope limits may see it.
    within.isEverywhere ? listFeedback(db, { cards: all }, { field: "id", ...newest }) : { rows: [] },
  ]);
  return { payables, orders: orders.rows, refundedFen, feedback: feedback.rows };
}

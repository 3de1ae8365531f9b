import { sql } from "#platform/database/index.ts";
import { erasedName } from "#platform/process/person.ts";
import type { RetainedRecords } from "#platform/process/retention.ts";

const isOldFeedback = (since: Date) => sql`processed_at < ${since}`;

/** Closed, and no money has ever come for it: whatever has moved money is the ledger's. */
const isOldOrder = (since: Date) => sql`
  status = 'closed' and closed_at < ${since} and paid_at is null and received_fen is null and due_at is null
  and card_number not like 'erased-%'
  and not exists (select from tuition_payment.refund where refund.order_id = pay_order.id)`;

/** What tuition payment need not keep: answered feedback, and who has once thought of paying. */
export const retained: readonly RetainedRecords[] = [
  {
    kind: "feedback",
    setting: "TUITION_KEEP_FEEDBACK_DAYS",
    count: async (db, since) => {
      const [row] = await db<{ count: number }[]>`
        select count(*) as count from tuition_payment.feedback where ${isOldFeedback(since)}`;
      return row?.count ?? 0;
    },
    remove: (tx, since, most) => tx.count`
      delete from tuition_payment.feedback where id in (
        select id from tuition_payment.feedback where ${isOldFeedback(since)}
        order by id limit ${most} for update skip locked)`,
  },
  {
    // The order stays, as its number is at the bank; the person in it goes.
    kind: "unpaid order",
    setting: "TUITION_KEEP_UNPAID_DAYS",
    count: async (db, since) => {
      const [row] = await db<{ count: number }[]>`
        select count(*) as count from tuition_payment.pay_order where ${isOldOrder(since)}`;
      return row?.count ?? 0;
    },
    remove: (tx, since, most) => tx.count`
      update tuition_payment.pay_order set card_number = 'erased-' || id, student_no = null, student_name = ${erasedName}
      where id in (
        select id from tuition_payment.pay_order where ${isOldOrder(since)} order by id limit ${most} for update skip locked)`,
  },
];

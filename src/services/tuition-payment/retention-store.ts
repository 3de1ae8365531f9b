import { sql } from "#platform/database/index.ts";
import { erasedName } from "#platform/process/person.ts";
import { type RetainedRecords, retainRows } from "#platform/process/removal.ts";

/** What tuition payment need not keep: answered feedback, and who has once thought of paying. */
export const retained: readonly RetainedRecords[] = [
  retainRows({
    kind: "feedback",
    setting: "TUITION_KEEP_FEEDBACK_DAYS",
    table: sql`tuition_payment.feedback`,
    isOld: (since) => sql`processed_at < ${since}`,
    remove: (tx, ids) => tx.send`delete from tuition_payment.feedback where id = any(${ids})`,
  }),
  // The order stays, as its number is at the bank; the person in it goes.
  retainRows({
    kind: "unpaid order",
    setting: "TUITION_KEEP_UNPAID_DAYS",
    table: sql`tuition_payment.pay_order`,
    // Closed, and no money has ever come for it: whatever has moved money is the ledger's.
    isOld: (since) => sql`
      status = 'closed' and closed_at < ${since} and paid_at is null and received_fen is null and due_at is null
      and card_number not like 'erased-%'
      and not exists (select from tuition_payment.refund where refund.order_id = pay_order.id)`,
    remove: (tx, ids) => tx.send`
      update tuition_payment.pay_order set card_number = 'erased-' || id, student_no = null, student_name = ${erasedName}
      where id = any(${ids})`,
  }),
];

import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import { erasedName, type Person, type PersonRecords } from "#platform/process/person.ts";
import { type RetainedRecords, retainRows } from "#platform/process/removal.ts";
import { normalizePhone } from "#platform/sealing/keyring.ts";
import { mismatched } from "./orders/order-store.ts";
import { listOwn, ownOrders, ownPayables } from "./own-store.ts";
import { findPhone, openCard, openCardNumber, openPhone, spellCardNumber, type StoredCardNumber } from "./sealed.ts";

const noBody = sql`false`;

const hasCard = (db: Db, card: string | null | undefined): Fragment =>
  card ? sql`card_number = any(${spellCardNumber(db.keys, card)})` : noBody;

function feedbackOf(db: Db, { card, phone }: Person): Fragment {
  const byCard = hasCard(db, card);
  if (!phone) return byCard;
  return sql`(${byCard} or phone_found = any(${findPhone(db.keys, phone)})
    or (phone <> '' and regexp_replace(phone, '[^0-9+]', '', 'g') = ${normalizePhone(phone)}))`;
}

const openRow = <Row extends StoredCardNumber>(db: Db, { cardNumberSealed, ...row }: Row) => ({
  ...row,
  cardNumber: openCardNumber(db.keys, { cardNumber: row.cardNumber, cardNumberSealed }),
});

const hasHistory = sql`(exists (select from tuition_payment.order_item as item where item.payable_id = payable.id)
  or exists (select from tuition_payment.adjustment as made where made.payable_id = payable.id))`;

async function showPayables(db: Db, { card }: Person) {
  const ids = await listOwn(db, ownPayables, card);
  const rows = await db<{ idCard: string | null; idCardSealed: string | null }[]>`
    select id, student_no as "studentNo", id_card as "idCard", id_card_sealed as "idCardSealed", student_name as "studentName",
      grade, years, college_name as "collegeName", major_name as "majorName", class_name as "className",
      amount_fen as "amountFen", due_date as "dueDate", paid_at as "paidAt"
    from tuition_payment.payable where id = any(${ids}) order by id`;
  return rows.map(({ idCardSealed, ...row }) => ({ ...row, idCard: openCard(db.keys, { ...row, idCardSealed }) }));
}

/**
 * Deletes the person's payables. Those that ever had an order or an adjustment are kept for their amounts, without the
 * person's data.
 */
async function erasePayables(tx: Db, { card }: Person): Promise<number> {
  const ids = await listOwn(tx, ownPayables, card);
  const deleted = await tx.count`
    delete from tuition_payment.payable where id = any(${ids}) and paid_by is null and not ${hasHistory}`;
  return (
    deleted +
    (await tx.count`
      update tuition_payment.payable set student_no = 'erased-' || id, id_card = null, id_card_sealed = null,
        student_name = ${erasedName}, college_name = '', major_name = '', class_name = '', updated_at = now()
      where id = any(${ids})`)
  );
}

/** @throws {Error} if an order is in progress or its money awaits a decision, since its payer must stay identifiable */
async function eraseOrders(tx: Db, { card }: Person): Promise<number> {
  const ids = await listOwn(tx, ownOrders, card);
  const underWay = await tx<{ orderNo: string }[]>`
    select order_no as "orderNo" from tuition_payment.pay_order
    where id = any(${ids}) and (status in ('created', 'paying', 'refunding') or ${sql.raw(mismatched)} or exists (
      select from tuition_payment.refund
      where order_id = pay_order.id and refund.status in ('asked', 'failed') and ended_at is null))
    order by id for update`;
  if (underWay.length > 0)
    throw new Error(
      `The person has orders in progress: ${underWay.map(({ orderNo }) => orderNo).join(", ")}. Nothing was erased.`,
    );
  return tx.count`
    update tuition_payment.pay_order set card_number = '', card_number_sealed = null, student_no = null, student_name = ${erasedName}
    where id = any(${ids})`;
}

export const persons: readonly PersonRecords[] = [
  // Orders are erased first, since erasing fails if an order is in progress.
  {
    kind: "order",
    show: async (db, { card }) => {
      const ids = await listOwn(db, ownOrders, card);
      const rows = await db<StoredCardNumber[]>`
        select order_no as "orderNo", card_number as "cardNumber", card_number_sealed as "cardNumberSealed",
          student_no as "studentNo", student_name as "studentName", grade, amount_fen as "amountFen", status,
          created_at as "createdAt", paid_at as "paidAt"
        from tuition_payment.pay_order where id = any(${ids}) order by id`;
      return rows.map((row) => openRow(db, row));
    },
    erase: eraseOrders,
  },
  // Adjustments are found through the payables, so they are erased before the payables. Their amounts and evidence
  // stay.
  {
    kind: "adjustment",
    show: async (db, { card }) => db`
      select id, payable_id as "payableId", kind, item_names as "itemNames", item_fen as "itemFen", until, evidence, reason,
        made_at as "madeAt", undone_at as "undoneAt", undo_reason as "undoReason"
      from tuition_payment.adjustment where payable_id = any(${await listOwn(db, ownPayables, card)}) order by id`,
    erase: async (tx, { card }) => tx.count`
      update tuition_payment.adjustment set reason = '', undo_reason = case when undone_at is not null then '' end
      where payable_id = any(${await listOwn(tx, ownPayables, card)})`,
  },
  { kind: "payable", show: showPayables, erase: erasePayables },
  {
    kind: "feedback",
    show: async (db, person) => {
      const rows = await db<(StoredCardNumber & { phone: string; phoneSealed: string | null })[]>`
        select id, card_number as "cardNumber", card_number_sealed as "cardNumberSealed", name, phone, phone_sealed as "phoneSealed", info, reply, created_at as "createdAt"
        from tuition_payment.feedback where ${feedbackOf(db, person)} order by id`;
      return rows.map(({ phoneSealed, ...row }) => ({
        ...openRow(db, row),
        phone: openPhone(db.keys, row.phone, phoneSealed),
      }));
    },
    erase: (tx, person) => tx.count`delete from tuition_payment.feedback where ${feedbackOf(tx, person)}`,
  },
  {
    kind: "session",
    show: (db, { card }) => db`select expires_at as "expiresAt" from platform.card_session where ${hasCard(db, card)}`,
    erase: (tx, { card }) => tx.count`delete from platform.card_session where ${hasCard(tx, card)}`,
  },
];

export const retained: readonly RetainedRecords[] = [
  retainRows({
    kind: "feedback",
    setting: "TUITION_KEEP_FEEDBACK_DAYS",
    table: sql`tuition_payment.feedback`,
    isOld: (since) => sql`processed_at < ${since}`,
    remove: (tx, ids) => tx.send`delete from tuition_payment.feedback where id = any(${ids})`,
  }),
  // The order's row is kept without the person, since the bank has the order's number.
  retainRows({
    kind: "unpaid order",
    setting: "TUITION_KEEP_UNPAID_DAYS",
    table: sql`tuition_payment.pay_order`,
    // Orders that have received money or have a refund are left out, because the ledger refers to them.
    isOld: (since) => sql`
      status = 'closed' and closed_at < ${since} and paid_at is null and received_fen is null and due_at is null
      and card_number <> ''
      and not exists (select from tuition_payment.refund where refund.order_id = pay_order.id)`,
    remove: (tx, ids) => tx.send`
      update tuition_payment.pay_order set card_number = '', card_number_sealed = null, student_no = null, student_name = ${erasedName}
      where id = any(${ids})`,
  }),
];

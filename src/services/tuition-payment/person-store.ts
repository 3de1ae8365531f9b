import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import { erasedName, type Person, type PersonRecords } from "#platform/process/person.ts";
import { type RetainedRecords, retainRows } from "#platform/process/removal.ts";
import { placeOf, toDialled } from "#platform/sealing/column.ts";
import { toStoredIdCard } from "./payable-store.ts";
import { findPhone, openCard, openPhone, sealedIdCard } from "./sealed.ts";

const noBody = sql`false`;

const payableOf = (db: Db, { card }: Person): Fragment =>
  card
    ? sql`(student_no = ${card} or id_card = any(${db.keys.spell(placeOf(sealedIdCard), toStoredIdCard(card))}))`
    : noBody;

const orderOf = ({ card }: Person): Fragment => (card ? sql`(card_number = ${card} or student_no = ${card})` : noBody);

function feedbackOf(db: Db, { card, phone }: Person): Fragment {
  const byCard = card ? sql`card_number = ${card}` : noBody;
  if (!phone) return byCard;
  return sql`(${byCard} or phone_found = any(${findPhone(db.keys, phone)})
    or (phone <> '' and regexp_replace(phone, '[^0-9+]', '', 'g') = ${toDialled(phone)}))`;
}

const hasOrder = sql`exists (select from tuition_payment.order_item as item where item.payable_id = payable.id)`;

async function showPayables(db: Db, person: Person) {
  const rows = await db<{ idCard: string | null; idCardSealed: string | null }[]>`
    select id, student_no as "studentNo", id_card as "idCard", id_card_sealed as "idCardSealed", student_name as "studentName",
      grade, years, college_name as "collegeName", major_name as "majorName", class_name as "className",
      amount_fen as "amountFen", paid_at as "paidAt"
    from tuition_payment.payable where ${payableOf(db, person)} order by id`;
  return rows.map(({ idCardSealed, ...row }) => ({ ...row, idCard: openCard(db.keys, { ...row, idCardSealed }) }));
}

/** What is neither paid nor in an order goes; of the rest the amounts stay, and nobody's name. */
async function erasePayables(tx: Db, person: Person): Promise<number> {
  const deleted = await tx.count`
    delete from tuition_payment.payable where ${payableOf(tx, person)} and paid_by is null and not ${hasOrder}`;
  return (
    deleted +
    (await tx.count`
      update tuition_payment.payable set student_no = 'erased-' || id, id_card = null, id_card_sealed = null,
        student_name = ${erasedName}, college_name = '', major_name = '', class_name = '', updated_at = now()
      where ${payableOf(tx, person)}`)
  );
}

/** @throws {Error} when one is under way: whoever pays or is paid back must be known until then */
async function eraseOrders(tx: Db, person: Person): Promise<number> {
  const underWay = await tx<{ orderNo: string }[]>`
    select order_no as "orderNo" from tuition_payment.pay_order
    where ${orderOf(person)} and status in ('created', 'paying', 'refunding') order by id for update`;
  if (underWay.length > 0)
    throw new Error(
      `Orders of the person are under way: ${underWay.map(({ orderNo }) => orderNo).join(", ")}. Nothing was erased.`,
    );
  return tx.count`
    update tuition_payment.pay_order set card_number = 'erased-' || id, student_no = null, student_name = ${erasedName}
    where ${orderOf(person)}`;
}

/** What tuition payment has about persons: students who have to pay, have ordered, or have said something. */
export const persons: readonly PersonRecords[] = [
  // First, as it may refuse.
  {
    kind: "order",
    show: (db, person) => db`
      select order_no as "orderNo", card_number as "cardNumber", student_no as "studentNo", student_name as "studentName",
        grade, amount_fen as "amountFen", status, created_at as "createdAt", paid_at as "paidAt"
      from tuition_payment.pay_order where ${orderOf(person)} order by id`,
    erase: eraseOrders,
  },
  { kind: "payable", show: showPayables, erase: erasePayables },
  {
    kind: "feedback",
    show: async (db, person) => {
      const rows = await db<{ phone: string; phoneSealed: string | null }[]>`
        select id, card_number as "cardNumber", name, phone, phone_sealed as "phoneSealed", info, created_at as "createdAt"
        from tuition_payment.feedback where ${feedbackOf(db, person)} order by id`;
      return rows.map(({ phoneSealed, ...row }) => ({ ...row, phone: openPhone(db.keys, row.phone, phoneSealed) }));
    },
    erase: (tx, person) => tx.count`delete from tuition_payment.feedback where ${feedbackOf(tx, person)}`,
  },
  {
    kind: "session",
    show: (db, { card }) =>
      card
        ? db`select card_number as "cardNumber", expires_at as "expiresAt" from platform.card_session where card_number = ${card}`
        : Promise.resolve([]),
    erase: async (tx, { card }) => (card ? tx.count`delete from platform.card_session where card_number = ${card}` : 0),
  },
];

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

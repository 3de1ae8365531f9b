import type { Db } from "#platform/database/index.ts";
import { placeOf } from "#platform/sealing/column.ts";
import { toStoredIdCard } from "./payable-store.ts";
import { sealedIdCard } from "./sealed.ts";

// A new student is known by the identity card and later by a number. The payables that have both tell that the two are one
// person, to whom the orders of both belong.

/** The ways in which payables may have the card as an identity card. */
export const spellCard = (db: Db, card: string): string[] => db.keys.spell(placeOf(sealedIdCard), toStoredIdCard(card));

/** Of the payables of whoever has the card what they are known by. @param card, ways where the statement has these */
const known = (column: "student_no" | "id_card", card: string, ways: string): string => `
  select known.${column} from tuition_payment.payable as known
  where (known.student_no = ${card} or known.id_card = any(${ways})) and known.${column} is not null`;

/** The ids of the payables of that person: with the card itself, or with the number or identity card that it goes with. */
export const ownPayables = (card: string, ways: string): string => `
  select own.id from tuition_payment.payable as own
  where own.student_no = ${card} or own.id_card = any(${ways})
  union
  select own.id from tuition_payment.payable as own where own.student_no in (${known("student_no", card, ways)})
  union
  select own.id from tuition_payment.payable as own where own.id_card in (${known("id_card", card, ways)})`;

/** The ids of the orders of that person: under any of the names, or of any of the payables. */
export const ownOrders = (card: string, ways: string): string => `
  select own.id from tuition_payment.pay_order as own where own.card_number = ${card} or own.student_no = ${card}
  union
  select own.id from tuition_payment.pay_order as own where own.student_no in (${known("student_no", card, ways)})
  union
  select own.id from tuition_payment.pay_order as own join tuition_payment.order_item as item on item.order_id = own.id
  where item.payable_id in (${ownPayables(card, ways)}) and own.card_number not like 'erased-%'`;

/** The same as a list, for who does something to all of them. */
export async function listOwn(db: Db, ids: typeof ownOrders, card: string | null | undefined): Promise<number[]> {
  if (!card) return [];
  const rows = await db.query<{ id: number }>(ids("$1", "$2"), [card, spellCard(db, card)]);
  return rows.map(({ id }) => id);
}

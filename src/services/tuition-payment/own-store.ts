import type { Db } from "#platform/database/index.ts";
import { bindingOf } from "#platform/sealing/keyring.ts";
import { toStoredIdCard } from "./payable-store.ts";
import { sealedIdCard, spellCardNumber } from "./sealed.ts";

// A new student is known by the identity card and later by a number. The payables that have both tell that the two are one
// person, to whom the orders of both belong.

/** The ways in which rows may have a card: as the card itself, and payables as an identity card. */
export const spellCard = (db: Db, card: string): [cards: string[], idCards: string[]] => [
  spellCardNumber(db.keys, card),
  db.keys.lookupTerms(bindingOf(sealedIdCard), toStoredIdCard(card)),
];

/** Of the payables of whoever has the card what they are known by. @param cards, idCards where the statement has these */
const known = (column: "student_no" | "id_card", cards: string, idCards: string): string => `
  select known.${column} from tuition_payment.payable as known
  where (known.student_no = any(${cards}) or known.id_card = any(${idCards})) and known.${column} is not null`;

/** The ids of the payables of that person: with the card itself, or with the number or identity card that it goes with. */
export const ownPayables = (cards: string, idCards: string): string => `
  select own.id from tuition_payment.payable as own
  where own.student_no = any(${cards}) or own.id_card = any(${idCards})
  union
  select own.id from tuition_payment.payable as own where own.student_no in (${known("student_no", cards, idCards)})
  union
  select own.id from tuition_payment.payable as own where own.id_card in (${known("id_card", cards, idCards)})`;

/** The ids of the orders of that person: under any of the names, or of any of the payables. */
export const ownOrders = (cards: string, idCards: string): string => `
  select own.id from tuition_payment.pay_order as own
  where own.card_number = any(${cards}) or own.student_no = any(${cards})
  union
  select own.id from tuition_payment.pay_order as own where own.student_no in (${known("student_no", cards, idCards)})
  union
  select own.id from tuition_payment.pay_order as own join tuition_payment.order_item as item on item.order_id = own.id
  where item.payable_id in (${ownPayables(cards, idCards)}) and own.card_number <> ''`;

/** The same as a list, for who does something to all of them. */
export async function listOwn(db: Db, ids: typeof ownOrders, card: string | null | undefined): Promise<number[]> {
  if (!card) return [];
  const rows = await db.query<{ id: number }>(ids("$1", "$2"), spellCard(db, card));
  return rows.map(({ id }) => id);
}

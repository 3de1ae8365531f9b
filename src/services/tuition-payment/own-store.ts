import type { Db } from "#platform/database/index.ts";
import { bindingOf } from "#platform/sealing/keyring.ts";
import { toStoredIdCard } from "./payable-store.ts";
import { sealedIdCard, spellCardNumber } from "./sealed.ts";

// A new student is identified by identity card at first, and by student number later. A payable with both links the
// two, so the student owns the orders under either.

/** Returns the stored forms of a card: as the card number of orders, and as the identity card of payables. */
export const spellCard = (db: Db, card: string): [cards: string[], idCards: string[]] => [
  spellCardNumber(db.keys, card),
  db.keys.lookupTerms(bindingOf(sealedIdCard), toStoredIdCard(card)),
];

const known = (column: "student_no" | "id_card", cards: string, idCards: string): string => `
  select known.${column} from tuition_payment.payable as known
  where (known.student_no = any(${cards}) or known.id_card = any(${idCards})) and known.${column} is not null`;

export const ownPayables = (cards: string, idCards: string): string => `
  select own.id from tuition_payment.payable as own
  where own.student_no = any(${cards}) or own.id_card = any(${idCards})
  union
  select own.id from tuition_payment.payable as own where own.student_no in (${known("student_no", cards, idCards)})
  union
  select own.id from tuition_payment.payable as own where own.id_card in (${known("id_card", cards, idCards)})`;

export const ownOrders = (cards: string, idCards: string): string => `
  select own.id from tuition_payment.pay_order as own
  where own.card_number = any(${cards}) or own.student_no = any(${cards})
  union
  select own.id from tuition_payment.pay_order as own where own.student_no in (${known("student_no", cards, idCards)})
  union
  select own.id from tuition_payment.pay_order as own join tuition_payment.order_item as item on item.order_id = own.id
  where item.payable_id in (${ownPayables(cards, idCards)}) and own.card_number <> ''`;

export async function listOwn(db: Db, ids: typeof ownOrders, card: string | null | undefined): Promise<number[]> {
  if (!card) return [];
  const rows = await db.query<{ id: number }>(ids("$1", "$2"), spellCard(db, card));
  return rows.map(({ id }) => id);
}

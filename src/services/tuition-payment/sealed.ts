import {
  phoneLookupTerms,
  type Keyring,
  type SealedColumn,
  normalizePhone,
  openOrShow,
  toStoredValue,
  toText,
} from "#platform/sealing/keyring.ts";

export const sealedIdCard: SealedColumn = {
  table: "tuition_payment.payable",
  key: { id: "bigint" },
  column: "id_card",
  sealedIn: "id_card_sealed",
  found: "id_card",
};

/** A sealed phone number can be found only by the whole number. */
const sealedPhone: SealedColumn = {
  table: "tuition_payment.feedback",
  key: { id: "bigint" },
  column: "phone",
  sealedIn: "phone_sealed",
  found: "phone_found",
  compare: normalizePhone,
};

/**
 * The student number, or the identity card of a new student. Orders, feedback and sessions use the same binding, so
 * their blind indexes are equal.
 */
const cardPlace = "tuition_payment.card_number";
const sealedCard: Omit<SealedColumn, "table"> = {
  key: { id: "bigint" },
  column: "card_number",
  sealedIn: "card_number_sealed",
  found: "card_number",
  place: cardPlace,
};
const sealedOrderCard: SealedColumn = { table: "tuition_payment.pay_order", ...sealedCard };
const sealedFeedbackCard: SealedColumn = { table: "tuition_payment.feedback", ...sealedCard };

export const sealedColumns: readonly SealedColumn[] = [sealedIdCard, sealedPhone, sealedOrderCard, sealedFeedbackCard];

export interface StoredCardNumber {
  readonly cardNumber: string;
  readonly cardNumberSealed: string | null;
}

export function toStoredCardNumber(keys: Keyring, card: string): StoredCardNumber {
  const { plain, apart } = toStoredValue(keys, sealedOrderCard, card);
  return { cardNumber: plain, cardNumberSealed: apart };
}

export const openCardNumber = (keys: Keyring, { cardNumber, cardNumberSealed }: StoredCardNumber): string =>
  openOrShow(keys, sealedOrderCard, cardNumber, cardNumberSealed);

/** A session's card number is only compared, so its blind index is enough. */
export const findCardNumber = (keys: Keyring, card: string): string => keys.blindIndex(cardPlace, card);

export const spellCardNumber = (keys: Keyring, card: string): string[] => keys.lookupTerms(cardPlace, card);

export interface StoredIdCard {
  readonly idCard: string | null;
  readonly idCardSealed: string | null;
}

export function toStoredCard(keys: Keyring, idCard: string | null): StoredIdCard {
  if (idCard === null) return { idCard: null, idCardSealed: null };
  const { plain, apart } = toStoredValue(keys, sealedIdCard, idCard);
  return { idCard: plain, idCardSealed: apart };
}

export const openCard = (keys: Keyring, { idCard, idCardSealed }: StoredIdCard): string | null =>
  idCard === null ? null : toText(keys, sealedIdCard, idCard, idCardSealed);

export function toStoredPhone(keys: Keyring, phone: string) {
  const { plain, apart, found } = toStoredValue(keys, sealedPhone, phone);
  return { phone: plain, phoneSealed: apart, phoneFound: found };
}

export const openPhone = (keys: Keyring, phone: string, phoneSealed: string | null): string =>
  openOrShow(keys, sealedPhone, phone, phoneSealed);

export const findPhone = (keys: Keyring, keyword: string): string[] => phoneLookupTerms(keys, sealedPhone, keyword);

import type { ListOrder } from "#platform/contract/sorting.ts";
import {
  column,
  compileInsert,
  type PageWithTotal,
  type Db,
  listPage,
  type RowOf,
  startStatement,
  type Statement,
  writeSelected,
} from "#platform/database/index.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import type { FeedbackField } from "./feedback-contract.ts";
import { findPhone, openCardNumber, openPhone, spellCardNumber, toStoredCardNumber, toStoredPhone } from "./sealed.ts";

const given = {
  cardNumber: column<string>("card_number"),
  name: column<string>("name"),
  phone: column<string>("phone"),
  info: column<string>("info"),
};
const shown = {
  id: column<number>("id"),
  ...given,
  createdAt: column<Date>("created_at"),
  processedAt: column<Date | null>("processed_at"),
  reply: column<string | null>("reply"),
};

export type FeedbackRow = RowOf<typeof shown>;

const sealed = {
  phoneSealed: column<string | null>("phone_sealed"),
  cardNumberSealed: column<string | null>("card_number_sealed"),
};
type StoredFeedback = FeedbackRow & RowOf<typeof sealed>;

const columns = writeSelected({ ...shown, ...sealed });

const openRow = (keys: Keyring, { phoneSealed, cardNumberSealed, ...row }: StoredFeedback): FeedbackRow => ({
  ...row,
  cardNumber: openCardNumber(keys, { cardNumber: row.cardNumber, cardNumberSealed }),
  phone: openPhone(keys, row.phone, phoneSealed),
});

const insert = compileInsert("tuition_payment.feedback", { ...given, ...sealed, phoneFound: "phone_found" });

export const insertFeedback = (tx: Db, feedback: RowOf<typeof given>): Promise<number> =>
  insert(tx, {
    ...feedback,
    ...toStoredCardNumber(tx.keys, feedback.cardNumber),
    ...toStoredPhone(tx.keys, feedback.phone),
  });

export const deleteFeedback = async (tx: Db, id: number, cardNumber: string): Promise<boolean> =>
  (await tx.count`
    delete from tuition_payment.feedback
    where id = ${id} and card_number = any(${spellCardNumber(tx.keys, cardNumber)})`) === 1;

export async function findFeedback(db: Db, id: number): Promise<FeedbackRow | undefined> {
  const text = `select ${columns} from tuition_payment.feedback where id = $1`;
  const [row] = await db.query<StoredFeedback>(text, [id]);
  return row && openRow(db.keys, row);
}

/** Of two concurrent calls, only one returns "processed". */
export async function processFeedback(tx: Db, id: number): Promise<"processed" | "was processed" | "unknown"> {
  const changed = await tx`
    update tuition_payment.feedback set processed_at = now() where id = ${id} and processed_at is null returning 1`;
  if (changed.length === 1) return "processed";
  return (await findFeedback(tx, id)) ? "was processed" : "unknown";
}

/** Feedback that is marked as processed may still be answered if it has no answer yet. */
export async function answerFeedback(
  tx: Db,
  id: number,
  reply: string,
): Promise<"answered" | "was answered" | "unknown"> {
  const changed = await tx`
    update tuition_payment.feedback set reply = ${reply}, processed_at = now()
    where id = ${id} and reply is null returning 1`;
  if (changed.length === 1) return "answered";
  return (await findFeedback(tx, id)) ? "was answered" : "unknown";
}

export async function listAnswered(db: Db, since: Date, limit: number): Promise<FeedbackRow[]> {
  const text = `select ${columns} from tuition_payment.feedback
    where reply is not null and processed_at > $1 order by processed_at desc limit $2`;
  return (await db.query<StoredFeedback>(text, [since, limit])).map((row) => openRow(db.keys, row));
}

export interface FeedbackFilter {
  /** The feedback may be stored under any of these card numbers of the student. */
  readonly cards?: readonly string[] | undefined;
  readonly isProcessed?: boolean | undefined;
  readonly keyword?: string | undefined;
}

function toConditions({ keys }: Db, statement: Statement, { cards, isProcessed, keyword }: FeedbackFilter): string {
  const needle = keyword === undefined ? "" : `lower(${statement.value(keyword)})`;
  const numbers = keyword === undefined ? [] : findPhone(keys, keyword);
  const number = numbers.length === 0 ? "" : ` or phone_found = any(${statement.value(numbers)})`;
  const conditions = [
    ...(cards === undefined
      ? []
      : [`card_number = any(${statement.value(cards.flatMap((card) => spellCardNumber(keys, card)))})`]),
    ...(isProcessed === undefined ? [] : [`processed_at is ${isProcessed ? "not null" : "null"}`]),
    ...(needle ? [`(strpos(lower(name), ${needle}) > 0 or strpos(lower(phone), ${needle}) > 0${number})`] : []),
  ];
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

const sortColumns: Readonly<Record<FeedbackField, string>> = {
  id: shown.id,
  feedbackPersonIdentify: shown.cardNumber,
  feedbackPersonName: shown.name,
  feedbackPersonPhone: shown.phone,
  statu: `${shown.processedAt} is not null`,
  publishTime: shown.createdAt,
  handleTime: shown.processedAt,
};

export async function listFeedback(
  db: Db,
  filter: FeedbackFilter,
  order: ListOrder<FeedbackField>,
): Promise<PageWithTotal<FeedbackRow>> {
  const statement = startStatement();
  const where = toConditions(db, statement, filter);
  const parts = { table: "tuition_payment.feedback", columns, where, sortColumns };
  const { rows, totalCount } = await listPage<StoredFeedback, FeedbackField>(db, statement, parts, order);
  return { totalCount, rows: rows.map((row) => openRow(db.keys, row)) };
}

export async function countFeedback(db: Db): Promise<{ unprocessed: number; processed: number }> {
  const [row] = await db<{ unprocessed: number; processed: number }[]>`
    select count(*) filter (where processed_at is null) as unprocessed,
      count(*) filter (where processed_at is not null) as processed
    from tuition_payment.feedback`;
  return row ?? { unprocessed: 0, processed: 0 };
}

import type * as z from "zod";
import type { ListOrder } from "#platform/contract/sorting.ts";
import {
  column,
  compileInsert,
  type PageWithTotal,
  type Db,
  listPage,
  type RowOf,
  setGiven,
  sql,
  startStatement,
  type Statement,
  type Within,
  writeSelected,
} from "#platform/database/index.ts";
import { bindingOf } from "#platform/sealing/keyring.ts";
import type { PayItem } from "./amounts.ts";
import { dueDate, itemDues, standingAdjustments, type StoredAdjustment } from "./due-store.ts";
import type { PayableField, payableFilter } from "./payable-contract.ts";
import { places } from "./scope-contract.ts";
import { openCard, sealedIdCard, toStoredCard } from "./sealed.ts";

/** By which payables are told apart: a student's, or of a new student the identity card's, and the year. */
export const keyColumns = {
  /** Of new students there is none yet; then there is an identity card. */
  studentNo: column<string | null>("student_no"),
  /** Where it is sealed, by what it is found. */
  idCard: column<string | null>("id_card"),
  idCardSealed: column<string | null>("id_card_sealed"),
  years: column<string>("years"),
};

/** What else is known of a payable, which an import that replaces it brings anew. */
export const detailColumns = {
  studentName: column<string>("student_name"),
  grade: column<string>("grade"),
  collegeName: column<string>("college_name"),
  majorName: column<string>("major_name"),
  className: column<string>("class_name"),
  amountFen: column<number>("amount_fen"),
  itemNames: column<readonly string[]>("item_names"),
  itemFen: column<readonly number[]>("item_fen"),
};

/** Empty in an import that replaces, it stays. */
export const dueColumn = { dueDate: column<string | null>("due_date") };

export const payableColumns = { ...keyColumns, ...detailColumns, ...dueColumn };

type Given = RowOf<typeof payableColumns>;

/** What a student has to pay in one charging year. */
export type NewPayable = Omit<Given, "itemNames" | "itemFen" | "idCardSealed"> & {
  readonly items: readonly PayItem[];
};

/** The items as the table has them: two lists. */
export const splitItems = (items: readonly PayItem[]): Pick<Given, "itemNames" | "itemFen"> => ({
  itemNames: items.map(({ name }) => name),
  itemFen: items.map(({ amountFen }) => amountFen),
});

const { studentName, grade, ...otherDetails } = detailColumns;
/** In the order in which the contract has them. The identity card stays where it is. */
const shown = {
  studentNo: keyColumns.studentNo,
  studentName,
  grade,
  years: keyColumns.years,
  ...otherDetails,
  paidBy: column<"decision" | "orders" | null>("paid_by"),
};

export type StoredPayable = { readonly id: number } & RowOf<typeof shown>;

/** A payable as it is read, with what is due of it. */
export interface PayableRow extends StoredPayable {
  /** As it was given, whatever was deferred since. */
  readonly givenDueDate: string | null;
  /** In the order of the items' names. */
  readonly itemDueFen: readonly number[];
  readonly dueDate: string | null;
  /** Those that stand. */
  readonly adjustments: readonly StoredAdjustment[];
}

/** What is due of all its items, in fen. */
export const sumDue = ({ itemDueFen }: PayableRow): number => itemDueFen.reduce((sum, fen) => sum + fen, 0);

const stored = `id, ${writeSelected(shown)}`;
// Of a locked row these must not be read in the statement that waits for it: they would be as they were before.
const columns = `${stored}, ${itemDues} as "itemDueFen", to_char(${dueDate}, 'YYYY-MM-DD') as "dueDate",
  to_char(payable.due_date, 'YYYY-MM-DD') as "givenDueDate",
  ${standingAdjustments} as adjustments`;

const idCardPlace = bindingOf(sealedIdCard);

// One at a time of what is unpaid, oldest first; when nothing is, the latest.
const dueFirst = `
  order by paid_by is not null, case when paid_by is null then years end collate "C", years collate "C" desc limit 1`;

/**
 * Asks by the card, $1, and by each way in which it may be stored, behind the other values. As an array of unknown length
 * PostgreSQL planned the look-up anew each time: 176 µs of its work in place of 79. Where all cards should be sealed, the
 * other ways (10 µs of 62) are asked when that finds nothing: a process without the key may have stored one since.
 */
function ofCard<R extends StoredPayable = PayableRow>(
  rest: string,
  others = 0,
  selected = columns,
): (db: Db, card: string, ...values: (string | readonly number[])[]) => Promise<R[]> {
  // Put together once: a text that is made anew must be compared with the prepared ones letter by letter.
  const texts: string[] = [];
  const write = (ways: number): string => {
    const places = Array.from({ length: ways }, (_, way) => `$${2 + others + way}`);
    // Two indexes, of which each finds a handful of rows.
    const found = ["student_no = $1", ...places.map((place) => `id_card = ${place}`)].join(" or ");
    return `select ${selected} from tuition_payment.payable where (${found}) ${rest}`;
  };
  return async (db, card, ...values) => {
    const ways = db.keys.lookupTerms(idCardPlace, toStoredIdCard(card));
    const ask = (asked: readonly string[]) =>
      db.query<R>((texts[asked.length] ??= write(asked.length)), [card, ...values, ...asked]);
    const found = db.keys.isUniform(idCardPlace) ? await ask(ways.slice(0, 1)) : [];
    return found.length > 0 ? found : ask(ways);
  };
}

/** The payable that is due of whoever has the card, if there is one; found by student number or identity card number. */
export const listDuePayable = ofCard(dueFirst);

/**
 * The same of the student with that number and name. One statement with both, so that a wrong name and an unknown number
 * are the same miss.
 */
export const matchDuePayable = ofCard(`and student_name = $2 ${dueFirst}`, 1);

/** All payables of whoever has the card, oldest charging year first. */
export const listPayablesOfCard = ofCard(`order by years collate "C", id`);

/** Those of the payables that lie in the scope, oldest charging year first. */
export async function listPayablesById(db: Db, ids: readonly number[], within: Within): Promise<PayableRow[]> {
  const statement = startStatement();
  const where = [`id = any(${statement.value(ids)})`, ...within.list(statement, places)].join(" and ");
  const text = `select ${columns} from tuition_payment.payable where ${where} order by years collate "C", id`;
  return statement.run<PayableRow>(db, text);
}

/** Those of the payables that are whoever's has the card; nobody else can change them until the transaction ends. */
export const lockOwnPayables = ofCard<StoredPayable>(
  // The array is a query of its own, or the statement would be planned anew each time for its length.
  "and id = any((select $2::bigint[])::bigint[]) order by id for update",
  1,
  stored,
);

async function findOne<R extends StoredPayable>(db: Db, id: number, within: Within, selected: string, rest = "") {
  const statement = startStatement();
  const where = [`id = ${statement.value(id)}`, ...within.list(statement, places)].join(" and ");
  const [row] = await statement.run<R>(db, `select ${selected} from tuition_payment.payable where ${where} ${rest}`);
  return row;
}

export const findPayable = (db: Db, id: number, within: Within): Promise<PayableRow | undefined> =>
  findOne<PayableRow>(db, id, within, columns);

export const listPaidPayables = async (db: Db, ids: readonly number[], within: Within): Promise<number[]> =>
  db.values<number>`
    select id from tuition_payment.payable
    where id = any(${ids}) and paid_by is not null ${within.and(places)} order by id`;

/** The payable, which nobody else can change until the transaction ends. */
export const lockPayable = (tx: Db, id: number, within: Within): Promise<StoredPayable | undefined> =>
  findOne<StoredPayable>(tx, id, within, stored, "for update");

/** Which payable a name and a year are those of. */
export type PayableKey = Omit<RowOf<typeof keyColumns>, "idCardSealed">;

/**
 * Whether another payable than `id` is the same one by its identity card: while one of the two has no number, card and
 * year tell that. Whoever has asked is the only one to write such a payable until the transaction ends.
 */
export async function isSameByCard(
  tx: Db,
  id: number | null,
  { studentNo, idCard, years }: PayableKey,
): Promise<boolean> {
  if (idCard === null) return false;
  await tx`select pg_advisory_xact_lock(hashtextextended(${`payable of ${idCard} in ${years}`}, 0))`;
  // All ways in which it may be stored: until the last is sealed, the unique key does not see that they are the same.
  const same = await tx.count`
    select from tuition_payment.payable
    where id_card = any(${tx.keys.lookupTerms(idCardPlace, idCard)}) and years = ${years} and id is distinct from ${id}
      and (student_no is null or ${studentNo === null}) limit 1`;
  return same > 0;
}

/** The payable's names and year, after the row was locked. */
export async function findKey(tx: Db, id: number): Promise<PayableKey | undefined> {
  const [row] = await tx<RowOf<typeof keyColumns>[]>`
    select ${sql.raw(writeSelected(keyColumns))} from tuition_payment.payable where id = ${id}`;
  if (!row) return undefined;
  const { idCardSealed, ...key } = row;
  return { ...key, idCard: openCard(tx.keys, { idCard: key.idCard, idCardSealed }) };
}

const insert = compileInsert("tuition_payment.payable", payableColumns);

/** Stores a payable and returns its id. A second one of the student and year breaks payable_student_year_key. */
export const insertPayable = (tx: Db, { items, ...payable }: NewPayable): Promise<number> =>
  insert(tx, { ...payable, ...toStoredCard(tx.keys, payable.idCard), ...splitItems(items) });

export type PayableChange = { readonly [K in keyof NewPayable]?: NewPayable[K] | undefined };

/** Changes what is given and keeps the rest. */
export async function updatePayable(tx: Db, id: number, { items, ...change }: PayableChange): Promise<void> {
  const { idCard } = change;
  const given = {
    ...change,
    ...(idCard !== undefined && toStoredCard(tx.keys, idCard)),
    ...(items && splitItems(items)),
  };
  await tx`
    update tuition_payment.payable set ${setGiven(payableColumns, given)}, updated_at = now() where id = ${id}`;
}

export async function deletePayable(tx: Db, id: number): Promise<void> {
  await tx`delete from tuition_payment.payable where id = ${id}`;
}

/** The zone is whose day it is. */
export type PayableFilter = z.output<typeof payableFilter> & { readonly within: Within; readonly zone: string };

/** Of which a filter gives the value. */
const equalled = ["grade", "years", "collegeName", "majorName", "className"] as const;

export function choosePayables(statement: Statement, filter: PayableFilter): string {
  const { keyword, pay, overdue, zone, within } = filter;
  const conditions = [
    ...within.list(statement, places),
    ...(keyword === undefined ? [] : [`strpos(search, lower(${statement.value(keyword)})) > 0`]),
    ...equalled.flatMap((name) =>
      filter[name] === undefined ? [] : [`${payableColumns[name]} = ${statement.value(filter[name])}`],
    ),
    ...(pay === undefined ? [] : [`paid_by is ${pay ? "not null" : "null"}`]),
    ...(overdue === undefined
      ? []
      : [`paid_by is null and ${dueDate} < (now() at time zone ${statement.value(zone)})::date`]),
  ];
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

const sortColumns: Readonly<Record<PayableField, string>> = {
  id: "id",
  ...payableColumns,
  realPayAmount: payableColumns.amountFen,
  dueDate,
};

/** A keyword or a due date is compared with every payable, so that is done once; without one the page comes out of an index. */
export function listPayables(
  db: Db,
  filter: PayableFilter,
  order: ListOrder<PayableField>,
): Promise<PageWithTotal<PayableRow>> {
  const statement = startStatement();
  const where = choosePayables(statement, filter);
  const isCostly = filter.keyword !== undefined || filter.overdue !== undefined;
  return listPage(db, statement, { table: "tuition_payment.payable", columns, where, sortColumns, isCostly }, order);
}

/** The payables that pass the filter, newest first, in batches; ending the iteration early frees the cursor. */
export function streamPayables(db: Db, filter: PayableFilter): AsyncIterable<PayableRow[]> {
  const statement = startStatement();
  const where = choosePayables(statement, filter);
  const text = `select ${columns} from tuition_payment.payable ${where} order by id desc`;
  return statement.stream<PayableRow>(db, text, 500);
}

export interface PayLimitRow {
  readonly id: number;
  readonly grade: string;
  readonly gradeName: string;
  readonly enabled: boolean;
}

/** In a scope the grades of its payables. */
export const listPayLimits = async (db: Db, within: Within): Promise<PayLimitRow[]> =>
  db<PayLimitRow[]>`
    select id, grade, grade_name as "gradeName", enabled from tuition_payment.pay_limit
    ${within.isEverywhere ? sql`` : sql`where grade in (select payable.grade from tuition_payment.payable where ${within.holds(places)})`}
    order by grade, id`;

/** False: there is no such row. */
export const setPayLimit = async (tx: Db, id: number, enabled: boolean): Promise<boolean> =>
  (await tx.count`update tuition_payment.pay_limit set enabled = ${enabled} where id = ${id}`) === 1;

/** Gives each grade that has no row one, enabled. Rows are taken in one order, so that two who add cannot wait for each other. */
export async function addGrades(tx: Db, grades: readonly string[]): Promise<void> {
  const sorted = grades.toSorted();
  // As people say it: the year of entry is 2022级, and a grade with a name of its own is called by it.
  const names = sorted.map((grade) => (/^\d{4}$/.test(grade) ? `${grade}级` : grade));
  await tx`
    insert into tuition_payment.pay_limit (grade, grade_name)
    select * from unnest(${sorted}::text[], ${names}::text[]) on conflict (grade) do nothing`;
}

/** Identity cards are compared in capitals: their check digit may be an x. */
export const toStoredIdCard = (idCard: string): string => idCard.toUpperCase();

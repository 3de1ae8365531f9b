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
import { dueDate, isBegun, itemDues, standingAdjustments, type StoredAdjustment } from "./due-store.ts";
import type { PayableField, payableFilter } from "./payable-contract.ts";
import { places } from "./scope-contract.ts";
import { openCard, sealedIdCard, toStoredCard } from "./sealed.ts";

/** A payable is identified by year and student number, or by year and identity card for a new student. */
export const keyColumns = {
  studentNo: column<string | null>("student_no"),
  /** The identity card, or its blind index if the card is sealed. */
  idCard: column<string | null>("id_card"),
  idCardSealed: column<string | null>("id_card_sealed"),
  years: column<string>("years"),
};

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

/**
 * The due date is separate from the other columns, because an import that replaces payables keeps it if the row has
 * none.
 */
export const dueColumn = { dueDate: column<string | null>("due_date") };

export const payableColumns = { ...keyColumns, ...detailColumns, ...dueColumn };

type Given = RowOf<typeof payableColumns>;

export type NewPayable = Omit<Given, "itemNames" | "itemFen" | "idCardSealed"> & {
  readonly items: readonly PayItem[];
};

export const splitItems = (items: readonly PayItem[]): Pick<Given, "itemNames" | "itemFen"> => ({
  itemNames: items.map(({ name }) => name),
  itemFen: items.map(({ amountFen }) => amountFen),
});

const { studentName, grade, ...otherDetails } = detailColumns;
const shown = {
  studentNo: keyColumns.studentNo,
  studentName,
  grade,
  years: keyColumns.years,
  ...otherDetails,
  paidBy: column<"decision" | "orders" | null>("paid_by"),
};

export type StoredPayable = { readonly id: number } & RowOf<typeof shown>;

export interface PayableRow extends StoredPayable {
  /** The due date without deferrals. */
  readonly givenDueDate: string | null;
  readonly itemDueFen: readonly number[];
  readonly dueDate: string | null;
  readonly adjustments: readonly StoredAdjustment[];
}

export const sumDue = ({ itemDueFen }: PayableRow): number => itemDueFen.reduce((sum, fen) => sum + fen, 0);

const stored = `id, ${writeSelected(shown)}`;
// Statements that lock payables do not select these columns: after waiting for a lock, PostgreSQL would return the
// columns as they were before the wait.
const columns = `${stored}, ${itemDues} as "itemDueFen", to_char(${dueDate}, 'YYYY-MM-DD') as "dueDate",
  to_char(payable.due_date, 'YYYY-MM-DD') as "givenDueDate",
  ${standingAdjustments} as adjustments`;

const idCardPlace = bindingOf(sealedIdCard);

// Selects the oldest unpaid payable or, if all are paid, the latest one.
const dueFirst = `
  order by paid_by is not null, case when paid_by is null then years end collate "C", years collate "C" desc limit 1`;

/**
 * Creates a query for payables by card. `$1` is the card as student number; the last parameters are the forms in which
 * it may be stored as identity card. An array of forms would be planned anew each time (176 µs instead of 79 µs). If
 * all cards were stored in one form when last checked, the query first uses only that form, which saves 10 of 62 µs. If
 * nothing is found, the other forms follow, since a process without the key may have stored one of them.
 */
function ofCard<R extends StoredPayable = PayableRow>(
  rest: string,
  others = 0,
  selected = columns,
): (db: Db, card: string, ...values: (string | readonly number[])[]) => Promise<R[]> {
  // The statement texts are kept, since the driver finds a prepared statement faster if the text is the same string
  // object.
  const texts: string[] = [];
  const write = (ways: number): string => {
    const places = Array.from({ length: ways }, (_, way) => `$${2 + others + way}`);
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

export const listDuePayable = ofCard(dueFirst);

/** One statement checks both number and name, so that a wrong name and an unknown number cannot be told apart. */
export const matchDuePayable = ofCard(`and student_name = $2 ${dueFirst}`, 1);

export const listPayablesOfCard = ofCard(`order by years collate "C", id`);

export async function listPayablesById(db: Db, ids: readonly number[], within: Within): Promise<PayableRow[]> {
  const statement = startStatement();
  const where = [`id = any(${statement.value(ids)})`, ...within.list(statement, places)].join(" and ");
  const text = `select ${columns} from tuition_payment.payable where ${where} order by years collate "C", id`;
  return statement.run<PayableRow>(db, text);
}

export const lockOwnPayables = ofCard<StoredPayable>(
  // The array is in a subquery, since PostgreSQL would otherwise plan the statement anew for each length.
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

export const lockPayable = (tx: Db, id: number, within: Within): Promise<StoredPayable | undefined> =>
  findOne<StoredPayable>(tx, id, within, stored, "for update");

export type PayableKey = Omit<RowOf<typeof keyColumns>, "idCardSealed">;

/**
 * Whether another payable has the same identity card and year, unless both have a student number. An advisory lock
 * excludes other writers of this card and year until the transaction ends.
 */
export async function isSameByCard(
  tx: Db,
  id: number | null,
  { studentNo, idCard, years }: PayableKey,
): Promise<boolean> {
  if (idCard === null) return false;
  await tx`select pg_advisory_xact_lock(hashtextextended(${`payable of ${idCard} in ${years}`}, 0))`;
  // All stored forms of the card are compared, since the unique key detects duplicates only of the same form.
  const same = await tx.count`
    select from tuition_payment.payable
    where id_card = any(${tx.keys.lookupTerms(idCardPlace, idCard)}) and years = ${years} and id is distinct from ${id}
      and (student_no is null or ${studentNo === null}) limit 1`;
  return same > 0;
}

export async function findKey(tx: Db, id: number): Promise<PayableKey | undefined> {
  const [row] = await tx<RowOf<typeof keyColumns>[]>`
    select ${sql.raw(writeSelected(keyColumns))} from tuition_payment.payable where id = ${id}`;
  if (!row) return undefined;
  const { idCardSealed, ...key } = row;
  return { ...key, idCard: openCard(tx.keys, { idCard: key.idCard, idCardSealed }) };
}

const insert = compileInsert("tuition_payment.payable", payableColumns);

export const insertPayable = (tx: Db, { items, ...payable }: NewPayable): Promise<number> =>
  insert(tx, { ...payable, ...toStoredCard(tx.keys, payable.idCard), ...splitItems(items) });

export type PayableChange = { readonly [K in keyof NewPayable]?: NewPayable[K] | undefined };

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

export type PayableFilter = z.output<typeof payableFilter> & { readonly within: Within; readonly zone: string };

const equalled = ["grade", "years", "collegeName", "majorName", "className"] as const;

const states = {
  due: "paid_by is null",
  unpaid: `paid_by is null and not (${isBegun})`,
  partly: `paid_by is null and ${isBegun}`,
  paid: "paid_by is not null",
} as const;

export function choosePayables(statement: Statement, filter: PayableFilter): string {
  const { keyword, pay, state, overdue, zone, within } = filter;
  const conditions = [
    ...within.list(statement, places),
    ...(keyword === undefined ? [] : [`strpos(search, lower(${statement.value(keyword)})) > 0`]),
    ...equalled.flatMap((name) =>
      filter[name] === undefined ? [] : [`${payableColumns[name]} = ${statement.value(filter[name])}`],
    ),
    ...(pay === undefined ? [] : [`paid_by is ${pay ? "not null" : "null"}`]),
    ...(state === undefined ? [] : [states[state]]),
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

/**
 * A filter by keyword or due date has no index and scans all payables, so the page and the total then share one scan.
 * Other pages use an index.
 */
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

export const listPayLimits = async (db: Db, within: Within): Promise<PayLimitRow[]> =>
  db<PayLimitRow[]>`
    select id, grade, grade_name as "gradeName", enabled from tuition_payment.pay_limit
    ${within.isEverywhere ? sql`` : sql`where grade in (select payable.grade from tuition_payment.payable where ${within.holds(places)})`}
    order by grade, id`;

export const setPayLimit = async (tx: Db, id: number, enabled: boolean): Promise<boolean> =>
  (await tx.count`update tuition_payment.pay_limit set enabled = ${enabled} where id = ${id}`) === 1;

/** The grades are inserted in sorted order, so that concurrent calls cannot deadlock. */
export async function addGrades(tx: Db, grades: readonly string[]): Promise<void> {
  const sorted = grades.toSorted();
  // A grade of four digits is a year of entry and is shown as, for example, 2022级; other grades keep their names.
  const names = sorted.map((grade) => (/^\d{4}$/.test(grade) ? `${grade}级` : grade));
  await tx`
    insert into tuition_payment.pay_limit (grade, grade_name)
    select * from unnest(${sorted}::text[], ${names}::text[]) on conflict (grade) do nothing`;
}

/** The check digit may be an x, so the card is stored in upper case. */
export const toStoredIdCard = (idCard: string): string => idCard.toUpperCase();

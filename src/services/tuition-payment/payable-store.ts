import type { ListOrder } from "#platform/contract/sorting.ts";
import { type Counted, toCounted, type Db, sql, startStatement, type Statement } from "#platform/database/index.ts";
import type { PayableField } from "./payable-contract.ts";
import type { PayItem } from "./items.ts";
import { type PaidBy, toStoredIdCard } from "./rules.ts";

/** What a student has to pay in one charging year. */
export interface NewPayable {
  /** Of new students there is none yet; then there is an identity card. */
  readonly studentNo: string | null;
  readonly idCard: string | null;
  readonly studentName: string;
  readonly grade: string;
  readonly years: string;
  readonly collegeName: string;
  readonly majorName: string;
  readonly className: string;
  readonly amountFen: number;
  readonly items: readonly PayItem[];
}

/** A payable as it is read; the identity card is not among it. */
export interface PayableRow extends Omit<NewPayable, "idCard" | "items"> {
  readonly id: number;
  readonly itemNames: readonly string[];
  readonly itemFen: readonly number[];
  readonly paidBy: PaidBy;
}

const columns = `
  id, student_no as "studentNo", student_name as "studentName", grade, years, college_name as "collegeName",
  major_name as "majorName", class_name as "className", amount_fen as "amountFen", item_names as "itemNames",
  item_fen as "itemFen", paid_by as "paidBy"`;

// Two indexes, of which each finds a handful of rows.
const ofCard = `(student_no = $1 or id_card = $2)`;

// One at a time of what is unpaid, oldest first; when nothing is, the latest.
const dueFirst = `
  order by paid_by is not null, case when paid_by is null then years end collate "C", years collate "C" desc limit 1`;

const run = <T extends object>(db: Db, text: string, values: readonly string[]) => db.query<T>(text, [...values]);

// Put together once: a text that is made anew must be compared with the prepared ones letter by letter.
const selectDue = `select ${columns} from tuition_payment.payable where ${ofCard} ${dueFirst}`;
const selectMatching = `select ${columns} from tuition_payment.payable where ${ofCard} and student_name = $3 ${dueFirst}`;

const lockOwn = `select ${columns} from tuition_payment.payable where ${ofCard} and id = any($3) order by id for update`;

/** The payable that is due of whoever has the card; found by student number or identity card number. */
export async function findDuePayable(db: Db, card: string): Promise<PayableRow | undefined> {
  const [row] = await run<PayableRow>(db, selectDue, [card, toStoredIdCard(card)]);
  return row;
}

/**
 * The payable that is due of the student with that number and name. One statement with both, so that a wrong name and an
 * unknown number are the same miss.
 */
export async function matchDuePayable(db: Db, number: string, name: string): Promise<PayableRow | undefined> {
  const [row] = await run<PayableRow>(db, selectMatching, [number, toStoredIdCard(number), name]);
  return row;
}

/** All payables of whoever has the card, oldest charging year first. */
export async function listPayablesOfCard(db: Db, card: string): Promise<PayableRow[]> {
  const text = `select ${columns} from tuition_payment.payable where ${ofCard} order by years collate "C", id`;
  return run<PayableRow>(db, text, [card, toStoredIdCard(card)]);
}

/** Those of the payables that are whoever's has the card; nobody else can change them until the transaction ends. */
export async function lockOwnPayables(tx: Db, card: string, ids: readonly number[]): Promise<PayableRow[]> {
  return tx.query<PayableRow>(lockOwn, [card, toStoredIdCard(card), [...ids]]);
}

export async function findPayable(db: Db, id: number): Promise<PayableRow | undefined> {
  const [row] = await db.query<PayableRow>(`select ${columns} from tuition_payment.payable where id = $1`, [id]);
  return row;
}

/** Those of the payables that are paid. */
export async function listPaidPayables(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select id from tuition_payment.payable where id = any(${ids}) and paid_by is not null order by id`;
  return rows.map(({ id }) => id);
}

/** The payable, which nobody else can change until the transaction ends. */
export async function lockPayable(tx: Db, id: number): Promise<PayableRow | undefined> {
  const text = `select ${columns} from tuition_payment.payable where id = $1 for update`;
  const [row] = await tx.query<PayableRow>(text, [id]);
  return row;
}

const namesOf = (items: readonly PayItem[]): string[] => items.map(({ name }) => name);
const fenOf = (items: readonly PayItem[]): number[] => items.map(({ amountFen }) => amountFen);

/** Which payable a name and a year are those of. */
export interface PayableKey {
  readonly studentNo: string | null;
  readonly idCard: string | null;
  readonly years: string;
}

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
  const rows = await tx`
    select 1 from tuition_payment.payable
    where id_card = ${idCard} and years = ${years} and id is distinct from ${id}
      and (student_no is null or ${studentNo === null}) limit 1`;
  return rows.length > 0;
}

/** The payable's names and year, after the row was locked. */
export async function findKey(tx: Db, id: number): Promise<PayableKey | undefined> {
  const [row] = await tx<PayableKey[]>`
    select student_no as "studentNo", id_card as "idCard", years from tuition_payment.payable where id = ${id}`;
  return row;
}

/** Stores a payable and returns its id. A second one of the student and year breaks payable_student_year_key. */
export async function insertPayable(tx: Db, payable: NewPayable): Promise<number> {
  const [row] = await tx<{ id: number }[]>`
    insert into tuition_payment.payable (student_no, id_card, student_name, grade, years, college_name, major_name,
      class_name, amount_fen, item_names, item_fen)
    values (${payable.studentNo}, ${payable.idCard}, ${payable.studentName}, ${payable.grade}, ${payable.years},
      ${payable.collegeName}, ${payable.majorName}, ${payable.className}, ${payable.amountFen},
      ${namesOf(payable.items)}, ${fenOf(payable.items)})
    returning id`;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

export type PayableChange = { readonly [K in keyof NewPayable]?: NewPayable[K] | undefined };

/** Changes what is given and keeps the rest. */
export async function updatePayable(tx: Db, id: number, change: PayableChange): Promise<void> {
  const { items } = change;
  await tx`
    update tuition_payment.payable set
      student_no = case when ${change.studentNo !== undefined} then ${change.studentNo ?? null} else student_no end,
      id_card = coalesce(${change.idCard ?? null}, id_card),
      student_name = coalesce(${change.studentName ?? null}, student_name),
      grade = coalesce(${change.grade ?? null}, grade),
      years = coalesce(${change.years ?? null}, years),
      college_name = coalesce(${change.collegeName ?? null}, college_name),
      major_name = coalesce(${change.majorName ?? null}, major_name),
      class_name = coalesce(${change.className ?? null}, class_name),
      amount_fen = coalesce(${change.amountFen ?? null}, amount_fen),
      item_names = coalesce(${items ? namesOf(items) : null}, item_names),
      item_fen = coalesce(${items ? fenOf(items) : null}, item_fen),
      updated_at = now()
    where id = ${id}`;
}

export async function deletePayable(tx: Db, id: number): Promise<void> {
  await tx`delete from tuition_payment.payable where id = ${id}`;
}

/** Records that somebody has decided that the payable is paid, or is not. */
export async function decidePayable(tx: Db, id: number, isPaid: boolean): Promise<void> {
  await tx`
    update tuition_payment.payable set paid_by = ${isPaid ? "decision" : null}, paid_at = ${isPaid ? sql`now()` : null},
      updated_at = now()
    where id = ${id}`;
}

export interface PayableFilter {
  readonly keyword?: string | undefined;
  readonly grade?: string | undefined;
  readonly years?: string | undefined;
  readonly isPaid?: boolean | undefined;
}

function toConditions(statement: Statement, { keyword, grade, years, isPaid }: PayableFilter): string {
  const conditions = [
    ...(keyword === undefined ? [] : [`strpos(search, lower(${statement.value(keyword)})) > 0`]),
    ...(grade === undefined ? [] : [`grade = ${statement.value(grade)}`]),
    ...(years === undefined ? [] : [`years = ${statement.value(years)}`]),
    ...(isPaid === undefined ? [] : [`paid_by is ${isPaid ? "not null" : "null"}`]),
  ];
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

const sortColumns: Readonly<Record<PayableField, string>> = {
  id: "id",
  studentNo: "student_no",
  studentName: "student_name",
  grade: "grade",
  years: "years",
  collegeName: "college_name",
  majorName: "major_name",
  className: "class_name",
  realPayAmount: "amount_fen",
};

/**
 * One page and the exact total, out of one snapshot. A keyword is compared with every payable, so that is done once, and
 * only what the order needs of the hits is kept; without one the page comes out of an index.
 */
export async function listPayables(
  db: Db,
  filter: PayableFilter,
  { field, descending, offset, limit }: ListOrder<PayableField>,
): Promise<Counted<PayableRow>> {
  const statement = startStatement();
  const hits = `select id, ${sortColumns[field]} as place from tuition_payment.payable ${toConditions(statement, filter)}`;
  const direction = descending ? "desc" : "asc";
  const order = field === "id" ? `order by id ${direction}` : `order by place ${direction}, id ${direction}`;
  const rows = await statement.run<PayableRow & { totalCount: number }>(
    db,
    `with hit as ${filter.keyword === undefined ? "not materialized" : "materialized"} (${hits}),
       total as (select count(*) as count from hit),
       page as (select * from hit ${order} limit ${statement.value(limit)} offset ${statement.value(offset)})
     select total.count as "totalCount", ${columns}
     from total left join (page join tuition_payment.payable using (id)) on true ${order}`,
  );
  return toCounted(rows);
}

/** The payables that pass the filter, newest first, in batches; ending the iteration early frees the cursor. */
export function streamPayables(db: Db, filter: PayableFilter, batchRows: number): AsyncIterable<PayableRow[]> {
  const statement = startStatement();
  const where = toConditions(statement, filter);
  const text = `select ${columns} from tuition_payment.payable ${where} order by id desc`;
  return statement.stream<PayableRow>(db, text, batchRows);
}

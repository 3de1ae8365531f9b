import { type Db, type Fragment } from "#platform/database.ts";
import type { DailyRow, DailySlot, EmployeeMonth, MonthRow, PunchRow } from "./model.ts";
import type { MonthState } from "./month-store.ts";
import { type PackedPunches, packPunches, unpackPunches } from "./packed-punches.ts";

// What the sheets say of the employees of a month, for whom the people of the other sheets are joined.

/** Rows of the month sheet, both inclusive. */
export interface RowSpan {
  readonly firstRow: number;
  readonly lastRow: number;
}

export const everyRow: RowSpan = { firstRow: 1, lastRow: 2 ** 31 - 1 };

// Of more at once, what is read of them outlives the collector's first round; of fewer, there are more questions to ask.
const employeesAtOnce = 50;

/** All that the sheets say of the employees of some rows, a few employees at a time. */
export async function* streamInputs(
  db: Db,
  state: MonthState,
  rows: RowSpan = everyRow,
): AsyncGenerator<EmployeeMonth[]> {
  for (let { firstRow } = rows; ;) {
    const summaries = await listEmployees(db, state.monthImport, { firstRow, lastRow: rows.lastRow });
    if (summaries.length === 0) return;
    yield listInputs(db, state, summaries);
    firstRow = (summaries.at(-1)?.row ?? 0) + 1;
  }
}

async function listInputs(
  db: Db,
  { month, monthImport, originalImport, workImport }: MonthState,
  summaries: readonly MonthRow[],
): Promise<EmployeeMonth[]> {
  const rows = summaries.map(({ row }) => row);
  const [daily, punches, idCards] = await Promise.all([
    listDaily(db, month, monthImport, rows),
    listPunches(db, month, originalImport, rows),
    listIdCards(db, month, workImport, rows),
  ]);
  return summaries.map((summary) => ({
    month,
    summary,
    daily: daily.get(summary.row) ?? [],
    punches: punches.get(summary.row) ?? [],
    idCard: idCards.get(summary.row) ?? "",
  }));
}

/** The first employees of some rows of a month sheet. */
async function listEmployees(db: Db, importId: number | null, { firstRow, lastRow }: RowSpan): Promise<MonthRow[]> {
  return db<MonthRow[]>`
    select row, name, user_id as "userId", work_number as "workNumber", group_name as "group", department, copied, days
    from attendance.employee where import_id = ${importId} and row between ${firstRow} and ${lastRow} order by row limit ${employeesAtOnce}`;
}

// As one text an employee the rows take half of the process's time that they take as records. The separators are
// characters that no workbook can hold; from a CSV they are blanked.
const between = "\u001f";
const after = "\u001e";
const clean = (db: Db, column: Fragment) => db`translate(${column}, ${between + after}, '  ')`;

/**
 * The rows of another sheet that are about the employees. Each person's are looked up by the index, whatever the
 * statistics say (`offset 0` leaves the planner no choice): before PostgreSQL has seen the newest import it takes it for
 * empty and begins with its million rows, once for every batch of employees.
 */
const joinedRows = (
  db: Db,
  table: "daily" | "punch" | "identity",
  { month, importId, employees }: { month: string; importId: number | null; employees: readonly number[] },
) => db`
  attendance.match cross join lateral (
    select user_id, work_number, name from attendance.person
    where person.import_id = match.import_id and person.person = match.person offset 0) as person
  cross join lateral (
    select * from ${db(`attendance.${table}`)} as found
    where found.import_id = match.import_id and found.user_id = person.user_id and found.work_number = person.work_number
      and found.name = person.name offset 0) as ${db(table)}
  where month = ${month} and match.import_id = ${importId} and employee = any(${employees}::int[])`;

/** What the daily sheet says of the employees, by the employee's row number. */
async function listDaily(
  db: Db,
  month: string,
  importId: number | null,
  employees: readonly number[],
): Promise<Map<number, DailyRow[]>> {
  const packed = await db<{ employee: number; rows: string }[]>`
    select employee, string_agg(concat_ws(${between}, daily.row, day - date '1970-01-01', ${clean(db, db`shift`)}, slots), ${after} order by daily.row) as rows
    from ${joinedRows(db, "daily", { month, importId, employees })} group by employee`;
  return new Map(packed.map(({ employee, rows }) => [employee, rows.split(after).map(toDailyRow)]));
}

function toDailyRow(text: string): DailyRow {
  const [row, day, shift = "", slots = "[]"] = text.split(between);
  return { row: Number(row), day: Number(day), shift, slots: JSON.parse(slots) as DailySlot[] };
}

/** The raw punches of the employees, likewise, in no order. */
async function listPunches(
  db: Db,
  month: string,
  importId: number | null,
  employees: readonly number[],
): Promise<Map<number, PunchRow[]>> {
  const groups = await db<PackedPunches[]>`
    select result collate "C" as result, address collate "C" as address, ${packPunches(db)} as packed
    from ${joinedRows(db, "punch", { month, importId, employees })}
    group by result collate "C", address collate "C"`;
  const punches = new Map<number, PunchRow[]>(employees.map((row) => [row, []]));
  for (const group of groups) unpackPunches(group, punches);
  return punches;
}

/** Identity cards, likewise; of several the first in the sheet. */
async function listIdCards(
  db: Db,
  month: string,
  importId: number | null,
  employees: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db<{ employee: number; idCard: string }[]>`
    select distinct on (employee) employee, id_card as "idCard"
    from ${joinedRows(db, "identity", { month, importId, employees })}
    order by employee, identity.row`;
  return new Map(rows.map(({ employee, idCard }) => [employee, idCard]));
}

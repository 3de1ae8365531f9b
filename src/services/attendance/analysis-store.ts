import type { Db, Fragment } from "#platform/database.ts";
import type { Bilingual } from "#platform/language.ts";
import type { AnalysisSettings, DailyRow, DailySlot, MonthRow, Person, PunchRow } from "./model.ts";
import { readNumbers, writeDay, writeMinute } from "./packed-numbers.ts";

// An analysis is a run with a number. It has parts of employees; a part's results, and that it is done, become true in
// one transaction, so a part may be tried by anybody, any number of times.

/** Somebody whom the rows of a sheet are about. */
export interface SheetPerson extends Person {
  readonly person: number;
  readonly rows: number;
}

export interface Part {
  readonly part: number;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly employees: number;
}

export interface Result extends Person {
  readonly row: number;
  readonly group: string;
  readonly department: string;
  readonly data: object;
  readonly warnings: readonly Bilingual[];
}

/** Begins a run in place of any other. The month must be locked. */
export async function beginRun(tx: Db, month: string, settings: AnalysisSettings): Promise<number> {
  const [row] = await tx<{ run: number }[]>`
    update attendance.month set statu = 1, run = nextval('attendance.run'), settings = ${tx.json(settings as never)}, parts = null, warnings = '[]',
      analysed_at = null
    where month = ${month} returning run`;
  for (const table of ["result", "match", "part"])
    await tx`delete from ${tx(`attendance.${table}`)} where month = ${month}`;
  if (!row) throw new Error("there is no such month");
  return row.run;
}

const claimKey = (run: number, part: number | "join"): string => `attendance ${run}/${part}`;

/** Waits until nobody else is at that part of the run. The claim ends with the transaction, however that ends. */
export async function claim(tx: Db, run: number, part: number | "join"): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${claimKey(run, part)}, 0))`;
}

export async function listPeople(db: Db, importId: number | null): Promise<SheetPerson[]> {
  return db<SheetPerson[]>`
    select person, name, user_id as "userId", work_number as "workNumber", rows from attendance.person
    where import_id = ${importId} order by person`;
}

/** The employees of a month sheet, by the sheet's own row numbers. */
export async function listEmployees(
  db: Db,
  importId: number | null,
  { firstRow, lastRow }: Pick<Part, "firstRow" | "lastRow">,
): Promise<MonthRow[]> {
  return db<MonthRow[]>`
    select row, name, user_id as "userId", work_number as "workNumber", group_name as "group", department, copied, days
    from attendance.employee where import_id = ${importId} and row between ${firstRow} and ${lastRow} order by row`;
}

export const everyRow = { firstRow: 1, lastRow: 2 ** 31 - 1 } as const;

/** Everybody of a month sheet, without the columns. */
export async function listEmployeeNames(db: Db, importId: number | null): Promise<(Person & { row: number })[]> {
  return db<(Person & { row: number })[]>`
    select row, name, user_id as "userId", work_number as "workNumber" from attendance.employee where import_id = ${importId} order by row`;
}

/** Notes which employee each person of a sheet is. */
export async function insertMatches(
  tx: Db,
  month: string,
  importId: number,
  pairs: readonly { person: number; employee: number }[],
): Promise<void> {
  await tx`
    insert into attendance.match (month, import_id, person, employee)
    select ${month}, ${importId}, person, employee
    from unnest(${pairs.map(({ person }) => person)}::int[], ${pairs.map(({ employee }) => employee)}::int[]) as pairs (person, employee)`;
}

/** Cuts the run into parts, which nobody has done yet. */
export async function insertParts(
  tx: Db,
  month: string,
  run: number,
  parts: readonly Part[],
  warnings: readonly Bilingual[],
): Promise<void> {
  for (const { part, firstRow, lastRow, employees } of parts) {
    await tx`
      insert into attendance.part (run, part, month, first_row, last_row, employees)
      values (${run}, ${part}, ${month}, ${firstRow}, ${lastRow}, ${employees})`;
  }
  await tx`update attendance.month set parts = ${parts.length}, warnings = ${tx.json(warnings)} where month = ${month}`;
}

export async function findOpenPart(db: Db, run: number, part: number): Promise<Part | undefined> {
  const [row] = await db<Part[]>`
    select part, first_row as "firstRow", last_row as "lastRow", employees from attendance.part where run = ${run} and part = ${part} and not done`;
  return row;
}

/** Rows of the month sheet, both inclusive. */
export type RowSpan = Pick<Part, "firstRow" | "lastRow">;

/** What the daily sheet says of the employees, by the employee's row number. Its rows carry the employee's own names. */
export async function listDaily(
  db: Db,
  month: string,
  importId: number | null,
  employees: readonly MonthRow[],
): Promise<Map<number, DailyRow[]>> {
  const packed = await db<PackedRows[]>`
    select employee, string_agg(concat_ws(${between}, daily.row, day, ${clean(db, db`shift`)}, slots), ${after} order by daily.row) as rows
    from attendance.match join attendance.person using (import_id, person)
      join attendance.daily using (import_id, user_id, work_number, name)
    where month = ${month} and import_id = ${importId} and employee = any(${employees.map(({ row }) => row)}::int[]) group by employee`;
  return unpack(
    packed,
    employees,
    ([row, day = "", shift = "", slots = "[]"], { name, userId, workNumber }): DailyRow => ({
      row: Number(row),
      name,
      userId,
      workNumber,
      day,
      shift,
      slots: JSON.parse(slots) as DailySlot[],
    }),
  );
}

/** The raw punches of the employees, likewise, in no order. */
export async function listPunches(
  db: Db,
  month: string,
  importId: number | null,
  employees: readonly MonthRow[],
): Promise<Map<number, PunchRow[]>> {
  const people = new Map(employees.map((employee) => [employee.row, employee]));
  const punches = new Map<number, PunchRow[]>(employees.map(({ row }) => [row, []]));
  const packed = await db<PackedPunches[]>`
    select employee, result collate "C" as result, address collate "C" as address,
      string_agg(concat(punch.row, ',', day - ${epoch}::date, ',', ${toMinutes(db, db`scheduled`)}, ',', ${toMinutes(db, db`time`)}), ',') as numbers
    from attendance.match join attendance.person using (import_id, person)
      join attendance.punch using (import_id, user_id, work_number, name)
    where month = ${month} and import_id = ${importId} and employee = any(${[...people.keys()]}::int[])
    group by employee, result collate "C", address collate "C"`;
  for (const group of packed) {
    const [person, found] = [people.get(group.employee), punches.get(group.employee)];
    if (person && found) unpackPunches(group, person, found);
  }
  return punches;
}

// A month has a million punches, with few different results and addresses. So they come by these, as numbers, which
// takes PostgreSQL half of the time that a text for each takes, and this process a third.
interface PackedPunches {
  readonly employee: number;
  readonly result: string;
  readonly address: string;
  /** Row, day, scheduled and punched minute of each in turn; nothing stands for no minute. */
  readonly numbers: string;
}

const epoch = "1970-01-01";
const toMinutes = (db: Db, column: Fragment) => db`floor(date_part('epoch', ${column}) / 60)::bigint`;

function unpackPunches(
  { result, address, numbers }: PackedPunches,
  { name, userId, workNumber }: Person,
  found: PunchRow[],
): void {
  const values = readNumbers(numbers);
  for (let at = 0; at < values.length; at += 4) {
    const [row, days, scheduled, time] = [values[at] ?? 0, values[at + 1] ?? 0, values[at + 2], values[at + 3]];
    found.push({
      row,
      name,
      userId,
      workNumber,
      day: writeDay(days),
      scheduled: writeMinute(scheduled ?? null),
      time: writeMinute(time ?? null),
      result,
      address,
    });
  }
}
// As one text an employee the rows take half of the process's time that they take as records. The separators are
// characters that no workbook can hold; from a CSV they are blanked.
const between = "\u001f";
const after = "\u001e";
const clean = (db: Db, column: Fragment) => db`translate(${column}, ${between + after}, '  ')`;

interface PackedRows {
  readonly employee: number;
  readonly rows: string;
}

function unpack<Row>(
  packed: readonly PackedRows[],
  employees: readonly MonthRow[],
  read: (values: string[], person: Person) => Row,
): Map<number, Row[]> {
  const people = new Map(employees.map((employee) => [employee.row, employee]));
  return new Map(
    packed.map(({ employee, rows }) => {
      const person = people.get(employee) ?? { name: "", userId: "", workNumber: "" };
      return [employee, rows.split(after).map((row) => read(row.split(between), person))];
    }),
  );
}

/** Identity cards by the employee's row number; of several the first in the sheet. */
export async function listIdCards(
  db: Db,
  month: string,
  importId: number | null,
  employees: readonly MonthRow[],
): Promise<Map<number, string>> {
  const rows = await db<{ employee: number; idCard: string }[]>`
    select distinct on (employee) employee, id_card as "idCard"
    from attendance.match join attendance.person using (import_id, person)
      join attendance.identity using (import_id, user_id, work_number, name)
    where month = ${month} and import_id = ${importId} and employee = any(${employees.map(({ row }) => row)}::int[])
    order by employee, identity.row`;
  return new Map(rows.map(({ employee, idCard }) => [employee, idCard]));
}

/** Stores a part's results and marks it done; the month, which must be locked, is finished with its last part. */
export async function finishPart(
  tx: Db,
  month: string,
  run: number,
  part: number,
  results: readonly Result[],
): Promise<void> {
  const rows = results.map(({ row, name, userId, workNumber, group, department, data, warnings }) => ({
    month,
    row,
    name,
    user_id: userId,
    work_number: workNumber,
    group_name: group,
    department,
    data: data as never,
    warnings: warnings as never,
  }));
  if (rows.length > 0) await tx`insert into attendance.result ${tx(rows)}`;
  await tx`update attendance.part set done = true where run = ${run} and part = ${part}`;
  await closeRun(tx, month, run);
}

/** Finishes the month when every part of the run is done. */
export async function closeRun(tx: Db, month: string, run: number): Promise<void> {
  await tx`
    update attendance.month set statu = 2, analysed_at = now()
    where month = ${month} and parts = (select count(*) from attendance.part where part.run = ${run} and done)`;
}

/** Gives a run up; a part that succeeds later changes nothing any more. */
export async function failRun(db: Db, month: string, run: number, reason: Bilingual): Promise<void> {
  await db`update attendance.month set statu = 3, run = null, warnings = ${db.json([reason] as never)} where month = ${month} and run = ${run}`;
}

/**
 * Gives up the runs of which no job is left that could finish them: where the last try of a part ended with its process,
 * nobody was left to say so. In one statement, since a job goes only after what it did has become true.
 */
export async function failLostRuns(
  db: Db,
  { joinTask, partTask }: { readonly joinTask: string; readonly partTask: string },
  reason: Bilingual,
): Promise<void> {
  await db`
    update attendance.month set statu = 3, run = null, warnings = ${db.json([reason] as never)}
    where statu = 1 and not exists (
      select from graphile_worker.jobs
      where (key = ${joinTask} || '-' || run or key like ${partTask} || '-' || run || '-%')
        and (locked_at is not null or attempts < max_attempts))`;
}

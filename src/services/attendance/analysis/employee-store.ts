import { type Db, type Fragment, sql, Within } from "#platform/database/index.ts";
import { spansOf } from "#services/attendance/days.ts";
import { isClocked } from "./rules-missing.ts";
import { findCorrections, listStanding } from "#services/attendance/corrections/store.ts";
import { composeEmployee, type Composition } from "#services/attendance/figures.ts";
import type {
  DailyRow,
  DailySlot,
  Minute,
  PunchMark,
  PunchRow,
  SourceRow,
  Span,
  Summary,
} from "#services/attendance/model.ts";
import type { EmployeeMonth } from "#services/attendance/employee-month.ts";
import { type MonthState, readBasis } from "#services/attendance/month-store.ts";
import { openImported } from "#services/attendance/stored-rows.ts";

// In larger batches, rows survive the garbage collector's young generation, which costs time. Smaller batches need more
// round trips.
const employeesAtOnce = 50;

export async function* streamInputs(
  db: Db,
  state: MonthState,
  { first, last } = { first: 1, last: 2 ** 31 - 1 },
): AsyncGenerator<EmployeeMonth[]> {
  const { month, spans, workImport } = state;
  const [basis, standing] = await Promise.all([readBasis(db, state), listStanding(db, month, Within.everywhere)]);
  const correctionsOf = findCorrections(standing);
  for (let next = first; ;) {
    const summaries = await listEmployees(db, basis, next, last);
    if (summaries.length === 0) return;
    const employees = summaries.map(({ employee }) => employee);
    const [daily, punches, idCards] = await Promise.all([
      listDaily(db, { month, employees, spans: spansOf(spans, "daily") }),
      listPunches(db, { month, employees, spans: spansOf(spans, "original") }),
      listIdCards(db, { month, employees }, workImport),
    ]);
    yield summaries.map((summary) => ({
      basis,
      summary,
      daily: daily.get(summary.employee) ?? [],
      punches: punches.get(summary.employee) ?? [],
      idCard: idCards.get(summary.employee) ?? "",
      corrections: correctionsOf(summary),
    }));
    next = (summaries.at(-1)?.employee ?? 0) + 1;
  }
}

async function listEmployees(db: Db, basis: Composition, first: number, last: number): Promise<Summary[]> {
  const rows = await db<(Omit<Summary, "copied" | "days" | "sources"> & SourceRow)[]>`
    select employee, name, user_id as "userId", work_number as "workNumber", group_name as "group", department,
      source.import_id as "importId", source.row, copied, days
    from (
        select * from attendance.roster where month = ${basis.month} and employee between ${first} and ${last}
        order by employee limit ${employeesAtOnce}) as roster
      cross join lateral unnest(imports, rows) with ordinality as source (import_id, row, place)
      cross join lateral (
        select copied, days from attendance.employee
        where employee.import_id = source.import_id and employee.row = source.row offset 0) as found
    order by employee, place`;
  return [...Map.groupBy(rows, ({ employee }) => employee).values()].flatMap((sources) => {
    const [who] = sources;
    if (!who) return [];
    const { employee, name, userId, workNumber, group, department } = who;
    return composeEmployee({ employee, name, userId, workNumber, group, department }, sources, basis);
  });
}

// The rows of an employee arrive as one text, which halves the time that this process needs. Only the name of a shift
// that was read from CSV can contain a separator, so the query replaces separators in the name with blanks.
const between = "\u001f";
const after = "\u001e";

interface Asked {
  readonly month: string;
  readonly employees: readonly number[];
}

interface AskedDays extends Asked {
  readonly spans: readonly Span[];
}

/**
 * `offset 0` forces an index lookup per person. Before ANALYZE, PostgreSQL considers the newest import empty and would
 * scan its million rows for every batch.
 */
const joinedRows = (table: "daily" | "punch", { month, employees, spans }: AskedDays): Fragment => sql`
  unnest(${spans.map(({ importId }) => importId)}::bigint[], ${spans.map(({ firstDay }) => firstDay)}::int[],
      ${spans.map(({ lastDay }) => lastDay)}::int[]) as span (import_id, first_day, last_day)
  cross join lateral (${matchedPeople({ month, employees }, sql`span.import_id`)}) as person
  cross join lateral (
    select * from ${sql.identifier(`attendance.${table}`)} as found
    where found.import_id = span.import_id and found.user_id = person.user_id and found.work_number = person.work_number
      and found.name = person.name and found.group_name = person.group_name
      and day between date '1970-01-01' + span.first_day and date '1970-01-01' + span.last_day offset 0) as ${sql.identifier(table)}`;

const matchedPeople = ({ month, employees }: Asked, importId: Fragment): Fragment => sql`
  select employee, user_id, work_number, name, group_name
  from (
      select employee, person from attendance.match
      where month = ${month} and match.import_id = ${importId} and employee = any(${[...employees]}::int[]) offset 0) as match
    cross join lateral (
      select user_id, work_number, name, group_name from attendance.person
      where person.import_id = ${importId} and person.person = match.person offset 0) as person
  offset 0`;

async function listDaily(db: Db, asked: AskedDays): Promise<Map<number, DailyRow[]>> {
  const packed = await db<{ employee: number; rows: string }[]>`
    select employee, string_agg(concat_ws(${between}, daily.row, day - date '1970-01-01', translate(shift, ${between + after}, '  '), absent::int, coalesce(counted, ''), slots),
      ${after} order by day, daily.row) as rows
    from ${joinedRows("daily", asked)} group by employee`;
  return new Map(packed.map(({ employee, rows }) => [employee, rows.split(after).map((text) => new PackedDay(text))]));
}

const doubtful = /请假|打卡无效|缺卡|未打卡/;

/** The slots are parsed on demand, since nine days in ten never need them. */
class PackedDay implements DailyRow {
  readonly row: number;
  readonly day: number;
  readonly shift: string;
  readonly isAbsent: boolean;
  readonly counted: string;
  readonly #packed: string;
  #slots: DailySlot[] | undefined;

  constructor(text: string) {
    const [row, day, shift = "", absent, counted = "", slots = "[]"] = text.split(between);
    this.row = Number(row);
    this.day = Number(day);
    this.shift = shift;
    this.isAbsent = absent === "1";
    this.counted = counted;
    this.#packed = slots;
  }

  get hasClock(): boolean {
    if (!this.#packed.includes('"time":"')) return false;
    return !doubtful.test(this.#packed) || isClocked(this.slots);
  }

  get isShort(): boolean {
    return this.#packed.includes("缺卡");
  }

  get slots(): DailySlot[] {
    return (this.#slots ??= JSON.parse(this.#packed) as DailySlot[]);
  }
}

async function listPunches(db: Db, asked: AskedDays): Promise<Map<number, PunchRow[]>> {
  const groups = await db<(PunchMark & { readonly packed: string })[]>`
    select result collate "C" as result, address collate "C" as address, ${packPunches} as packed
    from ${joinedRows("punch", asked)}
    group by result collate "C", address collate "C"`;
  const punches = new Map<number, PunchRow[]>(asked.employees.map((employee) => [employee, []]));
  for (const { result, address, packed } of groups) {
    const mark: PunchMark = { result, address };
    const bytes = Buffer.from(packed, "base64");
    for (let at = 0; at < bytes.length; at += punchBytes) {
      punches.get(bytes.readInt32BE(at))?.push({
        row: bytes.readInt32BE(at + 4),
        day: bytes.readInt32BE(at + 8) + firstDay,
        scheduled: readMinute(bytes, at + 12),
        time: readMinute(bytes, at + 20),
        mark,
      });
    }
  }
  return punches;
}

async function listIdCards(db: Db, asked: Asked, importId: number | null): Promise<Map<number, string>> {
  const rows = await db<{ employee: number; idCard: string }[]>`
    select distinct on (employee) employee, id_card as "idCard"
    from (${matchedPeople(asked, sql`${importId}::bigint`)}) as person
      cross join lateral (
        select * from attendance.identity as found
        where found.import_id = ${importId} and found.user_id = person.user_id and found.work_number = person.work_number
          and found.name = person.name offset 0) as identity
    order by employee, identity.row`;
  return new Map(rows.map(({ employee, idCard }) => [employee, openImported(db.keys, idCard)]));
}

// A month has a million punches but few distinct results and addresses, so punches are grouped by result and address.
// Each punch is packed as 28 bytes of PostgreSQL's binary form in base64; writing numbers as text took PostgreSQL twice
// as long.

// The employee, the row and the day take 4 bytes each, the scheduled and the actual time 8 bytes each. An infinite time
// stands for a missing one.
const punchBytes = 28;

const packPunches = sql`
  encode(string_agg(int4send(employee) || int4send(punch.row) || date_send(day)
    || timestamp_send(coalesce(scheduled, 'infinity')) || timestamp_send(coalesce(time, 'infinity')), ''), 'base64')`;

// PostgreSQL's binary dates and times count from 2000-01-01, times in microseconds.
const firstDay = 10_957;
const firstMinute = firstDay * 1440;
const minuteMicros = 60_000_000;
const infinityHigh = 0x7f_ff_ff_ff;

function readMinute(bytes: Buffer, at: number): Minute | null {
  const high = bytes.readInt32BE(at);
  if (high === infinityHigh) return null;
  return firstMinute + Math.floor((high * 2 ** 32 + bytes.readUInt32BE(at + 4)) / minuteMicros);
}

import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import { type Db, type Fragment, sql, type Within } from "#platform/database/index.ts";
import { type DayRun, daysOf, listImportsOf, type Period, spansOf, takeOver, writeDay } from "./days.ts";
import { composeBasis, type Composition, type SheetFigures } from "./figures.ts";
import { type AnalysisSettings, type DatedSheet, type Span, warnIf } from "./model.ts";
import { places } from "./scope-contract.ts";

type Statu = 0 | 1 | 2 | 3;

export interface MonthState extends Period {
  readonly spans: readonly Span[];
  readonly workImport: number | null;
  readonly statu: Statu;
  readonly run: number | null;
  readonly settings: AnalysisSettings | null;
  readonly total: number;
  readonly parts: number | null;
  /**
   * Warnings about people or, if the analysis failed, the reason. Warnings about days and files are not stored here.
   */
  readonly warnings: Bilingual[];
  readonly version: number | null;
}

interface MonthSummary extends Period {
  readonly spans: readonly Span[];
  readonly employees: number;
  readonly punches: number;
  readonly identities: number;
  readonly importedAt: Date | null;
  readonly statu: Statu;
  readonly analysedAt: Date | null;
}

export const findLatestMonth = (db: Db): Promise<string | undefined> =>
  db.value<string | undefined>`
    select month from attendance.month where imported_at is not null order by imported_at desc, month desc limit 1`;

// A month without its own import of identity cards uses the latest one, since staff change less often than months. An
// analysed month keeps the import that its analysis used.
const identityImport = sql`
  case when parts is not null then identity_import else
    coalesce(work_import, (select work_import from attendance.month as other where work_import is not null order by work_import desc limit 1)) end`;

const spans = sql`
  coalesce((
    select json_agg(json_build_object('sheet', span.sheet, 'importId', import_id, 'isStandIn', span.sheet = any(stand_ins),
      'firstDay', span.first_day - date '1970-01-01', 'lastDay', span.last_day - date '1970-01-01')
      order by span.sheet, span.first_day)
    from attendance.span join attendance.import on import.id = import_id where span.month = listed.month), '[]') as spans`;

export const findMonth = (db: Db, month: string): Promise<MonthState | undefined> =>
  db.first<MonthState>`
    select month, period_start as "periodStart", ${spans}, ${identityImport} as "workImport", statu, run, settings, parts, warnings,
      employees as total, version_id as version
    from attendance.month as listed where month = ${month}`;

/** Locks the month until the transaction ends and returns its state. */
export async function holdMonth(tx: Db, month: string): Promise<MonthState | undefined> {
  // The state is read by a second statement, since a statement that waits for a lock sees other tables as they were
  // before the wait.
  await tx`select from attendance.month where month = ${month} for no key update`;
  return findMonth(tx, month);
}

export async function addMonth(tx: Db, { month, periodStart }: Period): Promise<void> {
  await tx`insert into attendance.month (month, period_start) values (${month}, ${periodStart}) on conflict do nothing`;
}

const amountsWithin = (within: Within): Fragment =>
  within.isEverywhere
    ? sql`select employees, punches, coalesce(rows, 0) as identities`
    : sql`
      select sum(total.employees)::int as employees, sum(total.punches)::int as punches, sum(identities)::int as identities
      from attendance.department_total as total where total.month = listed.month ${within.and(places)} having count(*) > 0`;

export async function listMonths(db: Db, within: Within): Promise<MonthSummary[]> {
  return db<MonthSummary[]>`
    select month, period_start as "periodStart", ${spans}, amount.*, imported_at as "importedAt", statu,
      analysed_at as "analysedAt"
    from (select *, ${identityImport} as joined_import from attendance.month) as listed
      left join (select id, rows from attendance.import) as work on work.id = joined_import
      cross join lateral (${amountsWithin(within)}) as amount
    order by month desc`;
}

/** Updates the totals by department. The caller must have locked the month. */
export const countDepartments = async (tx: Db, month: string): Promise<void> => {
  await tx`select attendance.count_departments(${month})`;
};

export async function countWithin(db: Db, { month, statu }: Pick<MonthState, "month" | "statu">, within: Within) {
  const total = await db.value<number>`
    select coalesce(sum(employees), 0)::int from attendance.department_total where month = ${month} ${within.and(places)}`;
  if (statu !== 1) return { total, done: statu === 2 ? total : 0 };
  const done = await db.value<number>`
    select count(*) from attendance.result where month = ${month} ${within.and(places)}`;
  return { total, done };
}

export const countAnalysed = (db: Db, run: number | null): Promise<number> =>
  db.value<number>`
    select coalesce(sum(employees), 0)::int as done from attendance.part where run = ${run} and done`;

/** @throws {Problem} notAllowedNow if the month is locked */
export function refuseLocked({ month, version }: Pick<MonthState, "month" | "version">): void {
  if (version !== null)
    throw explain("notAllowedNow", `${month} 已锁定，请先解锁`, `${month} is locked; unlock it first`);
}

/**
 * Changes the day on which the month's period starts. The imported days are dropped, since day columns would shift.
 * @returns a warning if days were dropped
 * @throws {Problem} notAllowedNow if the month has ever been locked, since pay may have been calculated from the old
 * days
 */
export async function changePeriod(
  tx: Db,
  { month, periodStart: old, spans }: MonthState,
  periodStart: number,
): Promise<Bilingual[]> {
  const versions = await tx`select from attendance.version where month = ${month} limit 1`;
  if (versions.length > 0)
    throw explain(
      "notAllowedNow",
      `${month} 曾按每月 ${old} 日起算锁定，ATTENDANCE_PERIOD_START 现为 ${periodStart}，不能再导入`,
      `${month} was locked when months began on day ${old}; ATTENDANCE_PERIOD_START is now ${periodStart}, so nothing can be imported into this month`,
    );
  await tx`delete from attendance.span where month = ${month}`;
  await tx`update attendance.month set period_start = ${periodStart} where month = ${month}`;
  return warnIf(
    spans.length > 0,
    `${month} 原按每月 ${old} 日起算，现按每月 ${periodStart} 日起算；此前导入的数据不再采用，请重新导入`,
    `${month} now begins on day ${periodStart} instead of day ${old}; earlier imports are no longer used and must be repeated`,
  );
}

/**
 * Warns at start-up of months that the next import would move to another period. Months that have ever been locked
 * cannot be moved.
 */
export async function warnOfPeriods(db: Db, periodStart: number): Promise<string[]> {
  const rows = await db<{ month: string }[]>`
    select month from attendance.month
    where period_start <> ${periodStart} and exists (select from attendance.span where span.month = month.month)
      and not exists (select from attendance.version where version.month = month.month)
    order by month`;
  if (rows.length === 0) return [];
  const months = rows.map(({ month }) => month).join(", ");
  return [
    `These months were imported with a different ATTENDANCE_PERIOD_START: ${months}. They keep their days until the next import into them, which replaces all their earlier imports`,
  ];
}

export async function takeDays(
  tx: Db,
  { month, spans }: Pick<MonthState, "month" | "spans">,
  taken: Span,
): Promise<void> {
  const left = takeOver(spansOf(spans, taken.sheet), taken);
  await tx`delete from attendance.span where month = ${month} and sheet = ${taken.sheet}`;
  await tx`
    insert into attendance.span (month, sheet, first_day, last_day, import_id)
    select ${month}, ${taken.sheet}, first_day, last_day, import_id
    from unnest(${left.map(({ firstDay }) => writeDay(firstDay))}::date[], ${left.map(({ lastDay }) => writeDay(lastDay))}::date[],
      ${left.map(({ importId }) => importId)}::bigint[]) as span (first_day, last_day, import_id)`;
}

export async function readBasis(
  db: Db,
  { spans, ...period }: Pick<MonthState, keyof Period | "spans">,
): Promise<Composition> {
  const sheets = await db<SheetFigures[]>`
    select id as "importId", first_day - date '1970-01-01' as "firstDay", last_day - date '1970-01-01' as "lastDay",
      figures as kinds
    from attendance.import where id = any(${listImportsOf(spans, "month")}::bigint[]) order by ended_at desc, id desc`;
  return composeBasis(period, spans, sheets);
}

/** Counts punches only on the days that each import provides. The caller must have locked the month. */
export async function countPunches(tx: Db, period: Period): Promise<void> {
  const { month } = period;
  const { firstDay, lastDay } = daysOf(period);
  await tx`
    with owned as (
      select import_id, sum(last_day - first_day + 1) as days from attendance.span
      where month = ${month} and sheet = 'original' group by import_id)
    update attendance.month set punches = coalesce((
      select sum(case
        -- If the month has all days of the import, the import's number of rows is the number of punches.
        when days = least(last_day, ${writeDay(lastDay)}::date) - greatest(first_day, ${writeDay(firstDay)}::date) + 1 then rows
        else (
          select count(*) from attendance.punch join attendance.span using (import_id)
          where punch.import_id = import.id and sheet = 'original' and day between span.first_day and span.last_day) end)
      from owned join attendance.import on import.id = owned.import_id), 0)
    where month = ${month}`;
}

const tableOf = (sheet: Exclude<DatedSheet, "month">): Fragment =>
  sql.identifier(sheet === "daily" ? "attendance.daily" : "attendance.punch");

export const findRowDays = (
  db: Db,
  importId: number,
  sheet: Exclude<DatedSheet, "month">,
): Promise<DayRun | undefined> =>
  db.first<DayRun>`
    select min(day) - date '1970-01-01' as "firstDay", max(day) - date '1970-01-01' as "lastDay"
    from ${tableOf(sheet)} where import_id = ${importId} having count(*) > 0`;

export const countOutside = (
  db: Db,
  { importId, sheet, firstDay, lastDay }: Span & { readonly sheet: Exclude<DatedSheet, "month"> },
): Promise<number> =>
  db.value<number>`
    select count(*) from ${tableOf(sheet)}
    where import_id = ${importId} and day not between ${writeDay(firstDay)} and ${writeDay(lastDay)}`;

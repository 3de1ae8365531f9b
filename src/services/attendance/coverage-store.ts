import { type Db, sql } from "#platform/database/index.ts";
import { composeBasis, type Composition } from "./compose.ts";
import { type DayRun, daysOfMonth, listImportsOf, spansOf, takeOver } from "./coverage.ts";
import type { SheetFigures } from "./figures.ts";
import { writeDay } from "./local-times.ts";
import type { DatedSheet, Span } from "./model.ts";
import type { MonthState } from "./month-store.ts";

/** Gives the days of a held month to an import, in place of those who had them. */
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

/** The copied figures of imports, the newest first. */
async function listFigures(db: Db, imports: readonly number[]): Promise<SheetFigures[]> {
  return db<SheetFigures[]>`
    select id as "importId", first_day - date '1970-01-01' as "firstDay", last_day - date '1970-01-01' as "lastDay",
      figures as kinds
    from attendance.import where id = any(${[...imports]}::bigint[]) order by ended_at desc, id desc`;
}

/** What the figures of a month rest on. */
export async function readBasis(db: Db, { month, spans }: Pick<MonthState, "month" | "spans">): Promise<Composition> {
  return composeBasis(month, spans, await listFigures(db, listImportsOf(spans, "month")));
}

/** Counts the punches of a held month anew: those of the days that each import gives. */
export async function countPunches(tx: Db, month: string): Promise<void> {
  const { firstDay, lastDay } = daysOfMonth(month);
  await tx`
    with owned as (
      select import_id, sum(last_day - first_day + 1) as days from attendance.span
      where month = ${month} and sheet = 'original' group by import_id)
    update attendance.month set punches = coalesce((
      select sum(case
        -- All of its days: it knows how many rows these are.
        when days = least(last_day, ${writeDay(lastDay)}::date) - greatest(first_day, ${writeDay(firstDay)}::date) + 1 then rows
        else (
          select count(*) from attendance.punch join attendance.span using (import_id)
          where punch.import_id = import.id and sheet = 'original' and day between span.first_day and span.last_day) end)
      from owned join attendance.import on import.id = owned.import_id), 0)
    where month = ${month}`;
}

const tables = { daily: "daily", original: "punch" } as const;

/** The first and the last day of the rows of an import, or undefined without any. */
export async function findRowDays(
  db: Db,
  importId: number,
  sheet: Exclude<DatedSheet, "month">,
): Promise<DayRun | undefined> {
  const [row] = await db<{ firstDay: number | null; lastDay: number | null }[]>`
    select min(day) - date '1970-01-01' as "firstDay", max(day) - date '1970-01-01' as "lastDay"
    from ${sql.identifier(`attendance.${tables[sheet]}`)} where import_id = ${importId}`;
  return row && row.firstDay !== null && row.lastDay !== null
    ? { firstDay: row.firstDay, lastDay: row.lastDay }
    : undefined;
}

/** How many rows of an import are of other days of the month than those that it gives. */
export async function countOutside(
  db: Db,
  { importId, sheet, firstDay, lastDay }: Span & { readonly sheet: Exclude<DatedSheet, "month"> },
): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from ${sql.identifier(`attendance.${tables[sheet]}`)}
    where import_id = ${importId} and day not between ${writeDay(firstDay)} and ${writeDay(lastDay)}`;
  return row?.count ?? 0;
}

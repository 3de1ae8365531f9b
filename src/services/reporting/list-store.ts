import type { ListOrder } from "#platform/contract/sorting.ts";
import type { Period } from "#platform/contract/times.ts";
import {
  type PageWithTotal,
  type Db,
  type Pool,
  startStatement,
  type Statement,
  toPageWithTotal,
  type Within,
} from "#platform/database/index.ts";
import { type Days, foldTalliesSoon, recountTallies, splitAtMonths, toDay } from "./tally.ts";
import type { ReportField } from "./report-contract.ts";
import type { StateFilter, VerdictCode } from "./rules.ts";
import { places } from "./scope-contract.ts";
import { findPhone, openPhones } from "./sealed.ts";
import { columns, openCounted, progress, type ReportRow, type StoredReport, submitted } from "./store.ts";

/** By which its tallies are known. */
export const tallied = "reporting.report";

export interface ReportFilter {
  readonly within: Within;
  readonly states: StateFilter;
  readonly verdict?: 0 | VerdictCode | undefined;
  readonly name?: string | undefined;
  readonly company?: string | undefined;
  /** Stands in the project's or the customer's name, or in the phone number. */
  readonly keyword?: string | undefined;
  readonly trade?: string | undefined;
  readonly period?: Period | undefined;
  readonly ids?: readonly number[] | undefined;
}

type ReportOrder = ListOrder<ReportField>;

// Written into the text, of which there are few then, for a plan that knows the value.
const stateConditions = ({ deleted, closed }: StateFilter): string[] => [
  deleted ? "deleted" : "not deleted",
  ...(closed === undefined ? [] : [closed ? "closed" : "not closed"]),
];

function reportConditions({ keys }: Db, statement: Statement, filter: ReportFilter, search: Search): string {
  const { within, states, verdict, name, company, keyword, trade, period, ids } = filter;
  // Letters cannot be looked for in a sealed number: it is found by the whole of it.
  const holdsKeyword = (text: string) => {
    const place = holds(statement, "search", text, search);
    const numbers = findPhone(keys, text);
    return numbers.length === 0 ? place : `(${place} or phone_found = any(${statement.value(numbers)}))`;
  };
  return [
    ...stateConditions(states),
    ...within.list(statement, places),
    ...(verdict === undefined ? [] : [`verdict = ${statement.value(verdict)}`]),
    ...(period
      ? [`created_at >= ${statement.value(period.start)} and created_at < ${statement.value(period.end)}`]
      : []),
    ...(trade === undefined ? [] : [`trade = ${statement.value(trade)}`]),
    ...(name === undefined ? [] : [holds(statement, "name", name, search)]),
    ...(company === undefined ? [] : [holds(statement, "company", company, search)]),
    ...(keyword === undefined ? [] : [holdsKeyword(keyword)]),
    ...(ids === undefined ? [] : [`report.id = any(${statement.value(ids)})`]),
  ].join(" and ");
}

const sortColumns: Readonly<Record<ReportField, string>> = {
  id: "id",
  ...submitted,
  // 0 is closed on the wire, so "not closed" sorts as the wire does.
  status: "not closed",
  delStatus: "not deleted",
  valid: progress.verdict,
  ps: progress.ps,
  reportingTime: progress.createdAt,
  updateTime: progress.updatedAt,
};

const directionOf = ({ descending }: ReportOrder): string => (descending ? "desc" : "asc");

const ordering = (order: ReportOrder): string =>
  `order by ${sortColumns[order.field]} ${directionOf(order)}, id ${directionOf(order)}`;

// The usual first pages have their numbers in the text: not knowing them, PostgreSQL plans each call anew, which takes
// three times as long as the page itself (0.44 of 0.60 ms). Not all have: each text is one more that is kept.
const usualLimits = new Set([10, 20, 50, 100]);

const isTextFilter = ({ name, company, keyword }: ReportFilter): boolean =>
  [name, company, keyword].some((text) => text !== undefined);

/**
 * How PostgreSQL would look for the texts: where they stand in so many reports that it reads all of them, the pieces of
 * each would be made anew, which was 96 of 100 s for ten million reports (29 µs each; by letters alone it takes 4 s).
 */
async function chooseSearch(db: Db, filter: ReportFilter): Promise<Search> {
  if (!isTextFilter(filter)) return "letters";
  const statement = startStatement();
  const where = reportConditions(db, statement, filter, "pieces");
  const plan = await statement.run(db, `explain (format json) select id from reporting.report where ${where}`);
  return JSON.stringify(plan).includes("Seq Scan") ? "letters" : "pieces";
}

/**
 * One page and the exact total, out of one snapshot. Without a text filter the page comes straight from an index in its
 * order and the total from a tally. With one that few reports hold, the index of pieces finds them; "materialized" keeps
 * the planner from walking the whole list by date in hope of ten early hits; of the hits only what the order needs is
 * kept. A text that many hold is counted, and its page comes from the index of the order, where it is soon full.
 */
export async function listReports(
  pool: Pool,
  filter: ReportFilter,
  order: ReportOrder,
  zone: string,
): Promise<PageWithTotal<ReportRow>> {
  const search = await chooseSearch(pool, filter);
  const statement = startStatement();
  const where = reportConditions(pool, statement, filter, search);
  const { limit, offset } = order;
  const span =
    offset === 0 && usualLimits.has(limit)
      ? `limit ${limit}`
      : `limit ${statement.value(limit)} offset ${statement.value(offset)}`;
  const plan =
    search === "pieces"
      ? `hit as materialized (select id, ${sortColumns[order.field]} as place from reporting.report where ${where}),
       total as (select count(*) as count, 0 as additions from hit),
       chosen as (select id from hit order by place ${directionOf(order)}, id ${directionOf(order)} ${span}),
       page as (select report.* from chosen join reporting.report using (id))`
      : `${countReports(statement, filter, where, zone)},
       page as (select * from reporting.report where ${where} ${ordering(order)} ${span})`;
  const rows = await statement.run<StoredReport & { totalCount: number; additions: number }>(
    pool,
    `with ${plan} select total.count as "totalCount", total.additions, ${columns} from total left join page as report on true ${ordering(order)}`,
  );
  if ((rows[0]?.additions ?? 0) > mostAdditions) foldTalliesSoon(pool, tallied);
  return openCounted(pool, toPageWithTotal(rows));
}

/** The reports that pass the filter, newest first, in batches; ending the iteration early frees the cursor. */
export async function* streamReports(db: Db, filter: ReportFilter, batchRows: number): AsyncIterable<ReportRow[]> {
  const search = await chooseSearch(db, filter);
  const statement = startStatement();
  const where = reportConditions(db, statement, filter, search);
  const text = `select ${columns} from reporting.report where ${where} order by created_at desc, id desc`;
  for await (const rows of statement.stream<StoredReport>(db, text, batchRows))
    yield rows.map((row) => openPhones(db.keys, row));
}

/** Each costs a list 0.15 µs; what the job of each minute leaves for longer than that is folded at once. */
const mostAdditions = 500;

/** The exact number of reports, out of a tally wherever one holds it, and how many additions were summed for it. */
function countReports(statement: Statement, filter: ReportFilter, where: string, zone: string): string {
  const { within, states, verdict, trade, period } = filter;
  const direct = `select count(*) as count from reporting.report where ${where}`;
  const days = period && wholeDays(period, zone);
  // No tally tells companies apart.
  if (!within.isEverywhere || isTextFilter(filter) || (period && !days))
    return `total as (select (${direct}) as count, 0 as additions)`;
  const keys = [
    ...(trade === undefined ? [] : [`trade = ${statement.value(trade)}`]),
    ...stateConditions(states),
    ...(verdict === undefined ? [] : [`verdict = ${statement.value(verdict)}`]),
  ];
  const during = (within: Days | undefined) => {
    if (!within) return [];
    const [from, to] = [within.from, within.to].map((day) => `${statement.value(toDay(day))}::timestamp`);
    return [`start >= ${from}`, `start < ${to}`];
  };
  const sum = (table: string, conditions: readonly string[]) =>
    `coalesce((select sum(lines) from reporting.${table} where ${conditions.join(" and ")}), 0)`;
  const tally = trade === undefined ? "report_tally" : "trade_tally";
  const sums = [
    ...splitAtMonths(days).map(({ step, within }) => sum(tally, [...keys, `step = '${step}'`, ...during(within)])),
    "lines",
  ];
  const total = `(${sums.join(" + ")})::bigint`;
  const added = `
    added as (select coalesce(sum(lines), 0) as lines, count(*) as additions
      from reporting.report_addition where ${[...keys, ...during(days)].join(" and ")})`;
  // Only while the tally's days are the days of this process's time zone do both mean the same; all time is all time.
  const count = days
    ? `case when (select zone from reporting.tally_zone) = ${statement.value(zone)} then ${total} else (${direct}) end`
    : total;
  return `${added}, total as (select ${count} as count, additions from added)`;
}

/** The period as days, when it is made of whole days. */
function wholeDays({ start, end }: Period, zone: string): Days | undefined {
  const [from, to] = [start, end].map((instant) =>
    Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone),
  );
  const isWhole = [from, to].every((time) => time !== undefined && time.equals(time.startOfDay()));
  return from && to && isWhole ? { from: from.toPlainDate(), to: to.toPlainDate() } : undefined;
}

/** Makes the tallies count the days of that time zone; needed once after the setting has changed. */
export async function alignTally(tx: Db, zone: string): Promise<void> {
  await tx`lock table reporting.report in share row exclusive mode`;
  const changed = await tx`update reporting.tally_zone set zone = ${zone} where zone <> ${zone} returning 1`;
  if (changed.length > 0) await recountTallies(tx, tallied);
}

export const findTallyZone = (db: Db): Promise<string | undefined> =>
  db.value<string | undefined>`select zone from reporting.tally_zone`;

/** How a text is looked for: by the index of one- and two-character pieces, then letter by letter, or by the letters alone. */
type Search = "pieces" | "letters";

/** "Stands anywhere in the text". */
function holds(statement: Statement, column: "name" | "company" | "search", needle: string, search: Search): string {
  const place = statement.value(needle);
  const letters = `strpos(lower(${column}), lower(${place})) > 0`;
  return search === "letters" ? letters : `platform.grams(${column}) @> platform.needle_grams(${place}) and ${letters}`;
}

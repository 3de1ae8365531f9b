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

export const tallied = "reporting.report";

export interface ReportFilter {
  readonly within: Within;
  readonly states: StateFilter;
  readonly verdict?: 0 | VerdictCode | undefined;
  readonly name?: string | undefined;
  readonly company?: string | undefined;
  /**
   * Matches a substring of the project's name, the customer's name or the phone number. A sealed phone number matches
   * only if the keyword is the whole number.
   */
  readonly keyword?: string | undefined;
  readonly trade?: string | undefined;
  readonly period?: Period | undefined;
  readonly ids?: readonly number[] | undefined;
}

type ReportOrder = ListOrder<ReportField>;

// The states are literals instead of parameters, so that PostgreSQL's planner knows them. There are only a few
// combinations.
const stateConditions = ({ deleted, closed }: StateFilter): string[] => [
  deleted ? "deleted" : "not deleted",
  ...(closed === undefined ? [] : [closed ? "closed" : "not closed"]),
];

function reportConditions({ keys }: Db, statement: Statement, filter: ReportFilter, search: Search): string {
  const { within, states, verdict, name, company, keyword, trade, period, ids } = filter;
  // A sealed phone number is found only by the whole number, through its blind index.
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
  // In responses, status 0 means closed, so the sort expression is "not closed".
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

// The usual page sizes of a first page are literals: with a parameterised limit, PostgreSQL plans the query again on
// each call, which took 0.44 of 0.60 ms. Other sizes are parameters, since each literal needs one more cached
// statement.
const usualLimits = new Set([10, 20, 50, 100]);

const isTextFilter = ({ name, company, keyword }: ReportFilter): boolean =>
  [name, company, keyword].some((text) => text !== undefined);

/**
 * Chooses the kind of search by PostgreSQL's plan. If a text is frequent, an n-gram search would scan the table and
 * compute all n-grams again, which took 96 of 100 s for ten million reports; comparing letters takes 4 s.
 */
async function chooseSearch(db: Db, filter: ReportFilter): Promise<Search> {
  if (!isTextFilter(filter)) return "letters";
  const statement = startStatement();
  const where = reportConditions(db, statement, filter, "pieces");
  const plan = await statement.run(db, `explain (format json) select id from reporting.report where ${where}`);
  return JSON.stringify(plan).includes("Seq Scan") ? "letters" : "pieces";
}

/**
 * Reads the page and the total in one statement, so both are from one snapshot. Without a text filter, the page comes
 * from the sort index, and the total from a tally if a tally has it. A rare text is found by the n-gram index;
 * "materialized" keeps the planner from scanning a sort index instead, which the planner expects to fill the page soon.
 * The page of a frequent text comes from the sort index, which indeed fills the page soon.
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

/** If the caller leaves the loop, the cursor is closed. */
export async function* streamReports(db: Db, filter: ReportFilter, batchRows: number): AsyncIterable<ReportRow[]> {
  const search = await chooseSearch(db, filter);
  const statement = startStatement();
  const where = reportConditions(db, statement, filter, search);
  const text = `select ${columns} from reporting.report where ${where} order by created_at desc, id desc`;
  for await (const rows of statement.stream<StoredReport>(db, text, batchRows))
    yield rows.map((row) => openPhones(db.keys, row));
}

/**
 * Each addition (see tally.ts) costs a list 0.15 µs. If a list reads more than `mostAdditions` additions, they are
 * folded immediately, without waiting for the job that folds additions every minute.
 */
const mostAdditions = 500;

function countReports(statement: Statement, filter: ReportFilter, where: string, zone: string): string {
  const { within, states, verdict, trade, period } = filter;
  const direct = `select count(*) as count from reporting.report where ${where}`;
  const days = period && wholeDays(period, zone);
  // Tallies do not distinguish companies, so a caller with a scope needs a direct count.
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
  // Tally rows by day are right in one time zone only. The total for all time is right in every zone.
  const count = days
    ? `case when (select zone from reporting.tally_zone) = ${statement.value(zone)} then ${total} else (${direct}) end`
    : total;
  return `${added}, total as (select ${count} as count, additions from added)`;
}

function wholeDays({ start, end }: Period, zone: string): Days | undefined {
  const [from, to] = [start, end].map((instant) =>
    Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone),
  );
  const isWhole = [from, to].every((time) => time !== undefined && time.equals(time.startOfDay()));
  return from && to && isWhole ? { from: from.toPlainDate(), to: to.toPlainDate() } : undefined;
}

export async function alignTally(tx: Db, zone: string): Promise<void> {
  await tx`lock table reporting.report in share row exclusive mode`;
  const changed = await tx`update reporting.tally_zone set zone = ${zone} where zone <> ${zone} returning 1`;
  if (changed.length > 0) await recountTallies(tx, tallied);
}

export const findTallyZone = (db: Db): Promise<string | undefined> =>
  db.value<string | undefined>`select zone from reporting.tally_zone`;

/** "pieces" searches the n-gram index and checks each hit; "letters" compares the text with every row. */
type Search = "pieces" | "letters";

function holds(statement: Statement, column: "name" | "company" | "search", needle: string, search: Search): string {
  const place = statement.value(needle);
  const letters = `strpos(lower(${column}), lower(${place})) > 0`;
  return search === "letters" ? letters : `platform.grams(${column}) @> platform.needle_grams(${place}) and ${letters}`;
}

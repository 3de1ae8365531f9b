import type { AuditEntry } from "#platform/accounts/audit.ts";
import type { Range } from "#platform/contract/sorting.ts";
import { type Counted, type Db, type Fragment, type Pool, sql, streamRows } from "#platform/database/index.ts";
import { foldTallies } from "#platform/database/tally.ts";
import type { RetainedRecords } from "#platform/process/removal.ts";

interface Span {
  readonly start: Date | undefined;
  readonly end: Date | undefined;
}

type Step = "hour" | "month";

/** The beginning of the hour or month of UTC in which the instant lies, or of the next one. */
function beginOf(step: Step, instant: Date, next: 0 | 1): Date {
  const begin = new Date(instant);
  if (step === "hour") begin.setUTCHours(begin.getUTCHours() + next, 0, 0, 0);
  else {
    begin.setUTCHours(0, 0, 0, 0);
    begin.setUTCMonth(begin.getUTCMonth() + next, 1);
  }
  return begin;
}

// An open span has no line before or behind these.
const [earliest, latest] = [new Date(0), new Date(Date.UTC(9999, 0))];

/** Splits a span (end exclusive) at the hours or months of UTC, by which the audit log is tallied: into what is whole, and what stands around it. */
function splitAt(step: Step, { start = earliest, end = latest }: Span) {
  const whole = { start: beginOf(step, new Date(start.getTime() - 1), 1), end: beginOf(step, end, 0) };
  if (whole.start >= whole.end) return { whole: undefined, edges: [{ start, end }] };
  const around = [
    { start, end: whole.start },
    { start: whole.end, end },
  ];
  return { whole, edges: around.filter((edge) => edge.start < edge.end) };
}

export interface AuditFilter {
  readonly service?: string | undefined;
  readonly userName?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: AuditLine["outcome"] | undefined;
  /** One of the records that a line is about. */
  readonly record?: string | undefined;
  /** What kinds of record that may be, as the wire calls them; a line that changed nothing tells of none. Beside `record` alone. */
  readonly kinds?: readonly string[] | undefined;
  readonly span: Span;
}

export interface AuditLine extends Omit<AuditEntry, "accountId" | "records" | "detail"> {
  readonly id: number;
  readonly at: Date;
  readonly name: string | null;
  readonly records: string[];
  readonly detail: Record<string, string | number | boolean | null> | null;
  readonly changes: NotedChanges | null;
}

/** What the line's transaction has changed, as `platform.note_change` notes it. */
export interface NotedChanges {
  /** Of how many records; the first twenty are told of. */
  readonly rows: number;
  readonly of: readonly {
    /** With its schema. */
    readonly table: string;
    readonly record: string | null;
    /** Columns in their order; null: there was, or is, none. */
    readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  }[];
}

/**
 * One page of the audit log and the exact number of lines that match. Both cost what the months of the page hold, not
 * what the log holds: the tally tells how many lines each hour has, and so in which hours the page lies, however deep
 * it is and however rare its lines are.
 */
export async function listAuditLines(db: Db, filter: AuditFilter, order: Range): Promise<Counted<AuditLine>> {
  if (filter.record !== undefined || filter.outcome !== undefined) return listUntallied(db, filter, order);
  const place = await findHours(db, filter, order);
  if (place.hours.length === 0) return { rows: [], totalCount: place.totalCount };
  return { rows: await readLines(db, filter, order, place), totalCount: place.totalCount };
}

/** The hours in which a page lies, in the order of the list, and how many lines of the first of them stand before it. */
type Place = { totalCount: number; hours: Date[]; skip: number };

/** First the months of the page, then its hours: whatever the log's age, the rows of a few months are summed. */
async function findHours(db: Db, filter: AuditFilter, order: Range): Promise<Place> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const onPage = sql`before < ${order.offset + order.limit} and before + lines > ${order.offset}`;
  const [place] = await db<Place[]>`
    with months as (
      select date_trunc('month', start) as month, sum(lines) as lines from (${countByMonth(filter)}) as counted group by 1
    ), placed_months as (
      select month, lines, sum(lines) over (order by month ${direction}) - lines as before from months
    ), chosen as (
      select month, month + interval '1 month' as next, before from placed_months where ${onPage}
    ), hours as (
      select start as hour, sum(lines) as lines from (${countByHour(filter)}) as counted group by 1
    ), placed as (
      select hour, lines,
        (select min(before) from chosen) + sum(lines) over (order by hour ${direction}) - lines as before
      from hours
    )
    select (select coalesce(sum(lines), 0)::bigint from months) as "totalCount",
      coalesce(array_agg(hour at time zone 'UTC' order by hour ${direction}) filter (where ${onPage}), '{}') as hours,
      coalesce(${order.offset} - min(before) filter (where ${onPage}), 0)::bigint as skip
    from placed`;
  return place ?? { totalCount: 0, hours: [], skip: 0 };
}

const tallyOf = ({ userName, action }: AuditFilter): Fragment =>
  userName === undefined && action === undefined ? sql`platform.audit_tally` : sql`platform.audit_tally_detail`;

/** Lines a span: whole months and whole hours out of the tally, the pieces before and after them by counting. */
function countByMonth(filter: AuditFilter): Fragment {
  const hours = splitAt("hour", filter.span);
  const months = hours.whole && splitAt("month", hours.whole);
  const tallied = (step: Step, span: Span): Fragment => sql`
    select start, lines from ${tallyOf(filter)}
    where step = ${sql.raw(`'${step}'`)} and ${within(sql`start`, span)} ${matches(filter)}
    union all`;
  const rest = (months?.edges ?? []).map((span) => tallied("hour", span));
  return sql`
    ${months?.whole ? tallied("month", months.whole) : sql``} ${sql.join(rest, " ")} ${countRest(filter, hours)}`;
}

/** The same by hours, within the months that were chosen. */
function countByHour(filter: AuditFilter): Fragment {
  const hours = splitAt("hour", filter.span);
  return sql`
    select start, lines from chosen join ${tallyOf(filter)} on step = 'hour' and start >= month and start < next
    where ${hours.whole ? within(sql`start`, hours.whole) : sql`false`} ${matches(filter)}
    union all
    select start, lines from (${countRest(filter, hours)}) as rest join chosen on start >= month and start < next`;
}

/** What no tally has: what was added since the last fold, and pieces of hours. */
function countRest(filter: AuditFilter, { whole, edges }: ReturnType<typeof splitAt>): Fragment {
  const matching = matches(filter);
  const counted = edges.map(
    (edge) => sql`
    union all
    select date_trunc('hour', at at time zone 'UTC'), 1 from platform.audit where ${within(sql`at`, edge)} ${matching}`,
  );
  return sql`
    select start, lines from platform.audit_addition
    where ${whole ? within(sql`start`, whole) : sql`false`} ${matching}
    ${sql.join(counted, " ")}`;
}

const within = (column: Fragment, { start, end }: Span): Fragment => sql`
  true ${start ? sql`and ${column} >= ${start}` : sql``} ${end ? sql`and ${column} < ${end}` : sql``}`;

const matches = ({ service, userName, action }: AuditFilter): Fragment => sql`
  ${service === undefined ? sql`` : sql`and service = ${service}`}
  ${userName === undefined ? sql`` : sql`and strpos(lower(user_name), lower(${userName})) > 0`}
  ${action === undefined ? sql`` : sql`and action = ${action}`}`;

/**
 * Of a record, or an outcome, of which there are no tallies: along the index on records, or on what was not done. Nearly
 * all was done, so of that the others are taken away from the tally.
 */
async function listUntallied(db: Db, filter: AuditFilter, order: Range): Promise<Counted<AuditLine>> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const rows = await db<AuditLine[]>`
    with found as ${filter.record === undefined ? sql`` : sql`materialized`} (
      select * from platform.audit where ${passes(filter)}
    )
    select ${lineColumns} from found as line left join platform.account on account.id = line.account_id
    order by line.at ${direction}, line.id ${direction} offset ${order.offset} limit ${order.limit}`;
  if (filter.record !== undefined || filter.outcome !== "done")
    return { rows, totalCount: await count(db, sql`select 1 as lines from platform.audit where ${passes(filter)}`) };
  const others = await count(
    db,
    sql`select 1 as lines from platform.audit where outcome <> 'done' and ${passes({ ...filter, outcome: undefined })}`,
  );
  return { rows, totalCount: (await count(db, countByMonth(filter))) - others };
}

async function count(db: Db, lines: Fragment): Promise<number> {
  const [row] = await db<
    { lines: number }[]
  >`select coalesce(sum(lines), 0)::bigint as lines from (${lines}) as counted`;
  return row?.lines ?? 0;
}

const isOfKinds = ({ kinds }: AuditFilter): Fragment =>
  kinds === undefined
    ? sql``
    : sql`and (changes is null or exists (
        select from jsonb_array_elements(changes -> 'of') as change
        where replace(split_part(change ->> 'table', '.', 2), '_', '') = any(${kinds.map((kind) => kind.toLowerCase())})))`;

const passes = (filter: AuditFilter): Fragment => sql`${within(sql`at`, filter.span)} ${matches(filter)}
  ${filter.record === undefined ? sql`` : sql`and records @> array[${filter.record}::text] ${isOfKinds(filter)}`}
  ${filter.outcome === undefined ? sql`` : filter.outcome === "done" ? sql`and outcome = 'done'` : sql`and outcome <> 'done' and outcome = ${filter.outcome}`}`;

export const streamAuditLines = (db: Db, filter: AuditFilter, batchRows: number): AsyncGenerator<AuditLine[]> =>
  streamRows<AuditLine>(
    db,
    sql`
      select ${lineColumns} from (select * from platform.audit where ${passes(filter)}) as line
        left join platform.account on account.id = line.account_id
      order by line.at desc, line.id desc`,
    batchRows,
  );

const lineColumns = sql`line.id, line.at, line.service, line.user_name as "userName", account.name, line.action, line.outcome,
  line.records, line.detail, line.address, line.changes`;

/** Each hour by itself along the index on time, and no further than the page needs it. */
async function readLines(db: Db, filter: AuditFilter, order: Range, { hours, skip }: Place): Promise<AuditLine[]> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  return db<AuditLine[]>`
    select ${lineColumns}
    from unnest(${hours}::timestamptz[]) with ordinality as wanted (hour, place)
    cross join lateral (
      select * from platform.audit
      where at >= wanted.hour and at < wanted.hour + interval '1 hour'
        and ${within(sql`at`, filter.span)} ${matches(filter)}
      order by at ${direction}, id ${direction}
      offset (case when wanted.place = 1 then ${skip}::bigint else 0 end) limit ${order.limit}
    ) as line
    left join platform.account on account.id = line.account_id
    order by line.at ${direction}, line.id ${direction} limit ${order.limit}`;
}

/** Moves what has been added since the last time into the tallies. */
export const foldAuditTally = (pool: Pool): Promise<void> => foldTallies(pool, "platform.audit");

/** Whether the role of the pool can only add lines and read them. */
export async function isAuditProtected(pool: Pool): Promise<boolean> {
  const [row] = await pool<{ held: boolean }[]>`
    select not (pg_has_role(relowner, 'member') or has_table_privilege(oid, 'update, delete, truncate')) as held
    from pg_class where oid = 'platform.audit'::regclass`;
  return row?.held === true;
}

/** Lines go by the database's own function, and none of them is younger than 180 days. */
export const retainedAudit: RetainedRecords = {
  kind: "audit line",
  setting: "AUDIT_KEEP_DAYS",
  count: async (db, since) => count(db, sql`select 1 as lines from platform.audit where at < ${since}`),
  remove: async (tx, since, { most }) => {
    const [row] = await tx<{ removed: number }[]>`select platform.remove_audit(${since}, ${most}) as removed`;
    const removed = row?.removed ?? 0;
    return { removed, after: removed < most ? null : "on" };
  },
};

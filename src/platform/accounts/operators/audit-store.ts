import type { Period } from "#platform/contract/times.ts";
import { type Counted, type Db, type Fragment, type Pool, sql } from "#platform/database/index.ts";
import { foldTallies } from "#platform/database/tally.ts";
import { type Span, splitAtHours, splitAtMonths } from "./rules.ts";

export interface AuditFilter {
  readonly service?: string | undefined;
  /** Stands anywhere in the user name, in any case. */
  readonly userName?: string | undefined;
  readonly action?: string | undefined;
  /** End exclusive. */
  readonly span: Span;
}

export interface AuditOrder {
  readonly newestFirst: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface AuditLine {
  readonly id: number;
  readonly at: Date;
  readonly service: string;
  readonly userName: string;
  readonly name: string | null;
  readonly action: string;
  readonly outcome: "done" | "refused" | "failed";
  readonly records: string[];
  readonly detail: Record<string, string | number | boolean | null> | null;
  readonly address: string;
}

/**
 * One page of the audit log and the exact number of lines that match. Both cost what the months of the page hold, not
 * what the log holds: the tally tells how many lines each hour has, and so in which hours the page lies, however deep
 * it is and however rare its lines are.
 */
export async function listAuditLines(db: Db, filter: AuditFilter, order: AuditOrder): Promise<Counted<AuditLine>> {
  const place = await findHours(db, filter, order);
  if (place.hours.length === 0) return { rows: [], totalCount: place.totalCount };
  return { rows: await readLines(db, filter, order, place), totalCount: place.totalCount };
}

interface Place {
  readonly totalCount: number;
  /** The hours in which the page lies, in the order of the list. */
  readonly hours: Date[];
  /** How many lines of the first of them stand before the page. */
  readonly skip: number;
}

/** First the months of the page, then its hours: whatever the log's age, the rows of a few months are summed. */
async function findHours(db: Db, filter: AuditFilter, order: AuditOrder): Promise<Place> {
  const direction = order.newestFirst ? sql`desc` : sql`asc`;
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
  const { whole, edges } = splitAtHours(filter.span);
  const { months, hours } = splitAtMonths(whole);
  const tallied = (step: Fragment, span: Span): Fragment => sql`
    select start, lines from ${tallyOf(filter)} where step = ${step} and ${within(sql`start`, span)} ${matches(filter)}
    union all`;
  return sql`
    ${months ? tallied(sql`'month'`, months) : sql``}
    ${sql.join(
      hours.map((span) => tallied(sql`'hour'`, span)),
      " ",
    )}
    ${countRest(filter, whole, edges)}`;
}

/** The same by hours, within the months that were chosen. */
function countByHour(filter: AuditFilter): Fragment {
  const { whole, edges } = splitAtHours(filter.span);
  return sql`
    select start, lines from chosen join ${tallyOf(filter)} on step = 'hour' and start >= month and start < next
    where ${whole ? within(sql`start`, whole) : sql`false`} ${matches(filter)}
    union all
    select start, lines from (${countRest(filter, whole, edges)}) as rest join chosen on start >= month and start < next`;
}

/** What no tally has: what was added since the last fold, and pieces of hours. */
function countRest(filter: AuditFilter, whole: Span | undefined, edges: readonly Period[]): Fragment {
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

/** Each hour by itself along the index on time, and no further than the page needs it. */
async function readLines(db: Db, filter: AuditFilter, order: AuditOrder, { hours, skip }: Place): Promise<AuditLine[]> {
  const direction = order.newestFirst ? sql`desc` : sql`asc`;
  return db<AuditLine[]>`
    select line.id, line.at, line.service, line.user_name as "userName", account.name, line.action, line.outcome,
      line.records, line.detail, line.address
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

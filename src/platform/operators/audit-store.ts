import { type Db, type Fragment, inLongTransaction, type Pool, sql } from "#platform/database/index.ts";
import { type Span, splitAtHours } from "./rules.ts";

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
 * One page of the audit log and the exact number of lines that match. Both cost what the hours of the page hold, not
 * what the log holds: the tally tells how many lines each hour has, and so in which hours the page lies, however deep
 * it is and however rare its lines are.
 */
export async function listAuditLines(
  db: Db,
  filter: AuditFilter,
  order: AuditOrder,
): Promise<{ rows: AuditLine[]; totalCount: number }> {
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

async function findHours(db: Db, filter: AuditFilter, order: AuditOrder): Promise<Place> {
  const direction = order.newestFirst ? sql`desc` : sql`asc`;
  const onPage = sql`before < ${order.offset + order.limit} and before + lines > ${order.offset}`;
  const [place] = await db<Place[]>`
    with hours as (
      select hour, sum(lines) as lines from (${countLines(filter)}) as counted group by hour
    ), placed as (
      select hour, lines, sum(lines) over (order by hour ${direction}) - lines as before from hours
    )
    select coalesce(sum(lines), 0)::bigint as "totalCount",
      coalesce(array_agg(hour order by hour ${direction}) filter (where ${onPage}), '{}') as hours,
      coalesce(${order.offset} - min(before) filter (where ${onPage}), 0)::bigint as skip
    from placed`;
  return place ?? { totalCount: 0, hours: [], skip: 0 };
}

/** Lines an hour: whole hours out of the tally, the pieces before and after them by counting. */
function countLines(filter: AuditFilter): Fragment {
  const { whole, edges } = splitAtHours(filter.span);
  const matching = matches(filter);
  const wholeHours = whole ? sql`${within(sql`hour`, whole)} ${matching}` : sql`false`;
  const counted = edges.map(
    (edge) => sql`
    union all
    select date_trunc('hour', at, 'UTC'), 1 from platform.audit where ${within(sql`at`, edge)} ${matching}`,
  );
  const isPlain = filter.userName === undefined && filter.action === undefined;
  return sql`
    select hour, lines from ${isPlain ? sql`platform.audit_tally` : sql`platform.audit_tally_detail`} where ${wholeHours}
    union all
    select hour, lines from platform.audit_tally_addition where ${wholeHours}
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

/** Moves what has been added since the last time into the tallies. One process at a time does it, others leave it to that. */
export async function foldAuditTally(pool: Pool): Promise<void> {
  await inLongTransaction(pool, async (tx) => {
    const [turn] = await tx`select pg_try_advisory_xact_lock(hashtextextended('audit tally', 0)) as mine`;
    if (!turn?.["mine"]) return;
    await tx`
      with taken as (
        delete from platform.audit_tally_addition returning hour, service, user_name, action, lines
      ), detailed as (
        insert into platform.audit_tally_detail as known (hour, service, user_name, action, lines)
        select hour, service, user_name, action, sum(lines) from taken group by hour, service, user_name, action
        on conflict (hour, service, user_name, action) do update set lines = known.lines + excluded.lines
      )
      insert into platform.audit_tally as known (hour, service, lines)
      select hour, service, sum(lines) from taken group by hour, service
      on conflict (hour, service) do update set lines = known.lines + excluded.lines`;
  });
}

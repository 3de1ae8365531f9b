import { type Db, type Fragment, inLongTransaction, type Pool } from "#platform/database.ts";
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
  const direction = order.newestFirst ? db`desc` : db`asc`;
  const onPage = db`before < ${order.offset + order.limit} and before + lines > ${order.offset}`;
  const [place] = await db<Place[]>`
    with hours as (
      select hour, sum(lines) as lines from (${countLines(db, filter)}) as counted group by hour
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
function countLines(db: Db, filter: AuditFilter): Fragment {
  const { whole, edges } = splitAtHours(filter.span);
  const matching = matches(db, filter);
  const wholeHours = whole ? db`${within(db, db`hour`, whole)} ${matching}` : db`false`;
  const counted = edges.map(
    (edge) => db`
    union all
    select date_trunc('hour', at, 'UTC'), 1 from platform.audit where ${within(db, db`at`, edge)} ${matching}`,
  );
  const isPlain = filter.userName === undefined && filter.action === undefined;
  return db`
    select hour, lines from ${isPlain ? db`platform.audit_tally` : db`platform.audit_tally_detail`} where ${wholeHours}
    union all
    select hour, lines from platform.audit_tally_addition where ${wholeHours}
    ${counted.length > 0 ? counted : db``}`;
}

const within = (db: Db, column: Fragment, { start, end }: Span): Fragment => db`
  true ${start ? db`and ${column} >= ${start}` : db``} ${end ? db`and ${column} < ${end}` : db``}`;

const matches = (db: Db, { service, userName, action }: AuditFilter): Fragment => db`
  ${service === undefined ? db`` : db`and service = ${service}`}
  ${userName === undefined ? db`` : db`and strpos(lower(user_name), lower(${userName})) > 0`}
  ${action === undefined ? db`` : db`and action = ${action}`}`;

/** Each hour by itself along the index on time, and no further than the page needs it. */
async function readLines(db: Db, filter: AuditFilter, order: AuditOrder, { hours, skip }: Place): Promise<AuditLine[]> {
  const direction = order.newestFirst ? db`desc` : db`asc`;
  // The driver takes an array of dates for one date.
  const texts = hours.map((hour) => hour.toISOString());
  return db<AuditLine[]>`
    select line.id, line.at, line.service, line.user_name as "userName", account.name, line.action, line.outcome,
      line.records, line.detail, line.address
    from unnest(${texts}::timestamptz[]) with ordinality as wanted (hour, place)
    cross join lateral (
      select * from platform.audit
      where at >= wanted.hour and at < wanted.hour + interval '1 hour'
        and ${within(db, db`at`, filter.span)} ${matches(db, filter)}
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

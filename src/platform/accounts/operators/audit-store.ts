import type { AuditEntry } from "#platform/accounts/audit.ts";
import type { Caller } from "#platform/contract/caller.ts";
import type { Range } from "#platform/contract/sorting.ts";
import { type PageWithTotal, type Db, type Fragment, type Pool, sql, streamRows } from "#platform/database/index.ts";
import type { RetainedRecords } from "#platform/process/removal.ts";

interface Span {
  readonly start: Date | undefined;
  readonly end: Date | undefined;
}

export interface AuditFilter {
  readonly services: Caller["services"];
  readonly service?: string | undefined;
  readonly userName?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: AuditLine["outcome"] | undefined;
  readonly record?: string | undefined;
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

/** The database function `platform.note_change` writes this structure. */
export interface NotedChanges {
  /** `rows` counts all changes of records; `of` describes the first twenty. */
  readonly rows: number;
  readonly of: readonly {
    readonly table: string;
    readonly record: string | null;
    readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  }[];
}

export async function listAuditLines(db: Db, filter: AuditFilter, order: Range): Promise<PageWithTotal<AuditLine>> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  // The entries for one record are few, so they are found before they are sorted. Otherwise PostgreSQL would scan the
  // log by time until it has found enough of them for a page.
  const rows = await db<AuditLine[]>`
    with found as ${filter.record === undefined ? sql`` : sql`materialized`} (
      select * from platform.audit where ${passes(filter)}
    )
    select ${lineColumns} from found as line left join platform.account on account.id = line.account_id
    order by line.at ${direction}, line.id ${direction} offset ${order.offset} limit ${order.limit}`;
  return { rows, totalCount: await countLines(db, passes(filter)) };
}

const countLines = (db: Db, condition: Fragment): Promise<number> =>
  db.value<number>`select count(*) as lines from platform.audit where ${condition}`;

const within = (column: Fragment, { start, end }: Span): Fragment => sql`
  true ${start ? sql`and ${column} >= ${start}` : sql``} ${end ? sql`and ${column} < ${end}` : sql``}`;

const matches = ({ services, service, userName, action }: AuditFilter): Fragment => sql`
  ${services === null ? sql`` : sql`and service = any(${services})`}
  ${service === undefined ? sql`` : sql`and service = ${service}`}
  ${userName === undefined ? sql`` : sql`and strpos(lower(user_name), lower(${userName})) > 0`}
  ${action === undefined ? sql`` : sql`and action = ${action}`}`;

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

export const isAuditProtected = (pool: Pool): Promise<boolean> =>
  pool.value<boolean>`
    select not (pg_has_role(relowner, 'member') or has_table_privilege(oid, 'update, delete, truncate')) as held
    from pg_class where oid = 'platform.audit'::regclass`;

/** Entries are deleted through a database function, which keeps all entries that are younger than 180 days. */
export const retainedAudit: RetainedRecords = {
  kind: "audit line",
  setting: "AUDIT_KEEP_DAYS",
  count: (db, since) => countLines(db, sql`at < ${since}`),
  remove: async (tx, since, { most }) => {
    const removed = await tx.value<number>`select platform.remove_audit(${since}, ${most})`;
    return { removed, after: removed < most ? null : "on" };
  },
};

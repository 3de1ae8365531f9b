import type * as z from "zod";
import type { Timed } from "#platform/contract/times.ts";
import type { ListOrder } from "#platform/contract/sorting.ts";
import {
  type PageWithTotal,
  type Db,
  listPage,
  sql,
  startStatement,
  type Statement,
  toPageWithTotal,
  type Within,
} from "#platform/database/index.ts";
import type { directoryEntry } from "./campus-contract.ts";
import type { delivery, deliveryAttempt, DeliveryField } from "./delivery-contract.ts";
import { places } from "./scope-contract.ts";
import { type Forwarded, openAnswer, openBody, openData } from "./sealed.ts";

type DeliveryRow = Timed<z.output<typeof delivery>>;

export interface DeliveryFilter {
  readonly within: Within;
  readonly projectId?: number | undefined;
  readonly status?: DeliveryRow["status"] | undefined;
  readonly event?: string | undefined;
  readonly subject?: string | undefined;
}

const sortColumns: Readonly<Record<DeliveryField, string>> = {
  id: "delivery.id",
  eventId: "event.public_id",
  projectId: "delivery.project_id",
  event: "event.event",
  subject: "event.subject",
  status: "delivery.status",
  attempts: "delivery.attempts",
  nextAttemptTime: "queue.due_at",
  lastStatusCode: "delivery.status_code",
  lastError: "delivery.error",
  createTime: "delivery.created_at",
  deliveredTime: "delivery.delivered_at",
};

const columns = `
  delivery.id, event.public_id as "eventId", delivery.project_id as "projectId", event.event, nullif(event.subject, '') as subject,
  delivery.status, delivery.attempts, queue.due_at as "nextAttemptTime", delivery.status_code as "lastStatusCode",
  delivery.error as "lastError", delivery.created_at as "createTime", delivery.delivered_at as "deliveredTime"`;

const joinEvent = "join push_relay.event on event.id = delivery.event_id";
const joinQueue = "left join push_relay.queue on queue.delivery_id = delivery.id";

// Pending and dead deliveries are few and have their own tables, so the status needs no index.
const sources = {
  pending: "push_relay.queue as listed join push_relay.delivery on delivery.id = listed.delivery_id",
  dead: "push_relay.dead as listed join push_relay.delivery on delivery.id = listed.delivery_id",
  delivered: "push_relay.delivery",
} as const;

const listOfProject = (statement: Statement, within: Within): string[] =>
  within.isEverywhere
    ? []
    : [
        `delivery.project_id in (select id from push_relay.project where ${within.list(statement, places).join(" and ")})`,
      ];

const conditions = (statement: Statement, { within, projectId, status, event, subject }: DeliveryFilter): string =>
  [
    "true",
    ...listOfProject(statement, within),
    ...(projectId === undefined ? [] : [`delivery.project_id = ${statement.value(projectId)}`]),
    ...(status === undefined ? [] : [`delivery.status = ${statement.value(status)}`]),
    ...(event === undefined ? [] : [`event.event = ${statement.value(event)}`]),
    ...(subject === undefined ? [] : [`event.subject = ${statement.value(subject)}`]),
  ].join(" and ");

export async function listDeliveries(
  db: Db,
  filter: DeliveryFilter,
  { field, descending, offset, limit }: ListOrder<DeliveryField>,
): Promise<PageWithTotal<DeliveryRow>> {
  const statement = startStatement();
  const where = conditions(statement, filter);
  const listed = sources[filter.status ?? "delivered"];
  const filtered = filter.event === undefined && filter.subject === undefined ? listed : `${listed} ${joinEvent}`;
  // For sorting, only the table of the sort column is joined to all rows. The other tables are joined to the page.
  const [sortTable] = sortColumns[field].split(".");
  const sorted = sortTable === "queue" ? `${filtered} ${joinQueue}` : filtered;
  const isLacking = sortTable === "event" && !filtered.endsWith(joinEvent);
  const direction = descending ? "desc" : "asc";
  const order = `${sortColumns[field]} ${direction}, delivery.id ${direction}`;
  const rows = await statement.run<DeliveryRow & { totalCount: number }>(
    db,
    `with total as (select count(*) as count from ${filtered} where ${where}),
     page as (
       select delivery.*, row_number() over (order by ${order}) as place
       from ${isLacking ? `${sorted} ${joinEvent}` : sorted} where ${where}
       order by ${order} limit ${statement.value(limit)} offset ${statement.value(offset)})
     select total.count as "totalCount", ${columns}
     from total left join page as delivery on true left ${joinEvent} ${joinQueue} order by place`,
  );
  const counted = toPageWithTotal(rows);
  return { ...counted, rows: counted.rows.map(({ totalCount: _total, ...row }: (typeof rows)[number]) => row) };
}

export async function findDelivery(db: Db, id: number, within: Within): Promise<DeliveryRow | undefined> {
  const statement = startStatement();
  const where = [`delivery.id = ${statement.value(id)}`, ...listOfProject(statement, within)].join(" and ");
  const [row] = await statement.run<DeliveryRow>(
    db,
    `select ${columns} from push_relay.delivery ${joinEvent} ${joinQueue} where ${where}`,
  );
  return row;
}

export const listAttempts = async (db: Db, id: number) =>
  db<Timed<z.output<typeof deliveryAttempt>>[]>`
    select at as time, status_code as "statusCode", duration_ms as "durationMs", error from (
      select at, status_code, duration_ms, error from push_relay.attempt where delivery_id = ${id}
      union all
      select attempted_at, status_code, duration_ms, error from push_relay.delivery
      where id = ${id} and status = 'delivered'
    ) as every order by at`;

interface ExchangeRow {
  readonly time: Date;
  readonly url: string;
  readonly headers: string | null;
  readonly body: string | null;
  readonly cut: boolean;
}

export async function listExchanges(db: Db, id: number): Promise<ExchangeRow[]> {
  const rows = await db<ExchangeRow[]>`
    select at as time, coalesce(exchange.url, project.url) as url, headers, body, coalesce(cut, false) as cut
    from (
      select delivery_id, at, exchange_id, status_code, error from push_relay.attempt where delivery_id = ${id}
      union all
      select id, attempted_at, exchange_id, status_code, error from push_relay.delivery
      where id = ${id} and status = 'delivered'
    ) as every
    join push_relay.delivery on delivery.id = delivery_id join push_relay.project on project.id = project_id
    left join push_relay.exchange on exchange.id = every.exchange_id
    where every.status_code is not null or every.error is not null
    order by at`;
  return rows.map((row) => ({ ...row, body: row.body === null ? null : openAnswer(db.keys, row.body) }));
}

/**
 * Limits the memory: once the bodies of a list exceed this many bytes in total, the remaining deliveries are listed
 * without a body.
 */
const mostBodyBytes = 8 * 1024 * 1024;

/** SQL that is true for a delivery that a reader pulled, or will pull. Only a pulled delivery succeeds without a status. */
const isPulled = sql`case when delivery.status = 'delivered' then delivery.status_code is null else project.pull end`;

export async function listBodies(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db<{ id: number; isPulled: boolean; body: string }[]>`
    select sized.id, ${isPulled} as "isPulled", push_relay.forwarded(event.*) as body from (
      select delivery.id, event_id, sum(octet_length(body) + octet_length(data)) over (order by place) as bytes
      from unnest(${ids}::bigint[]) with ordinality as asked (id, place)
      join push_relay.delivery on delivery.id = asked.id join push_relay.event on event.id = event_id) as sized
    join push_relay.delivery on delivery.id = sized.id join push_relay.project on project.id = project_id
    join push_relay.event on event.id = sized.event_id where bytes <= ${mostBodyBytes}`;
  return new Map(rows.flatMap((row) => tryToOpen(db, row)));
}

/** Leaves out a body that cannot be decrypted, since the delivery's error field reports the failure. */
function tryToOpen(
  db: Db,
  { id, isPulled, body }: { id: number; isPulled: boolean; body: string },
): [number, string][] {
  try {
    return [[id, openBody(db.keys, body, isPulled).body]];
  } catch {
    return [];
  }
}

export const listOwned = (db: Db, ids: readonly number[], projectId: number): Promise<number[]> =>
  db.values<number>`
    select id from push_relay.delivery where id = any (${ids}::bigint[]) and project_id = ${projectId}`;

export async function findForwarded(
  db: Db,
  id: number,
): Promise<(Forwarded & { readonly publicId: string }) | undefined> {
  // A delivery that was pushed before it was pulled is shown as it was pushed, beside the answers to the pushes.
  const [row] = await db<{ publicId: string; isPulled: boolean; body: string }[]>`
    select public_id as "publicId", push_relay.forwarded(event.*) as body, ${isPulled} and not exists (
        select from push_relay.attempt where delivery_id = delivery.id
          and (attempt.status_code is not null or attempt.error is not null)) as "isPulled"
    from push_relay.delivery join push_relay.event on event.id = event_id
      join push_relay.project on project.id = project_id
    where delivery.id = ${id}`;
  return row && { ...row, ...openBody(db.keys, row.body, row.isPulled) };
}

export async function listKnown(db: Db, ids: readonly number[], within: Within): Promise<number[]> {
  const statement = startStatement();
  const where = [`id = any(${statement.value(ids)})`, ...listOfProject(statement, within)].join(" and ");
  const rows = await statement.run<{ id: number }>(db, `select id from push_relay.delivery where ${where}`);
  return rows.map(({ id }) => id);
}

type DirectoryRow = Timed<Omit<z.output<typeof directoryEntry>, "data">> & { readonly data: string };

const directoryColumns = { id: "id", subject: "identity", name: "name", updateTime: "changed_at" } as const;
export type DirectoryField = keyof typeof directoryColumns;

/** The n-gram index covers both columns together, so each hit is checked against each column. */
function holds(statement: Statement, keyword: string): string {
  const place = `lower(${statement.value(keyword)}::text)`;
  return `platform.grams(identity || ' ' || coalesce(name, '')) @> platform.needle_grams(${place})
    and (strpos(lower(identity), ${place}) > 0 or strpos(lower(name), ${place}) > 0)`;
}

export async function listDirectory(
  db: Db,
  { kind, keyword }: { kind?: DirectoryRow["kind"] | undefined; keyword?: string | undefined },
  order: ListOrder<DirectoryField>,
): Promise<PageWithTotal<DirectoryRow>> {
  const statement = startStatement();
  const conditions = [
    "present",
    kind === undefined ? "kind <> 'range'" : `kind = ${statement.value(kind)}`,
    ...(keyword === undefined ? [] : [holds(statement, keyword)]),
  ];
  const list = {
    table: "push_relay.subject",
    columns: `id, kind, identity as subject, name, data, changed_at as "updateTime"`,
    where: `where ${conditions.join(" and ")}`,
    sortColumns: directoryColumns,
    isCostly: keyword !== undefined,
  };
  const { rows, totalCount } = await listPage<DirectoryRow & { id: number }, DirectoryField>(
    db,
    statement,
    list,
    order,
  );
  return { rows: rows.map(({ id: _id, ...row }) => ({ ...row, data: openData(db.keys, row.data) })), totalCount };
}

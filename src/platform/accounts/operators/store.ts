import type { ListOrder } from "#platform/contract/sorting.ts";
import { type Counted, type Db, type Fragment, sql } from "#platform/database/index.ts";
import type { SessionField } from "./contract.ts";

export interface SessionFilter {
  readonly service?: string | undefined;
  /** Stands anywhere in the user name, in any case. */
  readonly userName?: string | undefined;
}

export interface OpenSession {
  readonly id: number;
  readonly service: string;
  /** Of an operator, as of an account. */
  readonly services: readonly string[] | null;
  readonly userName: string;
  readonly name: string;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** One page of the sessions that have not run out, of all services, and how many there are. */
export async function listOpenSessions(
  db: Db,
  filter: SessionFilter,
  order: ListOrder<SessionField>,
): Promise<Counted<OpenSession>> {
  const from = sql`
    from platform.session join platform.account on account.id = account_id
    where expires_at > now() and enabled
    ${filter.service === undefined ? sql`` : sql`and service = ${filter.service}`}
    ${filter.userName === undefined ? sql`` : sql`and strpos(lower(user_name), lower(${filter.userName})) > 0`}`;
  const column = sortColumn(order.field);
  const direction = order.descending ? sql`desc` : sql`asc`;
  const [count] = await db<{ count: number }[]>`select count(*) as count ${from}`;
  const rows = await db<OpenSession[]>`
    select session.id, service, services, user_name as "userName", name, address, user_agent as "userAgent",
      session.created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt"
    ${from} order by ${column} ${direction}, session.id ${direction} limit ${order.limit} offset ${order.offset}`;
  return { rows, totalCount: count?.count ?? 0 };
}

function sortColumn(field: SessionField): Fragment {
  const columns = {
    id: sql`session.id`,
    service: sql`service`,
    userName: sql`user_name`,
    name: sql`name`,
    address: sql`address`,
    createTime: sql`session.created_at`,
    lastUseTime: sql`last_used_at`,
    expireTime: sql`expires_at`,
  };
  return columns[field];
}

/** The name behind a session, and when it ends; undefined once it is over. */
export async function findSession(db: Db, id: number): Promise<Pick<OpenSession, "name" | "expiresAt"> | undefined> {
  const [row] = await db<Pick<OpenSession, "name" | "expiresAt">[]>`
    select name, expires_at as "expiresAt"
    from platform.session join platform.account on account.id = account_id
    where session.id = ${id} and expires_at > now()`;
  return row;
}

export type EndedSession = Pick<OpenSession, "id" | "service" | "services" | "userName">;

/** Ends those of the sessions that there are and returns whose they were. */
export async function endSessions(tx: Db, ids: readonly number[]): Promise<EndedSession[]> {
  return tx<EndedSession[]>`
    delete from platform.session using platform.account
    where account.id = account_id and session.id = any(${ids}) and expires_at > now()
    returning session.id, service, services, user_name as "userName"`;
}

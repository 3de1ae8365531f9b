import type { Caller } from "#platform/contract/caller.ts";
import type { ListOrder } from "#platform/contract/sorting.ts";
import { column, type Counted, type Db, type RowOf, sql, writeSelected } from "#platform/database/index.ts";
import type { SessionField } from "./contract.ts";

export interface SessionFilter {
  readonly service?: string | undefined;
  /** Stands anywhere in the user name, in any case. */
  readonly userName?: string | undefined;
}

const columns = {
  id: column<number>("session.id"),
  service: column<string>("service"),
  /** Of an operator, as of an account. */
  services: column<readonly string[] | null>("services"),
  rights: column<readonly string[] | null>("rights"),
  userName: column<string>("user_name"),
  name: column<string>("name"),
  address: column<string>("address"),
  userAgent: column<string>("user_agent"),
  createdAt: column<Date>("session.created_at"),
  lastUsedAt: column<Date>("last_used_at"),
  expiresAt: column<Date>("expires_at"),
};

export type OpenSession = RowOf<typeof columns>;

const sortColumns: Readonly<Record<SessionField, string>> = {
  ...columns,
  createTime: columns.createdAt,
  lastUseTime: columns.lastUsedAt,
  expireTime: columns.expiresAt,
};

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
  const sortColumn = sql.raw(sortColumns[order.field]);
  const direction = order.descending ? sql`desc` : sql`asc`;
  const [count] = await db<{ count: number }[]>`select count(*) as count ${from}`;
  const rows = await db<OpenSession[]>`
    select ${sql.raw(writeSelected(columns))}
    ${from} order by ${sortColumn} ${direction}, session.id ${direction} limit ${order.limit} offset ${order.offset}`;
  return { rows, totalCount: count?.count ?? 0 };
}

/** The name behind a session, and when it ends; undefined once it is over. */
export async function findSession(db: Db, id: number): Promise<Pick<OpenSession, "name" | "expiresAt"> | undefined> {
  const [row] = await db<Pick<OpenSession, "name" | "expiresAt">[]>`
    select name, expires_at as "expiresAt"
    from platform.session join platform.account on account.id = account_id
    where session.id = ${id} and expires_at > now()`;
  return row;
}

const mostOwn = 200;

/** Where the account is signed in, the session itself first. */
export async function listSessionsOf(
  db: Db,
  { accountId, sessionId }: Pick<Caller, "accountId" | "sessionId">,
): Promise<OpenSession[]> {
  return db<OpenSession[]>`
    select ${sql.raw(writeSelected(columns))}
    from platform.session join platform.account on account.id = account_id
    where account_id = ${accountId} and expires_at > now()
    order by session.id = ${sessionId} desc, last_used_at desc, session.id desc limit ${mostOwn}`;
}

/** Ends those of the sessions that are the account's, and returns them. */
export async function endSessionsOfOne(tx: Db, accountId: number, ids: readonly number[]): Promise<number[]> {
  const ended = await tx<{ id: number }[]>`
    delete from platform.session where account_id = ${accountId} and id = any(${ids}) and expires_at > now()
    returning id`;
  return ended.map(({ id }) => id);
}

export type EndedSession = Pick<OpenSession, "id" | "service" | "services" | "rights" | "userName">;

/** Ends those of the sessions that there are and returns whose they were. */
export async function endSessions(tx: Db, ids: readonly number[]): Promise<EndedSession[]> {
  return tx<EndedSession[]>`
    delete from platform.session using platform.account
    where account.id = account_id and session.id = any(${ids}) and expires_at > now()
    returning session.id, service, services, rights, user_name as "userName"`;
}

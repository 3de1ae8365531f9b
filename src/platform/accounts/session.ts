import { hash, randomBytes } from "node:crypto";
import type { Caller } from "#platform/contract/caller.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Scope } from "#platform/contract/scope.ts";
import type { ListOrder } from "#platform/contract/sorting.ts";
import { batchByPool, column, type Db, type Pool, type RowOf, sql, writeSelected } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { expiringRows, type ExpiredRows } from "#platform/process/removal.ts";
import { isVisibleTo, listRows } from "./account-store.ts";
import type { SessionField } from "./operators/contract.ts";

export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");

export function makeToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashToken(token) };
}

interface NewSession {
  readonly accountId: number;
  readonly address: string;
  readonly userAgent: string;
  readonly settings: Pick<Settings, "TOKEN_HOURS" | "SESSIONS_PER_ACCOUNT">;
  readonly ofConsole?: boolean;
  readonly mustChoose?: boolean;
}

export async function startSession(tx: Db, given: NewSession): Promise<{ token: string; expireTime: number }> {
  const { accountId, address, userAgent, settings, ofConsole = false, mustChoose = false } = given;
  const { TOKEN_HOURS: hours, SESSIONS_PER_ACCOUNT: most } = settings;
  if (most > 0)
    await tx`
      delete from platform.session where id in (
        select id from platform.session where account_id = ${accountId}
        order by last_used_at desc, id desc offset ${most - 1})`;
  const { token, hash } = makeToken();
  const [row] = await tx<[{ expiresAt: Date }]>`
    insert into platform.session (account_id, token_hash, address, user_agent, expires_at, must_choose, of_console)
    values (${accountId}, ${hash}, ${address}, ${userAgent.slice(0, 255)}, now() + make_interval(hours => ${hours}),
      ${mustChoose}, ${ofConsole})
    returning expires_at as "expiresAt"`;
  await rememberAddress(tx, accountId, address);
  return { token, expireTime: row.expiresAt.getTime() };
}

/**
 * Remembers the address of a login, so that failures from other addresses no longer lock an operator out there, and
 * later logins from the address are not reported as new.
 */
export async function rememberAddress(tx: Db, accountId: number, address: string): Promise<void> {
  await tx`
    insert into platform.account_address (account_id, address) values (${accountId}, ${address})
    on conflict (account_id, address) do update set last_login_at = now()`;
}

export const listSecurityEvents = (db: Db, { accountId, sessionId }: Caller) =>
  db<{ kind: "place" | "factor"; what: string; at: Date }[]>`
    select * from (
      select 'place' as kind, address as what, first_login_at as at from platform.account_address
      where account_id = ${accountId} and address <> (select address from platform.session where id = ${sessionId})
      union all
      select 'factor', name, confirmed_at from platform.factor where account_id = ${accountId}
    ) as news where at > now() - interval '14 days' order by at desc limit 10`;

const callerColumns = `session.id as "sessionId", account.id as "accountId", account.service,
    account.user_name as "userName", account.name, account.super as "isSuper", account.services, account.rights, account.scope,
    must_choose as "mustChoose",
    exists (select from platform.factor where factor.account_id = account.id and confirmed_at is not null) as "hasFactor",
    extract(epoch from now() - factor_at)::float8 as "factorAgeSeconds"`;

interface Found extends Caller {
  readonly tokenHash: string;
  /** The time since the last recorded use. */
  readonly idleSeconds: number;
  readonly ofConsole: boolean;
}

const findByHash = batchByPool(async (pool: Pool, hashes: readonly Buffer[]): Promise<(Found | undefined)[]> => {
  const asked = hashes.map((hash) => hash.toString("hex"));
  const rows = await pool<Found[]>`
    select ${sql.raw(callerColumns)}, encode(token_hash, 'hex') as "tokenHash",
      extract(epoch from now() - last_used_at)::float8 as "idleSeconds", of_console as "ofConsole"
    from platform.session join platform.account on account.id = account_id
    where token_hash = any(${[...new Map(hashes.map((hash, index) => [asked[index], hash])).values()]}::bytea[])
      and expires_at > now() and enabled`;
  const found = new Map(rows.map((row) => [row.tokenHash, row]));
  return asked.map((hash) => found.get(hash));
});

type IdleSettings = Pick<Settings, "TOKEN_IDLE_MINUTES" | "CONSOLE_IDLE_MINUTES">;

// A use of a session is recorded at most once per this interval, so that most read-only calls write nothing.
const usedSeconds = 60;

/**
 * @param isUse false for background requests of a page, which do not extend the session
 * @throws {Problem} tokenInvalid if no session has the token, the session expired or was idle too long, or the account
 * is disabled
 */
export async function getTokenHolder(pool: Pool, token: string, settings: IdleSettings, isUse = true): Promise<Caller> {
  const row = await findByHash(pool, hashToken(token));
  if (!row) throw new Problem("tokenInvalid");
  const { idleSeconds, ofConsole, tokenHash: _, ...caller } = row;
  const idleMinutes = ofConsole ? settings.CONSOLE_IDLE_MINUTES : settings.TOKEN_IDLE_MINUTES;
  // Uses within `usedSeconds` of a recorded use are not recorded, so the last use may be that much later than the
  // recorded one.
  if (idleMinutes > 0 && idleSeconds > idleMinutes * 60 + usedSeconds) throw new Problem("tokenInvalid");
  if (isUse && idleSeconds > usedSeconds)
    await pool`update platform.session set last_used_at = now() where id = ${caller.sessionId}`;
  return caller;
}

/**
 * Protects the session, or the access key and its account, from being revoked until the transaction ends. The row lock
 * is shared, so concurrent writes of one administrator do not wait for each other. Returns false if the session or key
 * is no longer valid.
 */
export async function lockCaller(tx: Db, { sessionId, keyId }: Caller): Promise<boolean> {
  const rows =
    keyId === undefined
      ? await tx`select 1 from platform.session where id = ${sessionId} and expires_at > now() for key share`
      : await tx`
          select 1 from platform.access_key join platform.account on account.id = account_id
          where access_key.id = ${keyId} and revoked_at is null and expires_at > now() and enabled for share`;
  return rows.length === 1;
}

export const markFactorVerified = async (tx: Db, sessionId: number): Promise<boolean> =>
  (await tx.count`
    update platform.session set factor_at = now() where id = ${sessionId} and expires_at > now()`) === 1;

export async function endSessionsOf(tx: Db, accountIds: readonly number[]): Promise<void> {
  await tx`delete from platform.session where account_id = any(${accountIds})`;
}

const ticketSeconds = 60;

/**
 * Creates a ticket that can be used once, within one minute and for one purpose.
 * @throws {Problem} forbidden for an access key, which needs no ticket
 */
export async function issueTicket(tx: Db, { sessionId, keyId }: Caller, purpose: string): Promise<string> {
  if (keyId !== undefined)
    throw explain(
      "forbidden",
      "访问密钥无需下载凭证，请直接调用下载接口",
      "access keys need no ticket: call the download directly",
    );
  const { token, hash } = makeToken();
  await tx`
    insert into platform.ticket (ticket_hash, session_id, purpose, expires_at)
    values (${hash}, ${sessionId}, ${purpose}, now() + make_interval(secs => ${ticketSeconds}))`;
  return token;
}

/**
 * Returns the caller to whom the ticket was issued, and consumes the ticket if `isUsedUp`.
 * @throws {Problem} tokenInvalid if the ticket is invalid or its session is no longer valid
 */
export async function getTicketHolder(
  db: Db,
  { ticket, purpose, isUsedUp }: { readonly ticket: string; readonly purpose: string; readonly isUsedUp: boolean },
): Promise<Caller> {
  const chosen = sql`platform.ticket where ticket_hash = ${hashToken(ticket)} and purpose = ${purpose}`;
  const [row] = await db<Caller[]>`
    with ticket as (
      ${isUsedUp ? sql`delete from ${chosen} returning session_id, expires_at` : sql`select session_id, expires_at from ${chosen}`}
    )
    select ${sql.raw(callerColumns)}
    from ticket join platform.session on session.id = session_id join platform.account on account.id = account_id
    where ticket.expires_at > now() and session.expires_at > now() and enabled`;
  if (!row) throw new Problem("tokenInvalid");
  return row;
}

export const expiredSessions = ({ TOKEN_IDLE_MINUTES, CONSOLE_IDLE_MINUTES }: IdleSettings): ExpiredRows[] => [
  {
    table: "platform.session",
    isExpired: sql`expires_at < now() or last_used_at < now() - make_interval(secs => ${usedSeconds},
      mins => nullif(case when of_console then ${CONSOLE_IDLE_MINUTES} else ${TOKEN_IDLE_MINUTES} end::int, 0))`,
  },
  expiringRows("platform.ticket"),
];

const columns = {
  id: column<number>("session.id"),
  service: column<string>("service"),
  services: column<readonly string[] | null>("services"),
  rights: column<readonly string[] | null>("rights"),
  scope: column<Scope>("scope"),
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

export function listOpenSessions(
  db: Db,
  caller: Caller,
  { service, userName }: { readonly service?: string | undefined; readonly userName?: string | undefined },
  order: ListOrder<SessionField>,
) {
  const from = sql`
    from platform.session join platform.account on account.id = account_id
    where expires_at > now() and enabled and ${isVisibleTo(caller)}
    ${service === undefined ? sql`` : sql`and service = ${service}`}
    ${userName === undefined ? sql`` : sql`and strpos(lower(user_name), lower(${userName})) > 0`}`;
  return listRows(db, { columns, sortColumns, from }, order);
}

export const findEnd = async (db: Db, { sessionId, keyId }: Caller) =>
  db.first<{ name: string; expiresAt: Date }>`
    select account.name, expires_at as "expiresAt"
    from ${keyId === undefined ? sql`platform.session as shown` : sql`platform.access_key as shown`}
      join platform.account on account.id = account_id
    where shown.id = ${keyId ?? sessionId} ${keyId === undefined ? sql`and expires_at > now()` : sql``}`;

const maxOwnSessions = 200;

export const listSessionsOf = (db: Db, { accountId, sessionId }: Caller): Promise<OpenSession[]> =>
  db<OpenSession[]>`
    select ${sql.raw(writeSelected(columns))}
    from platform.session join platform.account on account.id = account_id
    where account_id = ${accountId} and expires_at > now()
    order by session.id = ${sessionId} desc, last_used_at desc, session.id desc limit ${maxOwnSessions}`;

export const endSessions = (tx: Db, ids: readonly number[], accountId?: number) =>
  tx<Pick<OpenSession, "id" | "service" | "services" | "rights" | "scope" | "userName">[]>`
    delete from platform.session using platform.account
    where account.id = account_id and session.id = any(${ids}) and expires_at > now()
      ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
    returning session.id, service, services, rights, scope, user_name as "userName"`;

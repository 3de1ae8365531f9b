import { hash, randomBytes } from "node:crypto";
import { type Caller } from "#platform/contract/caller.ts";
import { type Db, gatherByPool, type Pool } from "#platform/database/index.ts";

export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");

/** A token of 256 random bits and the hash that is all the database keeps of it. */
export function makeToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashToken(token) };
}

export interface NewSession {
  readonly accountId: number;
  readonly address: string;
  readonly userAgent: string;
  readonly hours: number;
}

/** Signs somebody in: the token, and when it ends in epoch milliseconds. */
export async function startSession(
  tx: Db,
  { accountId, address, userAgent, hours }: NewSession,
): Promise<{ token: string; expireTime: number }> {
  const { token, hash } = makeToken();
  const [row] = await tx<{ expiresAt: Date }[]>`
    insert into platform.session (account_id, token_hash, address, user_agent, expires_at)
    values (${accountId}, ${hash}, ${address}, ${userAgent.slice(0, 255)}, now() + make_interval(hours => ${hours}))
    returning expires_at as "expiresAt"`;
  return { token, expireTime: row?.expiresAt.getTime() ?? 0 };
}

interface Found extends Caller {
  readonly tokenHash: Buffer;
  readonly stale: boolean;
}

/** Tokens that come together are looked up together. */
const findByHash = gatherByPool(async (pool: Pool, hashes: readonly Buffer[]): Promise<(Found | undefined)[]> => {
  const rows = await pool<Found[]>`
    select session.id as "sessionId", account.id as "accountId", account.service, account.user_name as "userName",
      account.name, account.super as "isSuper", account.services, token_hash as "tokenHash",
      last_used_at < now() - interval '1 minute' as stale
    from platform.session join platform.account on account.id = account_id
    where token_hash = any(${[...new Map(hashes.map((hash) => [toKey(hash), hash])).values()]}::bytea[])
      and expires_at > now() and enabled`;
  const found = new Map(rows.map((row) => [toKey(row.tokenHash), row]));
  return hashes.map((hash) => found.get(toKey(hash)));
});

const toKey = (hash: Buffer): string => hash.toString("latin1");

/** Who the token belongs to, when it is valid and the account enabled. */
export async function findCaller(pool: Pool, token: string): Promise<Caller | undefined> {
  const row = await findByHash(pool, hashToken(token));
  if (!row) return undefined;
  const { stale, tokenHash: _, ...caller } = row;
  // Written at most once a minute: a list page must not cost a write.
  if (stale) await pool`update platform.session set last_used_at = now() where id = ${caller.sessionId}`;
  return caller;
}

/**
 * Holds the session until the transaction ends, so that a revocation waits for it; together with others, for an
 * administrator's writes not to queue. False: revoked meanwhile.
 */
export async function holdSession(tx: Db, { sessionId }: Caller): Promise<boolean> {
  const rows = await tx`select 1 from platform.session where id = ${sessionId} and expires_at > now() for key share`;
  return rows.length === 1;
}

/** Signs the accounts out everywhere. */
export async function endSessionsOf(tx: Db, accountIds: readonly number[]): Promise<void> {
  await tx`delete from platform.session where account_id = any(${accountIds})`;
}

export async function endSession(tx: Db, sessionId: number): Promise<void> {
  await tx`delete from platform.session where id = ${sessionId}`;
}

const ticketSeconds = 60;

/** A ticket that stands for the session once, within a minute, for one purpose. */
export async function issueTicket(tx: Db, { sessionId }: Caller, purpose: string): Promise<string> {
  const { token, hash } = makeToken();
  await tx`
    insert into platform.ticket (ticket_hash, session_id, purpose, expires_at)
    values (${hash}, ${sessionId}, ${purpose}, now() + make_interval(secs => ${ticketSeconds}))`;
  return token;
}

const holderOf = (tickets: string): string => `
  select session.id as "sessionId", account.id as "accountId", account.service, account.user_name as "userName",
    account.name, account.super as "isSuper", account.services
  from ${tickets} as ticket join platform.session on session.id = session_id
    join platform.account on account.id = account_id
  where ticket.expires_at > now() and session.expires_at > now() and enabled`;

const chosen = "ticket_hash = $1 and purpose = $2";
const lookAt = holderOf(`(select session_id, expires_at from platform.ticket where ${chosen})`);
const useUp = `with used as (delete from platform.ticket where ${chosen} returning session_id, expires_at) ${holderOf("used")}`;

async function holderOfTicket(db: Db, text: string, ticket: string, purpose: string): Promise<Caller | undefined> {
  const [row] = await db.query<Caller>(text, [hashToken(ticket), purpose]);
  return row;
}

/** Whoever the ticket was issued to, while their session lasts; it stays as it is. */
export const findTicket = (db: Db, ticket: string, purpose: string): Promise<Caller | undefined> =>
  holderOfTicket(db, lookAt, ticket, purpose);

/** Uses a ticket up: whoever it was issued to, while their session lasts. */
export const redeemTicket = (db: Db, ticket: string, purpose: string): Promise<Caller | undefined> =>
  holderOfTicket(db, useUp, ticket, purpose);

/** Removes sessions and tickets that have run out. */
export async function deleteOldSessions(pool: Pool): Promise<void> {
  await pool`delete from platform.session where expires_at < now()`;
  await pool`delete from platform.ticket where expires_at < now()`;
}

import { hashToken, makeToken } from "#platform/accounts/session.ts";
import type { Db } from "#platform/database/index.ts";

export interface CardSession {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expireTime: number;
}

/** Signs the holder of a card in, after somebody else has made sure that it is theirs. */
export async function startCardSession(db: Db, cardNumber: string, hours: number): Promise<CardSession> {
  const { token, hash } = makeToken();
  const [row] = await db<{ expiresAt: Date }[]>`
    insert into platform.card_session (token_hash, card_number, expires_at)
    values (${hash}, ${cardNumber}, now() + make_interval(hours => ${hours})) returning expires_at as "expiresAt"`;
  return { token, expireTime: row?.expiresAt.getTime() ?? 0 };
}

/** Whether the token was issued for that very card, and still holds. */
export async function isCardSession(db: Db, cardNumber: string, token: string): Promise<boolean> {
  const rows = await db`
    select 1 from platform.card_session
    where token_hash = ${hashToken(token)} and card_number = ${cardNumber} and expires_at > now()`;
  return rows.length === 1;
}

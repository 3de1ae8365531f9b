import { hashToken, makeToken } from "#platform/accounts/session.ts";
import type { Db, Pool } from "#platform/database/index.ts";
import type { Attempt, ProviderKind } from "#platform/sign-on/index.ts";

// Attempts are in the database, so that whichever process the browser comes back to can finish them, and in the hands of
// the browser is nothing but a token.

export const attemptSeconds = 600;

export interface KeptAttempt extends Attempt {
  readonly provider: ProviderKind;
  /** Of the account that was meant. */
  readonly service: string;
}

/** Keeps the attempt for ten minutes; the token by which its browser is known again. */
export async function keepAttempt(tx: Db, attempt: KeptAttempt): Promise<string> {
  const { token, hash } = makeToken();
  const { provider, service, state, nonce, verifier, returnAddress } = attempt;
  await tx`
    insert into platform.sign_on (token_hash, provider, service, state, nonce, verifier, return_address, expires_at)
    values (${hash}, ${provider}, ${service}, ${state}, ${nonce}, ${verifier}, ${returnAddress},
      now() + make_interval(secs => ${attemptSeconds}))`;
  return token;
}

/** The attempt that the token is of, which nobody can finish any more; undefined when it is over or has been taken. */
export async function takeAttempt(db: Db, token: string): Promise<KeptAttempt | undefined> {
  const [row] = await db<(KeptAttempt & { isOpen: boolean })[]>`
    delete from platform.sign_on where token_hash = ${hashToken(token)}
    returning provider, service, state, nonce, verifier, return_address as "returnAddress", expires_at > now() as "isOpen"`;
  if (!row?.isOpen) return undefined;
  const { isOpen: _, ...attempt } = row;
  return attempt;
}

export async function deleteOldAttempts(pool: Pool): Promise<void> {
  await pool`delete from platform.sign_on where expires_at < now()`;
}

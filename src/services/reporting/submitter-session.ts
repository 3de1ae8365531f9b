import type { FastifyRequest } from "fastify";
import { hashToken, makeToken } from "#platform/accounts/session.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { Db, Pool } from "#platform/database/index.ts";
import { submitterHeaders } from "./report-contract.ts";

// A submitter whom the messaging platform has told of. Their page holds a token; the open identifier, by which messages
// reach them, stays here: whoever has it could pass for them wherever else it is believed.

const hours = 2;

/** Begins a session of the submitter, and gives its token. */
export async function startSubmitterSession(tx: Db, openId: string): Promise<string> {
  const { token, hash } = makeToken();
  await tx.send`
    insert into reporting.submitter_session (token_hash, open_id, expires_at)
    values (${hash}, ${openId}, now() + make_interval(hours => ${hours}))`;
  return token;
}

/** The token that came with the request, under either of its names; undefined when none did. */
export function readSubmitterToken({ headers }: FastifyRequest): string | undefined {
  const value = Object.keys(submitterHeaders)
    .map((name) => headers[name])
    .find((given) => given !== undefined);
  return value === undefined ? undefined : String(value);
}

/**
 * The open identifier that the token stands for.
 * @throws {Problem} headerMissing, tokenEmpty or tokenInvalid
 */
export async function getSubmitter(db: Db, token: string | undefined): Promise<string> {
  if (token === undefined) throw new Problem("headerMissing");
  if (token === "") throw new Problem("tokenEmpty");
  const [row] = await db<{ openId: string }[]>`
    select open_id as "openId" from reporting.submitter_session
    where token_hash = ${hashToken(token)} and expires_at > now()`;
  if (!row) throw new Problem("tokenInvalid");
  return row.openId;
}

/** Forgets the sessions that are over. */
export async function forgetOldSessions(pool: Pool): Promise<void> {
  await pool`delete from reporting.submitter_session where expires_at < now()`;
}

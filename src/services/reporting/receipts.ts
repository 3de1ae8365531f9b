import { createCipheriv, createDecipheriv } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { hashToken, makeToken } from "#platform/accounts/session.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { submitterHeaders } from "./report-contract.ts";

// Anybody who has a report's receipt may see the report's state. A receipt is the report's id in one block, encrypted
// with AES-256 under a key of the server. Among a million reports, a guess is a valid receipt with probability 2^-108.
// Unlike a hash, a receipt can be decrypted, so it needs no column or index.

const blockBytes = 16;
const cipher = "aes-256-ecb";

export interface Receipts {
  /** Returns 32 hexadecimal digits, always the same ones for a report. */
  make(reportId: number): string;
  /** Returns undefined for an invalid receipt. There may be no report with the returned id. */
  read(receipt: string): number | undefined;
}

export const openReceipts = (key: Buffer): Receipts => ({
  make: (reportId) => {
    const block = Buffer.alloc(blockBytes);
    block.writeBigUInt64BE(BigInt(reportId), blockBytes - 8);
    return createCipheriv(cipher, key, null).setAutoPadding(false).update(block, undefined, "hex");
  },
  read: (receipt) => {
    if (!/^[0-9a-f]{32}$/i.test(receipt)) return undefined;
    const block = createDecipheriv(cipher, key, null).setAutoPadding(false).update(receipt, "hex");
    const id = Number(block.readBigUInt64BE(blockBytes - 8));
    return block.readBigUInt64BE(0) === 0n && id > 0 && Number.isSafeInteger(id) ? id : undefined;
  },
});

export async function findReceiptKey(db: Db): Promise<Buffer> {
  const [row] = await db<{ key: Buffer }[]>`select key from reporting.receipt_key`;
  if (!row) throw new Error("the key that encrypts receipts is missing");
  return row.key;
}

// The page has only the token of a session. The OpenID stays on the server, since anybody who knows the OpenID could
// impersonate the submitter elsewhere.

const hours = 2;

export async function startSubmitterSession(tx: Db, openId: string): Promise<string> {
  const { token, hash } = makeToken();
  await tx.send`
    insert into reporting.submitter_session (token_hash, open_id, expires_at)
    values (${hash}, ${openId}, now() + make_interval(hours => ${hours}))`;
  return token;
}

export function readSubmitterToken({ headers }: FastifyRequest): string | undefined {
  const value = Object.keys(submitterHeaders)
    .map((name) => headers[name])
    .find((given) => given !== undefined);
  return value === undefined ? undefined : String(value);
}

/** @throws {Problem} headerMissing, tokenEmpty or tokenInvalid */
export async function getSubmitter(db: Db, token: string | undefined): Promise<string> {
  if (token === undefined) throw new Problem("headerMissing");
  if (token === "") throw new Problem("tokenEmpty");
  const [row] = await db<{ openId: string }[]>`
    select open_id as "openId" from reporting.submitter_session
    where token_hash = ${hashToken(token)} and expires_at > now()`;
  if (!row) throw new Problem("tokenInvalid");
  return row.openId;
}

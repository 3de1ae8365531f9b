import { hash } from "node:crypto";
import { explain } from "#platform/contract/problem.ts";
import { type Db, sql } from "#platform/database/index.ts";
import type { ExpiredRows } from "#platform/process/removal.ts";
import { bindingOf, type SealedColumn } from "#platform/sealing/keyring.ts";

const lifetimeHours = 24;

export const digest = (content: string): Buffer => hash("sha256", content, "buffer");

/** Stored answers are sealed, because the answer to a new order contains the student's name and number. */
export const sealedAnswer: SealedColumn = {
  table: "platform.idempotent_answer",
  key: { key_hash: "bytea" },
  column: "data",
};

/**
 * Runs `create` once per key. A retry within 24 hours returns the first result, and a concurrent retry waits for it. A
 * failure stores nothing, so a retry runs `create` again.
 * @param scope the operation and the account, guest or address, so that equal keys of different callers are distinct
 * @throws {Problem} keyReused for the same key with another `bodyHash`
 */
export async function runOnce(
  tx: Db,
  { scope, key, bodyHash }: { readonly scope: string; readonly key: string; readonly bodyHash: Buffer },
  create: () => Promise<string>,
): Promise<string> {
  const keyHash = digest(JSON.stringify([scope, key]));
  const claimed = await tx.count`
    insert into platform.idempotent_answer as known (key_hash, body_hash) values (${keyHash}, ${bodyHash})
    on conflict (key_hash) do update set body_hash = excluded.body_hash, data = null, created_at = now()
      where known.created_at < now() - make_interval(hours => ${lifetimeHours})`;
  if (claimed === 0) {
    const [known] = await tx<{ data: string; bodyHash: Buffer }[]>`
      select data, body_hash as "bodyHash" from platform.idempotent_answer where key_hash = ${keyHash}`;
    if (known && bodyHash.equals(known.bodyHash)) return tx.keys.open(bindingOf(sealedAnswer), known.data);
    throw explain(
      "keyReused",
      "该 Idempotency-Key 已用于其他请求内容",
      "the Idempotency-Key has already been used with a different request body",
    );
  }
  const data = await create();
  const stored = tx.keys.seal(bindingOf(sealedAnswer), data);
  await tx.send`update platform.idempotent_answer set data = ${stored} where key_hash = ${keyHash}`;
  return data;
}

export const expiredAnswers: ExpiredRows = {
  table: "platform.idempotent_answer",
  isExpired: sql`created_at < now() - make_interval(hours => ${lifetimeHours})`,
};

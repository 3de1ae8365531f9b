import type { FastifyBaseLogger } from "fastify";
import { keyMark } from "#platform/accounts/access-keys.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { auditOutlet, type WrittenLine } from "#platform/accounts/audit-outlet.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Db, type Pool, sendAndTell, sql } from "#platform/database/index.ts";

/** One line of the audit log: who did what to which records, from where, and how it ended. */
export interface AuditEntry {
  readonly service: string;
  readonly accountId?: number | undefined;
  readonly userName: string;
  /** The operation's name in the contract, such as closeReport. */
  readonly action: string;
  readonly outcome: "done" | "refused" | "failed";
  readonly records?: readonly (string | number)[];
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
  readonly address: string;
}

/**
 * Has the transaction note what it changes from here on, before and after, for its audit line
 * (`platform.keep_changes`). Nobody waits for it.
 */
export const noteChanges = (tx: Db): Promise<void> => tx.send`select set_config('quintet.changes', '{}', true)`;

/** Writes the line in the transaction of the change that it tells of, and with it, and with what was noted of it. */
export async function writeAudit(tx: Db, entry: AuditEntry): Promise<void> {
  const statement = sql`
    insert into platform.audit (service, account_id, user_name, action, outcome, records, detail, address, changes)
    values (${entry.service}, ${entry.accountId ?? null}, ${entry.userName}, ${entry.action}, ${entry.outcome},
      ${(entry.records ?? []).map(String)}, ${entry.detail === undefined ? null : JSON.stringify(entry.detail)}, ${entry.address},
      nullif(nullif(current_setting('quintet.changes', true), ''), '{}')::jsonb)
    returning id, at, changes`;
  await sendAndTell(tx, statement, (rows) => {
    for (const row of rows as readonly WrittenLine[]) auditOutlet?.send({ ...row, ...entry });
  });
}

/** Whether the caller has a line of this action about these records, no older than so many minutes. */
export async function isAudited(db: Db, entry: AuditEntry, minutes: number): Promise<boolean> {
  const [found] = await db`
    select from platform.audit
    where at > now() - make_interval(mins => ${minutes}) and service = ${entry.service} and action = ${entry.action}
      and account_id = ${entry.accountId ?? null} and records = ${(entry.records ?? []).map(String)}
    limit 1`;
  return found !== undefined;
}

/**
 * Writes down that somebody was refused, or failed to log in, after whose transaction is gone. What cannot be written is
 * logged and no more: it must not take the place of the refusal.
 */
export async function auditRefusal(
  { pool, log }: { readonly pool: Pool; readonly log: FastifyBaseLogger },
  entry: AuditEntry,
): Promise<void> {
  const { service, action, outcome } = entry;
  await writeAudit(pool, entry).catch((error: unknown) =>
    log.error({ service, action, outcome, ...toLoggable(error) }, "a refusal is missing in the audit log"),
  );
}

/** Who an entry is about, out of the caller. */
export const byCaller = ({
  accountId,
  userName,
  keyId,
}: Pick<Caller, "accountId" | "userName" | "keyId">): Pick<AuditEntry, "accountId" | "userName"> => ({
  accountId,
  userName: keyId === undefined ? userName : `${userName} (${keyMark(keyId)})`,
});

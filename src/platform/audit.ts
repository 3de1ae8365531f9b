import type { Caller } from "#platform/accounts/session.ts";
import type { Db } from "#platform/database.ts";

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

/** Writes the line in the transaction of the change that it tells of. */
export async function writeAudit(tx: Db, entry: AuditEntry): Promise<void> {
  await tx`
    insert into platform.audit (service, account_id, user_name, action, outcome, records, detail, address)
    values (${entry.service}, ${entry.accountId ?? null}, ${entry.userName}, ${entry.action}, ${entry.outcome},
      ${(entry.records ?? []).map(String)}, ${entry.detail === undefined ? null : tx.json(entry.detail)}, ${entry.address})`;
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

/** Who an entry is about, out of the caller. */
export const byCaller = ({ accountId, userName }: Caller): Pick<AuditEntry, "accountId" | "userName"> => ({
  accountId,
  userName,
});

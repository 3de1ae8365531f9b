import type { UsedKey } from "#platform/accounts/access-key-store.ts";
import { keyMark } from "#platform/accounts/access-keys.ts";
import type { Account } from "#platform/accounts/account-store.ts";
import { mayManageAccount, toWireServices } from "#platform/accounts/kinds.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { AuditLine } from "./audit-store.ts";
import type { AuditRecord, OperatorRecord, SessionRecord } from "./contract.ts";
import type { KeyRecord, ServiceAccountRecord } from "./service-account-contract.ts";
import type { OpenSession } from "./store.ts";

// Rows as they go over the wire; times in the zone of the platform.

export const toOperatorRecord = (account: Account, zone: string, all: readonly string[]): OperatorRecord => ({
  id: account.id,
  userName: account.userName,
  name: account.name,
  services: toWireServices(all, account.services),
  ...(account.rights && { rights: [...account.rights] }),
  ...(account.fromSignOn && { fromSignOn: true as const }),
  status: account.enabled ? "1" : "0",
  createTime: formatDateTime(account.createdAt, zone),
});

export const toSessionRecord = (
  session: OpenSession,
  zone: string,
  caller: Caller,
  all: readonly string[],
): SessionRecord => ({
  ...toOwnSessionRecord(session, zone, caller),
  service: session.service,
  userName: session.userName,
  name: session.name,
  endable: mayManageAccount(all, caller, session),
});

export const toOwnSessionRecord = (
  session: OpenSession,
  zone: string,
  { sessionId }: Caller,
): Omit<SessionRecord, "service" | "userName" | "name" | "endable"> => ({
  id: session.id,
  address: session.address,
  userAgent: session.userAgent,
  createTime: formatDateTime(session.createdAt, zone),
  lastUseTime: formatDateTime(session.lastUsedAt, zone),
  expireTime: session.expiresAt.getTime(),
  current: session.id === sessionId,
});

export const toAuditRecord = ({ at, service, ...line }: AuditLine, zone: string): AuditRecord => ({
  id: line.id,
  time: formatDateTime(at, zone),
  service,
  userName: line.userName,
  name: line.name,
  action: line.action,
  outcome: line.outcome,
  records: line.records,
  detail: line.detail,
  address: line.address,
  changedRecords: line.changes?.rows ?? 0,
  changes: (line.changes?.of ?? []).map(({ table, record, fields }) => ({
    what: toCamelCase(table.slice(table.indexOf(".") + 1)),
    record: record ?? "",
    fields: fields.map(({ field, before, after }) => ({
      field: toCamelCase(field),
      before: toPlainValue(before, zone),
      after: toPlainValue(after, zone),
    })),
  })),
});

export const toServiceAccountRecord = (account: Account, zone: string, endable: boolean): ServiceAccountRecord => ({
  id: account.id,
  userName: account.userName,
  name: account.name,
  rights: [...(account.rights ?? [])],
  status: account.enabled ? "1" : "0",
  endable,
  createTime: formatDateTime(account.createdAt, zone),
});

export const toKeyRecord = (key: UsedKey, zone: string, nowMs: number): KeyRecord => ({
  id: key.id,
  mark: keyMark(key.id),
  name: key.name,
  rights: key.rights && [...key.rights],
  networks: key.networks && [...key.networks],
  state: toKeyState(key, nowMs),
  createTime: formatDateTime(key.createdAt, zone),
  expireTime: formatDateTime(key.expiresAt, zone),
  lastUseTime: key.lastUsedAt && formatDateTime(key.lastUsedAt, zone),
  uses: key.uses,
});

function toKeyState({ revokedAt, rotatedAt, expiresAt }: UsedKey, nowMs: number): KeyRecord["state"] {
  if (revokedAt !== null) return "revoked";
  if (expiresAt.getTime() <= nowMs) return "expired";
  return rotatedAt === null ? "valid" : "rotated";
}

const toCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

// As PostgreSQL writes them in JSON.
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?[+-]\d{2}:\d{2}$/;

function toPlainValue(value: unknown, zone: string): string | number | boolean | null {
  if (typeof value === "string") return instantPattern.test(value) ? formatDateTime(new Date(value), zone) : value;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return JSON.stringify(value);
}

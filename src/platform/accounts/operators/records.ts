import type { Account } from "#platform/accounts/account-store.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { AuditLine } from "./audit-store.ts";
import type { AuditRecord, OperatorRecord, SessionRecord } from "./contract.ts";
import { mayEndSession, toWireServices } from "./rules.ts";
import type { OpenSession } from "./store.ts";

// Rows as they go over the wire; times in the zone of the platform.

export const toOperatorRecord = (account: Account, zone: string, all: readonly string[]): OperatorRecord => ({
  id: account.id,
  userName: account.userName,
  name: account.name,
  services: toWireServices(all, account.services),
  status: account.enabled ? "1" : "0",
  createTime: formatDateTime(account.createdAt, zone),
});

export const toSessionRecord = (session: OpenSession, zone: string, caller: Caller): SessionRecord => ({
  id: session.id,
  service: session.service,
  userName: session.userName,
  name: session.name,
  address: session.address,
  userAgent: session.userAgent,
  createTime: formatDateTime(session.createdAt, zone),
  lastUseTime: formatDateTime(session.lastUsedAt, zone),
  expireTime: session.expiresAt.getTime(),
  current: session.id === caller.sessionId,
  endable: mayEndSession(caller.services, session),
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
});

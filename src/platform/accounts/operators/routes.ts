import type { Alerts } from "#platform/alerts/index.ts";
import { type AccountSort, insertAccount, listAccounts } from "#platform/accounts/account-store.ts";
import { signIn } from "#platform/accounts/administrator-handlers.ts";
import { accountHandlers } from "#platform/accounts/endpoints.ts";
import { refuseTakenName } from "#platform/accounts/guards.ts";
import { isOperator } from "#platform/contract/caller.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { describeMap } from "#platform/contract/map-settings.ts";
import { Problem } from "#platform/contract/problem.ts";
import { toListOrder, toRange } from "#platform/contract/sorting.ts";
import { parseDateTime } from "#platform/contract/times.ts";
import type { SettingDescription } from "#platform/process/compose-settings.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { HealthPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import { listAuditLines } from "./audit-store.ts";
import type { AuditQuery, OperatorField, PlatformEndpoints } from "./contract.ts";
import { beyond, changeOperator, deleteOperators, toAccountChange, toNewAccount } from "./operator-changes.ts";
import { toAuditRecord, toOperatorRecord, toSessionRecord } from "./records.ts";
import { mayEndSession, type Span, toWireServices } from "./rules.ts";
import { endSessions, findSession, listOpenSessions } from "./store.ts";

type PlatformHandlers = Handlers<PlatformEndpoints>;

/** What the platform's operations need beside the platform, and only the application knows. */
export interface OperatorParts {
  /** The services that there are, in the order of their listing. */
  readonly serviceNames: readonly string[];
  readonly alerts: Alerts;
  readonly listHealth: () => Promise<readonly HealthPart[]>;
  readonly listSettings: () => SettingDescription[];
}

export const platformHandlers = (platform: Platform, parts: OperatorParts): PlatformHandlers => ({
  ...logins(platform),
  ...operators(platform, parts),
  ...sessions(platform, parts),
  ...insight(platform, parts),
  ...parts.alerts.handlers,
  readMapSettings: async () => describeMap(platform.settings),
});

const logins = (platform: Platform): Pick<PlatformHandlers, "login" | "logout" | "updatePassword" | "publicKey"> => ({
  login: {
    withoutTransaction: async (call) => {
      const { account, token, expireTime } = await signIn(platform, "platform", call);
      return { userName: account.userName, token, expireTime };
    },
  },
  ...accountHandlers(platform, "platform"),
});

const sortFields: Readonly<Record<OperatorField, AccountSort>> = {
  id: "id",
  userName: "userName",
  name: "name",
  status: "enabled",
  createTime: "createdAt",
};

const operators = (
  { settings }: Platform,
  { serviceNames }: OperatorParts,
): Pick<PlatformHandlers, "listOperators" | "createOperator" | "updateOperator" | "deleteOperators"> => ({
  listOperators: async ({ db, query }) => {
    const order = {
      field: sortFields[query.orderField ?? "createTime"],
      ...toRange(query),
    };
    const { rows, totalCount } = await listAccounts(
      db,
      { service: "platform", userName: query.userName, name: query.name },
      order,
    );
    return toPage(
      rows.map((account) => toOperatorRecord(account, settings.TIME_ZONE, serviceNames)),
      totalCount,
      query,
    );
  },
  // Hashing takes as long as many statements: it is done before the transaction.
  createOperator: {
    withoutTransaction: async ({ body, caller, audit, transact }) => {
      const account = await toNewAccount(serviceNames, body, caller);
      return transact(async (tx) => {
        await refuseTakenName(tx, "platform", account.userName);
        const id = await insertAccount(tx, account);
        audit.records = [id];
        audit.detail = { userName: account.userName };
        return String(id);
      });
    },
  },
  updateOperator: {
    withoutTransaction: async ({ db, body, caller, audit, transact }) => {
      const { id, ...given } = body;
      if (id === undefined) throw new Problem("idMissing");
      const change = await toAccountChange(db, serviceNames, id, given);
      audit.records = [id];
      audit.detail = { fields: Object.keys(given).join(",") };
      return transact(async (tx) => {
        await changeOperator(tx, serviceNames, id, change, caller);
        return "1";
      });
    },
  },
  deleteOperators: async ({ db, body, caller, audit }) => {
    const removed = await deleteOperators(db, body, caller);
    audit.records = removed.map(({ id }) => id);
    audit.detail = { userNames: removed.map(({ userName }) => userName).join(",") };
    return String(removed.length);
  },
});

const sessions = (
  { settings }: Platform,
  { serviceNames }: OperatorParts,
): Pick<PlatformHandlers, "readOwnSession" | "listSessions" | "deleteSessions"> => ({
  readOwnSession: async ({ db, caller }) => {
    const session = await findSession(db, caller.sessionId);
    if (!session) throw new Problem("tokenInvalid");
    const { accountId, service, userName, isSuper, services } = caller;
    return {
      accountId,
      service,
      userName,
      name: session.name,
      isSuper,
      services: toWireServices(serviceNames, isOperator(caller) ? services : [service]),
      expireTime: session.expiresAt.getTime(),
    };
  },
  listSessions: async ({ db, query, caller }) => {
    const filter = { service: query.service, userName: query.userName };
    const { rows, totalCount } = await listOpenSessions(db, filter, toListOrder(query, "createTime"));
    return toPage(
      rows.map((session) => toSessionRecord(session, settings.TIME_ZONE, caller)),
      totalCount,
      query,
    );
  },
  deleteSessions: async ({ db, body, caller, audit }) => {
    if (body.length === 0) throw new Problem("idMissing");
    const ended = await endSessions(db, body);
    if (ended.length === 0) throw new Problem("notFound");
    if (!ended.every((session) => mayEndSession(caller.services, session))) throw beyond();
    audit.records = ended.map(({ id }) => id);
    audit.detail = { userNames: [...new Set(ended.map(({ userName }) => userName))].join(",") };
    return String(ended.length);
  },
});

const insight = (
  { settings }: Platform,
  parts: OperatorParts,
): Pick<PlatformHandlers, "listAudit" | "listSettings" | "getHealth"> => ({
  listAudit: async ({ db, query }) => {
    const { service, userName, action } = query;
    const { descending: newestFirst, ...range } = toRange(query);
    const order = { newestFirst, ...range };
    const { rows, totalCount } = await listAuditLines(
      db,
      { service, userName, action, span: toSpan(query, settings.TIME_ZONE) },
      order,
    );
    return toPage(
      rows.map((line) => toAuditRecord(line, settings.TIME_ZONE)),
      totalCount,
      query,
    );
  },
  listSettings: async () => parts.listSettings(),
  getHealth: async () => ({ parts: [...(await parts.listHealth())] }),
});

/** The second of the end belongs to the span. */
const toSpan = ({ startTime, endTime }: AuditQuery, zone: string): Span => ({
  start: startTime === undefined ? undefined : parseDateTime(startTime, zone),
  end: endTime === undefined ? undefined : new Date(parseDateTime(endTime, zone).getTime() + 1000),
});

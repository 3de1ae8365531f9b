import { findKeyEnd } from "#platform/accounts/access-keys.ts";
import { beyondPowers, mayManageAccount, operatorsOf, toWireServices } from "#platform/accounts/account-rules.ts";
import type { Account } from "#platform/accounts/account-store.ts";
import { accountHandlers } from "#platform/accounts/administrator-handlers.ts";
import { mustChoose, toFactorState } from "#platform/accounts/login-requirements.ts";
import { signIn } from "#platform/accounts/login.ts";
import { changeAccount, createAccount, listAccountPage, removeAccounts } from "#platform/accounts/manage-accounts.ts";
import { factorHandlers } from "#platform/accounts/second-factor/handlers.ts";
import {
  endSessions,
  endSessionsOfOne,
  findSession,
  listOpenSessions,
  listSessionsOf,
  type OpenSession,
} from "#platform/accounts/session.ts";
import { signOnHandlers } from "#platform/accounts/sign-on/routes.ts";
import type { Alerts } from "#platform/alerts/index.ts";
import { type Caller, isOperator } from "#platform/contract/caller.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { describeMap } from "#platform/contract/map-settings.ts";
import { Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { SettingDescription } from "#platform/process/compose-settings.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { HealthPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { SignOnProvider } from "#platform/sign-on/index.ts";
import { auditHandlers } from "./audit-routes.ts";
import type { OperatorRecord, PlatformEndpoints, SessionRecord } from "./contract.ts";
import { serviceAccountHandlers } from "./service-account-routes.ts";

type PlatformHandlers = Handlers<PlatformEndpoints>;

/** What the platform's operations need beside the platform, and only the application knows. */
export interface OperatorParts {
  readonly serviceNames: readonly string[];
  readonly alerts: Alerts;
  readonly listHealth: () => Promise<readonly HealthPart[]>;
  readonly listSettings: () => SettingDescription[];
  readonly signOns: readonly SignOnProvider[];
}

export const platformHandlers = (platform: Platform, parts: OperatorParts): PlatformHandlers => ({
  ...logins(platform),
  ...signOnHandlers({ platform, providers: parts.signOns }, (caller, account) =>
    mayManageAccount(parts.serviceNames, caller, account),
  ),
  ...operators(platform, parts),
  ...sessions(platform, parts),
  ...factorHandlers(platform, (operator, account) => mayManageAccount(parts.serviceNames, operator, account)),
  ...auditHandlers(platform),
  listSettings: async () => parts.listSettings(),
  getHealth: async () => ({ parts: [...(await parts.listHealth())] }),
  ...serviceAccountHandlers(platform, parts.serviceNames),
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

const operators = (
  { settings }: Platform,
  { serviceNames }: OperatorParts,
): Pick<PlatformHandlers, "listOperators" | "createOperator" | "updateOperator" | "deleteOperators"> => {
  const kind = operatorsOf(serviceNames);
  return {
    listOperators: ({ db, query }) => {
      const toRow = (account: Account) => toOperatorRecord(account, settings.TIME_ZONE, serviceNames);
      const filter = { service: kind.service, userName: query.userName, name: query.name };
      return listAccountPage(db, filter, query, { usual: "createTime", toRow });
    },
    createOperator: {
      withoutTransaction: (call) => {
        const { status, ...given } = call.body;
        return createAccount(kind, call, { ...given, isSuper: true, enabled: status === "1" });
      },
    },
    updateOperator: {
      withoutTransaction: (call) => {
        const { status, id, ...given } = call.body;
        return changeAccount(kind, call, { id, ...given, enabled: status && status === "1" });
      },
    },
    deleteOperators: (call) => removeAccounts(kind, call, call.body),
  };
};

const sessions = (
  { settings }: Platform,
  { serviceNames }: OperatorParts,
): Pick<
  PlatformHandlers,
  "readOwnSession" | "listOwnSessions" | "deleteOwnSessions" | "listSessions" | "deleteSessions"
> => ({
  readOwnSession: async ({ db, caller }) => {
    const { sessionId, keyId } = caller;
    const session = await (keyId === undefined ? findSession(db, sessionId) : findKeyEnd(db, keyId));
    if (!session) throw new Problem("tokenInvalid");
    const { accountId, service, userName, isSuper, services, rights } = caller;
    return {
      accountId,
      service,
      userName,
      name: session.name,
      isSuper,
      services: toWireServices(serviceNames, isOperator(caller) ? services : [service]),
      ...(rights && { rights: [...rights] }),
      expireTime: session.expiresAt.getTime(),
      secondFactor: toFactorState(settings, caller),
      mustChoosePassword: mustChoose(settings, caller),
    };
  },
  listOwnSessions: async ({ db, caller }) => {
    const own = await listSessionsOf(db, caller);
    return own.map((session) => toOwnSessionRecord(session, settings.TIME_ZONE, caller));
  },
  deleteOwnSessions: async ({ db, body, caller, audit }) => {
    if (body.length === 0) throw new Problem("idMissing");
    const ended = await endSessionsOfOne(db, caller.accountId, body);
    if (ended.length === 0) throw new Problem("notFound");
    audit.records = ended;
    return String(ended.length);
  },
  listSessions: async ({ db, query, caller }) => {
    const filter = { service: query.service, userName: query.userName };
    const { rows, totalCount } = await listOpenSessions(db, filter, toListOrder(query, "createTime"));
    return toPage(
      rows.map((session) => toSessionRecord(session, settings.TIME_ZONE, caller, serviceNames)),
      totalCount,
      query,
    );
  },
  deleteSessions: async ({ db, body, caller, audit }) => {
    if (body.length === 0) throw new Problem("idMissing");
    const ended = await endSessions(db, body);
    if (ended.length === 0) throw new Problem("notFound");
    if (!ended.every((session) => mayManageAccount(serviceNames, caller, session))) throw beyondPowers();
    audit.records = ended.map(({ id }) => id);
    audit.detail = { userNames: [...new Set(ended.map(({ userName }) => userName))].join(",") };
    return String(ended.length);
  },
});

const toOperatorRecord = (account: Account, zone: string, all: readonly string[]): OperatorRecord => ({
  id: account.id,
  userName: account.userName,
  name: account.name,
  services: toWireServices(all, account.services),
  ...(account.rights && { rights: [...account.rights] }),
  ...(account.fromSignOn && { fromSignOn: true as const }),
  status: account.enabled ? "1" : "0",
  createTime: formatDateTime(account.createdAt, zone),
});

const toSessionRecord = (
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

const toOwnSessionRecord = (
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

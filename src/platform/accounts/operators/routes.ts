import type { Alerts } from "#platform/alerts/index.ts";
import { insertAccount, listAccounts } from "#platform/accounts/account-store.ts";
import { findKeyEnd } from "#platform/accounts/access-key-store.ts";
import { signIn } from "#platform/accounts/administrator-handlers.ts";
import { accountHandlers } from "#platform/accounts/endpoints.ts";
import { factorHandlers } from "#platform/accounts/second-factor/handlers.ts";
import { mustChoose } from "#platform/accounts/given-password.ts";
import { toFactorState } from "#platform/accounts/second-factor/rules.ts";
import { refuseTakenName } from "#platform/accounts/guards.ts";
import { signOnHandlers } from "#platform/accounts/sign-on/routes.ts";
import { isOperator } from "#platform/contract/caller.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { describeMap } from "#platform/contract/map-settings.ts";
import { Problem } from "#platform/contract/problem.ts";
import { toListOrder, toRange } from "#platform/contract/sorting.ts";
import type { SettingDescription } from "#platform/process/compose-settings.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { HealthPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { SignOnProvider } from "#platform/sign-on/index.ts";
import { auditHandlers } from "./audit-routes.ts";
import type { PlatformEndpoints } from "./contract.ts";
import {
  beyond,
  changeOperator,
  deleteOperators,
  operatorSorts,
  toAccountChange,
  toNewAccount,
} from "./operator-changes.ts";
import { toOperatorRecord, toOwnSessionRecord, toSessionRecord } from "./records.ts";
import { mayEndSession, toWireServices } from "./rules.ts";
import { serviceAccountHandlers } from "./service-account-routes.ts";
import { endSessions, endSessionsOfOne, findSession, listOpenSessions, listSessionsOf } from "./store.ts";

type PlatformHandlers = Handlers<PlatformEndpoints>;

/** What the platform's operations need beside the platform, and only the application knows. */
export interface OperatorParts {
  /** The services that there are, in the order of their listing. */
  readonly serviceNames: readonly string[];
  readonly alerts: Alerts;
  readonly listHealth: () => Promise<readonly HealthPart[]>;
  readonly listSettings: () => SettingDescription[];
  /** Who says for the campus who somebody is. */
  readonly signOns: readonly SignOnProvider[];
}

export const platformHandlers = (platform: Platform, parts: OperatorParts): PlatformHandlers => ({
  ...logins(platform),
  ...signOnHandlers({ platform, providers: parts.signOns }, (caller, account) =>
    mayEndSession(parts.serviceNames, caller, account),
  ),
  ...operators(platform, parts),
  ...sessions(platform, parts),
  ...factorHandlers(platform, (operator, account) => mayEndSession(parts.serviceNames, operator, account)),
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
): Pick<PlatformHandlers, "listOperators" | "createOperator" | "updateOperator" | "deleteOperators"> => ({
  listOperators: async ({ db, query }) => {
    const order = {
      field: operatorSorts[query.orderField ?? "createTime"],
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
      const change = await toAccountChange(db, serviceNames, id, given, caller);
      audit.records = [id];
      audit.detail = { fields: Object.keys(given).join(",") };
      return transact(async (tx) => {
        await changeOperator(tx, serviceNames, id, change, caller);
        return "1";
      });
    },
  },
  deleteOperators: async ({ db, body, caller, audit }) => {
    const removed = await deleteOperators(db, serviceNames, body, caller);
    audit.records = removed.map(({ id }) => id);
    audit.detail = { userNames: removed.map(({ userName }) => userName).join(",") };
    return String(removed.length);
  },
});

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
    if (!ended.every((session) => mayEndSession(serviceNames, caller, session))) throw beyond();
    audit.records = ended.map(({ id }) => id);
    audit.detail = { userNames: [...new Set(ended.map(({ userName }) => userName))].join(",") };
    return String(ended.length);
  },
});

import {
  beyondPowers,
  type MayManage,
  administratorsOf,
  operatorsOf,
  toWireServices,
} from "#platform/accounts/account-rules.ts";
import type { Account } from "#platform/accounts/account-store.ts";
import { accountHandlers, toWireScope } from "#platform/accounts/administrator-handlers.ts";
import { mustChangePassword, toFactorState } from "#platform/accounts/login-requirements.ts";
import { signIn, signInAnywhere } from "#platform/accounts/login.ts";
import { changeAccount, createAccount, listAccountPage, removeAccounts } from "#platform/accounts/manage-accounts.ts";
import { factorHandlers } from "#platform/accounts/second-factor/handlers.ts";
import {
  endSessions,
  findEnd,
  listSecurityEvents,
  listOpenSessions,
  listSessionsOf,
  type OpenSession,
} from "#platform/accounts/session.ts";
import { signOnHandlers } from "#platform/accounts/sign-on/routes.ts";
import type { Alerts } from "#platform/alerts/index.ts";
import type { Notices } from "#platform/notices/index.ts";
import { type Caller, isOperator, mayServe, seesOf } from "#platform/contract/caller.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { describeMap } from "#platform/contract/map-settings.ts";
import { Problem } from "#platform/contract/problem.ts";
import { hasRight, listRights, mayUse } from "#platform/contract/rights.ts";
import type { Dimensions } from "#platform/contract/scope.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, Within } from "#platform/database/index.ts";
import type { SettingDescription } from "#platform/process/compose-settings.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { HealthPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { NamedSetupItem } from "#platform/process/setup.ts";
import type { ServiceModule } from "#platform/process/service.ts";
import type { SignOnProvider } from "#platform/sign-on/index.ts";
import { auditHandlers } from "./audit-routes.ts";
import type { PlatformEndpoints } from "./contract.ts";
import { institutionHandlers } from "./institution-routes.ts";
import { listValues } from "./scope-store.ts";
import { serviceAccountHandlers } from "./service-account-routes.ts";
import { setupHandlers } from "./setup.ts";

type PlatformHandlers = Handlers<PlatformEndpoints>;

export interface OperatorParts {
  readonly serviceNames: readonly string[];
  /** The services that have administrators of their own. */
  readonly accountServices: readonly string[];
  readonly dimensions: Dimensions;
  readonly scopes: readonly ScopedService[];
  readonly alerts: Alerts;
  readonly notices: Notices;
  readonly setup: readonly NamedSetupItem[];
  readonly listHealth: () => Promise<readonly HealthPart[]>;
  readonly listSettings: () => SettingDescription[];
  readonly signOns: readonly SignOnProvider[];
}

export type ScopedService = Pick<ServiceModule, "contract" | "dimensionColumns">;

export function platformHandlers(platform: Platform, parts: OperatorParts): PlatformHandlers {
  const mayManage: MayManage = (operator, account) => {
    const isOperators = account.service === "platform";
    const kind = isOperators ? operatorsOf(parts.serviceNames, parts.dimensions) : administratorsOf(account.service);
    return kind.mayManage(operator, account);
  };
  return {
    login: withoutTransaction(async (call) => {
      const { account, token, expireTime } = await signIn(platform, "platform", call);
      return { userName: account.userName, token, expireTime, ...toWireScope(account.scope) };
    }),
    signIn: withoutTransaction(async (call) => {
      const { account, ...opened } = await signInAnywhere(platform, parts.accountServices, call);
      return { service: account.service, userName: account.userName, ...opened };
    }),
    ...accountHandlers(platform, "platform"),
    ...signOnHandlers({ platform, providers: parts.signOns }, mayManage),
    ...operators(platform, parts),
    listScopes: async ({ db, query, caller }) => listScopes(db, caller, parts.scopes, query.service),
    ...sessions(platform, parts.serviceNames, mayManage),
    ...factorHandlers(platform, mayManage),
    ...auditHandlers(platform),
    listSettings: async ({ caller }) => parts.listSettings().filter(({ service }) => seesOf(caller, service)),
    getHealth: async ({ caller }) => {
      const found = await parts.listHealth();
      return { parts: found.filter(({ service }) => seesOf(caller, service)) };
    },
    ...serviceAccountHandlers(platform, parts.serviceNames),
    ...parts.alerts.handlers,
    ...parts.notices.handlers,
    ...institutionHandlers(platform),
    ...setupHandlers(platform, parts.setup),
    readMapSettings: async () => describeMap(platform.settings),
  };
}

const operators = ({ settings }: Platform, { serviceNames, dimensions }: OperatorParts) => {
  const kind = operatorsOf(serviceNames, dimensions);
  return {
    listOperators: ({ db, query, caller }) => {
      const toRow = (account: Account) => ({
        id: account.id,
        userName: account.userName,
        name: account.name,
        services: toWireServices(serviceNames, account.services),
        ...(account.rights && { rights: [...account.rights] }),
        ...toWireScope(account.scope),
        ...(account.fromSignOn && { fromSignOn: true as const }),
        status: account.enabled ? ("1" as const) : ("0" as const),
        createTime: formatDateTime(account.createdAt, settings.TIME_ZONE),
      });
      const filter = { service: kind.service, seenBy: caller, userName: query.userName, name: query.name };
      return listAccountPage(db, filter, query, { usual: "createTime", toRow });
    },
    createOperator: withoutTransaction((call) => {
      const { status, ...given } = call.body;
      return createAccount(kind, call, { ...given, isSuper: true, enabled: status === "1" });
    }),
    updateOperator: withoutTransaction((call) => {
      const { status, id, ...given } = call.body;
      return changeAccount(kind, call, { id, ...given, enabled: status && status === "1" });
    }),
    deleteOperators: (call) => removeAccounts(kind, call, call.body),
  } satisfies Partial<PlatformHandlers>;
};

async function listScopes(db: Db, caller: Caller, scopes: OperatorParts["scopes"], service: string) {
  const { contract, dimensionColumns = {} } = scopes.find((one) => one.contract.name === service) ?? {};
  const mayAsk =
    mayServe(caller, service) && (["accounts", "read"] as const).some((one) => mayUse(caller, service, one));
  if (!mayAsk) throw new Problem("forbidden");
  const dimensions = contract?.dimensions ?? {};
  const within = Within.of(caller.scope, dimensions);
  const columns = Object.entries(dimensionColumns);
  const listed = Object.entries(dimensions).map(async ([dimension, { label }]) => {
    const [table = "", column = ""] = dimensionColumns[dimension] ?? [];
    const places = Object.fromEntries(
      columns.flatMap(([name, [where, place]]) => (where === table ? [[name, place]] : [])),
    );
    return { dimension, label, values: await listValues(db, { table, column }, within.and(places)) };
  });
  return Promise.all(listed);
}

const sessions = ({ settings }: Platform, serviceNames: readonly string[], mayManage: MayManage) =>
  ({
    readOwnSession: async ({ db, caller }) => {
      const session = await findEnd(db, caller);
      if (!session) throw new Problem("tokenInvalid");
      const { accountId, keyId, service, userName, isSuper, rights, duty, scope } = caller;
      const run = toWireServices(serviceNames, isOperator(caller) ? caller.services : [service]);
      const all = isOperator(caller) ? ["platform", ...run] : run;
      const held = duty || scope ? listRights(all).filter((right) => hasRight(caller, right)) : rights && [...rights];
      const secondFactor = toFactorState(settings, caller);
      const isOpen = !mustChangePassword(settings, caller) && secondFactor !== "show" && secondFactor !== "enrol";
      const news = isOpen ? await listSecurityEvents(db, caller) : [];
      return {
        accountId,
        service,
        userName,
        name: session.name,
        isSuper,
        services: run.filter((name) => keyId === undefined || held?.some((right) => right.startsWith(`${name}.`))),
        ...(duty && { duty }),
        ...(held && { rights: held }),
        ...toWireScope(scope),
        expireTime: session.expiresAt.getTime(),
        secondFactor,
        mustChoosePassword: mustChangePassword(settings, caller),
        news: news.map(({ at, ...one }) => ({ ...one, time: formatDateTime(at, settings.TIME_ZONE) })),
      };
    },
    listOwnSessions: async ({ db, caller }) => {
      const own = await listSessionsOf(db, caller);
      return own.map((session) => toRecord(session, settings.TIME_ZONE, caller));
    },
    deleteOwnSessions: async ({ db, body, caller, audit }) => {
      if (body.length === 0) throw new Problem("idMissing");
      const ended = await endSessions(db, body, caller.accountId);
      if (ended.length === 0) throw new Problem("notFound");
      audit.records = ended.map(({ id }) => id);
      return String(ended.length);
    },
    listSessions: async ({ db, query, caller }) => {
      const { rows, totalCount } = await listOpenSessions(db, caller, query, toListOrder(query, "createTime"));
      const list = rows.map((session) => {
        const { service, userName, name } = session;
        const own = toRecord(session, settings.TIME_ZONE, caller);
        return { ...own, service, userName, name, endable: mayManage(caller, session) };
      });
      return toPage(list, totalCount, query);
    },
    deleteSessions: async ({ db, body, caller, audit }) => {
      if (body.length === 0) throw new Problem("idMissing");
      const ended = await endSessions(db, body);
      if (ended.length === 0) throw new Problem("notFound");
      if (!ended.every((session) => mayManage(caller, session))) throw beyondPowers();
      audit.records = ended.map(({ id }) => id);
      audit.detail = { userNames: [...new Set(ended.map(({ userName }) => userName))].join(",") };
      return String(ended.length);
    },
  }) satisfies Partial<PlatformHandlers>;

const toRecord = (session: OpenSession, zone: string, { sessionId }: Caller) => ({
  id: session.id,
  address: session.address,
  userAgent: session.userAgent,
  createTime: formatDateTime(session.createdAt, zone),
  lastUseTime: formatDateTime(session.lastUsedAt, zone),
  expireTime: session.expiresAt.getTime(),
  current: session.id === sessionId,
});

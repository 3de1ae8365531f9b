import * as z from "zod";
import {
  accountEndpoints,
  byOperators,
  byOperatorsAgain,
  fromSignOn,
  loginBody,
  loginEndpoint,
  ofAccounts,
  removal,
  session,
} from "#platform/accounts/administrator-contract.ts";
import { factorEndpoints } from "#platform/accounts/second-factor/contract.ts";
import { signOnEndpoints } from "#platform/accounts/sign-on/contract.ts";
import { alertEndpoints } from "#platform/alerts/contract.ts";
import { noticeEndpoints } from "#platform/notices/contract.ts";
import { type ServiceContract, workbookMime, under } from "#platform/contract/endpoint.ts";
import { mapDescription } from "#platform/contract/map-settings.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { type Dimensions, scopeField } from "#platform/contract/scope.ts";
import { bilingual, dateTime, freeText, listQuery, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";
import { institutionEndpoints } from "./institution-contract.ts";
import { serviceAccountEndpoints } from "./service-account-contract.ts";
import { setupEndpoints } from "./setup-contract.ts";

const { post } = under("/platform");
const account = under("/platform", ofAccounts);
const operator = under("/platform", byOperators);
const operatorAgain = under("/platform", byOperatorsAgain);

const userName = requiredText(255).describe("Unique among operators and all services' administrators");
const name = freeText(255);
const status = z.enum(["0", "1"]).describe("1 enabled; 0 disabled. Disabling ends all sessions");

const nameServices = (names: readonly string[], dimensions: Dimensions = {}) => ({
  accountService: z.enum(["platform", ...names]),
  services: z
    .array(z.enum(names))
    .describe(
      "Services that the operator manages as a super administrator. All services: unrestricted, including services of later versions. Empty: only the platform",
    ),
  rights: rightsField(["platform", ...names]),
  scope: scopeField(Object.keys(dimensions)),
  all: [...names],
});

type Names = ReturnType<typeof nameServices>;

// The schema does not check the length, because a wrong length has a message of its own and a long password must be
// badFormat, not tooLong.
const password = z.string().meta({ minLength: 8, maxLength: 128 });

const operatorCreate = ({ services, rights, scope, all }: Names) =>
  z.object({
    userName,
    name: name.default(""),
    services: services.default(all),
    rights: rights.optional().describe("Default: the caller's own rights"),
    scope: scope.optional().describe("Records that the operator can see and change; default: the caller's scope"),
    status: status.default("1"),
    password: password.describe("8 to 128 characters; never returned"),
  });

export const operatorBody = (names: readonly string[]) => operatorCreate(nameServices(names));

const sessionRecord = ({ accountService }: Names) =>
  z.object({
    id: recordId(),
    service: accountService.describe("The account's service; always platform for an operator"),
    userName: z.string(),
    name: z.string(),
    address: z.string().describe("Client address of the login: an IPv4 address, or the /64 network of an IPv6 address"),
    userAgent: z.string(),
    createTime: dateTime().describe("Time of the login"),
    lastUseTime: dateTime().describe("Time of the last use, accurate to the minute"),
    expireTime: z.int().describe("Expiry in epoch milliseconds"),
    current: z.boolean().describe("Whether this is the session of the current request"),
    endable: z.boolean().describe("Whether the caller may end the session, that is, may manage its account"),
  });

const notOfOwn = { service: true, userName: true, name: true, endable: true } as const;

const sessionFields = [
  "id",
  "service",
  "userName",
  "name",
  "address",
  "createTime",
  "lastUseTime",
  "expireTime",
] as const;

const auditOutcome = z.enum(["done", "refused", "failed"]);

const auditValue = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .describe(
    "null: no value. Lists are JSON. Masked: identity cards except the last four characters, phone numbers except the first three and last four digits, people's names except the first character, and secrets completely (***)",
  );

const auditChange = z.object({
  what: z.string().describe("Record kind, such as payable"),
  record: z.string(),
  fields: z.array(z.object({ field: z.string(), before: auditValue, after: auditValue })),
});

const auditRecord = ({ accountService }: Names) =>
  z.object({
    id: recordId(),
    time: dateTime(),
    service: accountService,
    userName: z.string().describe("User name at the time of the call"),
    name: z.string().nullable().describe("Current name of the account; null if the account no longer exists"),
    action: z.string().describe("Operation id in the OpenAPI document"),
    outcome: auditOutcome.describe("done: succeeded; failed: wrong password or code; refused: no permission"),
    records: z.array(z.string()).describe("Ids of the affected records"),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
    address: z.string(),
    changedRecords: z.int().describe("Number of changed records whose old and new values were recorded"),
    changes: z.array(auditChange).describe("Old and new values of the first twenty changed records"),
  });

const auditFilter = ({ accountService }: Names) => ({
  service: accountService.optional(),
  userName: freeText().optional().describe("Substring of the user name"),
  action: freeText().optional().describe("Operation id, exact match"),
  startTime: dateTime().optional(),
  endTime: dateTime().optional().describe("Inclusive"),
  outcome: auditOutcome.optional(),
  record: freeText(255).optional().describe("Id of an affected record, exact match"),
  what: z
    .string()
    .max(100)
    .regex(/^[a-zA-Z]+(?:,[a-zA-Z]+)*$/)
    .optional()
    .describe(
      "Only together with `record`: record kinds, comma-separated; entries that changed only other kinds are excluded",
    ),
});

const operators = (named: Names) => ({
  listOperators: operator.get("/operator/list", {
    group: "accounts",
    summary: "List the platform's operators",
    query: z.object({
      ...listQuery("curPage", ["id", "userName", "name", "status", "createTime"]),
      userName: freeText().optional().describe("Substring of the user name"),
      name: freeText().optional().describe("Substring of the name"),
    }),
    data: pageOf(
      z.object({
        id: recordId(),
        userName: z.string(),
        name: z.string(),
        services: named.services,
        rights: named.rights.optional().describe("If absent: all rights of an operator at these services"),
        scope: named.scope.optional().describe("Accessible records; if absent: all"),
        fromSignOn,
        status,
        createTime: dateTime(),
      }),
    ),
    problems: ["notAllowedNow"],
  }),
  createOperator: operatorAgain.post("/operator/save", {
    summary: "Add an operator; nobody can grant more services, rights or scope than their own",
    body: operatorCreate(named),
    problems: ["alreadyExists", "forbidden"],
    idempotent: true,
  }),
  updateOperator: operatorAgain.put("/operator/update", {
    summary:
      "Change an operator; a new password, services, rights or scope, or disabling, ends the operator's sessions",
    body: z.object({
      id: recordId().optional().describe("Required; code 10023 if missing"),
      userName: userName.optional(),
      name: name.optional(),
      services: named.services.optional(),
      rights: named.rights.optional(),
      scope: named.scope.optional(),
      status: status.optional(),
      password: password.optional().describe('8 to 128 characters; if omitted or "", the password is unchanged'),
    }),
    problems: ["idMissing", "notFound", "alreadyExists", "forbidden"],
  }),
  deleteOperators: operatorAgain.remove("/operator/delete", {
    ...removal,
    summary: "Delete operators, except the caller and the last enabled operator",
  }),
});

const sessions = (named: Names) => ({
  readOwnSession: account.get("/session/own", {
    summary: "Read the caller's session: account, rights and expiry",
    secondFactor: "later",
    data: z.object({
      accountId: recordId(),
      service: named.accountService.describe("The account's service; platform for an operator or a service account"),
      userName: z.string(),
      name: z.string(),
      isSuper: z.boolean(),
      services: named.services.describe("The services that the caller may use"),
      rights: named.rights.optional().describe("If absent: all rights of the role"),
      scope: named.scope.optional().describe("Accessible records; if absent: all"),
      duty: z
        .enum(["system", "security", "audit"])
        .optional()
        .describe("With SEPARATE_DUTIES: the caller's only duty, which determines the rights"),
      expireTime: z.int().describe("Expiry in epoch milliseconds"),
      secondFactor: z
        .enum(["none", "enrol", "show", "shown"])
        .describe("none: not required; enrol: must be set up first; show: must be verified first; shown: verified"),
      mustChoosePassword: z
        .boolean()
        .describe("Whether the password was set by somebody else, so that this session can only change the password"),
      news: z
        .array(
          z.object({
            kind: z.enum(["place", "factor"]),
            what: z.string().describe("Client address, or name of the second factor"),
            time: dateTime(),
          }),
        )
        .describe(
          "Up to ten security events of the account in the last 14 days, newest first: logins from new addresses other than the current one (place) and new second factors (factor). Empty until the required second factor is verified and the initial password is changed",
        ),
    }),
  }),
  listOwnSessions: account.get("/session/own/list", {
    summary: "List up to 200 of the caller's sessions: the current one first, then the most recently used",
    data: z.array(sessionRecord(named).omit(notOfOwn)),
  }),
  deleteOwnSessions: account.remove("/session/own/delete", {
    ...removal,
    changesAccounts: true,
    summary: "End sessions of the caller; ids of other accounts' sessions are treated as unknown",
    group: "own",
    problems: ["idMissing", "notFound"],
  }),
  listSessions: operator.get("/session/list", {
    group: "accounts",
    summary: "List the sessions of all services",
    query: z.object({
      ...listQuery("curPage", sessionFields),
      service: named.accountService.optional(),
      userName: freeText().optional().describe("Substring of the user name"),
    }),
    data: pageOf(sessionRecord(named)),
    problems: ["notAllowedNow"],
  }),
  deleteSessions: operator.remove("/session/delete", {
    ...removal,
    changesAccounts: true,
    summary: "End sessions; their tokens stop working at once",
  }),
});

const insight = (named: Names) => ({
  listAudit: operator.get("/audit", {
    group: "audit",
    summary: "List the audit log of all services, newest first",
    query: z.object({ ...listQuery("curPage", ["time"]), ...auditFilter(named) }),
    data: pageOf(auditRecord(named)),
    problems: ["notAllowedNow"],
  }),
  exportAudit: operator.get("/audit/export", {
    group: "audit",
    summary: "Export the audit log as a workbook or JSON lines, newest first, with the filters of the list",
    query: z.object({
      ...auditFilter(named),
      format: z.enum(["xlsx", "jsonl"]).default("xlsx").describe("jsonl: one JSON object per line"),
    }),
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
  listSettings: operator.get("/settings", {
    summary: "List all settings with description and value",
    data: z.array(
      z.object({
        service: named.accountService,
        key: z.string(),
        description: z.string(),
        secret: z.boolean(),
        standard: z.string().describe("Default value"),
        value: z.string().describe('Value; for a secret, only "set" or "not set"'),
      }),
    ),
  }),
  getHealth: operator.get("/health", {
    summary: "Read the health of each component: its state and figures",
    data: z.object({
      parts: z.array(
        z.object({
          service: named.accountService,
          name: z.string().describe("Component, such as database, jobs, files or a service's queue"),
          title: bilingual,
          state: z
            .enum(["ok", "degraded", "failed"])
            .describe("degraded: it works but needs attention; failed: it does not work or cannot be read"),
          figures: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
        }),
      ),
    }),
    urgent: true,
  }),
});

export type PlatformEndpoints = ReturnType<typeof listEndpoints>;

const scopes = ({ accountService }: Names) => ({
  listScopes: account.get("/scopes", {
    summary: "List a service's scope dimensions with up to 1000 current values each",
    query: z.object({ service: accountService }),
    data: z.array(z.object({ dimension: z.string(), label: bilingual, values: z.array(z.string()) })),
    problems: ["forbidden"],
  }),
});

function listEndpoints(names: readonly string[], dimensions: Dimensions) {
  const named = nameServices(names, dimensions);
  return {
    login: {
      ...loginEndpoint("/platform", {
        summary: "Sign in as an operator; the token is also sent in the response header admin_token",
        data: z.object({ userName: z.string(), ...session, scope: named.scope.optional() }),
      }),
      problems: ["loginFailed", "accountLocked"],
      own: true,
    } as const,
    signIn: post("/sign-in", {
      summary: "Sign in as an operator or as a service's administrator",
      access: { who: "anyone", limit: "login" },
      body: loginBody.extend({
        account: named.accountService
          .optional()
          .describe("Service of the account to use; required only after error 20014 (several accounts match)"),
      }),
      data: z.object({ service: named.accountService, userName: z.string(), ...session }),
      holdsSecret: true,
      problems: ["loginFailed", "accountLocked", "accountUnclear"],
      own: true,
    }),
    ...accountEndpoints("/platform"),
    ...signOnEndpoints(["platform", ...names]),
    ...operators(named),
    ...scopes(named),
    ...sessions(named),
    ...factorEndpoints(names),
    ...insight(named),
    ...serviceAccountEndpoints(names),
    ...alertEndpoints,
    ...noticeEndpoints,
    ...institutionEndpoints,
    ...setupEndpoints,
    readMapSettings: under("/map").get("/settings", {
      summary: "Read the settings that apply to all maps; a setting without a value is null",
      access: { who: "anyone" },
      data: mapDescription,
      own: true,
    }),
  };
}

export const describePlatform = (
  names: readonly string[],
  dimensions: Dimensions,
): ServiceContract<PlatformEndpoints> => ({
  name: "platform",
  title: { zh: "平台管理", en: "Platform" },
  about: { zh: "操作员、会话、审计与设置", en: "Operators, sessions, audit and settings" },
  problems: sharedProblems,
  endpoints: listEndpoints(names, dimensions),
});

export type SessionField = (typeof sessionFields)[number];
export type AuditRecord = z.output<ReturnType<typeof auditRecord>>;
export type AuditFilterQuery = z.output<z.ZodObject<ReturnType<typeof auditFilter>>>;

import * as z from "zod";
import { alertEndpoints } from "#platform/alerts/contract.ts";
import { accountEndpoints, loginBody } from "#platform/accounts/endpoints.ts";
import { endpoint, type ServiceContract } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { dateTime, decimal, freeText, listQuery, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";
import { mapEndpoints } from "./map-contract.ts";

const operatorOnly = { who: "operator" } as const;

const idsBody = z.array(recordId()).max(10_000);

const userName = requiredText(255).describe("Unique among operators, and no administrator of a service may have it");
const name = freeText(255);
const status = z.enum(["0", "1"]).describe("1: may log in; 0: disabled, and signed out everywhere");

/** The schemas in which services are named: one of them, and those that an operator runs. */
const nameServices = (names: readonly string[]) => ({
  accountService: z.enum(["platform", ...names]),
  services: z
    .array(z.enum(names))
    .describe(
      "The services that the operator runs, as super administrator. All of them: unrestricted, so those too that a later version adds. None: the platform alone",
    ),
  all: [...names],
});

type Names = ReturnType<typeof nameServices>;

// Plain text: the length has a sentence of its own, and a longer one is a wrong format, not too long a content.
const password = z.string().meta({ minLength: 8, maxLength: 128 });

const operatorRecord = ({ services }: Names) =>
  z.object({
    id: recordId(),
    userName: z.string(),
    name: z.string(),
    services,
    status,
    createTime: dateTime(),
  });

const operatorCreate = ({ services, all }: Names) =>
  z.object({
    userName,
    name: name.default(""),
    services: services.default(all),
    status: status.default("1"),
    password: password.describe("8 to 128 characters; never returned"),
  });

/** What makes an operator. */
export const operatorBody = (names: readonly string[]) => operatorCreate(nameServices(names));

const operatorUpdate = ({ services }: Names) =>
  z.object({
    id: recordId().optional().describe("Needed; missing is 10023"),
    userName: userName.optional(),
    name: name.optional(),
    services: services.optional(),
    status: status.optional(),
    password: password.optional().describe('8 to 128 characters; left out or "": the old one stays'),
  });

const operatorFields = ["id", "userName", "name", "status", "createTime"] as const;

const operatorListQuery = z.object({
  ...listQuery("curPage", operatorFields),
  userName: freeText().optional().describe("Stands anywhere in the user name"),
  name: freeText().optional().describe("Stands anywhere in the name"),
});

const sessionRecord = ({ accountService }: Names) =>
  z.object({
    id: recordId(),
    service: accountService.describe("Whose account it is; platform for an operator, wherever the login was made"),
    userName: z.string(),
    name: z.string(),
    address: z.string().describe("Where the login came from: an IPv4 address, or the /64 network of an IPv6 address"),
    userAgent: z.string(),
    createTime: dateTime().describe("Signed in since"),
    lastUseTime: dateTime().describe("Last use, to the minute"),
    expireTime: z.int().describe("End in epoch milliseconds"),
    current: z.boolean().describe("Whether it is the session of this very call"),
    endable: z.boolean().describe("Whether the caller may end it: it is of somebody whom they may manage"),
  });

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

const sessionListQuery = ({ accountService }: Names) =>
  z.object({
    ...listQuery("curPage", sessionFields),
    service: accountService.optional(),
    userName: freeText().optional().describe("Stands anywhere in the user name"),
  });

const auditRecord = ({ accountService }: Names) =>
  z.object({
    id: recordId(),
    time: dateTime(),
    service: accountService,
    userName: z.string().describe("As it was given or held then"),
    name: z.string().nullable().describe("The account's name today; null when there was or is no such account"),
    action: z.string().describe("The operation, by its name in the interface description"),
    outcome: z
      .enum(["done", "refused", "failed"])
      .describe("failed: a login, or the proof of one's old password; refused: for lack of permission"),
    records: z.array(z.string()).describe("Which records the action was about"),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
    address: z.string(),
  });

const auditQuery = ({ accountService }: Names) =>
  z.object({
    ...listQuery("curPage", ["time"]),
    service: accountService.optional(),
    userName: freeText().optional().describe("Stands anywhere in the user name"),
    action: freeText().optional().describe("Exactly this operation"),
    startTime: dateTime().optional(),
    endTime: dateTime().optional().describe("That second is still part of the span"),
  });

const settingRecord = z.object({
  key: z.string(),
  description: z.string(),
  secret: z.boolean(),
  standard: z.string().describe("What holds when it is not set"),
  value: z.string().describe('A secret only as "set" or "not set"'),
});

const healthPart = z.object({
  name: z.string().describe("database, jobs, files, and what a service adds, such as its queue"),
  state: z.enum(["ok", "degraded", "failed"]),
  figures: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
});

const signIn = {
  login: endpoint({
    method: "POST",
    url: "/platform/login",
    summary: "Sign in as an operator; the token is also sent as response header admin_token",
    access: { who: "anyone", limit: "login" },
    body: loginBody,
    form: true,
    answer: {
      as: "envelope",
      data: z.object({ userName: z.string(), token: z.string(), expireTime: z.int().describe("Epoch milliseconds") }),
    },
    holdsSecret: true,
    problems: ["loginFailed", "accountLocked"],
    own: true,
  }),
  ...accountEndpoints("/platform"),
};

const operators = (named: Names) => ({
  listOperators: endpoint({
    method: "GET",
    url: "/platform/operator/list",
    summary: "The operators of the platform",
    access: operatorOnly,
    query: operatorListQuery,
    answer: { as: "envelope", data: pageOf(operatorRecord(named)) },
    problems: ["notAllowedNow"],
    own: true,
  }),
  createOperator: endpoint({
    method: "POST",
    changesAccounts: true,
    url: "/platform/operator/save",
    summary: "Make an operator; nobody gives more services than they run themselves",
    access: operatorOnly,
    body: operatorCreate(named),
    answer: { as: "envelope", data: decimal() },
    problems: ["alreadyExists", "forbidden"],
    idempotent: true,
    own: true,
  }),
  updateOperator: endpoint({
    method: "PUT",
    changesAccounts: true,
    url: "/platform/operator/update",
    summary: "Change an operator; a new password, other services or disabling end the operator's sessions",
    access: operatorOnly,
    body: operatorUpdate(named),
    answer: { as: "envelope", data: decimal() },
    problems: ["idMissing", "notFound", "alreadyExists", "forbidden"],
    own: true,
  }),
  deleteOperators: endpoint({
    method: "DELETE",
    changesAccounts: true,
    url: "/platform/operator/delete",
    summary: "Remove operators; never oneself, never the last enabled one",
    access: operatorOnly,
    body: idsBody,
    answer: { as: "envelope", data: decimal() },
    problems: ["idMissing", "notFound", "forbidden"],
    own: true,
  }),
});

/** Who the caller is: what a console must know to offer no more than the caller may do. */
const ownSession = ({ accountService, services }: Names) =>
  z.object({
    accountId: recordId(),
    service: accountService.describe("Whose account it is; platform for an operator"),
    userName: z.string(),
    name: z.string(),
    isSuper: z.boolean(),
    services: services.describe("The services that the caller may use"),
    expireTime: z.int().describe("End in epoch milliseconds"),
  });

const sessions = (named: Names) => ({
  readOwnSession: endpoint({
    method: "GET",
    url: "/platform/session/own",
    summary: "Whose token it is, and what it is good for",
    access: { who: "account" },
    answer: { as: "envelope", data: ownSession(named) },
    own: true,
  }),
  listSessions: endpoint({
    method: "GET",
    url: "/platform/session/list",
    summary: "Who is signed in, at every service",
    access: operatorOnly,
    query: sessionListQuery(named),
    answer: { as: "envelope", data: pageOf(sessionRecord(named)) },
    problems: ["notAllowedNow"],
    own: true,
  }),
  deleteSessions: endpoint({
    method: "DELETE",
    changesAccounts: true,
    url: "/platform/session/delete",
    summary: "End sessions: their tokens are worth nothing from then on",
    access: operatorOnly,
    body: idsBody,
    answer: { as: "envelope", data: decimal() },
    problems: ["idMissing", "notFound", "forbidden"],
    own: true,
  }),
});

const insight = (named: Names) => ({
  listAudit: endpoint({
    method: "GET",
    url: "/platform/audit",
    summary: "The audit log of all services, newest first",
    access: operatorOnly,
    query: auditQuery(named),
    answer: { as: "envelope", data: pageOf(auditRecord(named)) },
    problems: ["notAllowedNow"],
    own: true,
  }),
  listSettings: endpoint({
    method: "GET",
    url: "/platform/settings",
    summary: "Every setting with its description and value",
    access: operatorOnly,
    answer: { as: "envelope", data: z.array(settingRecord) },
    own: true,
  }),
  getHealth: endpoint({
    method: "GET",
    url: "/platform/health",
    summary: "Each part of the platform with its state and figures",
    access: operatorOnly,
    answer: { as: "envelope", data: z.object({ parts: z.array(healthPart) }) },
    urgent: true,
    own: true,
  }),
});

export type PlatformEndpoints = ReturnType<typeof listEndpoints>;

function listEndpoints(names: readonly string[]) {
  const named = nameServices(names);
  return { ...signIn, ...operators(named), ...sessions(named), ...insight(named), ...alertEndpoints, ...mapEndpoints };
}

/**
 * The platform's own operations: who runs it, who is signed in, what was done, how it is set and how it does.
 * @param names the services that there are, in the order of their listing
 */
export const describePlatform = (names: readonly string[]): ServiceContract<PlatformEndpoints> => ({
  name: "platform",
  title: { zh: "平台管理", en: "Platform" },
  about: { zh: "操作员、会话、审计与设置", en: "Operators, sessions, audit and settings" },
  problems: sharedProblems,
  endpoints: listEndpoints(names),
});

export type OperatorRecord = z.output<ReturnType<typeof operatorRecord>>;
export type OperatorCreate = z.output<ReturnType<typeof operatorCreate>>;
export type OperatorUpdate = z.output<ReturnType<typeof operatorUpdate>>;
export type OperatorField = (typeof operatorFields)[number];
export type SessionField = (typeof sessionFields)[number];
export type SessionRecord = z.output<ReturnType<typeof sessionRecord>>;
export type AuditRecord = z.output<ReturnType<typeof auditRecord>>;
export type AuditQuery = z.output<ReturnType<typeof auditQuery>>;

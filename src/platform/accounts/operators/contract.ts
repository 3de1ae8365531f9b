import * as z from "zod";
import {
  accountEndpoints,
  byOperators,
  byOperatorsAgain,
  fromSignOn,
  loginEndpoint,
  ofAccounts,
  removal,
  session,
  written,
} from "#platform/accounts/administrator-contract.ts";
import { factorEndpoints } from "#platform/accounts/second-factor/contract.ts";
import { signOnEndpoints } from "#platform/accounts/sign-on/contract.ts";
import { alertEndpoints } from "#platform/alerts/contract.ts";
import { noticeEndpoints } from "#platform/notices/contract.ts";
import { endpoint, type ServiceContract, workbookMime } from "#platform/contract/endpoint.ts";
import { mapDescription } from "#platform/contract/map-settings.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { type Dimensions, scopeField } from "#platform/contract/scope.ts";
import { bilingual, dateTime, freeText, listQuery, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";
import { institutionEndpoints } from "./institution-contract.ts";
import { serviceAccountEndpoints } from "./service-account-contract.ts";
import { setupEndpoints } from "./setup-contract.ts";

const userName = requiredText(255).describe("Unique among operators, and no administrator of a service may have it");
const name = freeText(255);
const status = z.enum(["0", "1"]).describe("1: may log in; 0: disabled, and signed out everywhere");

const nameServices = (names: readonly string[], dimensions: Dimensions = {}) => ({
  accountService: z.enum(["platform", ...names]),
  services: z
    .array(z.enum(names))
    .describe(
      "The services that the operator runs, as super administrator. All of them: unrestricted, so those too that a later version adds. None: the platform alone",
    ),
  rights: rightsField(["platform", ...names]),
  scope: scopeField(Object.keys(dimensions)),
  all: [...names],
});

type Names = ReturnType<typeof nameServices>;

// The schema has no bounds, because a wrong length has a message of its own and a long password is badFormat instead of
// tooLong.
const password = z.string().meta({ minLength: 8, maxLength: 128 });

const operatorCreate = ({ services, rights, scope, all }: Names) =>
  z.object({
    userName,
    name: name.default(""),
    services: services.default(all),
    rights: rights.optional().describe("Left out: as many as the caller has"),
    scope: scope
      .optional()
      .describe("Of what the operator sees and changes at the services; left out: as the caller's"),
    status: status.default("1"),
    password: password.describe("8 to 128 characters; never returned"),
  });

export const operatorBody = (names: readonly string[]) => operatorCreate(nameServices(names));

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
    "null: there was, or is, none. A list is JSON. Of identity cards the last four characters, of phone numbers the first three and last four, of people's names the first; a secret is ***",
  );

const auditChange = z.object({
  what: z.string().describe("The kind of record, such as payable"),
  record: z.string(),
  fields: z.array(z.object({ field: z.string(), before: auditValue, after: auditValue })),
});

const auditRecord = ({ accountService }: Names) =>
  z.object({
    id: recordId(),
    time: dateTime(),
    service: accountService,
    userName: z.string().describe("As it was given or held then"),
    name: z.string().nullable().describe("The account's name today; null when there was or is no such account"),
    action: z.string().describe("The operation, by its name in the interface description"),
    outcome: auditOutcome.describe(
      "failed: a login, or the proof of one's old password; refused: for lack of permission",
    ),
    records: z.array(z.string()).describe("Which records the action was about"),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
    address: z.string(),
    changedRecords: z.int().describe("How many records it changed, as far as their before and after is kept"),
    changes: z.array(auditChange).describe("Before and after of these, of the first twenty at most"),
  });

const auditFilter = ({ accountService }: Names) => ({
  service: accountService.optional(),
  userName: freeText().optional().describe("Stands anywhere in the user name"),
  action: freeText().optional().describe("Exactly this operation"),
  startTime: dateTime().optional(),
  endTime: dateTime().optional().describe("That second is still part of the span"),
  outcome: auditOutcome.optional(),
  record: freeText(255).optional().describe("Exactly this one is among the line's records"),
  what: z
    .string()
    .max(100)
    .regex(/^[a-zA-Z]+(?:,[a-zA-Z]+)*$/)
    .optional()
    .describe("Beside record: no line that changed only records of other kinds than these, by commas, such as payable"),
});

const operators = (named: Names) => ({
  listOperators: endpoint({
    ...byOperators,
    group: "accounts",
    method: "GET",
    url: "/platform/operator/list",
    summary: "The operators of the platform",
    query: z.object({
      ...listQuery("curPage", ["id", "userName", "name", "status", "createTime"]),
      userName: freeText().optional().describe("Stands anywhere in the user name"),
      name: freeText().optional().describe("Stands anywhere in the name"),
    }),
    answer: {
      as: "envelope",
      data: pageOf(
        z.object({
          id: recordId(),
          userName: z.string(),
          name: z.string(),
          services: named.services,
          rights: named.rights.optional().describe("Left out: all that an operator has at these services"),
          scope: named.scope.optional().describe("Left out: everything"),
          fromSignOn,
          status,
          createTime: dateTime(),
        }),
      ),
    },
    problems: ["notAllowedNow"],
  }),
  createOperator: endpoint({
    ...byOperatorsAgain,
    method: "POST",
    url: "/platform/operator/save",
    summary: "Make an operator; nobody gives more services or rights, or a wider scope, than they have themselves",
    body: operatorCreate(named),
    answer: written,
    problems: ["alreadyExists", "forbidden"],
    idempotent: true,
  }),
  updateOperator: endpoint({
    ...byOperatorsAgain,
    method: "PUT",
    url: "/platform/operator/update",
    summary:
      "Change an operator; a new password, other services, rights or scope, or disabling end the operator's sessions",
    body: z.object({
      id: recordId().optional().describe("Needed; missing is 10023"),
      userName: userName.optional(),
      name: name.optional(),
      services: named.services.optional(),
      rights: named.rights.optional(),
      scope: named.scope.optional(),
      status: status.optional(),
      password: password.optional().describe('8 to 128 characters; left out or "": the old one stays'),
    }),
    answer: written,
    problems: ["idMissing", "notFound", "alreadyExists", "forbidden"],
  }),
  deleteOperators: endpoint({
    ...byOperatorsAgain,
    ...removal,
    url: "/platform/operator/delete",
    summary: "Remove operators; never oneself, never the last enabled one",
  }),
});

const sessions = (named: Names) => ({
  readOwnSession: endpoint({
    ...ofAccounts,
    method: "GET",
    url: "/platform/session/own",
    summary: "Whose token it is, and what it is good for",
    secondFactor: "later",
    answer: {
      as: "envelope",
      data: z.object({
        accountId: recordId(),
        service: named.accountService.describe(
          "Whose account it is; platform for an operator, and for a service account",
        ),
        userName: z.string(),
        name: z.string(),
        isSuper: z.boolean(),
        services: named.services.describe("The services that the caller may use"),
        rights: named.rights.optional().describe("Left out: all that the role has"),
        scope: named.scope.optional().describe("To which records; left out: all"),
        duty: z
          .enum(["system", "security", "audit"])
          .optional()
          .describe("Where SEPARATE_DUTIES is set: the only duty that the caller has; rights are those of it"),
        expireTime: z.int().describe("End in epoch milliseconds"),
        secondFactor: z
          .enum(["none", "enrol", "show", "shown"])
          .describe("none is needed; one has to be set up first; it has to be shown first; it was shown"),
        mustChoosePassword: z
          .boolean()
          .describe("Somebody else has set the password: until another is chosen the session is good for nothing else"),
        news: z
          .array(
            z.object({
              kind: z.enum(["place", "factor"]),
              what: z.string().describe("The address, or the second factor's name"),
              time: dateTime(),
            }),
          )
          .describe(
            "What the account's owner should know of the last 14 days, newest first: addresses from which it was opened for the first time, but this one, and new second factors; none before the session is good for everything",
          ),
      }),
    },
  }),
  listOwnSessions: endpoint({
    ...ofAccounts,
    method: "GET",
    url: "/platform/session/own/list",
    summary: "Where one is signed in oneself: the session of the call, then the last used first, 200 at most",
    answer: { as: "envelope", data: z.array(sessionRecord(named).omit(notOfOwn)) },
  }),
  deleteOwnSessions: endpoint({
    ...ofAccounts,
    ...removal,
    changesAccounts: true,
    url: "/platform/session/own/delete",
    summary: "End sessions of one's own; those of others count as not there",
    group: "own",
    problems: ["idMissing", "notFound"],
  }),
  listSessions: endpoint({
    ...byOperators,
    group: "accounts",
    method: "GET",
    url: "/platform/session/list",
    summary: "Who is signed in, at every service",
    query: z.object({
      ...listQuery("curPage", sessionFields),
      service: named.accountService.optional(),
      userName: freeText().optional().describe("Stands anywhere in the user name"),
    }),
    answer: { as: "envelope", data: pageOf(sessionRecord(named)) },
    problems: ["notAllowedNow"],
  }),
  deleteSessions: endpoint({
    ...byOperators,
    ...removal,
    changesAccounts: true,
    url: "/platform/session/delete",
    summary: "End sessions: their tokens are worth nothing from then on",
  }),
});

const insight = (named: Names) => ({
  listAudit: endpoint({
    ...byOperators,
    group: "audit",
    method: "GET",
    url: "/platform/audit",
    summary: "The audit log of all services, newest first",
    query: z.object({ ...listQuery("curPage", ["time"]), ...auditFilter(named) }),
    answer: { as: "envelope", data: pageOf(auditRecord(named)) },
    problems: ["notAllowedNow"],
  }),
  exportAudit: endpoint({
    ...byOperators,
    group: "audit",
    method: "GET",
    url: "/platform/audit/export",
    summary: "The audit log as a workbook or lines of JSON, by the filters of the list, newest first",
    query: z.object({
      ...auditFilter(named),
      format: z.enum(["xlsx", "jsonl"]).default("xlsx").describe("jsonl: a line of the log as JSON on each line"),
    }),
    answer: { as: "file", mime: workbookMime, streamed: true },
  }),
  listSettings: endpoint({
    ...byOperators,
    method: "GET",
    url: "/platform/settings",
    summary: "Every setting with its description and value",
    answer: {
      as: "envelope",
      data: z.array(
        z.object({
          service: named.accountService,
          key: z.string(),
          description: z.string(),
          secret: z.boolean(),
          standard: z.string().describe("What holds when it is not set"),
          value: z.string().describe('A secret only as "set" or "not set"'),
        }),
      ),
    },
  }),
  getHealth: endpoint({
    ...byOperators,
    method: "GET",
    url: "/platform/health",
    summary: "Each part of the platform with its state and figures",
    answer: {
      as: "envelope",
      data: z.object({
        parts: z.array(
          z.object({
            service: named.accountService,
            name: z.string().describe("database, jobs, files, and what a service adds, such as its queue"),
            title: bilingual,
            state: z.enum(["ok", "degraded", "failed"]),
            figures: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
          }),
        ),
      }),
    },
    urgent: true,
  }),
});

export type PlatformEndpoints = ReturnType<typeof listEndpoints>;

const scopes = ({ accountService }: Names) => ({
  listScopes: endpoint({
    ...ofAccounts,
    method: "GET",
    url: "/platform/scopes",
    summary:
      "By what accounts of a service can be narrowed, for its administrators: the values that there are, 1000 at most",
    query: z.object({ service: accountService }),
    answer: {
      as: "envelope",
      data: z.array(z.object({ dimension: z.string(), label: bilingual, values: z.array(z.string()) })),
    },
    problems: ["forbidden"],
  }),
});

function listEndpoints(names: readonly string[], dimensions: Dimensions) {
  const named = nameServices(names, dimensions);
  return {
    login: endpoint({
      ...loginEndpoint("/platform", {
        summary: "Sign in as an operator; the token is also sent as response header admin_token",
        data: z.object({ userName: z.string(), ...session, scope: named.scope.optional() }),
      }),
      problems: ["loginFailed", "accountLocked"],
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
    readMapSettings: endpoint({
      method: "GET",
      url: "/map/settings",
      summary: "What every map of the pages is drawn with; null: not set",
      access: { who: "anyone" },
      answer: { as: "envelope", data: mapDescription },
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

import * as z from "zod";
import { byOperators, byOperatorsAgain, removal, session } from "#platform/accounts/administrator-contract.ts";
import { under } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, listQuery, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";

const prefix = "/platform/sign-on";
const anyone = under(prefix, { access: { who: "anyone", limit: "login" }, own: true });
const operator = under(prefix, byOperators);
const operatorAgain = under(prefix, byOperatorsAgain);

const provider = z.enum(["oidc", "cas"]).describe("oidc: OpenID Connect; cas: CAS 3");

const mostQueryLength = 8192;

const sortFields = ["id", "identity", "service", "userName", "createTime", "lastUseTime"] as const;

export function signOnEndpoints<const Names extends readonly [string, ...string[]]>(names: Names) {
  const service = z.enum(names);
  const record = z.object({
    id: recordId(),
    provider,
    issuer: z.string().describe("Provider that issued the identity"),
    identity: z.string(),
    service: service.describe("The account's service; platform for an operator"),
    userName: z.string(),
    name: z.string(),
    inUse: z.boolean().describe("Whether this issuer is configured"),
    changeable: z.boolean().describe("Whether the caller may delete this identity, that is, may manage its account"),
    createTime: dateTime(),
    lastUseTime: dateTime().nullable().describe("Time of its last sign-in"),
  });
  return { ...flow(service), ...identities(service, record) };
}

const flow = <S extends z.ZodType>(service: S) => ({
  beginSignOn: anyone.post("/begin", {
    summary:
      "Begin a campus sign-on and return the provider's address; a cookie ties the attempt to the browser for ten minutes",
    body: z.object({
      provider,
      service: service
        .optional()
        .describe(
          "Service of the account to use, required only after error 20014 (several accounts match); platform for an operator",
        ),
    }),
    data: z.object({ address: z.string() }),
    holdsSecret: true,
    problems: ["outsideNotConfigured", "outsideFailed"],
  }),
  finishSignOn: anyone.post("/finish", {
    summary: "Finish a campus sign-on; each attempt can be finished once",
    body: z.object({
      query: z.string().min(1).max(mostQueryLength).describe("Query string of the callback address"),
    }),
    data: z.object({
      service: service.describe("The account's service; platform for an operator"),
      userName: z.string(),
      ...session,
      endAddress: z
        .string()
        .nullable()
        .describe("Address for signing out of the campus sign-on as well; null: not supported"),
    }),
    holdsSecret: true,
    problems: ["signOnFailed", "outsideNotConfigured", "outsideFailed", "forbidden", "accountUnclear"],
  }),
});

const identities = <S extends z.ZodType, R extends z.ZodType>(service: S, record: R) => ({
  listCampusIdentities: operator.get("/identity/list", {
    group: "accounts",
    summary: "List campus identities and their accounts",
    query: z.object({
      ...listQuery("curPage", sortFields),
      identity: freeText().optional().describe("Substring of the identity"),
      userName: freeText().optional().describe("Substring of the user name"),
      service: service.optional(),
    }),
    data: pageOf(record),
    problems: ["notAllowedNow"],
  }),
  addCampusIdentity: operatorAgain.post("/identity/save", {
    summary: "Link a campus identity to an account",
    body: z.object({
      provider,
      identity: requiredText(255).describe("Identity exactly as the provider reports it"),
      service,
      userName: requiredText(255).describe("User name of an existing account"),
    }),
    problems: ["notFound", "alreadyExists", "forbidden", "outsideNotConfigured"],
    idempotent: true,
  }),
  deleteCampusIdentities: operator.remove("/identity/delete", {
    ...removal,
    changesAccounts: true,
    summary: "Unlink campus identities; all sessions of their accounts end",
  }),
});

export type SignOnEndpoints = ReturnType<typeof signOnEndpoints>;
export type IdentityField = (typeof sortFields)[number];

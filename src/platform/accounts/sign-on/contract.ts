import * as z from "zod";
import { byOperators, byOperatorsAgain, removal, session, written } from "#platform/accounts/administrator-contract.ts";
import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, listQuery, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";

const prefix = "/platform/sign-on";

const provider = z.enum(["oidc", "cas"]).describe("oidc: OpenID Connect; cas: CAS 3");

const mostQueryLength = 8192;

const sortFields = ["id", "identity", "service", "userName", "createTime", "lastUseTime"] as const;

export function signOnEndpoints<const Names extends readonly [string, ...string[]]>(names: Names) {
  const service = z.enum(names);
  const record = z.object({
    id: recordId(),
    provider,
    issuer: z.string().describe("Who answers for the identity"),
    identity: z.string(),
    service: service.describe("Whose account it is; platform for an operator"),
    userName: z.string(),
    name: z.string(),
    inUse: z.boolean().describe("Whether the platform is set to this issuer today"),
    changeable: z
      .boolean()
      .describe("Whether the caller may remove it: the account is of somebody whom they may manage"),
    createTime: dateTime(),
    lastUseTime: dateTime().nullable().describe("When the account was last opened by it"),
  });
  return { ...flow(service), ...identities(service, record) };
}

const flow = <S extends z.ZodType>(service: S) => ({
  beginSignOn: endpoint({
    method: "POST",
    url: `${prefix}/begin`,
    summary:
      "Begin to sign on by the campus: where the browser goes. A cookie ties the attempt to the browser for ten minutes",
    access: { who: "anyone", limit: "login" },
    body: z.object({
      provider,
      service: service.describe("Which account is meant, where an identity has several; platform for an operator's"),
    }),
    answer: { as: "envelope", data: z.object({ address: z.string() }) },
    holdsSecret: true,
    problems: ["outsideNotConfigured", "outsideFailed"],
    own: true,
  }),
  finishSignOn: endpoint({
    method: "POST",
    url: `${prefix}/finish`,
    summary: "Sign in with what the browser has brought back; each attempt can be finished once",
    access: { who: "anyone", limit: "login" },
    body: z.object({
      query: z.string().min(1).max(mostQueryLength).describe("The query of the address that the browser came back to"),
    }),
    answer: {
      as: "envelope",
      data: z.object({
        service: service.describe("Whose account it is; platform for an operator"),
        userName: z.string(),
        ...session,
        endAddress: z
          .string()
          .nullable()
          .describe("Where the browser goes, once it has logged out here, to sign out of the campus too"),
      }),
    },
    holdsSecret: true,
    problems: ["signOnFailed", "outsideNotConfigured", "outsideFailed", "forbidden"],
    own: true,
  }),
});

const identities = <S extends z.ZodType, R extends z.ZodType>(service: S, record: R) => ({
  listCampusIdentities: endpoint({
    ...byOperators,
    group: "accounts",
    method: "GET",
    url: `${prefix}/identity/list`,
    summary: "Which identities of the campus open which accounts",
    query: z.object({
      ...listQuery("curPage", sortFields),
      identity: freeText().optional().describe("Stands anywhere in the identity"),
      userName: freeText().optional().describe("Stands anywhere in the user name"),
      service: service.optional(),
    }),
    answer: { as: "envelope", data: pageOf(record) },
    problems: ["notAllowedNow"],
  }),
  addCampusIdentity: endpoint({
    ...byOperatorsAgain,
    method: "POST",
    url: `${prefix}/identity/save`,
    summary: "Have an identity of the campus open an account",
    body: z.object({
      provider,
      identity: requiredText(255).describe("As the provider names it, letter by letter"),
      service,
      userName: requiredText(255).describe("Of an account that is there"),
    }),
    answer: written,
    problems: ["notFound", "alreadyExists", "forbidden", "outsideNotConfigured"],
    idempotent: true,
  }),
  deleteCampusIdentities: endpoint({
    ...byOperators,
    ...removal,
    changesAccounts: true,
    url: `${prefix}/identity/delete`,
    summary: "Have identities open nothing any more; every session of their accounts ends",
  }),
});

export type SignOnEndpoints = ReturnType<typeof signOnEndpoints>;
export type IdentityField = (typeof sortFields)[number];

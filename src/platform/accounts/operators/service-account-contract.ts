import * as z from "zod";
import { byOperators, byOperatorsAgain, removal, written } from "#platform/accounts/administrator-contract.ts";
import { endpoint } from "#platform/contract/endpoint.ts";
import { listRights } from "#platform/contract/rights.ts";
import { dateTime, freeText, listQuery, network, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";

const prefix = "/platform/serviceAccount";

const sortFields = ["id", "userName", "name", "status", "createTime"] as const;

const named = {
  userName: requiredText(255).describe(
    "What the audit log calls it; unique among service accounts, and nobody may have it",
  ),
  name: freeText(255).describe("What it is for, and who looks after it"),
};
const status = z.enum(["0", "1"]).describe("1: its keys count; 0: none does");

const keyRecord = z.object({
  id: recordId(),
  mark: z.string().describe("What of the key may be seen, such as qk_7"),
  name: z.string(),
  rights: z.array(z.string()).nullable().describe("null: all that the account has"),
  networks: z.array(z.string()).nullable().describe("From where it may come; null: from anywhere"),
  state: z
    .enum(["valid", "rotated", "expired", "revoked"])
    .describe("rotated: another is in its place, and it ends soon"),
  createTime: dateTime(),
  expireTime: dateTime(),
  lastUseTime: dateTime().nullable().describe("To the minute"),
  uses: z.int().min(0).describe("In the last 30 days"),
});

const newKey = z.object({
  id: recordId(),
  key: z.string().describe("Shown this once; only its hash is kept"),
  expireTime: dateTime(),
});

const accounts = <R extends z.ZodType>(rights: R) => ({
  listServiceAccounts: endpoint({
    ...byOperators,
    group: "accounts",
    method: "GET",
    url: `${prefix}/list`,
    summary: "The accounts by which programs call",
    query: z.object(listQuery("curPage", sortFields)),
    answer: {
      as: "envelope",
      data: pageOf(
        z.object({
          id: recordId(),
          ...named,
          rights,
          status,
          endable: z.boolean().describe("Whether the caller may change it: it has no rights that they lack"),
          createTime: dateTime(),
        }),
      ),
    },
    problems: ["notAllowedNow"],
  }),
  createServiceAccount: endpoint({
    ...byOperatorsAgain,
    method: "POST",
    url: `${prefix}/save`,
    summary: "Make a service account; nobody gives rights that they lack",
    body: z.object({ ...named, rights, status }).partial({ name: true, status: true }),
    answer: written,
    problems: ["alreadyExists", "forbidden"],
    idempotent: true,
  }),
  updateServiceAccount: endpoint({
    ...byOperatorsAgain,
    method: "PUT",
    url: `${prefix}/update`,
    summary: "Change a service account; what is left out stays, and its keys follow at once",
    body: z
      .object({ ...named, rights, status })
      .partial()
      .extend({ id: recordId() }),
    answer: written,
    problems: ["notFound", "alreadyExists", "forbidden"],
  }),
  deleteServiceAccounts: endpoint({
    ...byOperatorsAgain,
    ...removal,
    url: `${prefix}/delete`,
    summary: "Remove service accounts, and their keys with them",
  }),
});

const keys = <R extends z.ZodType>(rights: R) => ({
  listAccessKeys: endpoint({
    ...byOperators,
    group: "accounts",
    method: "GET",
    url: `${prefix}/key/list`,
    summary: "The keys of a service account, the newest first",
    query: z.object({ accountId: recordId() }),
    answer: { as: "envelope", data: z.array(keyRecord) },
    problems: ["notFound"],
  }),
  createAccessKey: endpoint({
    ...byOperatorsAgain,
    method: "POST",
    url: `${prefix}/key/save`,
    summary: "Make a key, which is shown this once",
    body: z.object({
      accountId: recordId(),
      name: requiredText(100).describe("Where it is used"),
      days: z.int().min(1).max(365).describe("After so many it expires"),
      rights: rights.nullable().optional().describe("Fewer than the account's; null or left out: all of them"),
      networks: z
        .array(network())
        .min(1)
        .max(50)
        .nullable()
        .optional()
        .describe("From where it may come; null or left out: from anywhere"),
    }),
    answer: { as: "envelope", data: newKey },
    holdsSecret: true,
    problems: ["notFound", "forbidden"],
  }),
  rotateAccessKey: endpoint({
    ...byOperatorsAgain,
    method: "POST",
    url: `${prefix}/key/rotate`,
    summary: "Make a key in the place of another, for as long as that was; the other ends after a while",
    body: z.object({
      id: recordId(),
      graceHours: z
        .int()
        .min(0)
        .max(720)
        .default(24)
        .describe("For so long the old one goes on, at most until it expires"),
    }),
    answer: { as: "envelope", data: newKey },
    holdsSecret: true,
    problems: ["notFound", "notAllowedNow", "forbidden"],
  }),
  revokeAccessKeys: endpoint({
    ...byOperators,
    ...removal,
    method: "PUT",
    changesAccounts: true,
    url: `${prefix}/key/revoke`,
    summary: "Revoke keys: they are worth nothing from then on",
  }),
  readAccessKeyUse: endpoint({
    ...byOperators,
    group: "accounts",
    method: "GET",
    url: `${prefix}/key/use`,
    summary:
      "How often a key was used on each day (UTC) of the last 90, the latest first; days without a use are left out",
    query: z.object({ id: recordId() }),
    answer: { as: "envelope", data: z.array(z.object({ day: z.string(), uses: z.int() })) },
  }),
});

export function serviceAccountEndpoints(services: readonly string[]) {
  const rights = z
    .array(z.enum(listRights(["platform", ...services])))
    .max(200)
    .describe("What it may do where, as of an operator");
  return { ...accounts(rights), ...keys(rights) };
}

export type ServiceAccountEndpoints = ReturnType<typeof serviceAccountEndpoints>;

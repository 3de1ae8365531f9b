import * as z from "zod";
import { byOperators, byOperatorsAgain, removal } from "#platform/accounts/administrator-contract.ts";
import { under } from "#platform/contract/endpoint.ts";
import { listRights } from "#platform/contract/rights.ts";
import { dateTime, freeText, listQuery, network, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";

const prefix = "/platform/serviceAccount";
const operator = under(prefix, byOperators);
const operatorAgain = under(prefix, byOperatorsAgain);

const sortFields = ["id", "userName", "name", "status", "createTime"] as const;

const named = {
  userName: requiredText(255).describe("Name in the audit log; unique among all accounts"),
  name: freeText(255).describe("Purpose of the account and contact person"),
};
const status = z.enum(["0", "1"]).describe("1 enabled; 0 disabled: its keys are rejected");

const keyRecord = z.object({
  id: recordId(),
  mark: z.string().describe("Visible part of the key, such as qk_7"),
  name: z.string(),
  rights: z.array(z.string()).nullable().describe("null: all rights of the account"),
  networks: z.array(z.string()).nullable().describe("Allowed client networks; null: any"),
  state: z
    .enum(["valid", "rotated", "expired", "revoked"])
    .describe("rotated: replaced by a new key and about to expire"),
  createTime: dateTime(),
  expireTime: dateTime(),
  lastUseTime: dateTime().nullable().describe("Accurate to the minute; null: never used"),
  uses: z.int().min(0).describe("Number of uses in the last 30 days"),
});

const newKey = z.object({
  id: recordId(),
  key: z.string().describe("Shown only once; the server keeps its hash"),
  expireTime: dateTime(),
});

const accounts = <R extends z.ZodType>(rights: R) => ({
  listServiceAccounts: operator.get("/list", {
    group: "accounts",
    summary: "List service accounts, with which programs call the API",
    query: z.object(listQuery("curPage", sortFields)),
    data: pageOf(
      z.object({
        id: recordId(),
        ...named,
        rights,
        status,
        endable: z
          .boolean()
          .describe(
            "Whether the caller may change the account, that is, its rights, services and scope do not exceed the caller's",
          ),
        createTime: dateTime(),
      }),
    ),
    problems: ["notAllowedNow"],
  }),
  createServiceAccount: operatorAgain.post("/save", {
    summary: "Add a service account; callers can only grant rights that they have",
    body: z.object({ ...named, rights, status }).partial({ name: true, status: true }),
    problems: ["alreadyExists", "forbidden"],
    idempotent: true,
  }),
  updateServiceAccount: operatorAgain.put("/update", {
    summary: "Change a service account; omitted fields are unchanged, and changes apply to its keys at once",
    body: z
      .object({ ...named, rights, status })
      .partial()
      .extend({ id: recordId() }),
    problems: ["notFound", "alreadyExists", "forbidden"],
  }),
  deleteServiceAccounts: operatorAgain.remove("/delete", {
    ...removal,
    summary: "Delete service accounts and their keys",
  }),
});

const keys = <R extends z.ZodType>(rights: R) => ({
  listAccessKeys: operator.get("/key/list", {
    group: "accounts",
    summary: "List the keys of a service account, newest first",
    query: z.object({ accountId: recordId() }),
    data: z.array(keyRecord),
    problems: ["notFound"],
  }),
  createAccessKey: operatorAgain.post("/key/save", {
    summary: "Create a key; it is shown only once",
    body: z.object({
      accountId: recordId(),
      name: requiredText(100).describe("Name of the key, such as the program that uses it"),
      days: z.int().min(1).max(365).describe("Days until the key expires"),
      rights: rights.nullable().optional().describe("A subset of the account's rights; null or omitted: all"),
      networks: z
        .array(network())
        .min(1)
        .max(50)
        .nullable()
        .optional()
        .describe("Allowed client networks; null or omitted: any"),
    }),
    data: newKey,
    holdsSecret: true,
    problems: ["notFound", "forbidden"],
  }),
  rotateAccessKey: operatorAgain.post("/key/rotate", {
    summary: "Replace a key by a new one with the same lifetime; the old one expires after a grace period",
    body: z.object({
      id: recordId(),
      graceHours: z
        .int()
        .min(0)
        .max(720)
        .default(24)
        .describe("Grace period of the old key in hours, at most until its expiry"),
    }),
    data: newKey,
    holdsSecret: true,
    problems: ["notFound", "notAllowedNow", "forbidden"],
  }),
  revokeAccessKeys: operator.put("/key/revoke", {
    ...removal,
    changesAccounts: true,
    summary: "Revoke keys; they stop working at once",
  }),
  readAccessKeyUse: operator.get("/key/use", {
    group: "accounts",
    summary:
      "Read how often a key was used on each day (UTC) of the last 90 days, newest first; days without use are omitted",
    query: z.object({ id: recordId() }),
    data: z.array(z.object({ day: z.string(), uses: z.int() })),
  }),
});

export function serviceAccountEndpoints(services: readonly string[]) {
  const rights = z
    .array(z.enum(listRights(["platform", ...services])))
    .max(200)
    .describe("Rights of the account, from the same list as those of an operator");
  return { ...accounts(rights), ...keys(rights) };
}

export type ServiceAccountEndpoints = ReturnType<typeof serviceAccountEndpoints>;

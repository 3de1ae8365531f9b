import * as z from "zod";
import { type Access, under } from "#platform/contract/endpoint.ts";
import { listQuery, pageOf, ignoresFields, recordId, requiredText } from "#platform/contract/wire.ts";

/**
 * The operations with these fields are not in the interface documents. `byOperatorsAgain` is for operations that change
 * accounts and require a recent second factor.
 */
export const ofAccounts = { access: { who: "account" }, own: true } as const;
export const byOperators = { access: { who: "operator" }, own: true } as const;
export const byOperatorsAgain = { ...byOperators, changesAccounts: true, secondFactor: "again" } as const;

export const idsBody = z.array(recordId()).max(10_000);

export const removal = {
  body: idsBody,
  problems: ["idMissing", "notFound", "forbidden"],
} as const;

/**
 * The login checks only that the password is not empty, so that an impossible password gets the same answer as a wrong
 * one.
 */
export const loginBody = z.object({
  userName: requiredText(255),
  password: z.string().min(1),
  secondFactor: z
    .literal("later")
    .optional()
    .describe("Sent by clients that can ask for a new password or a second factor after the login"),
});

const passwordChangeBody = z.object({
  id: recordId().optional().describe("Required; code 10023 if missing. Id of the calling administrator"),
  password: requiredText(4096).describe("The old password, encrypted, base64"),
  newPassword: requiredText(4096).describe("The new password, encrypted, base64"),
});

export const accountEndpoints = (prefix: string) => ({
  logout: under(prefix).post("/logout", {
    changesAccounts: true,
    summary: "Log out: revoke the token used for this call",
    group: "own",
    access: { who: "administrator" },
    secondFactor: "later",
    own: true,
  }),
  updatePassword: under(prefix).put("/updatePassword", {
    changesAccounts: true,
    summary:
      "Change the caller's password; all sessions of the account end. A wrong old password counts as a failed login",
    group: "own",
    choosesPassword: true,
    access: { who: "administrator" },
    body: passwordChangeBody,
    problems: ["idMissing", "notAllowedNow", "badFormat", "accountLocked", "tooManyRequests"],
  }),
  publicKey: under(prefix).get("/publicKey", {
    summary: "Read the public RSA key for encrypting passwords (SubjectPublicKeyInfo, base64 without line breaks)",
    access: { who: "anyone" },
    data: z.string(),
    own: true,
  }),
});

export const rights = {
  adminType: z.enum(["0", "1"]).describe("0 super administrator, 1 other administrator"),
  status: z.enum(["0", "1"]).describe("0 frozen (cannot log in), 1 normal"),
};

export const fromSignOn = z
  .literal(true)
  .optional()
  .describe(
    "true: the account is created and updated by the campus sign-on; omitted for other accounts. Not in the interface documents",
  );

export const session = { token: z.string(), expireTime: z.int().describe("Epoch milliseconds") };

export const loginEndpoint = <T extends z.ZodType>(at: string, { summary, data }: { summary: string; data: T }) =>
  under(at).post("/login", {
    summary,
    access: { who: "anyone", limit: "login" },
    body: loginBody,
    form: true,
    data,
    holdsSecret: true,
  });

const sortFields = ["id", "userName", "adminType", "status"] as const;
const bySupers = { access: { who: "super" }, changesAccounts: true, secondFactor: "again" } as const;

export const administratorEndpoints = <
  Row extends z.ZodObject,
  New extends z.ZodObject,
  Change extends z.ZodObject,
  const List extends { readonly access: Access; readonly own?: true },
>(
  at: string,
  { record, created, changed, listing }: { record: Row; created: New; changed: Change; listing: List },
) => ({
  listAdministrators: under(at).get("/list", {
    summary: "List administrators, newest first",
    group: "accounts",
    ...listing,
    query: z.object(listQuery("curPage", sortFields)),
    data: pageOf(record),
  }),
  saveAdministrator: under(at).post("/save", {
    ...bySupers,
    summary: "Add an administrator",
    body: ignoresFields(created, { id: "id" }),
    idempotent: true,
    problems: ["alreadyExists"],
  }),
  updateAdministrator: under(at).put("/update", {
    ...bySupers,
    summary: "Change an administrator; omitted fields are unchanged",
    body: changed,
    problems: ["idMissing", "notFound", "alreadyExists"],
  }),
  deleteAdministrator: under(at).remove("/delete/:id", {
    ...bySupers,
    summary: "Delete an administrator",
    params: z.object({ id: recordId() }),
    problems: ["notFound"],
  }),
});

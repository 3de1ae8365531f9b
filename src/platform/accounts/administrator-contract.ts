import * as z from "zod";
import { loginBody } from "#platform/accounts/endpoints.ts";
import { type Access, endpoint } from "#platform/contract/endpoint.ts";
import { decimal, listQuery, pageOf, passesOver, recordId } from "#platform/contract/wire.ts";

// The operations of a service whose administrators have a user name alone, and rights in digits.

export const rights = {
  adminType: z.enum(["0", "1"]).describe("0 super administrator, 1 other"),
  status: z.enum(["0", "1"]).describe("0 frozen, 1 normal"),
};

/** Of a record alone: nobody gives it. */
export const fromSignOn = z
  .literal(true)
  .optional()
  .describe(
    "Signing on by the campus has made it and says what it may do; left out of those made by hand. An addition",
  );

/** What a login tells beside who it is. */
export const session = { token: z.string(), expireTime: z.int().describe("Epoch milliseconds") };

export const loginEndpoint = <T extends z.ZodType>(at: string, { summary, data }: { summary: string; data: T }) =>
  endpoint({
    method: "POST",
    url: `${at}/login`,
    summary,
    access: { who: "anyone", limit: "login" },
    body: loginBody,
    form: true,
    answer: { as: "envelope", data },
    holdsSecret: true,
  });

const sortFields = ["id", "userName", "adminType", "status"] as const;
const written = { as: "envelope", data: decimal() } as const;

interface Own<Row, New, Change, List> {
  readonly record: Row;
  readonly created: New;
  readonly changed: Change;
  /** Who may list them. */
  readonly listing: List;
}

/** The list and the changes of a service's administrators under the prefix of their paths. */
export const administratorEndpoints = <
  Row extends z.ZodObject,
  New extends z.ZodObject,
  Change extends z.ZodObject,
  const List extends { readonly access: Access; readonly own?: true },
>(
  at: string,
  { record, created, changed, listing }: Own<Row, New, Change, List>,
) => ({
  listAdministrators: endpoint({
    method: "GET",
    url: `${at}/list`,
    summary: "List administrators, newest first",
    ...listing,
    query: z.object(listQuery("curPage", sortFields)),
    answer: { as: "envelope", data: pageOf(record) },
  }),
  saveAdministrator: endpoint({
    method: "POST",
    changesAccounts: true,
    url: `${at}/save`,
    secondFactor: "again",
    summary: "Add an administrator",
    access: { who: "super" },
    body: passesOver(created, { id: "id" }),
    answer: written,
    idempotent: true,
    problems: ["alreadyExists"],
  }),
  updateAdministrator: endpoint({
    method: "PUT",
    changesAccounts: true,
    url: `${at}/update`,
    secondFactor: "again",
    summary: "Change an administrator; what is left out stays",
    access: { who: "super" },
    body: changed,
    answer: written,
    problems: ["idMissing", "notFound", "alreadyExists"],
  }),
  deleteAdministrator: endpoint({
    method: "DELETE",
    changesAccounts: true,
    url: `${at}/delete/:id`,
    secondFactor: "again",
    summary: "Delete an administrator",
    access: { who: "super" },
    params: z.object({ id: recordId() }),
    answer: written,
    problems: ["notFound"],
  }),
});

import * as z from "zod";
import { accountEndpoints, loginBody } from "#platform/accounts/endpoints.ts";
import { endpoint } from "#platform/contract/endpoint.ts";
import { listQuery, pageOf, passesOver, recordId, requiredText } from "#platform/contract/wire.ts";
import { prefix, undocumented, written } from "#services/disease-command/record-contract.ts";

const fields = {
  userName: requiredText(),
  adminType: z.enum(["0", "1"]).describe("0 super administrator, 1 other"),
  status: z.enum(["0", "1"]).describe("0 frozen, 1 normal"),
};
const password = z.string().min(1).meta({ minLength: 8, maxLength: 128 });

export const administrator = z.object({
  id: recordId(),
  ...fields,
  password: z.null().describe("Never returned"),
});

const administratorFields = ["id", "userName", "adminType", "status"] as const;
export type AdministratorField = (typeof administratorFields)[number];

const superOnly = { access: { who: "super" } } as const;
const at = `${prefix}/adminInfo`;

export const administratorEndpoints = {
  login: endpoint({
    method: "POST",
    url: `${at}/login`,
    summary: "Log in",
    access: { who: "anyone", limit: "login" },
    body: loginBody,
    form: true,
    answer: {
      as: "envelope",
      data: z.object({
        userName: z.string(),
        userType: z.enum(["0", "1"]).describe("0 super administrator, 1 other"),
        token: z.string(),
        expireTime: z.int().describe("Epoch milliseconds"),
      }),
    },
    holdsSecret: true,
    problems: ["loginFailed", "accountLocked", "forbidden"],
  }),
  listAdministrators: endpoint({
    method: "GET",
    url: `${at}/list`,
    summary: "List administrators, newest first",
    ...undocumented,
    query: z.object(listQuery("curPage", administratorFields)),
    answer: { as: "envelope", data: pageOf(administrator) },
  }),
  saveAdministrator: endpoint({
    method: "POST",
    changesAccounts: true,
    url: `${at}/save`,
    summary: "Add an administrator",
    ...superOnly,
    body: passesOver(z.object({ ...fields, password }), { id: "id" }),
    answer: written,
    idempotent: true,
    problems: ["alreadyExists"],
  }),
  updateAdministrator: endpoint({
    method: "PUT",
    changesAccounts: true,
    url: `${at}/update`,
    summary: "Change an administrator; what is left out stays",
    ...superOnly,
    body: z
      .object({ ...fields, password })
      .partial()
      .extend({ id: recordId().optional() }),
    answer: written,
    problems: ["idMissing", "notFound", "alreadyExists"],
  }),
  deleteAdministrator: endpoint({
    method: "DELETE",
    changesAccounts: true,
    url: `${at}/delete/:id`,
    summary: "Delete an administrator",
    ...superOnly,
    params: z.object({ id: recordId() }),
    answer: written,
    problems: ["notFound"],
  }),
  ...accountEndpoints(at),
};

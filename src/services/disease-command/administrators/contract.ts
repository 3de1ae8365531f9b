import * as z from "zod";
import {
  administratorEndpoints as sharedEndpoints,
  fromSignOn,
  loginEndpoint,
  rights,
  session,
} from "#platform/accounts/administrator-contract.ts";
import { accountEndpoints } from "#platform/accounts/endpoints.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { recordId, requiredText } from "#platform/contract/wire.ts";
import { prefix, undocumented } from "#services/disease-command/record-contract.ts";

const fields = {
  userName: requiredText(),
  ...rights,
  rights: rightsField(["disease-command"]).optional(),
};
const created = z.object({ ...fields, password: z.string().min(1).meta({ minLength: 8, maxLength: 128 }) });

export const administrator = z.object({
  id: recordId(),
  ...fields,
  password: z.null().describe("Never returned"),
  fromSignOn,
});

const at = `${prefix}/adminInfo`;

export const administratorEndpoints = {
  login: loginEndpoint(at, {
    summary: "Log in",
    data: z.object({ userName: z.string(), userType: rights.adminType, ...session }),
  }),
  ...sharedEndpoints(at, {
    record: administrator,
    created,
    changed: created.partial().extend({ id: recordId().optional() }),
    listing: undocumented,
  }),
  ...accountEndpoints(at),
};

import * as z from "zod";
import {
  accountEndpoints,
  administratorEndpoints as sharedEndpoints,
  fromSignOn,
  loginEndpoint,
  rights as codes,
  session,
} from "#platform/accounts/administrator-contract.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { recordId, requiredText } from "#platform/contract/wire.ts";

const rights = { ...codes, rights: rightsField(["tuition-payment"]).optional() };
const password = z.string().meta({ minLength: 8, maxLength: 128 }).describe("8 to 128 characters");

const administrator = z.object({
  id: recordId(),
  userName: z.string(),
  password: z.null().describe("Never returned"),
  ...rights,
  fromSignOn,
});

const at = "/tuitionpayment/admininfo";

export const administratorEndpoints = {
  login: loginEndpoint(at, {
    summary: "Log in; the token also comes as the header admin_token",
    data: z.object({ userName: z.string(), ...session }),
  }),
  ...sharedEndpoints(at, {
    record: administrator,
    created: z.object({ userName: requiredText(), ...rights, password }),
    changed: z.object({ id: recordId(), userName: requiredText(), password, ...rights }).partial(),
    listing: { access: { who: "administrator" } },
  }),
  ...accountEndpoints(at),
};

import * as z from "zod";
import { fromSignOn } from "#platform/accounts/administrator-contract.ts";
import { rightsField } from "#platform/contract/rights.ts";
import { dateTime, oneOfNumbers, recordId, requiredText } from "#platform/contract/wire.ts";

const rights = rightsField(["reporting"]).optional();

export const administrator = z.object({
  id: recordId(),
  userName: z.string(),
  name: z.string(),
  password: z.null().describe("Never returned"),
  adminType: oneOfNumbers([1, 2]).describe("1 super administrator, 2 administrator"),
  time: dateTime().describe("Creation time"),
  status: oneOfNumbers([0, 1]).describe("0 disabled, 1 normal"),
  rights,
  fromSignOn,
});

export const administratorFields = ["id", "userName", "name", "adminType", "time", "status"] as const;
export type AdministratorField = (typeof administratorFields)[number];

export const administratorBody = {
  userName: requiredText(),
  name: requiredText(),
  password: z
    .string()
    .meta({ minLength: 8, maxLength: 128 })
    .optional()
    .describe("8 to 128 characters; none: nobody can log in until one is set"),
  adminType: oneOfNumbers([1, 2]).optional(),
  status: oneOfNumbers([0, 1]).optional(),
  rights,
};

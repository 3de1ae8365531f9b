import * as z from "zod";
import { recordId, requiredText } from "#platform/contract/wire.ts";

export const administrator = z.object({
  id: recordId(),
  userName: z.string(),
  password: z.null().describe("Never returned"),
  adminType: z.enum(["0", "1"]).describe("0 super administrator, 1 other"),
  status: z.enum(["0", "1"]).describe("0 frozen, 1 normal"),
});

export const administratorFields = ["id", "userName", "adminType", "status"] as const;
export type AdministratorField = (typeof administratorFields)[number];

export const administratorBody = {
  userName: requiredText(),
  adminType: z.enum(["0", "1"]).describe("0 super administrator, 1 other"),
  status: z.enum(["0", "1"]).describe("0 frozen, 1 normal"),
};
export const password = z.string().meta({ minLength: 8, maxLength: 128 }).describe("8 to 128 characters");

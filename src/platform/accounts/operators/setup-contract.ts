import * as z from "zod";
import { byOperators } from "#platform/accounts/administrator-contract.ts";
import { under } from "#platform/contract/endpoint.ts";
import { bilingual, freeText } from "#platform/contract/wire.ts";

const id = freeText(100).describe('The service and its item, such as "platform.backup"');

const { get, put } = under("/platform/setup", byOperators);

export const setupEndpoints = {
  readSetup: get("", {
    summary: "List the setup items of a new installation and whether each is done",
    data: z.array(
      z.object({
        id,
        service: z.string(),
        title: bilingual,
        about: bilingual,
        page: z.string().describe("Path of the console page for this item, without /console"),
        state: z.enum(["done", "open", "aside"]).describe("aside: postponed by an operator"),
      }),
    ),
  }),
  changeSetup: put("", {
    summary: "Postpone a setup item, or resume it",
    body: z.object({ id, aside: z.boolean() }),
    problems: ["notFound"],
  }),
};

export type SetupEndpoints = typeof setupEndpoints;

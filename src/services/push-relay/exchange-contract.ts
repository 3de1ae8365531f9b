import * as z from "zod";
import { dateTime } from "#platform/contract/wire.ts";

const headers = z.record(z.string(), z.string());

/** What an attempt sent and what came back. */
const deliveryExchange = z.object({
  time: dateTime(),
  url: z.string().describe("Where it went; of an attempt from before this was kept, where the project is now"),
  headers: headers.describe("As they were sent, the signature masked"),
  response: z
    .object({
      headers: headers.describe("Without the date, cookies masked"),
      body: z.string(),
      cut: z.boolean().describe("There was more of the body, which is kept up to 16 KB"),
    })
    .nullable()
    .describe("null: there was no answer, or it is not kept any more"),
});

export const deliveryExchanges = z.object({
  method: z.literal("POST"),
  body: z.string().describe("What is forwarded, the same at every attempt"),
  attempts: z.array(deliveryExchange),
});

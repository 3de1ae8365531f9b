import * as z from "zod";
import { dateTime, recordId } from "#platform/contract/wire.ts";

export const deliveryStatuses = ["pending", "delivered", "dead"] as const;
export const mostReplayed = 10_000;

const deliveryFields = {
  id: recordId(),
  eventId: z.string().describe("The forwarded body's id and the header webhook-id: the same at every attempt"),
  projectId: recordId(),
  event: z.string(),
  subject: z
    .string()
    .nullable()
    .describe("card_number, or the organisation's id; null when the event is about neither"),
  status: z.enum(deliveryStatuses),
  attempts: z.int().min(0),
  nextAttemptTime: dateTime().nullable(),
  lastStatusCode: z.int().nullable(),
  lastError: z.string().nullable(),
  createTime: dateTime(),
  deliveredTime: dateTime().nullable(),
};

export const delivery = z.object(deliveryFields);
export type DeliveryField = keyof z.output<typeof delivery>;

export const deliverySortFields = Object.keys(deliveryFields).filter((field) => field !== "lastError") as [
  DeliveryField,
  ...DeliveryField[],
];

export const deliveryAttempt = z.object({
  time: dateTime(),
  statusCode: z.int().nullable().describe("null: there was no answer; without an error, its receiver has fetched it"),
  durationMs: z.int().min(0).describe("Until the answer, or until what was fetched was acknowledged"),
  error: z.string().nullable(),
});

export const deliveryInfo = z.object({ ...deliveryFields, attempts: z.array(deliveryAttempt) });

export const replayBody = z.object({
  ids: z.array(recordId()).min(1).max(mostReplayed).optional(),
  projectId: recordId().optional(),
  since: dateTime().optional().describe("With projectId: deliveries made from then on, in whatever state"),
  status: z.literal("dead").optional().describe("With projectId: those that were given up"),
});

const headers = z.record(z.string(), z.string());

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

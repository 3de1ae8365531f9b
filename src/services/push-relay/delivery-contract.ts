import * as z from "zod";
import { dateTime, recordId } from "#platform/contract/wire.ts";

export const deliveryStatuses = ["pending", "delivered", "dead"] as const;
export const mostReplayed = 10_000;

const deliveryFields = {
  id: recordId(),
  eventId: z.string().describe("Id in the forwarded body and in the header webhook-id, the same in every attempt"),
  projectId: recordId(),
  event: z.string(),
  subject: z
    .string()
    .nullable()
    .describe(
      "`card_number`, or the organisation's id; null if the event concerns neither a person nor an organisation",
    ),
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
  statusCode: z
    .int()
    .nullable()
    .describe("HTTP status; null: no response, or the receiver pulled the event (`error` is then null too)"),
  durationMs: z.int().min(0).describe("Time until the response, or until a pulled event was acknowledged"),
  error: z.string().nullable(),
});

export const deliveryInfo = z.object({ ...deliveryFields, attempts: z.array(deliveryAttempt) });

export const replayBody = z.object({
  ids: z.array(recordId()).min(1).max(mostReplayed).optional(),
  projectId: recordId().optional(),
  since: dateTime().optional().describe("Only with `projectId`: deliveries created since this time, in any state"),
  status: z.literal("dead").optional().describe("Only with `projectId`: dead letters"),
});

const headers = z.record(z.string(), z.string());

const deliveryExchange = z.object({
  time: dateTime(),
  url: z.string().describe("Address used for the attempt; for old attempts, the project's current address"),
  headers: headers.describe("Request headers, with the signature masked"),
  response: z
    .object({
      headers: headers.describe("Response headers without the date, with cookies masked"),
      body: z.string(),
      cut: z.boolean().describe("true: the body was longer than 16 KB, and only its beginning is stored"),
    })
    .nullable()
    .describe("null: no response, or no longer stored"),
});

export const deliveryExchanges = z.object({
  method: z.literal("POST"),
  body: z.string().describe("The forwarded body, the same in every attempt"),
  attempts: z.array(deliveryExchange),
});

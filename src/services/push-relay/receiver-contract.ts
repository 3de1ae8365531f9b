import * as z from "zod";
import type { Guests } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, listQuery, oneOfNumbers, recordId } from "#platform/contract/wire.ts";
import {
  delivery,
  type DeliveryField,
  deliverySortFields,
  deliveryStatuses,
  mostReplayed,
} from "./delivery-contract.ts";
import { projectHealth, pushProject } from "./project-contract.ts";

export const receivers: Guests = {
  title: "receivers of a push project, identified by the project's key",
  knownBy: "project",
  header: "authorization",
  headers: { authorization: "`Bearer` followed by the project's key, as returned by PUT /wx/push/project/rotateKey." },
  ways: [["authorization"]],
  problems: ["headerMissing", "tokenEmpty", "tokenInvalid", "tooManyRequests"],
};

const mostPulled = 500;
const longestWaitSeconds = 30;

export const pullQuery = z.object({
  limit: z.int().min(1).max(mostPulled).default(100),
  wait: z.int().min(0).max(longestWaitSeconds).default(0).describe("Seconds to wait for the first event"),
});

const cursor = z.uuid();

export const pulled = z.object({
  cursor: cursor.nullable().describe("Cursor with which to acknowledge these events; null: no events"),
  events: z.array(
    z.object({
      id: z.string().describe("Id of the event; an event that is delivered again has the same id"),
      event: z.string(),
      school_code: z.string(),
      data: z.record(z.string(), z.unknown()),
      receivedTime: z.string(),
      left: z
        .literal(true)
        .optional()
        .describe("true: the subject left the selection; no further events about this subject follow"),
    }),
  ),
  more: z.boolean().describe("Whether more events are due"),
});

export const acknowledgement = z.object({ cursor });

export const ownProject = z.object({ ...pushProject.omit({ contact: true }).shape, health: projectHealth });

export const ownDelivery = z.object({
  ...delivery.omit({ projectId: true }).shape,
  body: z
    .string()
    .nullable()
    .describe("Delivered body; null if the page would become too large, or if the body is no longer stored"),
});

export const ownDeliveriesQuery = z.object({
  ...listQuery(
    "curPage",
    deliverySortFields.filter((field) => field !== "projectId") as [DeliveryField, ...DeliveryField[]],
  ),
  status: z.enum(deliveryStatuses).optional(),
  event: freeText().optional(),
  subject: freeText().optional().describe("Exact card_number or organisation id"),
});

export const ownReplay = z.object({
  ids: z.array(recordId()).min(1).max(mostReplayed).optional(),
  from: dateTime().optional().describe("Only with `to`: deliveries created at or after this time"),
  to: dateTime().optional(),
});

export const compareQuery = z.object({
  send: oneOfNumbers([0, 1]).default(0).describe("1: send the missing and different records, as a backfill does"),
});

const subjects = z.array(z.string());

export const comparison = z.object({
  missing: subjects.describe("Values of `card_number` and organisation ids that the receiver lacks"),
  different: subjects.describe("Subjects whose data differ"),
  surplus: subjects.describe("Subjects that the receiver has although the project should not receive them"),
});

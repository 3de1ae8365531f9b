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
  title: "receivers of a project, each by the project's key",
  knownBy: "project",
  header: "authorization",
  headers: { authorization: "`Bearer` and the project's key, as PUT /wx/push/project/rotateKey has answered it." },
  ways: [["authorization"]],
  problems: ["headerMissing", "tokenEmpty", "tokenInvalid", "tooManyRequests"],
};

const mostPulled = 500;
const longestWaitSeconds = 30;

export const pullQuery = z.object({
  limit: z.int().min(1).max(mostPulled).default(100),
  wait: z.int().min(0).max(longestWaitSeconds).default(0).describe("For so many seconds the first is waited for"),
});

const cursor = z.uuid();

export const pulled = z.object({
  cursor: cursor.nullable().describe("Acknowledges these; null when there are none"),
  events: z.array(
    z.object({
      id: z.string().describe("The same whenever it is given: by it a repeat is known"),
      event: z.string(),
      school_code: z.string(),
      data: z.record(z.string(), z.unknown()),
      receivedTime: z.string(),
      left: z.literal(true).optional().describe("The conditions hold no more: there is nothing further about it"),
    }),
  ),
  more: z.boolean().describe("There was more than is given here"),
});

export const acknowledgement = z.object({ cursor });

export const ownProject = z.object({ ...pushProject.omit({ contact: true }).shape, health: projectHealth });

export const ownDelivery = z.object({
  ...delivery.omit({ projectId: true }).shape,
  body: z
    .string()
    .nullable()
    .describe("What was or is to be given; null beyond some megabytes of a page, or when it is there no more"),
});

export const ownDeliveriesQuery = z.object({
  ...listQuery(
    "curPage",
    deliverySortFields.filter((field) => field !== "projectId") as [DeliveryField, ...DeliveryField[]],
  ),
  status: z.enum(deliveryStatuses).optional(),
  event: freeText().optional(),
  subject: freeText().optional().describe("Exactly this card_number or organisation"),
});

export const ownReplay = z.object({
  ids: z.array(recordId()).min(1).max(mostReplayed).optional(),
  from: dateTime().optional().describe("With to: deliveries made from then on"),
  to: dateTime().optional(),
});

export const compareQuery = z.object({
  send: oneOfNumbers([0, 1]).default(0).describe("1: what is missing or different is sent as a backfill sends it"),
});

const subjects = z.array(z.string());

export const comparison = z.object({
  missing: subjects.describe("card_number or the organisation's id of what the receiver does not have"),
  different: subjects.describe("What it has otherwise"),
  surplus: subjects.describe("What it has and would not be given"),
});

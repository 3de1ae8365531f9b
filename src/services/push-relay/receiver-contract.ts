import * as z from "zod";
import type { Guests } from "#platform/contract/endpoint.ts";

// What a project's own receiver may ask for, with the project's key.

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

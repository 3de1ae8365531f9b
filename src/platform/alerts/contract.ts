import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import {
  bilingual,
  dateTime,
  decimal,
  freeText,
  listQuery,
  pageOf,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";

const operatorOnly = { who: "operator" } as const;
const prefix = "/platform/alerts";

const condition = freeText(100).describe('The service and its condition, such as "platform.job-dead"');

export const channels = ["webhook", "mail", "wecom", "dingtalk"] as const;
export type Channel = (typeof channels)[number];
const channel = z.enum(channels);

const alertRecord = z.object({
  id: recordId(),
  condition: z.string(),
  title: bilingual,
  remedy: bilingual.describe("What to do about it"),
  subject: z.string().describe("What of the condition, such as a project's id"),
  says: bilingual,
  figures: z.record(z.string(), z.union([z.number(), z.string()])),
  sinceTime: dateTime().describe("Since when it has held"),
  openTime: dateTime().describe("When it had held for long enough, and became an alert"),
  overTime: dateTime().nullable().describe("null: it holds still"),
  mute: z
    .object({
      untilTime: dateTime().nullable().describe("null: until it is over"),
      reason: z.string(),
      userName: z.string(),
    })
    .nullable(),
  told: z.array(z.object({ channel, openTime: dateTime().nullable(), overTime: dateTime().nullable() })),
});

const conditionRecord = z.object({
  id: z.string(),
  service: z.string(),
  title: bilingual,
  remedy: bilingual,
  severity: z.enum(["warning", "critical"]),
  open: z.int().min(0).describe("Alerts of it that are not over"),
});

const testResult = z.object({
  channel,
  delivered: z.boolean(),
  statusCode: z.int().nullable().describe("null: there was no answer, or it is mail"),
  durationMs: z.int().min(0),
  error: z.string().nullable().describe("null: it was taken"),
  said: z.string().nullable().describe("What the other side said, at most 500 characters"),
});

export const alertEndpoints = {
  listAlerts: endpoint({
    method: "GET",
    url: `${prefix}/list`,
    summary: "Alerts, those that are there before those that are over, the latest first",
    access: operatorOnly,
    query: z.object({
      ...listQuery("curPage", ["openTime", "overTime", "id"]),
      state: z.enum(["open", "over"]).optional(),
      condition: condition.optional(),
    }),
    answer: { as: "envelope", data: pageOf(alertRecord) },
    problems: ["notAllowedNow"],
    own: true,
  }),
  muteAlert: endpoint({
    method: "POST",
    url: `${prefix}/mute`,
    summary: "Have nobody told of an alert for a while, also when it comes again",
    access: operatorOnly,
    body: z.object({
      id: recordId(),
      until: z.enum(["hour", "day", "over"]).describe("For an hour, a day, or until it is over"),
      reason: requiredText(255),
    }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
    own: true,
  }),
  unmuteAlert: endpoint({
    method: "POST",
    url: `${prefix}/unmute`,
    summary: "Have channels told of an alert again",
    access: operatorOnly,
    body: z.object({ id: recordId() }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound"],
    own: true,
  }),
  listAlertConditions: endpoint({
    method: "GET",
    url: `${prefix}/conditions/list`,
    summary: "What alerts there can be",
    access: operatorOnly,
    answer: { as: "envelope", data: z.array(conditionRecord) },
    own: true,
  }),
  testAlertChannels: endpoint({
    method: "POST",
    url: `${prefix}/test`,
    summary: "Send every channel of the settings a test at once, and say what came of it",
    access: operatorOnly,
    answer: { as: "envelope", data: z.array(testResult) },
    own: true,
  }),
};

export type AlertEndpoints = typeof alertEndpoints;
export type AlertRecord = z.output<typeof alertRecord>;

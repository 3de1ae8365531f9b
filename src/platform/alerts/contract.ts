import * as z from "zod";
import { under } from "#platform/contract/endpoint.ts";
import { bilingual, dateTime, freeText, listQuery, pageOf, recordId, requiredText } from "#platform/contract/wire.ts";

const { get, post } = under("/platform/alerts", { access: { who: "operator" }, own: true });

const condition = freeText(100).describe('The service and its condition, such as "platform.job-dead"');

export const channels = ["webhook", "mail", "wecom", "dingtalk"] as const;
export type Channel = (typeof channels)[number];
const channel = z.enum(channels);

const alertRecord = z.object({
  id: recordId(),
  condition: z.string(),
  title: bilingual,
  remedy: bilingual.describe("Recommended action"),
  subject: z.string().describe("Object that the alert concerns, such as the id of a project"),
  says: bilingual,
  figures: z.record(z.string(), z.union([z.number(), z.string()])),
  sinceTime: dateTime().describe("Time at which the condition began"),
  openTime: dateTime().describe("Time at which the alert was raised, after the condition's minimum duration"),
  overTime: dateTime().nullable().describe("Time at which the alert ended; null: still active"),
  mute: z
    .object({
      untilTime: dateTime().nullable().describe("null: until the alert ends"),
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
  open: z.int().min(0).describe("Number of active alerts"),
});

const testResult = z.object({
  channel,
  delivered: z.boolean(),
  statusCode: z.int().nullable().describe("HTTP status; null for mail, and if there was no response"),
  durationMs: z.int().min(0),
  error: z.string().nullable().describe("null: the message was accepted"),
  said: z.string().nullable().describe("Response of the channel, at most 500 characters"),
});

export const alertEndpoints = {
  listAlerts: get("/list", {
    summary: "List alerts, active alerts before ended ones, newest first",
    query: z.object({
      ...listQuery("curPage", ["openTime", "overTime", "id"]),
      state: z.enum(["open", "over"]).optional(),
      condition: condition.optional(),
    }),
    data: pageOf(alertRecord),
    problems: ["notAllowedNow"],
  }),
  muteAlert: post("/mute", {
    summary: "Mute an alert, including its recurrences",
    body: z.object({
      id: recordId(),
      until: z.enum(["hour", "day", "over"]).describe("hour: for an hour; day: for a day; over: until the alert ends"),
      reason: requiredText(255),
    }),
    problems: ["notFound", "notAllowedNow"],
  }),
  unmuteAlert: post("/unmute", {
    summary: "Unmute an alert",
    body: z.object({ id: recordId() }),
    problems: ["notFound"],
  }),
  listAlertConditions: get("/conditions/list", {
    summary: "List the kinds of alerts",
    data: z.array(conditionRecord),
  }),
  testAlertChannels: post("/test", {
    summary: "Send a test message to every configured channel and return the results",
    data: z.array(testResult),
  }),
};

export type AlertEndpoints = typeof alertEndpoints;
export type AlertRecord = z.output<typeof alertRecord>;

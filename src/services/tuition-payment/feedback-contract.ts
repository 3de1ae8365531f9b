import * as z from "zod";
import { endpoint, under } from "#platform/contract/endpoint.ts";
import {
  dateTime,
  decimal,
  freeText,
  listQuery,
  pageOf,
  personal,
  phoneNumber,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";
import { students } from "./cards/contract.ts";

export const feedback = z.object({
  id: recordId(),
  feedbackPersonIdentify: personal("card", z.string()).describe("Card number of the student"),
  feedbackPersonName: z.string(),
  feedbackPersonPhone: personal("phone", z.string()),
  feedbackInfo: z.string(),
  statu: z.enum(["1", "2"]).describe("1 unprocessed, 2 processed"),
  publishTime: dateTime(),
  handleTime: dateTime().nullable().describe("null until the feedback is processed"),
  reply: z.string().optional().describe("Reply of the school; omitted until there is one"),
});

const feedbackFields = [
  "id",
  "feedbackPersonIdentify",
  "feedbackPersonName",
  "feedbackPersonPhone",
  "statu",
  "publishTime",
  "handleTime",
] as const;
export type FeedbackField = (typeof feedbackFields)[number];

const id = z.object({ id: recordId() });
const feedbackAt = "/tuitionpayment/feedbackmsg";
const { get, post, put, remove } = under(feedbackAt);

export const feedbackEndpoints = {
  saveFeedback: endpoint({
    ...post("/save"),
    summary: "Submit feedback",
    access: { who: "guest", guests: students, mostPerMinute: "open" },
    body: z.object({
      feedbackPersonName: requiredText().meta({ examples: ["张三"] }),
      feedbackPersonPhone: phoneNumber().meta({ examples: ["555 0100 0001"] }),
      feedbackInfo: requiredText(512),
    }),
    answer: { as: "envelope", data: decimal() },
    idempotent: true,
  }),
  listOwnFeedback: endpoint({
    ...get("/listOfCurrentUser"),
    summary: "List the student's own feedback, newest first",
    access: { who: "guest", guests: students },
    query: z.object(listQuery("curPage", feedbackFields)),
    answer: { as: "envelope", data: pageOf(feedback) },
  }),
  deleteFeedback: endpoint({
    ...remove("/delete/:id"),
    summary: "Delete the student's own feedback",
    access: { who: "guest", guests: students },
    params: id,
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound"],
  }),
  listFeedback: endpoint({
    ...get("/list"),
    summary: "List feedback, newest first",
    access: { who: "administrator" },
    query: z.object({
      status: z.enum(["1", "2"]).optional().describe("1 unprocessed, 2 processed; default: all"),
      keyword: freeText(255)
        .optional()
        .describe(
          "Substring of the student's name or phone number; an encrypted phone number is only found as a whole",
        ),
      ...listQuery("curPage", feedbackFields),
    }),
    answer: { as: "envelope", data: pageOf(feedback) },
  }),
  countFeedback: endpoint({
    ...get("/counts"),
    summary: "Count the feedback entries in each state",
    access: { who: "administrator" },
    answer: {
      as: "envelope",
      data: z.object({ unprocessed: z.int().min(0), processed: z.int().min(0) }),
    },
    own: true,
  }),
  findFeedback: endpoint({
    ...get("/info/:id"),
    summary: "Read a feedback entry",
    access: { who: "administrator" },
    params: id,
    answer: { as: "envelope", data: feedback },
    problems: ["notFound"],
  }),
  processFeedback: endpoint({
    ...put("/info/:id"),
    summary: "Mark feedback as processed",
    access: { who: "administrator" },
    params: id,
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
  answerFeedback: endpoint({
    ...put("/reply/:id"),
    summary: "Reply to feedback, which is possible once, and mark it as processed; the student sees the reply",
    access: { who: "administrator" },
    own: true,
    params: id,
    body: z.object({ reply: requiredText(512) }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "notAllowedNow"],
  }),
};

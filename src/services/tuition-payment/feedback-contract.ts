import * as z from "zod";
import { under } from "#platform/contract/endpoint.ts";
import {
  dateTime,
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
const student = under(feedbackAt, { access: { who: "guest", guests: students } });
const administrator = under(feedbackAt, { access: { who: "administrator" } });

export const feedbackEndpoints = {
  saveFeedback: under(feedbackAt).post("/save", {
    summary: "Submit feedback",
    access: { who: "guest", guests: students, mostPerMinute: "open" },
    body: z.object({
      feedbackPersonName: requiredText().meta({ examples: ["张三"] }),
      feedbackPersonPhone: phoneNumber().meta({ examples: ["555 0100 0001"] }),
      feedbackInfo: requiredText(512),
    }),
    idempotent: true,
  }),
  listOwnFeedback: student.get("/listOfCurrentUser", {
    summary: "List the student's own feedback, newest first",
    query: z.object(listQuery("curPage", feedbackFields)),
    data: pageOf(feedback),
  }),
  deleteFeedback: student.remove("/delete/:id", {
    summary: "Delete the student's own feedback",
    params: id,
    problems: ["notFound"],
  }),
  listFeedback: administrator.get("/list", {
    summary: "List feedback, newest first",
    query: z.object({
      status: z.enum(["1", "2"]).optional().describe("1 unprocessed, 2 processed; default: all"),
      keyword: freeText(255)
        .optional()
        .describe(
          "Substring of the student's name or phone number; an encrypted phone number is only found as a whole",
        ),
      ...listQuery("curPage", feedbackFields),
    }),
    data: pageOf(feedback),
  }),
  countFeedback: administrator.get("/counts", {
    summary: "Count the feedback entries in each state",
    data: z.object({ unprocessed: z.int().min(0), processed: z.int().min(0) }),
    own: true,
  }),
  findFeedback: administrator.get("/info/:id", {
    summary: "Read a feedback entry",
    params: id,
    data: feedback,
    problems: ["notFound"],
  }),
  processFeedback: administrator.put("/info/:id", {
    summary: "Mark feedback as processed",
    params: id,
    problems: ["notFound", "notAllowedNow"],
  }),
  answerFeedback: administrator.put("/reply/:id", {
    summary: "Reply to feedback, which is possible once, and mark it as processed; the student sees the reply",
    own: true,
    params: id,
    body: z.object({ reply: requiredText(512) }),
    problems: ["notFound", "notAllowedNow"],
  }),
};

import * as z from "zod";
import { checkedText, countBytes, dateTime, freeText, oneOfNumbers, recordId } from "#platform/contract/wire.ts";

// The projects that are pushed to, and how they do.

const mostUrlBytes = 1024;

const isWebAddress = (text: string): boolean =>
  countBytes(text) <= mostUrlBytes && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

export const url = checkedText(isWebAddress, mostUrlBytes, {
  zh: `应为 http 或 https 地址，最多${mostUrlBytes}个字节`,
  en: `must be an http or https address of at most ${mostUrlBytes} bytes`,
})
  .describe("Where the events go: a POST of JSON")
  .meta({ examples: ["http://127.0.0.1:9080/campus-events"] });

export const project = freeText()
  .optional()
  .describe("Name of the project or service; left out: the host, with its port");
export const statu = oneOfNumbers([0, 1]).describe("0 valid, 1 invalid");

export const pushProject = z.object({
  id: recordId(),
  url: z.string(),
  project: z.string(),
  statu,
  createTime: dateTime(),
  pending: z.int().min(0).describe("Deliveries that are not done"),
  dead: z.int().min(0).describe("Deliveries that were given up; they can be replayed"),
  lastSuccessTime: dateTime().nullable(),
  lastError: z.string().nullable().describe("Of the last attempt that failed; null once one succeeds"),
  paused: z.boolean(),
  flagged: z.boolean().describe("It has failed for three days"),
});

export const testResult = z.object({
  statusCode: z.int().nullable().describe("null: there was no answer"),
  durationMs: z.int().min(0),
  error: z.string().nullable().describe("null: it was answered with 2xx"),
});

const healthFigures = {
  delivered: z.int().min(0).describe("Attempts that succeeded"),
  failed: z.int().min(0).describe("Attempts that failed"),
  medianMs: z.int().min(0).nullable().describe("How long an answer took; null when there was none"),
};

export const projectHealth = z.object({
  projectId: recordId(),
  since: dateTime().describe("A day ago, or where the latest 500 deliveries begin"),
  ...healthFigures,
  slices: z
    .array(z.object({ ...healthFigures, pending: z.int().min(0).describe("Deliveries that waited at its end") }))
    .describe("24 equal parts of the time from since to now"),
});

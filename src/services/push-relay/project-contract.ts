import * as z from "zod";
import { kind, type ProblemTable, sharedProblems } from "#platform/contract/problem.ts";
import {
  checkedText,
  clearableText,
  countBytes,
  dateTime,
  freeText,
  oneOfNumbers,
  personal,
  recordId,
} from "#platform/contract/wire.ts";

import { givenSelection } from "./selection-contract.ts";

const mostUrlBytes = 1024;

const isWebAddress = (text: string): boolean =>
  countBytes(text) <= mostUrlBytes && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

export const url = checkedText(isWebAddress, mostUrlBytes, {
  zh: `应为 http 或 https 地址，最多${mostUrlBytes}个字节`,
  en: `must be an http or https address of at most ${mostUrlBytes} bytes`,
})
  .describe("Address that receives the events, each as a POST request")
  .meta({ examples: ["http://127.0.0.1:9080/campus-events"] });

export const project = freeText().optional().describe("Name of the project or service; default: host and port");
export const pull = z
  .boolean()
  .optional()
  .describe("true: nothing is pushed; the receiver pulls with the project's key (GET /wx/push/pull); default false");
export const statu = oneOfNumbers([0, 1]).describe("0 valid, 1 invalid");

// Asterisks are refused, so that a masked value cannot be saved by mistake.
const mailOrPhone = /^(?:[^\s@,;:<>"'()[\]\\*]{1,64}@[^\s@,;:<>"'()[\]\\*]+|(?=.{5,32}$)\+?[\d ()-]+)$/;
export const contact = clearableText(mailOrPhone, 254, {
  zh: "应为邮箱地址或手机号",
  en: "must be an email address or a phone number",
})
  .optional()
  .describe(
    "Email address or phone number of the contact, who is notified if the project keeps failing; empty: no contact",
  );

export const pushProject = z.object({
  id: recordId(),
  url: z.string(),
  project: z.string(),
  statu,
  createTime: dateTime(),
  pending: z.int().min(0).describe("Pending deliveries"),
  dead: z.int().min(0).describe("Dead letters, which can be replayed"),
  lastSuccessTime: dateTime().nullable(),
  lastError: z.string().nullable().describe("Error of the last failed attempt; null after a success"),
  paused: z.boolean(),
  flagged: z.boolean().describe("Whether all pushes have failed for PUSH_FLAG_DAYS days"),
  pull,
  contact: personal("phone", z.string()).optional().describe("Email address or phone number of the contact"),
  ...givenSelection.shape,
});

export const testResult = z.object({
  statusCode: z.int().nullable().describe("null: no response"),
  durationMs: z.int().min(0),
  error: z.string().nullable().describe("null: a 2xx response"),
});

const healthFigures = {
  delivered: z.int().min(0).describe("Successful attempts"),
  failed: z.int().min(0).describe("Failed attempts"),
  medianMs: z.int().min(0).nullable().describe("Response time in milliseconds; null without a response"),
};

export const projectHealth = z.object({
  projectId: recordId(),
  since: dateTime().describe(
    "Start of the statistics: one day ago, or the creation time of the oldest of the latest 500 deliveries, whichever is later",
  ),
  ...healthFigures,
  slices: z
    .array(z.object({ ...healthFigures, pending: z.int().min(0).describe("Backlog at the end of the interval") }))
    .describe("24 equal intervals between `since` and now, oldest first"),
});

export const pushProblems: ProblemTable = {
  ...sharedProblems,
  badFormat: kind("11001", 400, "参数格式校验失败", "Invalid parameter format"),
  bodyEmpty: kind("11002", 400, "请求体为空", "The request body is empty"),
  methodNotSupported: kind("10001", 405, "不支持该请求方法", "The method is not supported on this path"),
  alreadyExists: kind("16000", 409, "数据已存在", "The data already exists"),
  keyReused: kind("11004", 409, "表单重复提交", "The form has already been submitted"),
  notFound: kind("16000", 404, "数据不存在", "The data does not exist"),
  tokenInvalid: kind("10003", 401, "令牌无效或已过期", "The token is invalid, expired or revoked"),
  tokenEmpty: kind("10004", 401, "令牌为空", "The token is empty"),
  notAllowedNow: kind("11003", 400, "参数异常", "The request is not allowed in the current state"),
  forbidden: kind("10006", 403, "无操作权限", "No permission for this operation"),
  loginFailed: kind("10005", 401, "用户名或密码错误", "Wrong user name or password"),
  headerMissing: kind("10002", 401, "缺少必要的请求头", "A required request header is missing"),
  importFailed: kind("16007", 400, "文件上传失败", "The file could not be uploaded"),
  idMissing: kind("11001", 400, "id不能为空", "The id is missing"),
  tooLong: kind("11001", 400, "内容过长", "The content is too long"),
  bodyTooLarge: kind("11001", 413, "请求体过大", "The request body is too large"),
  badFile: kind("16007", 400, "文件格式错误", "The file format is wrong"),
  fileTooLarge: kind("16008", 413, "文件过大", "The file is too large"),
  pushUnreadable: kind("16009", 400, "校园平台信息推送异常", "The campus platform's push cannot be read"),
};

import * as z from "zod";
import { under } from "#platform/contract/endpoint.ts";
import { isMailAddress } from "#platform/contract/mail-address.ts";
import {
  bilingual,
  checkedText,
  dateTime,
  freeText,
  listQuery,
  pageOf,
  phoneNumber,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";

export const noticeChannels = ["mail", "wecom", "dingtalk", "wechat", "sms"] as const;
export type NoticeChannel = (typeof noticeChannels)[number];

const operator = under("/platform/notice", { access: { who: "operator" }, own: true });
const account = under("/platform/notice", { access: { who: "account" }, own: true });

const kind = freeText(100).describe('The service and its kind of notice, such as "library.loan-due"');
const channel = z.enum(noticeChannels);
const states = ["waiting", "sending", "sent", "refused", "unreachable", "unknown", "expired"] as const;
const state = z
  .enum(states)
  .describe(
    "waiting: to be sent; sending: being sent; sent: accepted by the channel; refused: rejected for good; unreachable: the person has no address in any channel; unknown: sending was interrupted, so the notice may have arrived, and it is not sent again; expired: it could not be sent for a week",
  );

const kindRecord = z.object({
  id: z.string(),
  service: z.string(),
  title: bilingual,
  to: bilingual,
  when: bilingual,
  fields: z.record(z.string(), bilingual).describe("Fields that texts and templates can use"),
  isOn: z.boolean(),
  channels: z.array(channel).describe("Configured channels that support this kind of notice, in order of preference"),
});

const noticeRecord = z.object({
  id: recordId(),
  kind: z.string(),
  title: bilingual,
  channel: channel.nullable().describe("null: the person has no address in any channel"),
  whom: z.string().describe("Masked address"),
  state,
  error: z.string().nullable(),
  createTime: dateTime(),
  stateTime: dateTime().describe("Time of the last change of state"),
});

const mail = checkedText((text) => text === "" || isMailAddress(text), 254, {
  zh: "应为邮箱地址",
  en: "must be an email address",
});

const contact = z.object({
  mail: mail.describe('Email address; "": none'),
  userId: freeText(64).describe('UserId in DingTalk or WeCom; "": none'),
  phone: z.union([z.literal(""), phoneNumber()]).describe('"": none'),
  told: z.boolean().describe("false: this account gets no notices"),
});

export const noticePreference = z.object({ told: z.boolean().describe("false: no notices from this service") });

export const noticeEndpoints = {
  readNoticeSettings: operator.get("/settings", {
    summary: "List the kinds of notices with their channels and whether they are on",
    data: z.object({
      channels: z.array(z.object({ channel, isSet: z.boolean() })).describe("In order of preference"),
      kinds: z.array(kindRecord),
    }),
  }),
  changeNoticeSettings: operator.put("/settings", {
    summary: "Turn kinds of notices on or off and set the order of channels; omitted fields are unchanged",
    body: z.object({
      kinds: z
        .array(z.object({ id: kind, isOn: z.boolean() }))
        .max(100)
        .default([]),
      channels: z.array(channel).max(noticeChannels.length).optional(),
    }),
    problems: ["notFound", "forbidden"],
  }),
  listNotices: operator.get("/list", {
    summary: "List sent and queued notices, newest first: recipient, channel and outcome, without text",
    query: z.object({
      ...listQuery("curPage", ["id"]),
      kind: kind.optional(),
      state: state.optional(),
      channel: channel.optional(),
    }),
    data: pageOf(noticeRecord),
    problems: ["notAllowedNow"],
  }),
  previewNotice: operator.get("/preview", {
    summary: "Preview a kind of notice with the latest record",
    query: z.object({ kind }),
    data: z.object({
      subject: bilingual,
      text: bilingual,
      isReal: z.boolean().describe("false: there is no record yet, so field names are shown instead of values"),
    }),
    problems: ["notFound"],
  }),
  tryNotice: operator.post("/trial", {
    summary: "Send the preview to an address immediately, even in quiet hours, and return the result",
    body: z.object({
      kind,
      channel,
      to: requiredText(254).describe("Email address, UserId, openid or phone number"),
    }),
    data: z.object({
      outcome: z.enum(["sent", "refused", "unknown", "later", "down"]),
      durationMs: z.int().min(0),
      error: z.string().nullable(),
    }),
    problems: ["notFound", "notAllowedNow"],
  }),
  readOwnContact: account.get("/own", {
    summary: "Read the caller's addresses for notices",
    data: contact,
  }),
  changeOwnContact: account.put("/own", {
    summary: "Set the caller's addresses for notices, or turn off the notices",
    group: "own",
    body: contact,
  }),
};

export type NoticeEndpoints = typeof noticeEndpoints;
export type NoticeRecord = z.output<typeof noticeRecord>;

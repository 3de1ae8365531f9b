import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { isMailAddress } from "#platform/contract/mail-address.ts";
import {
  bilingual,
  checkedText,
  dateTime,
  decimal,
  freeText,
  listQuery,
  pageOf,
  phoneNumber,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";

export const noticeChannels = ["mail", "wecom", "dingtalk", "wechat", "sms"] as const;
export type NoticeChannel = (typeof noticeChannels)[number];

const byOperators = { access: { who: "operator" }, own: true } as const;
const prefix = "/platform/notice";

const kind = freeText(100).describe('The service and its kind of notice, such as "library.loan-due"');
const channel = z.enum(noticeChannels);
const states = ["waiting", "sending", "sent", "refused", "unreachable", "unknown", "expired"] as const;
const state = z
  .enum(states)
  .describe("unknown: it was on its way when the process or the connection ended, and is not sent again");

const kindRecord = z.object({
  id: z.string(),
  service: z.string(),
  title: bilingual,
  to: bilingual,
  when: bilingual,
  fields: z.record(z.string(), bilingual).describe("What its words, and templates of channels, may name"),
  isOn: z.boolean(),
  channels: z.array(channel).describe("Those that are set and can say it, in the order in which they are tried"),
});

const noticeRecord = z.object({
  id: recordId(),
  kind: z.string(),
  title: bilingual,
  channel: channel.nullable().describe("null: none reaches the person"),
  whom: z.string().describe("The address, most of it hidden"),
  state,
  error: z.string().nullable(),
  createTime: dateTime(),
  stateTime: dateTime().describe("Since when it is so"),
});

const mail = checkedText((text) => text === "" || isMailAddress(text), 254, {
  zh: "应为邮箱地址",
  en: "must be a mail address",
});

const contact = z.object({
  mail: mail.describe('"": none'),
  userId: freeText(64).describe('The UserId at DingTalk or WeCom; "": none'),
  phone: z.union([z.literal(""), phoneNumber()]).describe('"": none'),
  told: z.boolean().describe("false: this account is told nothing"),
});

export const noticePreference = z.object({ told: z.boolean().describe("false: one is told nothing by this service") });

export const noticeEndpoints = {
  readNoticeSettings: endpoint({
    ...byOperators,
    method: "GET",
    url: `${prefix}/settings`,
    summary: "Which notices to persons there are, which of them are on, and by which channels",
    answer: {
      as: "envelope",
      data: z.object({
        channels: z.array(z.object({ channel, isSet: z.boolean() })).describe("In the order in which they are tried"),
        kinds: z.array(kindRecord),
      }),
    },
  }),
  changeNoticeSettings: endpoint({
    ...byOperators,
    method: "PUT",
    url: `${prefix}/settings`,
    summary: "Switch kinds of notices on or off, and say which channel is tried first; what is left out stays",
    body: z.object({
      kinds: z
        .array(z.object({ id: kind, isOn: z.boolean() }))
        .max(100)
        .default([]),
      channels: z.array(channel).max(noticeChannels.length).optional(),
    }),
    answer: { as: "envelope", data: decimal() },
    problems: ["notFound", "forbidden"],
  }),
  listNotices: endpoint({
    ...byOperators,
    method: "GET",
    url: `${prefix}/list`,
    summary:
      "What persons were told, or are to be, newest first: to whom, by which channel, with which outcome; never its text",
    query: z.object({
      ...listQuery("curPage", ["id"]),
      kind: kind.optional(),
      state: state.optional(),
      channel: channel.optional(),
    }),
    answer: { as: "envelope", data: pageOf(noticeRecord) },
    problems: ["notAllowedNow"],
  }),
  previewNotice: endpoint({
    ...byOperators,
    method: "GET",
    url: `${prefix}/preview`,
    summary: "How a kind of notice reads, of the latest record that there is",
    query: z.object({ kind }),
    answer: {
      as: "envelope",
      data: z.object({
        subject: bilingual,
        text: bilingual,
        isReal: z.boolean().describe("false: there is no such record yet, and fields stand for themselves"),
      }),
    },
    problems: ["notFound"],
  }),
  tryNotice: endpoint({
    ...byOperators,
    method: "POST",
    url: `${prefix}/trial`,
    summary: "Send what the preview shows to an address at once, whatever the hour, and say what came of it",
    body: z.object({
      kind,
      channel,
      to: requiredText(254).describe("A mail address, UserId, open identifier or phone number"),
    }),
    answer: {
      as: "envelope",
      data: z.object({
        outcome: z.enum(["sent", "refused", "unknown", "later", "down"]),
        durationMs: z.int().min(0),
        error: z.string().nullable(),
      }),
    },
    problems: ["notFound", "notAllowedNow"],
  }),
  readOwnContact: endpoint({
    access: { who: "account" },
    own: true,
    method: "GET",
    url: `${prefix}/own`,
    summary: "Where one is told oneself",
    answer: { as: "envelope", data: contact },
  }),
  changeOwnContact: endpoint({
    access: { who: "account" },
    own: true,
    method: "PUT",
    url: `${prefix}/own`,
    summary: "Say where one is told oneself, or that one is told nothing",
    group: "own",
    body: contact,
    answer: { as: "envelope", data: decimal() },
  }),
};

export type NoticeEndpoints = typeof noticeEndpoints;
export type NoticeRecord = z.output<typeof noticeRecord>;

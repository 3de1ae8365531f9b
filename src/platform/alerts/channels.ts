import { createHmac, hash, randomUUID } from "node:crypto";
import * as z from "zod";
import { parseJson } from "#platform/contract/json.ts";
import type { Language } from "#platform/contract/language.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { readMailServer, sendMail } from "#platform/outbound/mail.ts";
import { OutboundFailure, request } from "#platform/outbound/request.ts";
import { readKey, sign } from "#platform/outbound/signature.ts";
import type { NamedCondition } from "#platform/process/condition.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Channel } from "./contract.ts";
import type { PendingAlert } from "./store.ts";

export interface Message {
  /**
   * Messages about the same alerts in the same states have the same id, so that receivers can ignore one that is resent
   * after a crash.
   */
  readonly id: string;
  readonly event: "alerts" | "test";
  readonly title: string;
  readonly lines: readonly string[];
  readonly alerts: readonly object[];
}

const mostLines = 20;
const mostAlerts = 200;

const words = {
  zh: {
    title: (said: string[]) => `Quintet ${said.join("，")}`,
    open: (count: number) => `${count} 项告警`,
    over: (count: number) => `${count} 项已恢复`,
    begun: (what: string, since: string) => `[告警] ${what}（自 ${since}）`,
    ended: (what: string, since: string, over: string) => `[恢复] ${what}（${since} 至 ${over}）`,
    colon: "：",
    rest: (count: number) => `另有 ${count} 项，见控制台。`,
    test: ["Quintet 告警测试", "收到此消息，说明该渠道可用。"],
  },
  en: {
    title: (said: string[]) => `Quintet: ${said.join(", ")}`,
    open: (count: number) => `${count} ${count === 1 ? "alert" : "alerts"}`,
    over: (count: number) => `${count} resolved`,
    begun: (what: string, since: string) => `[alert] ${what} (since ${since})`,
    ended: (what: string, since: string, over: string) => `[resolved] ${what} (${since} to ${over})`,
    colon: ": ",
    rest: (count: number) => `${count} more: see the console.`,
    test: ["Quintet: test alert", "This channel can deliver alerts."],
  },
} as const;

export function composeMessage(
  news: readonly PendingAlert[],
  conditions: readonly NamedCondition[],
  settings: Settings,
): Message {
  const { ALERT_LANGUAGE: language, TIME_ZONE: zone } = settings;
  const { title, open, over, begun, ended, colon } = words[language];
  const each = news.map((one) => {
    const state = one.overAt === null ? "open" : "over";
    const title = conditions.find(({ id }) => id === one.condition)?.title[language] ?? one.condition;
    return { ...one, state, title, says: one.says[language] };
  });
  const [opened, ends] = [each.filter(({ overAt }) => overAt === null), each.filter(({ overAt }) => overAt !== null)];
  const sorted = [...opened, ...ends];
  return {
    id: hash("sha256", each.map(({ alertId, state }) => `${alertId} ${state}`).join(",")).slice(0, 32),
    event: "alerts",
    title: title([
      ...(opened.length > 0 ? [open(opened.length)] : []),
      ...(ends.length > 0 ? [over(ends.length)] : []),
    ]),
    lines: sorted.map(({ title, says, since, overAt }) => {
      // A line feed in a name must not start a new line of the message.
      const what = `${title}${colon}${says.replaceAll(/\s+/g, " ")}`;
      const begin = formatDateTime(since, zone);
      return overAt ? ended(what, begin, formatDateTime(overAt, zone)) : begun(what, begin);
    }),
    alerts: sorted
      .slice(0, mostAlerts)
      .map(({ alertId: id, condition, title, subject, state, says, figures, ...times }) => {
        const [since, overAt] = [times.since.toISOString(), times.overAt?.toISOString() ?? null];
        return { id, condition, title, subject, state, says, figures, since, overAt };
      }),
  };
}

export function composeTest(language: Language): Message {
  const [title, line] = words[language].test;
  return { id: randomUUID(), event: "test", title, lines: [line], alerts: [] };
}

export interface Sent {
  readonly statusCode: number | null;
  /** Null on success. Of the receiver's answer, the text contains at most a status or an error code. */
  readonly error: string | null;
  /** At most 500 characters of the receiver's answer; they are shown to the operator and never logged. */
  readonly said: string | null;
}

/** Failures of the receiver are returned, not thrown. */
type Send = (message: Message, nowMs: number) => Promise<Sent>;

export function openSenders(settings: Settings): ReadonlyMap<Channel, Send> {
  const { ALERT_WEBHOOK_URL: webhook, ALERT_WEBHOOK_SECRET: webhookSecret } = settings;
  const { ALERT_MAIL_TO: to, SMTP_URL: server, MAIL_FROM: from } = settings;
  const { ALERT_WECOM_URL: wecom, ALERT_DINGTALK_URL: dingtalk, ALERT_DINGTALK_SECRET: dingtalkSecret } = settings;
  const senders = new Map<Channel, Send>();
  if (webhook !== undefined && webhookSecret !== undefined)
    senders.set("webhook", (message, nowMs) => {
      const { id, event, title, alerts } = message;
      const lines = fitLines(message, settings);
      const sentTime = new Date(nowMs).toISOString();
      const body = Buffer.from(JSON.stringify({ id, event, sentTime, title, lines, alerts }));
      return post(new URL(webhook), body, { ...sign(id, body, [readKey(webhookSecret)], nowMs) });
    });
  if (to.length > 0 && server !== undefined && from !== undefined)
    senders.set("mail", async (message) => {
      const text = fitLines(message, settings).join("\n\n");
      const mail = { from, to, subject: message.title, text, id: message.id };
      const { error, said } = await sendMail(readMailServer(server), mail);
      return { statusCode: null, error, said: said && toStorable(said) };
    });
  if (wecom !== undefined) senders.set("wecom", (message) => postText(new URL(wecom), message, settings));
  if (dingtalk !== undefined)
    senders.set("dingtalk", (message, nowMs) => {
      const url = new URL(dingtalk);
      if (dingtalkSecret !== undefined) {
        const signature = createHmac("sha256", dingtalkSecret).update(`${nowMs}\n${dingtalkSecret}`).digest("base64");
        url.searchParams.set("timestamp", String(nowMs));
        url.searchParams.set("sign", signature);
      }
      return postText(url, message, settings);
    });
  return senders;
}

const timeoutMs = 10_000;
const mostBytes = 1024 * 1024;
const mostSaid = 500;
const mostTextBytes = 2000;

/** @param most the maximum number of bytes, including line feeds */
function fitLines({ lines }: Message, settings: Settings, most = Number.POSITIVE_INFINITY): string[] {
  const { PUBLIC_URL: publicUrl, BASE_PATH: base, ALERT_LANGUAGE: language } = settings;
  const link = publicUrl === undefined ? [] : [`${publicUrl}${base}/console/platform/alerts`];
  for (let kept = Math.min(mostLines, lines.length); ; kept--) {
    const rest = lines.length - kept;
    const all = [...lines.slice(0, kept), ...(rest > 0 ? [words[language].rest(rest)] : []), ...link];
    if (kept === 0 || Buffer.byteLength(all.join("\n")) <= most) return all;
  }
}

const robotAnswer = z.object({ errcode: z.union([z.int(), z.string().regex(/^-?\d+$/)]) });

/**
 * The message is plain text, so that a name cannot become a link or a mention. A chat robot reports errors with status
 * 200 as well, so the `errcode` of the answer is checked.
 */
async function postText(url: URL, message: Message, settings: Settings): Promise<Sent> {
  const room = mostTextBytes - Buffer.byteLength(message.title) - 1;
  const content = [message.title, ...fitLines(message, settings, room)].join("\n");
  const sent = await post(url, Buffer.from(JSON.stringify({ msgtype: "text", text: { content } })));
  if (sent.error !== null) return sent;
  const { data } = robotAnswer.safeParse(parseJson(sent.said ?? ""));
  if (!data) return { ...sent, error: "unexpected response" };
  return { ...sent, error: Number(data.errcode) === 0 ? null : `errcode ${data.errcode}` };
}

async function post(url: URL, body: Buffer, headers: Record<string, string> = {}): Promise<Sent> {
  const json = { "content-type": "application/json", ...headers };
  try {
    const answer = await request({ whom: "alert", method: "POST", url, headers: json, body, timeoutMs, mostBytes });
    const { status } = answer;
    const error = status >= 200 && status <= 299 ? null : `HTTP ${status}`;
    return { statusCode: status, error, said: toStorable(answer.body.toString(), mostSaid) };
  } catch (error) {
    if (error instanceof OutboundFailure) return { statusCode: null, error: error.message, said: null };
    throw error;
  }
}

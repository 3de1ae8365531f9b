import { createHmac } from "node:crypto";
import * as z from "zod";
import { toStorable } from "#platform/contract/storable-text.ts";
import { readMailServer, sendMail } from "#platform/outbound/mail.ts";
import { OutboundFailure, request } from "#platform/outbound/request.ts";
import { readKey, sign } from "#platform/outbound/signature.ts";
import type { Settings } from "#platform/process/config.ts";
import { fitLines, type Message } from "./message.ts";

export const channels = ["webhook", "mail", "wecom", "dingtalk"] as const;
export type Channel = (typeof channels)[number];

/** What came of one message. */
export interface Sent {
  /** Null without an answer, and of a mail. */
  readonly statusCode: number | null;
  /** In words of ours; null: it was taken. */
  readonly error: string | null;
  /** What the other side said, at most 500 characters: for the operator who asked, and for no log. */
  readonly said: string | null;
}

/** Sends a message, as of a time; never throws for what is outside. */
type Send = (message: Message, nowMs: number) => Promise<Sent>;

/** The channels that the settings name, each with what sends to it. */
export function openSenders(settings: Settings): ReadonlyMap<Channel, Send> {
  const all = {
    webhook: toWebhook(settings),
    mail: toMail(settings),
    wecom: toWecom(settings),
    dingtalk: toDingtalk(settings),
  };
  return new Map(channels.flatMap((channel) => (all[channel] ? [[channel, all[channel]] as const] : [])));
}

const timeoutMs = 10_000;
const mostBytes = 1024 * 1024;
const mostSaid = 500;
/** WeCom takes 2048 bytes of text; DingTalk more, but nobody reads more in a group. */
const mostTextBytes = 2000;

/** Signed as the relay's pushes are. */
function toWebhook({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret }: Settings): Send | undefined {
  if (url === undefined || secret === undefined) return undefined;
  return ({ id, event, title, alerts, ...message }, nowMs) => {
    const sentTime = new Date(nowMs).toISOString();
    const body = Buffer.from(JSON.stringify({ id, event, sentTime, title, lines: fitLines(message), alerts }));
    return post(new URL(url), body, { ...sign(id, body, [readKey(secret)], nowMs) });
  };
}

function toMail({ ALERT_MAIL_TO: to, SMTP_URL: server, MAIL_FROM: from }: Settings): Send | undefined {
  if (to.length === 0 || server === undefined || from === undefined) return undefined;
  return async ({ id, title: subject, ...message }) => {
    const text = fitLines(message).join("\n\n");
    const { error, said } = await sendMail(readMailServer(server), { from, to, subject, text, id });
    return { statusCode: null, error, said: said && toStorable(said) };
  };
}

const toWecom = ({ ALERT_WECOM_URL: url }: Settings): Send | undefined =>
  url === undefined ? undefined : (message) => postText(new URL(url), message);

/** Signed by the moment where the robot has a secret. */
function toDingtalk({ ALERT_DINGTALK_URL: address, ALERT_DINGTALK_SECRET: secret }: Settings): Send | undefined {
  if (address === undefined) return undefined;
  return (message, nowMs) => {
    const url = new URL(address);
    if (secret !== undefined) {
      url.searchParams.set("timestamp", String(nowMs));
      url.searchParams.set("sign", createHmac("sha256", secret).update(`${nowMs}\n${secret}`).digest("base64"));
    }
    return postText(url, message);
  };
}

/** To a group's robot. Text, not markdown: a name in an alert must not become a link or a mention. */
async function postText(url: URL, message: Message): Promise<Sent> {
  const room = mostTextBytes - Buffer.byteLength(message.title) - 1;
  const content = [message.title, ...fitLines(message, room)].join("\n");
  const sent = await post(url, Buffer.from(JSON.stringify({ msgtype: "text", text: { content } })));
  return sent.error === null ? { ...sent, error: judgeRobot(sent.said ?? "") } : sent;
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

const robotAnswer = z.object({
  errcode: z.union([
    z.int(),
    z
      .string()
      .regex(/^-?\d+$/)
      .transform(Number),
  ]),
});

/** Robots answer a refusal with 200, too: what counts is the number. */
function judgeRobot(said: string): string | null {
  const { data } = robotAnswer.safeParse(parseJson(said));
  if (!data) return "the answer is not a robot's";
  return data.errcode === 0 ? null : `errcode ${data.errcode}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

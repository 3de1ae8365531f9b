import { createHmac } from "node:crypto";
import * as z from "zod";
import { fitLines } from "./message.ts";
import type { ChannelKind, Message } from "./model.ts";

// The robots of WeCom's and DingTalk's groups. Text, not markdown: a name in an alert must not become a link or a mention.

export type RobotKind = Extract<ChannelKind, "wecom" | "dingtalk">;

/** WeCom takes 2048 bytes of text; DingTalk more, but nobody reads more in a group. */
const mostTextBytes = 2000;

/** The parameter of the address that lets somebody in. */
export const robotKeys: Readonly<Record<RobotKind, string>> = { wecom: "key", dingtalk: "access_token" };

/** The address of one message: DingTalk's is signed by the minute where the robot has a secret. */
export function toRobotAddress(kind: RobotKind, address: string, secret: string, nowMs: number): URL {
  const url = new URL(address);
  if (kind === "dingtalk" && secret !== "") {
    url.searchParams.set("timestamp", String(nowMs));
    url.searchParams.set("sign", createHmac("sha256", secret).update(`${nowMs}\n${secret}`).digest("base64"));
  }
  return url;
}

/** The same for both: `{"msgtype":"text","text":{"content":…}}`. */
export function toRobotBody(message: Message): Buffer {
  const room = mostTextBytes - Buffer.byteLength(message.title) - 1;
  const content = [message.title, ...fitLines(message, room)].join("\n");
  return Buffer.from(JSON.stringify({ msgtype: "text", text: { content } }));
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

/** They answer a refusal with 200, too: what counts is the number. Null: the message was taken. */
export function readRobotAnswer(body: string): string | null {
  const parsed = robotAnswer.safeParse(parseJson(body));
  if (!parsed.success) return "the answer is not a robot's";
  return parsed.data.errcode === 0 ? null : `errcode ${parsed.data.errcode}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { toStorable } from "#platform/contract/storable-text.ts";
import { readMailServer } from "#platform/outbound/mail-address.ts";
import { sendMail } from "#platform/outbound/mail.ts";
import { requestNamed } from "#platform/outbound/request.ts";
import type { Answer } from "#platform/outbound/send.ts";
import { readKey, sign } from "#platform/outbound/signature.ts";
import type { Settings } from "#platform/process/config.ts";
import { fitLines } from "./message.ts";
import type { Channel, Message } from "./model.ts";
import { readRobotAnswer, toRobotAddress, toRobotBody } from "./robots.ts";

/** What came of one message. */
export interface Sent {
  /** Null without an answer, and of a mail. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** In words of ours; null: it was taken. */
  readonly error: string | null;
  /** What the other side said, at most 500 characters: for the operator who asked, and for no log. */
  readonly said: string | null;
}

type SendSettings = Pick<Settings, "ALERT_ALLOWED_NETWORKS" | "SMTP_URL" | "MAIL_FROM">;
type Target = Pick<Channel, "kind" | "address" | "secret">;
type Outcome = Omit<Sent, "durationMs">;

const timeoutMs = 10_000;
const mostSaid = 500;
const usualHeaders = { "content-type": "application/json" };

/** Sends a message to a channel once, as of a time; never throws for what is outside. */
export async function sendMessage(
  target: Target,
  message: Message,
  settings: SendSettings,
  nowMs: number,
): Promise<Sent> {
  const startedMs = performance.now();
  const outcome = await sendByKind(target, message, settings, nowMs);
  return { ...outcome, durationMs: Math.round(performance.now() - startedMs) };
}

async function sendByKind(
  { kind, address, secret }: Target,
  message: Message,
  settings: SendSettings,
  nowMs: number,
): Promise<Outcome> {
  if (kind === "mail") return mail(address, message, settings);
  if (kind === "webhook") {
    const { id, event, title, alerts } = message;
    const lines = fitLines(message);
    const body = Buffer.from(
      JSON.stringify({ id, event, sentTime: new Date(nowMs).toISOString(), title, lines, alerts }),
    );
    const signed = sign(id, body, [readKey(secret)], nowMs);
    return toOutcome(await postOnce(new URL(address), body, signed, settings), () => null);
  }
  const url = toRobotAddress(kind, address, secret, nowMs);
  return toOutcome(await postOnce(url, toRobotBody(message), {}, settings), readRobotAnswer);
}

const postOnce = (
  url: URL,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
  { ALERT_ALLOWED_NETWORKS: networks }: SendSettings,
): Promise<Answer> =>
  requestNamed(
    { whom: "alert", method: "POST", url, headers: { ...usualHeaders, ...headers }, body, timeoutMs },
    networks,
  );

function toOutcome({ statusCode, error, response }: Answer, judge: (body: string) => string | null): Outcome {
  const body = response ? Buffer.concat([...response.body]).toString() : "";
  const said = response ? toStorable(body, mostSaid) : null;
  return { statusCode, error: error ?? judge(body), said };
}

async function mail(address: string, message: Message, settings: SendSettings): Promise<Outcome> {
  const { SMTP_URL: url, MAIL_FROM: from } = settings;
  if (url === undefined || from === undefined)
    return { statusCode: null, error: "SMTP_URL and MAIL_FROM are not set", said: null };
  const to = address.split(",");
  const { id, title } = message;
  const text = fitLines(message).join("\n\n");
  const outcome = await sendMail(readMailServer(url), { from, to, subject: title, text, id });
  return { statusCode: null, ...outcome, said: outcome.said === null ? null : toStorable(outcome.said) };
}

import * as z from "zod";
import { commaList, oneOf, requireWholeGroups, secret, secretOf } from "#platform/contract/setting-types.ts";
import { isMailAddress } from "#platform/contract/mail-address.ts";
import { readMailServer } from "./mail.ts";

const mostRecipients = 20;
const leastKeyBytes = 24;

const robotAddress = (parameter: string, description: string) =>
  secretOf(
    (text) => isWebAddress(text) && Boolean(new URL(text).searchParams.get(parameter)),
    `an address with ${parameter}=`,
    description,
  );

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

export const outboundSettings = {
  ALERT_LANGUAGE: oneOf(["zh", "en"], "zh").describe("Language of alerts"),
  ALERT_WEBHOOK_URL: secretOf(
    isWebAddress,
    "an http or https address without a user name or password",
    "Webhook that receives alerts as JSON, signed like the relay's pushes",
  ),
  ALERT_WEBHOOK_SECRET: secretOf(
    (text) => {
      const [, key = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
      return Buffer.from(key, "base64").length >= leastKeyBytes;
    },
    `whsec_ followed by the base64 of at least ${leastKeyBytes} bytes`,
    "Secret for signing alerts to ALERT_WEBHOOK_URL: whsec_ followed by the base64 of at least 24 bytes",
  ),
  ALERT_WECOM_URL: robotAddress("key", "Webhook of a WeCom group robot for alerts, with key="),
  ALERT_DINGTALK_URL: robotAddress(
    "access_token",
    "Webhook of a DingTalk group robot for alerts, with access_token=; if the robot requires a keyword, use Quintet",
  ),
  ALERT_DINGTALK_SECRET: secret("Signing secret of the DingTalk robot, SEC…, if it requires signatures"),
  ALERT_MAIL_TO: commaList
    .refine((all) => all.length <= mostRecipients && all.every(isMailAddress), {
      error: `must be at most ${mostRecipients} email addresses separated by commas`,
    })
    .describe("Email addresses that receive alerts, separated by commas"),
  SMTP_URL: secretOf(
    readMailServer,
    "smtps://user:password@host:465, smtp://user:password@host:587 (STARTTLS), or without credentials smtp://host:25?tls=none",
    "Mail server: smtps://user:password@host:465, smtp://user:password@host:587 (STARTTLS), or without credentials smtp://host:25?tls=none",
  ),
  MAIL_FROM: z
    .string()
    .refine(isMailAddress, { error: "must be an email address, such as quintet@example.edu" })
    .optional()
    .describe("Sender address of emails; required with SMTP_URL"),
};

export type OutboundSettings = z.infer<z.ZodObject<typeof outboundSettings>>;

export const checkOutboundSettings = (settings: OutboundSettings, context: z.RefinementCtx): void => {
  requireWholeGroups(
    { ...settings, ALERT_MAIL_TO: settings.ALERT_MAIL_TO.join(",") },
    [
      { all: ["SMTP_URL", "MAIL_FROM"] },
      { all: ["ALERT_MAIL_TO"], beside: ["SMTP_URL"] },
      { all: ["ALERT_WEBHOOK_URL", "ALERT_WEBHOOK_SECRET"] },
      { all: ["ALERT_DINGTALK_SECRET"], beside: ["ALERT_DINGTALK_URL"] },
    ],
    context,
  );
};

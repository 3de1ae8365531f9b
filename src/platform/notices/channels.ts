import { toStorable } from "#platform/contract/storable-text.ts";
import { systemClock } from "#platform/contract/times.ts";
import { createWeChatClient, OutsideError } from "#platform/messaging/index.ts";
import { type NoticeTemplate, readTemplates } from "#platform/messaging/notice-settings.ts";
import { openAliyunSms, openTencentSms } from "#platform/messaging/sms.ts";
import { openDingtalkApp, openWecomApp } from "#platform/messaging/work-apps.ts";
import { readMailServer, sendMail } from "#platform/outbound/mail.ts";
import { OutboundFailure } from "#platform/outbound/request.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Addresses, NoticeFields } from "#platform/process/notice.ts";
import type { NoticeChannel } from "./contract.ts";
import type { Wording } from "./words.ts";

export const addressOf: Readonly<Record<NoticeChannel, keyof Addresses>> = {
  mail: "mail",
  wecom: "userId",
  dingtalk: "userId",
  wechat: "openId",
  sms: "phone",
};

export interface Message extends Wording {
  /** The notice's id, by which a mail that is sent twice can be recognised. */
  readonly id: string;
  readonly kind: string;
  readonly fields: NoticeFields;
}

/**
 * `refused`: the message was rejected for good; `unknown`: the message may have been delivered; `later`: the message
 * was rejected for now, such as by a rate limit for the person; `down`: the channel accepts no messages at the moment.
 */
export interface Outcome {
  readonly state: "sent" | "refused" | "unknown" | "later" | "down";
  readonly error: string | null;
}

export interface Writer {
  readonly supports: (kind: string) => boolean;
  /** Failures of the external service are returned, not thrown. */
  readonly send: (to: string, message: Message) => Promise<Outcome>;
}

const opened = new WeakMap<Settings, ReadonlyMap<NoticeChannel, Writer>>();

export function openWriters(settings: Settings): ReadonlyMap<NoticeChannel, Writer> {
  const found = opened.get(settings) ?? new Map(listWriters(settings));
  opened.set(settings, found);
  return found;
}

const supportsAll = (): boolean => true;
const sent: Outcome = { state: "sent", error: null };

function* listWriters(settings: Settings): Generator<[NoticeChannel, Writer]> {
  const { OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
  const now = systemClock;
  const { SMTP_URL: server, MAIL_FROM: from } = settings;
  if (server !== undefined && from !== undefined)
    yield ["mail", { supports: supportsAll, send: async (to, message) => writeMail(server, from, to, message) }];
  const { WECOM_CORP_ID: corpId, WECOM_APP_SECRET: corpSecret, WECOM_AGENT_ID: wecomAgent } = settings;
  if (corpId && corpSecret && wecomAgent) {
    const baseUrl = settings.WECOM_BASE_URL;
    const tell = openWecomApp({ baseUrl, id: corpId, secret: corpSecret, agentId: wecomAgent, timeoutMs, now });
    yield ["wecom", { supports: supportsAll, send: (to, message) => toOutcome(() => tell(to, toText(message))) }];
  }
  const { DINGTALK_APP_KEY: appKey, DINGTALK_APP_SECRET: appSecret, DINGTALK_AGENT_ID: dingAgent } = settings;
  if (appKey && appSecret && dingAgent) {
    const baseUrl = settings.DINGTALK_BASE_URL;
    const tell = openDingtalkApp({ baseUrl, id: appKey, secret: appSecret, agentId: dingAgent, timeoutMs, now });
    yield ["dingtalk", { supports: supportsAll, send: (to, message) => toOutcome(() => tell(to, toText(message))) }];
  }
  yield* listTemplated(settings);
}

function* listTemplated(settings: Settings): Generator<[NoticeChannel, Writer]> {
  const { OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
  const now = systemClock;
  const { WECHAT_APP_ID: appId, WECHAT_SECRET: secret, WECHAT_NOTICE_TEMPLATES: wechatText } = settings;
  if (appId && secret && wechatText) {
    const { WECHAT_BASE_URL: baseUrl, WECHAT_KIND: kind } = settings;
    const client = createWeChatClient({ appId, secret, baseUrl, kind, timeoutMs, now });
    yield [
      "wechat",
      byTemplate(readTemplates(wechatText), (openId, { id: templateId, values }) =>
        toOutcome(() => client.sendSubscriptionMessage({ openId, templateId, data: Object.fromEntries(values) })),
      ),
    ];
  }
  const { SMS_PROVIDER: provider, SMS_KEY_ID: keyId, SMS_KEY_SECRET: keySecret, SMS_SIGN: sign } = settings;
  const { SMS_APP_ID: smsAppId = "", SMS_TEMPLATES: smsText } = settings;
  if (provider && keyId && keySecret && sign && smsText) {
    const isAliyun = provider === "aliyun";
    const baseUrl =
      settings.SMS_BASE_URL ?? (isAliyun ? "https://dysmsapi.aliyuncs.com" : "https://sms.tencentcloudapi.com");
    const region = settings.SMS_REGION ?? (isAliyun ? "cn-hangzhou" : "ap-guangzhou");
    const options = { baseUrl, keyId, keySecret, sign, appId: smsAppId, region, timeoutMs, now };
    const send = isAliyun ? openAliyunSms(options) : openTencentSms(options);
    yield [
      "sms",
      byTemplate(readTemplates(smsText), async (phone, template) => {
        try {
          return toSmsOutcome(await send(phone, template));
        } catch (error) {
          if (!(error instanceof OutboundFailure)) throw error;
          return { state: error.mayHaveArrived ? "unknown" : "down", error: error.message };
        }
      }),
    ];
  }
}

interface Filled {
  readonly id: string;
  readonly values: readonly (readonly [string, string])[];
}

const byTemplate = (
  templates: ReadonlyMap<string, NoticeTemplate>,
  send: (to: string, filled: Filled) => Promise<Outcome>,
): Writer => ({
  supports: (kind) => templates.has(kind),
  send: async (to, { kind, fields }) => {
    const template = templates.get(kind);
    if (!template) return { state: "refused", error: "no template for this kind of notice" };
    const values = template.variables.map(([variable, field]) => [variable, fields[field] ?? ""] as const);
    return send(to, { id: template.id, values });
  },
});

const mostTextBytes = 2000;

const toText = ({ subject, text }: Wording): string => {
  const whole = Buffer.from(`${subject}\n${text}`);
  // The limit may cut a character in half, which decodes to U+FFFD.
  return whole
    .subarray(0, mostTextBytes)
    .toString()
    .replace(/\uFFFD$/, "");
};

async function toOutcome(tell: () => Promise<void>): Promise<Outcome> {
  try {
    await tell();
    return sent;
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    const { message, retryable, mayBeDone } = error;
    return { state: mayBeDone ? "unknown" : retryable ? "down" : "refused", error: message };
  }
}

async function writeMail(server: string, from: string, to: string, message: Message): Promise<Outcome> {
  const { subject, text, id } = message;
  const { error, reply, begun } = await sendMail(readMailServer(server), { from, to: [to], subject, text, id });
  if (error === null) return sent;
  if (reply !== undefined) return { state: reply >= 500 && begun ? "refused" : begun ? "later" : "down", error };
  return { state: begun ? "unknown" : "down", error };
}

// The codes are those listed at help.aliyun.com/document_detail/101346.html and
// cloud.tencent.com/document/product/382/55981.
const isTooEarly = /^(?:isv\.BUSINESS_LIMIT_CONTROL|LimitExceeded\.(?:PhoneNumber|DeliveryFrequency)\w*)$/;
const isProviderFault =
  /^(?:isp\.|Throttling|Signature|InvalidAccessKeyId|isv\.(?:OUT_OF_SERVICE|PRODUCT_UN\w+|ACCOUNT_\w+|SMS_SIGNATURE_ILLEGAL|SMS_TEMPLATE_ILLEGAL|AMOUNT_NOT_ENOUGH|DENY_IP_RANGE)$|AuthFailure|UnauthorizedOperation|InternalError|RequestLimitExceeded|LimitExceeded|FailedOperation\.InsufficientBalance)/;

function toSmsOutcome({ status, code }: { status: number; code: string }): Outcome {
  if (code === "OK") return sent;
  if (code === "") {
    const isDone = status === 504 || (status >= 200 && status <= 299);
    return { state: isDone ? "unknown" : "down", error: `HTTP ${status}, unexpected response` };
  }
  const error = toStorable(code, 80) ?? "";
  return { state: isTooEarly.test(code) ? "later" : isProviderFault.test(code) ? "down" : "refused", error };
}

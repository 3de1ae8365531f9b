import { systemClock } from "#platform/contract/times.ts";
import { type CampusClient, type CampusSignIn, createCampusClient, toCampusSignIn } from "./campus.ts";
import type { MessagingSettings } from "./settings.ts";
import { createWeChatClient, type WeChatClient } from "./wechat.ts";
import { parseTemplateFields, type TemplateValue } from "./wechat-fields.ts";

export { OutsideError } from "./outside-call.ts";
export { createWeChatClient } from "./wechat.ts";
export { checkMessagingSettings, messagingSettings, type MessagingSettings } from "./settings.ts";

/**
 * `time` has the form `yyyy-MM-dd HH:mm:ss`, `verdict` is a Chinese word, and `receipt` names the report to which the
 * message links.
 */
export type VerdictMessage = { openId: string; receipt: string } & Record<TemplateValue, string>;

export type Messaging = {
  kind: "wechat" | "campus";
  findPhone(code: string): Promise<string | null>;
  /**
   * Consumes the code of a sign-in and returns who signed in. On the campus platform, `openId` is the card number, and
   * the code may also yield the phone number.
   */
  identify(code: string): Promise<{ openId: string; phone: string | null }>;
  /** Undefined if the platform cannot send messages or no template is configured. */
  sendVerdict?(message: VerdictMessage): Promise<void>;
};

export function createMessaging(settings: MessagingSettings): Messaging | null {
  const { WECHAT_APP_ID: appId, WECHAT_SECRET: secret } = settings;
  if (appId && secret) {
    const { WECHAT_BASE_URL: baseUrl, WECHAT_KIND: kind, OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
    const client = createWeChatClient({ appId, secret, baseUrl, kind, timeoutMs, now: systemClock });
    return toWeChatMessaging(settings, client);
  }
  const campus = createConfiguredCampusClient(settings);
  if (campus === null) return null;
  return {
    kind: "campus",
    findPhone: async (code) => (await campus.exchangeCode(code)).phone,
    async identify(code) {
      const { cardNumber: openId, phone } = await campus.exchangeCode(code);
      return { openId, phone };
    },
  };
}

export function createConfiguredCampusClient(settings: MessagingSettings): CampusClient | null {
  const { CAMPUS_APP_KEY: appKey, CAMPUS_APP_SECRET: appSecret } = settings;
  const { CAMPUS_SCHOOL_CODE: schoolCode, CAMPUS_REDIRECT_URI: redirectUri } = settings;
  if (!appKey || !appSecret || !schoolCode || !redirectUri) return null;
  const { CAMPUS_BASE_URL: baseUrl, OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
  return createCampusClient({ appKey, appSecret, schoolCode, redirectUri, baseUrl, timeoutMs });
}

export function findCampusSignIn(settings: MessagingSettings): CampusSignIn | null {
  const { CAMPUS_APP_KEY: appKey, CAMPUS_SCHOOL_CODE: schoolCode, CAMPUS_REDIRECT_URI: redirectUri } = settings;
  if (!appKey || !schoolCode || !redirectUri || !/^https?:/i.test(redirectUri)) return null;
  return toCampusSignIn({ appKey, schoolCode, redirectUri, baseUrl: settings.CAMPUS_BASE_URL });
}

/**
 * Returns the address of WeChat's sign-in page, which sends the user back with a `code`; `{return}` stands for the
 * URL-encoded return address. Returns null if WeChat is not configured, or if a mini program signs users in.
 */
export function findWeChatSignIn({
  WECHAT_APP_ID: appId,
  WECHAT_SECRET,
  WECHAT_KIND,
}: MessagingSettings): string | null {
  if (!appId || !WECHAT_SECRET || WECHAT_KIND !== "service-account") return null;
  // WeChat requires the parameters in this order.
  return (
    `https://open.weixin.qq.com/connect/oauth2/authorize?appid=${encodeURIComponent(appId)}` +
    "&redirect_uri={return}&response_type=code&scope=snsapi_base&state=report#wechat_redirect"
  );
}

function toWeChatMessaging(settings: MessagingSettings, client: WeChatClient): Messaging {
  const lookUps: Messaging = {
    kind: "wechat",
    findPhone: async (code) => (await client.getPhoneNumber(code)).phone,
    identify: async (code) => ({ openId: (await client.exchangeCode(code)).openId, phone: null }),
  };
  const { WECHAT_TEMPLATE_ID: templateId, WECHAT_TEMPLATE_FIELDS: fieldsText } = settings;
  if (!templateId || !fieldsText) return lookUps;
  const fields = Object.entries(parseTemplateFields(fieldsText));
  const { WECHAT_PAGE: given = "" } = settings;
  const added = `${given}${given.includes("?") ? "&" : "?"}receipt={receipt}`;
  const template = given.includes("{receipt}") ? given : added;
  return {
    ...lookUps,
    sendVerdict({ openId, receipt, ...values }) {
      const data = Object.fromEntries(fields.map(([key, value]) => [key, values[value]]));
      const page = given === "" ? undefined : template.replaceAll("{receipt}", receipt);
      return client.sendSubscriptionMessage({ openId, templateId, page, data });
    },
  };
}

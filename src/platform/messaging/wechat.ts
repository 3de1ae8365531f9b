import { z } from "zod";
import { systemClock } from "#platform/contract/clock.ts";
import type { Clock } from "#platform/contract/clock.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { checkCode } from "./authorization-code.ts";
import { requestJson } from "./http.ts";
import { OutsideError } from "./outside-error.ts";
import { isBusy, retryOnce } from "./retry.ts";
import { toWeChatError } from "./wechat-errors.ts";
import { shapeField } from "./wechat-fields.ts";
import { AppToken, type AppTokenOptions } from "./wechat-token.ts";

export type WeChatKind = "mini-program" | "service-account";
export type WeChatLang = "zh_CN" | "zh_HK" | "zh_TW" | "en_US";

export type WeChatOptions = {
  appId: string;
  secret: string;
  kind: WeChatKind;
  baseUrl?: string | undefined;
  /** For one request. A call may need four: two for a token, and each of these and its own once more. */
  timeoutMs?: number | undefined;
  now?: Clock | undefined;
};

export type SubscriptionMessage = {
  openId: string;
  templateId: string;
  /** A path of the mini program; of a service account, an address. */
  page?: string | undefined;
  /** Only the mini program knows it. */
  lang?: WeChatLang | undefined;
  /** Template key to text, of any length; see wechat-fields.ts. */
  data: Record<string, string>;
};

export type WeChatClient = {
  /** A code of wx.login, or of a service account's web authorisation. It works once. */
  exchangeCode(code: string): Promise<{ openId: string }>;
  /** A code of the getPhoneNumber button, which is not that of wx.login. National digits only, without a country code. */
  getPhoneNumber(code: string): Promise<{ phone: string }>;
  /** Not repeated when the platform is busy: it may have been sent all the same. */
  sendSubscriptionMessage(message: SubscriptionMessage): Promise<void>;
};

type Options = AppTokenOptions & { kind: WeChatKind; token: AppToken };

const loginAnswer = z.object({
  openid: z.string().min(1).max(128),
  // 1: the account of a page preview, which is nobody's.
  is_snapshotuser: z.coerce.number().default(0),
});
const phoneAnswer = z.object({
  phone_info: z.object({ purePhoneNumber: z.string().min(1).max(32) }),
});
const sentAnswer = z.object({ errcode: z.coerce.number() });

/**
 * The calls to WeChat that the services need.
 * All functions throw OutsideError; time-outs, -1 and quotas are retryable, refusals and spent codes are not.
 */
export function createWeChatClient(given: WeChatOptions): WeChatClient {
  const { baseUrl = "https://api.weixin.qq.com", timeoutMs = 5000, now = systemClock } = given;
  const application = { ...given, baseUrl, timeoutMs, now };
  const options: Options = { ...application, token: new AppToken(application) };
  return {
    exchangeCode: (code) => exchangeCode(options, code),
    getPhoneNumber: (code) => getPhoneNumber(options, code),
    sendSubscriptionMessage: (message) => sendSubscriptionMessage(options, message),
  };
}

async function exchangeCode(options: Options, code: string): Promise<{ openId: string }> {
  checkCode("wechat", code);
  const answer = await retryOnce(isBusy, () => requestLogin(options, code));
  if (answer.is_snapshotuser === 1) {
    throw new OutsideError("a preview account must not be bound", {
      service: "wechat",
      kind: "refused",
      retryable: false,
    });
  }
  return { openId: answer.openid };
}

/** The protocol wants the secret in the query: neither this address nor an error that holds it may be logged. */
function requestLogin({ kind, appId, secret, baseUrl, timeoutMs, now }: Options, code: string) {
  const [path, codeName] =
    kind === "mini-program" ? ["/sns/jscode2session", "js_code"] : ["/sns/oauth2/access_token", "code"];
  return requestJson({
    service: "wechat",
    url: joinUrl(baseUrl, path, {
      appid: appId,
      secret,
      [codeName]: code,
      grant_type: "authorization_code",
    }),
    timeoutMs,
    answer: loginAnswer,
    toError: (errcode, errmsg) => toWeChatError(errcode, errmsg, "secret", now()),
  });
}

async function getPhoneNumber(options: Options, code: string): Promise<{ phone: string }> {
  checkCode("wechat", code);
  if (options.kind !== "mini-program") {
    throw new OutsideError("only mini programs give telephone numbers", {
      service: "wechat",
      kind: "refused",
      retryable: false,
    });
  }
  const answer = await retryOnce(isBusy, () =>
    post(options, "/wxa/business/getuserphonenumber", { code }, phoneAnswer),
  );
  return { phone: answer.phone_info.purePhoneNumber };
}

async function sendSubscriptionMessage(options: Options, message: SubscriptionMessage): Promise<void> {
  const { openId, templateId, page, lang, data } = message;
  const isMini = options.kind === "mini-program";
  const body = {
    touser: openId,
    template_id: templateId,
    ...(page === undefined ? {} : { page }),
    ...(lang === undefined || !isMini ? {} : { lang }),
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, { value: shapeField(key, text) }])),
  };
  await post(options, `/cgi-bin/message/subscribe/${isMini ? "send" : "bizsend"}`, body, sentAnswer);
}

function post<Answer>(options: Options, path: string, body: object, answer: z.ZodType<Answer>): Promise<Answer> {
  const { baseUrl, timeoutMs, now } = options;
  return options.token.lend((token) =>
    requestJson({
      service: "wechat",
      url: joinUrl(baseUrl, path, { access_token: token }),
      body,
      timeoutMs,
      answer,
      toError: (errcode, errmsg) => toWeChatError(errcode, errmsg, "token", now()),
    }),
  );
}

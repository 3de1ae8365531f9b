import { z } from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { openAppToken, tokenAnswer } from "./app-token.ts";
import {
  badCode,
  callOutside,
  checkCode,
  misconfigured,
  isBusy,
  type Kind,
  OutsideError,
  overQuota,
  type OutsideFacts,
  refused,
  retryOnce,
  unavailable,
} from "./outside-call.ts";
import { shapeField } from "./wechat-fields.ts";

export type WeChatOptions = {
  appId: string;
  secret: string;
  kind: "mini-program" | "service-account";
  baseUrl: string;
  /** The limit for each request. A call may take several requests: its own, one for a token, and retries. */
  timeoutMs: number;
  now: Clock;
};

type SubscriptionMessage = {
  openId: string;
  templateId: string;
  page?: string | undefined;
  data: Record<string, string>;
};

const loginAnswer = z.object({
  openid: z.string().min(1).max(128),
  // 1 marks the shared account with which WeChat previews a page.
  is_snapshotuser: z.coerce.number().default(0),
});
const phoneAnswer = z.object({
  phone_info: z.object({ purePhoneNumber: z.string().min(1).max(32) }),
});
const sentAnswer = z.object({ errcode: z.coerce.number() });

/**
 * All functions throw OutsideError. Its `retryable` is true if WeChat is unavailable, a quota is exceeded or the
 * configuration is wrong, and false for other refusals and invalid codes.
 */
export function createWeChatClient(options: WeChatOptions) {
  const lendToken = openAppToken(options.now, () => requestToken(options));
  const post = <Answer>(path: string, body: object, answer: z.ZodType<Answer>): Promise<Answer> =>
    lendToken((token) => call(options, { path, query: { access_token: token }, body, answer }));
  return {
    async exchangeCode(code: string): Promise<{ openId: string }> {
      checkCode("wechat", code);
      const { kind, appId: appid, secret } = options;
      const [path, codeName] =
        kind === "mini-program" ? ["/sns/jscode2session", "js_code"] : ["/sns/oauth2/access_token", "code"];
      // WeChat requires the secret in the query, so neither this URL nor an error that contains it may be logged.
      const query = { appid, secret, [codeName]: code, grant_type: "authorization_code" };
      const answer = await retryOnce(isBusy, () => call(options, { path, query, answer: loginAnswer }));
      if (answer.is_snapshotuser === 1) throw fail("the user has not authorized WeChat yet (preview account)", refused);
      return { openId: answer.openid };
    },
    /**
     * @param code the code of the getPhoneNumber button, which is not the code of wx.login
     * @returns the number without a country code
     */
    async getPhoneNumber(code: string): Promise<{ phone: string }> {
      checkCode("wechat", code);
      if (options.kind !== "mini-program") throw fail("only mini programs can provide phone numbers", refused);
      const ask = () => post("/wxa/business/getuserphonenumber", { code }, phoneAnswer);
      return { phone: (await retryOnce(isBusy, ask)).phone_info.purePhoneNumber };
    },
    /** If WeChat is busy, the message is not sent again, because it may already have been delivered. */
    async sendSubscriptionMessage({ openId, templateId, page, data }: SubscriptionMessage): Promise<void> {
      const shaped = Object.entries(data).map(([key, text]) => [key, { value: shapeField(key, text) }]);
      const body = {
        touser: openId,
        template_id: templateId,
        ...(page !== undefined && { page }),
        data: Object.fromEntries(shaped),
      };
      const operation = options.kind === "mini-program" ? "send" : "bizsend";
      await post(`/cgi-bin/message/subscribe/${operation}`, body, sentAnswer);
    },
  };
}

export type WeChatClient = ReturnType<typeof createWeChatClient>;

type Call<Answer> = { path: string; query?: Record<string, string>; body?: object; answer: z.ZodType<Answer> };

function call<Answer>({ baseUrl, timeoutMs, now }: WeChatOptions, asked: Call<Answer>): Promise<Answer> {
  const { path, query = {}, body, answer } = asked;
  const hasToken = query["access_token"] !== undefined;
  return callOutside({
    service: "wechat",
    url: joinUrl(baseUrl, path, query),
    body,
    timeoutMs,
    answer,
    toError: (errcode, errmsg) => toWeChatError(errcode, errmsg, hasToken, now()),
  });
}

function requestToken(options: WeChatOptions) {
  const { appId: appid, secret } = options;
  const body = { grant_type: "client_credential", appid, secret, force_refresh: false };
  return call(options, { path: "/cgi-bin/stable_token", body, answer: tokenAnswer });
}

const fail = (reason: string, facts: Omit<OutsideFacts, "service">): OutsideError =>
  new OutsideError(reason, { ...facts, service: "wechat" });

const meanings: Record<number, [Kind, reason: string]> = {
  [-1]: [unavailable, "the system is busy"],
  40001: [unavailable, "the access token is invalid or not the latest"],
  40014: [unavailable, "the access token is malformed"],
  42001: [unavailable, "the access token has expired"],
  45009: [overQuota, "the daily quota is used up"],
  45011: [overQuota, "too many calls within one minute"],
  40029: [badCode, "the code is unknown, expired or of the wrong kind"],
  40163: [badCode, "the code has already been used"],
  41008: [badCode, "the code is missing"],
  40003: [refused, "the openid does not belong to this application"],
  40037: [refused, "the template id is invalid"],
  40165: [refused, "the page of the linked mini program is invalid"],
  40226: [refused, "WeChat blocked the user as high-risk"],
  41030: [refused, "the page does not exist in the released version"],
  43101: [refused, "the user rejected the message or has no subscription left"],
  47003: [refused, "a value does not fit the template"],
  40013: [misconfigured, "the AppID is invalid"],
  40125: [misconfigured, "the AppSecret is wrong"],
  40164: [misconfigured, "the address of this server is not on the application's allowlist"],
  61004: [misconfigured, "the address of this server is not on the application's allowlist"],
  48001: [misconfigured, "the application lacks the permission for this call"],
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** WeChat's daily quota is renewed at midnight in Asia/Shanghai, where there has been no summer time since 1991. */
const shanghaiOffsetMs = 8 * 60 * minuteMs;

function toWeChatError(errcode: number, errmsg: string, hasToken: boolean, nowMs: number): OutsideError {
  // In a call that sends the secret instead of a token, 40001 means that the secret is wrong.
  const known = errcode === 40001 && !hasToken ? meanings[40125] : meanings[errcode];
  const [kind, reason] = known ?? [refused, "the call was rejected"];
  const waits: Record<number, number> = { 45009: dayMs - ((nowMs + shanghaiOffsetMs) % dayMs), 45011: minuteMs };
  // For 47003, the template field's name is the only part of WeChat's text that is helpful and contains nothing secret.
  const key = /data\.([a-z_]{1,32}\d{1,4})\.value/.exec(errmsg)?.[1];
  return fail(key === undefined ? reason : `${reason}: ${key}`, { ...kind, errcode, retryAfterMs: waits[errcode] });
}

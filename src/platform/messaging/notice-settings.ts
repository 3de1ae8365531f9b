import * as z from "zod";
import { oneOf, outsideAddress, requireWholeGroups, secret } from "#platform/contract/setting-types.ts";

export interface NoticeTemplate {
  readonly id: string;
  readonly variables: readonly (readonly [variable: string, field: string])[];
}

/**
 * @throws {Error} unless the text has the form kind=template:variable=field,variable=field;…, where the variables are
 * optional
 */
export function readTemplates(text: string): ReadonlyMap<string, NoticeTemplate> {
  const parts = text.split(";").filter((part) => part.trim() !== "");
  return new Map(
    parts.map((part) => {
      const [, kind = "", id = "", rest = ""] = /^\s*([a-z-]+\.[a-z-]+)=([\w-]+)(?::([^:]*))?\s*$/.exec(part) ?? [];
      if (kind === "") throw new Error("invalid list of templates");
      const variables = rest.split(",").flatMap((pair): [string, string][] => {
        if (pair.trim() === "") return [];
        const [, variable = "", field = ""] = /^\s*(\w+)=(\w+)\s*$/.exec(pair) ?? [];
        if (variable === "") throw new Error("invalid list of variables");
        return [[variable, field]];
      });
      return [kind, { id, variables }];
    }),
  );
}

const form = "kind=template:variable=field,variable=field; several entries are separated by semicolons";
const templates = (description: string) =>
  z
    .string()
    .optional()
    .refine(
      (text) => {
        try {
          return text === undefined || readTemplates(text).size >= 0;
        } catch {
          return false;
        }
      },
      { error: `must be ${form}` },
    )
    .describe(`${description}: ${form}`);
const text = z.string().optional();
const number = z.string().regex(/^\d+$/, { error: "must be a number" }).optional();

export const noticeSettings = {
  NOTICE_LANGUAGE: oneOf(["zh", "en", "both"], "zh").describe("Language of notices: zh, en or both"),
  DINGTALK_APP_KEY: text.describe("AppKey of the DingTalk application that sends notices"),
  DINGTALK_APP_SECRET: secret("AppSecret of the DingTalk application that sends notices"),
  DINGTALK_AGENT_ID: number.describe("AgentId of the DingTalk application that sends notices"),
  DINGTALK_BASE_URL: outsideAddress.default("https://oapi.dingtalk.com").describe("Base address of the DingTalk API"),
  WECOM_CORP_ID: text.describe("WeCom corporation id (corpid) of the application that sends notices"),
  WECOM_APP_SECRET: secret("Secret of the WeCom application that sends notices"),
  WECOM_AGENT_ID: number.describe("AgentId of the WeCom application that sends notices"),
  WECOM_BASE_URL: outsideAddress.default("https://qyapi.weixin.qq.com").describe("Base address of the WeCom API"),
  WECHAT_NOTICE_TEMPLATES: templates("WeChat templates for notices"),
  SMS_PROVIDER: z
    .enum(["aliyun", "tencent"], { error: "must be aliyun or tencent" })
    .optional()
    .describe("Provider of text messages: aliyun or tencent; if not set, no text messages are sent"),
  SMS_KEY_ID: text.describe("AccessKeyId of Aliyun, or SecretId of Tencent Cloud"),
  SMS_KEY_SECRET: secret("AccessKeySecret of Aliyun, or SecretKey of Tencent Cloud"),
  SMS_SIGN: text.describe("Approved signature at the start of text messages"),
  SMS_APP_ID: text.describe("SdkAppId of Tencent Cloud SMS"),
  SMS_REGION: text.describe("Region of the SMS provider; default: cn-hangzhou or ap-guangzhou"),
  SMS_BASE_URL: outsideAddress
    .optional()
    .describe("API address of the SMS provider; default: the address of Aliyun or Tencent Cloud"),
  SMS_TEMPLATES: templates("SMS templates for notices"),
};

type NoticeSettings = z.infer<z.ZodObject<typeof noticeSettings>>;

export function checkNoticeSettings(
  settings: NoticeSettings & { WECHAT_APP_ID?: string | undefined },
  context: z.RefinementCtx,
): void {
  requireWholeGroups(
    settings,
    [
      { all: ["DINGTALK_APP_KEY", "DINGTALK_APP_SECRET", "DINGTALK_AGENT_ID"] },
      { all: ["WECOM_CORP_ID", "WECOM_APP_SECRET", "WECOM_AGENT_ID"] },
      { all: ["WECHAT_NOTICE_TEMPLATES"], beside: ["WECHAT_APP_ID"] },
      { all: ["SMS_PROVIDER", "SMS_KEY_ID", "SMS_KEY_SECRET", "SMS_SIGN", "SMS_TEMPLATES"] },
      ...(settings.SMS_PROVIDER === "tencent" ? [{ all: ["SMS_PROVIDER"], beside: ["SMS_APP_ID"] } as const] : []),
    ],
    context,
  );
}

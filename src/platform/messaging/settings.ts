import { z } from "zod";
import {
  outsideAddress,
  requireWholeGroups,
  secret,
  type SettingGroup,
  wholeNumber,
} from "#platform/contract/setting-types.ts";
import { parseTemplateFields } from "./wechat-fields.ts";

const text = z.string().optional();
const baseAddress = (address: string) => outsideAddress.default(address);

export const messagingSettings = {
  WECHAT_APP_ID: text.describe("AppID of the WeChat mini program or service account"),
  WECHAT_SECRET: secret("AppSecret of the WeChat mini program or service account"),
  WECHAT_BASE_URL: baseAddress("https://api.weixin.qq.com").describe("Base address of the WeChat API"),
  WECHAT_KIND: z
    .enum(["mini-program", "service-account"])
    .default("mini-program")
    .describe("Kind of the WeChat application: mini-program or service-account"),
  WECHAT_TEMPLATE_ID: text.describe(
    "Template of the message that informs submitters of the verdict; if not set, no message is sent",
  ),
  WECHAT_TEMPLATE_FIELDS: text.describe(
    "Template keys for the values verdict, ps, entryName and time, such as phrase1=verdict,thing2=ps",
  ),
  WECHAT_PAGE: text.describe(
    "Page that the message opens: a path of the mini program, or a web address for a service account. {receipt} is replaced by the report's receipt; if the page lacks {receipt}, the parameter receipt is added",
  ),
  CAMPUS_APP_KEY: text.describe("Application key for the campus platform"),
  CAMPUS_APP_SECRET: secret("Application secret for the campus platform"),
  CAMPUS_SCHOOL_CODE: text.describe("School code (ocode) of the campus platform; users of other schools are rejected"),
  CAMPUS_BASE_URL: baseAddress("https://open.wecard.qq.com").describe(
    "Base address of the campus platform, with the path prefix (/kong) of a private deployment",
  ),
  CAMPUS_REDIRECT_URI: text.describe("Return address of the campus sign-in, exactly as the sign-in page sends it"),
  OUTSIDE_TIMEOUT_MS: wholeNumber(100, 60_000, 5000).describe(
    "Time limit for a request to WeChat or the campus platform, in milliseconds",
  ),
};

export type MessagingSettings = z.infer<z.ZodObject<typeof messagingSettings>>;

const groups: readonly SettingGroup<keyof MessagingSettings>[] = [
  { all: ["WECHAT_APP_ID", "WECHAT_SECRET"] },
  { all: ["WECHAT_TEMPLATE_ID", "WECHAT_TEMPLATE_FIELDS"], beside: ["WECHAT_APP_ID"] },
  { all: ["CAMPUS_APP_KEY", "CAMPUS_APP_SECRET", "CAMPUS_SCHOOL_CODE", "CAMPUS_REDIRECT_URI"] },
];

export function checkMessagingSettings(settings: MessagingSettings, context: z.RefinementCtx): void {
  requireWholeGroups(settings, groups, context);
  try {
    if (settings.WECHAT_TEMPLATE_FIELDS) parseTemplateFields(settings.WECHAT_TEMPLATE_FIELDS);
  } catch (error) {
    const { message } = error as Error;
    context.addIssue({ code: "custom", path: ["WECHAT_TEMPLATE_FIELDS"], message, input: undefined });
  }
}

import { z } from "zod";
import { parseTemplateFields } from "./template-fields.ts";

const text = z.string().optional();
const secret = (description: string) => z.string().optional().meta({ description, secret: true });

/** A base address: http or https, no query and no sign-in data; a path prefix is allowed. */
const baseAddress = (address: string) =>
  z.string().default(address).refine(isBaseAddress, "must be an http or https address without a query");

/** The settings of this folder, to be spread into the platform's. */
export const messagingSettings = {
  WECHAT_APP_ID: text.describe("Application identifier of the WeChat mini program or service account"),
  WECHAT_SECRET: secret("Application secret of the WeChat mini program or service account"),
  WECHAT_BASE_URL: baseAddress("https://api.weixin.qq.com").describe("Base address of WeChat's interface"),
  WECHAT_KIND: z
    .enum(["mini-program", "service-account"])
    .default("mini-program")
    .describe("Which kind of WeChat application it is: mini-program or service-account"),
  WECHAT_TEMPLATE_ID: text.describe(
    "Template of the message that tells a submitter the verdict; none: no message is sent",
  ),
  WECHAT_TEMPLATE_FIELDS: text.describe(
    "Which key of the template carries which of verdict, ps, entryName and time, such as phrase1=verdict,thing2=ps, or as JSON",
  ),
  WECHAT_PAGE: text.describe("Page that the message opens: a path of the mini program, or a service account's address"),
  WECHAT_LANG: z
    .enum(["zh_CN", "zh_HK", "zh_TW", "en_US"])
    .default("zh_CN")
    .describe("Language in which the mini program opens from the message"),
  CAMPUS_APP_KEY: text.describe("Application key at the campus platform"),
  CAMPUS_APP_SECRET: secret("Application secret at the campus platform"),
  CAMPUS_SCHOOL_CODE: text.describe("School code (ocode) at the campus platform; users of other schools are refused"),
  CAMPUS_BASE_URL: baseAddress("https://open.wecard.qq.com").describe(
    "Base address of the campus platform, with the path prefix (/kong) of a private deployment",
  ),
  CAMPUS_REDIRECT_URI: text.describe(
    "Return address of the campus sign-in, exactly as the sign-in page was asked with it",
  ),
  OUTSIDE_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(60_000)
    .default(5000)
    .describe("How long one request to WeChat or the campus platform may take, in milliseconds"),
};

export type MessagingSettings = z.infer<z.ZodObject<typeof messagingSettings>>;

/** Settings that make sense only together: with one of a group set, all are needed. */
const groups: readonly (readonly (keyof MessagingSettings)[])[] = [
  ["WECHAT_APP_ID", "WECHAT_SECRET"],
  ["WECHAT_TEMPLATE_ID", "WECHAT_TEMPLATE_FIELDS"],
  ["CAMPUS_APP_KEY", "CAMPUS_APP_SECRET", "CAMPUS_SCHOOL_CODE", "CAMPUS_REDIRECT_URI"],
];

/** What to give to Zod's `superRefine`: half a configuration stops the start, and does not silently mean none. */
export function checkMessagingSettings(settings: MessagingSettings, context: z.RefinementCtx): void {
  const report = (name: keyof MessagingSettings, message: string) =>
    context.addIssue({ code: "custom", path: [name], message, input: undefined });
  for (const group of groups) {
    const set = group.filter((name) => settings[name]);
    if (set.length === 0) continue;
    for (const name of group) if (!settings[name]) report(name, `is needed beside ${set.join(", ")}`);
  }
  if (settings.WECHAT_TEMPLATE_ID && !settings.WECHAT_APP_ID)
    report("WECHAT_APP_ID", "is needed beside WECHAT_TEMPLATE_ID");
  const problem = findFieldsProblem(settings.WECHAT_TEMPLATE_FIELDS);
  if (problem !== null) report("WECHAT_TEMPLATE_FIELDS", problem);
}

function findFieldsProblem(fields: string | undefined): string | null {
  if (!fields) return null;
  try {
    parseTemplateFields(fields);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "is not understood";
  }
}

function isBaseAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return false;
  return url.username === "" && url.password === "" && !/[?#]/.test(address);
}

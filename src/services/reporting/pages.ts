import { findCampusSignIn, findWeChatSignIn, type MessagingSettings } from "#platform/messaging/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { WebPage } from "#platform/process/service.ts";
import type { Receipts } from "./receipts.ts";
import { findReport } from "./store.ts";

/** The page of those who submit: the form, their own reports, and one report by its receipt. */
export function reportingPages({ pool, settings, messaging }: Platform, receipts: () => Receipts): readonly WebPage[] {
  const isThere = async (receipt: string): Promise<boolean> => {
    const id = receipts().read(receipt);
    return id !== undefined && (await findReport(pool, id)) !== undefined;
  };
  return [
    {
      entry: "public/report",
      paths: ["/h5/report/", "/h5/report/mine", "/h5/report/r/:receipt"],
      title: { zh: "项目报备", en: "Register a project" },
      about: {
        zh: "登记一个项目，凭回执查看审核结果",
        en: "Register a project, and see by its receipt how it stands",
      },
      exists: async ({ receipt }) => receipt === undefined || isThere(receipt),
      told: { hasPlatform: messaging !== null, signIn: findSignIn(settings) },
    },
  ];
}

/** The campus platform has one address that people come back to, which may well be another page's. */
function findSignIn(settings: MessagingSettings): string | null {
  if (settings.WECHAT_APP_ID) return findWeChatSignIn(settings);
  const comesHere = settings.CAMPUS_REDIRECT_URI?.includes("/h5/report/") === true;
  return comesHere ? (findCampusSignIn(settings)?.phone ?? null) : null;
}

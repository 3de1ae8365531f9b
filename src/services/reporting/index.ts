import { keepDays } from "#platform/contract/setting-types.ts";
import { inLongTransaction, Within } from "#platform/database/index.ts";
import { foldTallies } from "./tally.ts";
import { findCampusSignIn, findWeChatSignIn } from "#platform/messaging/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { expiringRows } from "#platform/process/removal.ts";
import { defineService, type Service, type ServiceModule, type WebPage } from "#platform/process/service.ts";
import { reporting } from "./contract.ts";
import { alignTally, findTallyZone, tallied } from "./list-store.ts";
import { messagingTasks } from "./messaging.ts";
import { oldRecords, toFileReference } from "./old-records.ts";
import { reportingNotices } from "./notices.ts";
import { findReceiptKey, openReceipts, type Receipts } from "./receipts.ts";
import { persons, retained } from "./retention-store.ts";
import { reportingHandlers } from "./routes.ts";
import { sealedColumns } from "./sealed.ts";
import { findReport } from "./store.ts";

const foldTask = "reporting-tally";

export const reportingModule: ServiceModule = {
  contract: reporting,
  settings: {
    shape: {
      REPORTING_KEEP_DAYS: keepDays().describe(
        "Days after the last change for which closed and deleted reports and their files are kept; default: forever",
      ),
    },
  },
  create: createReporting,
  notices: reportingNotices,
  sealed: sealedColumns,
  persons,
  oldRecords,
  toFileReference,
  dimensionColumns: { trade: [tallied, "trade"], company: [tallied, "company"] },
  retained,
  expired: () => [expiringRows("reporting.known_open_id"), expiringRows("reporting.submitter_session")],
};

function createReporting(platform: Platform): Service {
  const { pool, settings } = platform;
  let receipts: Receipts | undefined;
  const getReceipts = () => {
    if (!receipts) throw new Error("the reporting service has not been prepared");
    return receipts;
  };
  return defineService(reporting, reportingHandlers(platform, getReceipts), {
    pages: [reportingPage(platform, getReceipts)],
    tasks: {
      ...messagingTasks(platform, getReceipts),
      [foldTask]: () => foldTallies(pool, tallied),
    },
    recurring: [{ task: foldTask, pattern: "* * * * *" }],
    prepare: async () => {
      receipts = openReceipts(await findReceiptKey(pool));
      if ((await findTallyZone(pool)) !== settings.TIME_ZONE)
        await inLongTransaction(pool, (tx) => alignTally(tx, settings.TIME_ZONE));
    },
  });
}

function reportingPage({ pool, settings, messaging }: Platform, receipts: () => Receipts): WebPage {
  // The campus platform sends users back to the single address in CAMPUS_REDIRECT_URI, so its sign-in works on this
  // page only if that address is the address of this page.
  const isCampus = settings.CAMPUS_REDIRECT_URI?.includes("/h5/report/");
  const campusSignIn = isCampus ? (findCampusSignIn(settings)?.phone ?? null) : null;
  return {
    entry: "public/report",
    paths: ["/h5/report/", "/h5/report/mine", "/h5/report/r/:receipt"],
    title: { zh: "项目报备", en: "Register a project" },
    about: {
      zh: "登记一个项目，凭回执查看审核结果",
      en: "Register a project and check the result with its receipt",
    },
    exists: async ({ receipt }) => {
      if (receipt === undefined) return true;
      const id = receipts().read(receipt);
      return id !== undefined && (await findReport(pool, id, Within.everywhere)) !== undefined;
    },
    told: {
      hasPlatform: messaging !== null,
      signIn: settings.WECHAT_APP_ID ? findWeChatSignIn(settings) : campusSignIn,
    },
  };
}

import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import { issueTicket } from "#platform/accounts/session.ts";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { toListOrder, toRange } from "#platform/contract/sorting.ts";
import { formatDateTime, parseDateTime, parsePeriod } from "#platform/contract/times.ts";
import { type Db, Within } from "#platform/database/index.ts";
import { toFileAnswer } from "#platform/files/file-answer.ts";
import { findUpload, referenceUploads, storeUpload, listReferences, releaseUploads } from "#platform/files/upload.ts";
import { listOpenServices } from "#platform/process/config.ts";
import { type Call, type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { toLink } from "#platform/process/links.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import { administratorHandlers } from "./administrators.ts";
import type { endpoints } from "./contract.ts";
import { exportReports } from "./export.ts";
import { listEvents, listEventsOf, noteDeed } from "./history-store.ts";
import { listReports } from "./list-store.ts";
import { askOutside, linkSubmitter, queueVerdict, recallOpenId, rememberOpenId } from "./messaging.ts";
import { getSubmitter, readSubmitterToken, type Receipts, startSubmitterSession } from "./receipts.ts";
import {
  fromHolder,
  listUploadNames,
  service,
  toExportedStates,
  toHolder,
  toListedStates,
  type Verdict,
  verdicts,
} from "./rules.ts";
import {
  closeReport,
  deleteReports,
  findReport,
  insertReport,
  isAnyValid,
  isAnyWithin,
  judgeReport,
  listReasons,
  listReportsOf,
  lockReport,
  replaceReasons,
  type ReportRow,
  setOpenId,
} from "./store.ts";
import { listSimilar } from "./similar.ts";
import { supplementHandlers } from "./supplement.ts";
import { toReceipt, toReport, toReportWithHistory, toReviewedReport } from "./wire-rows.ts";

export const reportingHandlers = (platform: Platform, receipts: () => Receipts): Handlers<typeof endpoints> => ({
  ...fileHandlers(platform, receipts),
  ...submissionHandlers(platform, receipts),
  ...supplementHandlers(platform, receipts),
  ...decisionHandlers(platform),
  ...readingHandlers(platform, receipts),
  ...administratorHandlers(platform),
});

type Part = Partial<Handlers<typeof endpoints>>;

function decisionHandlers(platform: Platform) {
  return {
    deleteReports: async ({ db, body, caller, audit, within }) => {
      if (!body.ids?.length) throw new Problem("idMissing");
      const deleted = await deleteReports(db, body.ids, within);
      if (deleted.length === 0) throw new Problem("notFound");
      await noteDeed(db, deleted, { what: "deleted" }, caller);
      await releaseUploads(db, { service, records: deleted.map(toHolder), removal: "atOnce" });
      audit.records = deleted;
      return String(deleted.length);
    },

    closeReport: async ({ db, body, caller, audit, within }) => {
      const report = await getLockedReport(db, body.itemId, within);
      if (report.deleted || report.closed)
        throw explain("notAllowedNow", "只能关闭进行中的报备", "only a report in progress can be closed");
      await closeReport(db, report.id);
      await noteDeed(db, [report.id], { what: "closed" }, caller);
      audit.records = [report.id];
      return "1";
    },

    markValid: (call) => judge(platform, call, "valid"),
    markInvalid: (call) => judge(platform, call, "invalid"),
    markReturned: (call) => judge(platform, call, "returned"),

    setReasons: async ({ db, body, audit }) => {
      await replaceReasons(db, body.reasons);
      audit.detail = { count: body.reasons.length };
      return String(body.reasons.length);
    },
  } satisfies Part;
}

async function getLockedReport(tx: Db, itemId: number | undefined, within: Within) {
  if (itemId === undefined) throw new Problem("idMissing");
  return found(await lockReport(tx, itemId, within));
}

type VerdictCall = Pick<
  Call<(typeof endpoints)["markValid" | "markReturned"]>,
  "db" | "body" | "caller" | "audit" | "within"
>;

async function judge({ messaging }: Platform, { db, body, caller, audit, within }: VerdictCall, verdict: Verdict) {
  const report = await getLockedReport(db, body.itemId, within);
  // Open and closed reports may be judged, even several times. Deleted reports may not be judged, and closed ones may
  // not be returned.
  if (report.deleted) throw explain("notAllowedNow", "已删除的报备不能审核", "a deleted report cannot be reviewed");
  if (report.closed && verdict === "returned")
    throw explain("notAllowedNow", "已关闭的报备不能退回", "a closed report cannot be returned");
  const ps = body.ps || undefined;
  await judgeReport(db, report.id, verdicts[verdict], ps);
  await noteDeed(db, [report.id], { what: "judged", verdict: verdicts[verdict], ps }, caller);
  if (report.openId !== null && messaging?.sendVerdict) await queueVerdict(db, report.id, verdict, ps);
  audit.records = [report.id];
  if (ps !== undefined) audit.detail = { ps };
  return "1";
}

const fileHandlers = ({ pool, files, settings }: Platform, receipts: () => Receipts) =>
  ({
    uploadFile: withoutTransaction(async ({ file, once }) => {
      const name = await storeUpload(pool, files, file, { service, imagesOnly: false, settings, once });
      return toLink(settings, `/reporting/file/${name}`);
    }),

    readFile: async ({ db, params, query, caller, request, within }) => {
      const upload = await findUpload(db, service, params.name);
      const holders = await listReferences(db, service, params.name);
      const ids = holders.map(fromHolder);
      const isOpen = caller ? await isSeen(db, ids, within) : listOpenServices(settings).includes(service);
      if (!upload || !(isOpen || (await isShown(db, ids, receipts().read(query.receipt ?? "")))))
        throw new Problem("notFound");
      return toFileAnswer(upload, files, request);
    },
  }) satisfies Part;

/**
 * Whether a caller without an account may see a file. Without a receipt, only files of reports with the verdict "valid"
 * are shown, since anybody may upload files, which appear under the institution's name.
 * @param ids the reports with the file
 * @param receiptOf the report of the caller's receipt, whose files the caller may always see
 */
const isShown = async (db: Db, ids: readonly number[], receiptOf: number | undefined): Promise<boolean> =>
  (receiptOf !== undefined && ids.includes(receiptOf)) || isAnyValid(db, ids);

const isSeen = async (db: Db, ids: readonly number[], within: Within): Promise<boolean> =>
  within.isEverywhere || isAnyWithin(db, ids, within);

type ListCall = Pick<Call<(typeof endpoints)["listReports"]>, "query" | "within">;

function readingHandlers({ pool, settings, clock }: Platform, receipts: () => Receipts) {
  const zone = settings.TIME_ZONE;
  const list = async <R>({ query, within }: ListCall, toWire: (row: ReportRow, zone: string) => R) => {
    const { name, company, keyword, trade, valid: verdict, reportingTime } = query;
    const period = reportingTime === undefined ? undefined : parsePeriod(reportingTime, zone);
    const filter = { within, states: toListedStates(query), verdict, name, company, keyword, trade, period };
    const { rows, totalCount } = await listReports(pool, filter, toListOrder(query, "reportingTime"), zone);
    return toPage(
      Array.from(rows, (row) => toWire(row, zone)),
      totalCount,
      query,
    );
  };
  return {
    listReports: (call) => list(call, toReport),
    reviewReports: (call) => list(call, toReviewedReport),
    listReasons: ({ db }) => listReasons(db),

    readReport: async ({ db, params, within }) => {
      const report = found(await findReport(db, params.itemId, within));
      const receipt = receipts().make(report.id);
      return { ...toReportWithHistory(report, await listEvents(db, report.id), zone), receipt };
    },

    listSimilar: async ({ db, params, within }) => {
      const report = found(await findReport(db, params.itemId, within));
      return listSimilar(pool, report, within, zone);
    },

    downloadReports: async ({ db, query, caller, address, language, within }): Promise<StreamedAnswer> => {
      const day = formatDateTime(new Date(clock()), zone).slice(0, 10);
      const { name, company, keyword, trade, valid: verdict, reportingTime, ids } = query;
      const period = reportingTime === undefined ? undefined : parsePeriod(reportingTime, zone);
      const states = toExportedStates(query.status);
      const filter = { within, states, verdict, name, company, keyword, trade, period, ids };
      return {
        headers: workbookHeaders(`reports-${day}`),
        open: async () => {
          const line = { service, ...byCaller(caller), action: "downloadReports", records: ids ?? [], address };
          await writeAudit(db, { ...line, outcome: "done" });
          return exportReports(pool, filter, language, zone);
        },
      };
    },

    issueDownloadTicket: ({ db, caller }) => issueTicket(db, caller, `${service}/downloadReports`),
  } satisfies Part;
}

function submissionHandlers({ settings, messaging }: Platform, receipts: () => Receipts) {
  const zone = settings.TIME_ZONE;
  return {
    // The handler opens the transaction itself, since `transact` returns the id of the first report if a submission is
    // repeated, and the receipt needs that id.
    addReport: withoutTransaction(async ({ body, transact, request, reply }) => {
      const { code, ...report } = body;
      const names = listUploadNames(report);
      const session = readSubmitterToken(request);
      const submitter = messaging && session === undefined ? code : undefined;
      const add = async (tx: Db): Promise<string> => {
        const openId = session === undefined ? undefined : await getSubmitter(tx, session);
        const made = await insertReport(tx, { ...report, tenderTime: parseDateTime(report.tenderTime, zone) });
        if (names.length > 0) await referenceUploads(tx, { service, record: toHolder(made) }, names);
        if (openId !== undefined) await setOpenId(tx, made, openId);
        else if (submitter) await linkSubmitter(tx, made, submitter);
        return String(made);
      };
      const isOneStatement = names.length === 0 && !submitter && session === undefined;
      const id = await transact(add, isOneStatement ? "oneStatement" : undefined);
      reply.header("report_receipt", receipts().make(Number(id)));
      return id;
    }),

    readReceipt: async ({ db, params }) => {
      const id = receipts().read(params.receipt);
      const report = found(id === undefined ? undefined : await findReport(db, id, Within.everywhere));
      return toReceipt(report, await listEvents(db, report.id), zone);
    },

    listOwnReports: async ({ db, query, request }) => {
      const openId = await getSubmitter(db, readSubmitterToken(request));
      const { rows, totalCount } = await listReportsOf(db, openId, toRange(query));
      const events = await listEventsOf(
        db,
        rows.map(({ id }) => id),
      );
      const list = rows.map((row) => {
        return { ...toReceipt(row, events.get(row.id) ?? [], zone), receipt: receipts().make(row.id) };
      });
      return toPage(list, totalCount, query);
    },

    findPhone: async ({ query }) => {
      const code = getCode(query.code);
      const phone = await askOutside(messaging, (outside) => outside.findPhone(code));
      if (phone === null) throw explain("notFound", "该用户未绑定手机号", "the user has no bound phone number");
      return phone;
    },

    findOpenId: async ({ db, query }) => {
      const code = getCode(query.code);
      const known = messaging ? await recallOpenId(db, code) : undefined;
      if (known !== undefined) return known;
      const { openId } = await askOutside(messaging, (outside) => outside.identify(code));
      await rememberOpenId(db, code, openId);
      return openId;
    },

    openSession: withoutTransaction(async ({ body, transact }) => {
      const code = getCode(body.code);
      const { openId, phone } = await askOutside(messaging, (outside) => outside.identify(code));
      return { token: await transact((tx) => startSubmitterSession(tx, openId), "oneStatement"), phone };
    }),
  } satisfies Part;
}

function getCode(code: string | undefined): string {
  if (!code) throw explain("badFormat", "code: 不能为空", "code: must not be empty");
  return code;
}

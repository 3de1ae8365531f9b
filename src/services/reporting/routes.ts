import { accountHandlers } from "#platform/accounts/endpoints.ts";
import { issueTicket } from "#platform/accounts/session.ts";
import { byCaller, writeAudit } from "#platform/audit.ts";
import type { Db } from "#platform/database/index.ts";
import { toPage } from "#platform/envelope.ts";
import { holdUploads, releaseUploads } from "#platform/files/holds.ts";
import { findUpload, keepUpload } from "#platform/files/upload.ts";
import { toFileAnswer } from "#platform/files/file-answer.ts";
import type { StreamedAnswer } from "#platform/endpoint.ts";
import type { Call, Handlers } from "#platform/http/serve.ts";
import { toLink } from "#platform/links.ts";
import type { Platform } from "#platform/platform.ts";
import { explain, Problem } from "#platform/problem.ts";
import { isDescending } from "#platform/sorting.ts";
import { WORKBOOK_MIME } from "#platform/spreadsheet/index.ts";
import { formatDateTime, parseDateTime, parsePeriod } from "#platform/times.ts";
import { administratorHandlers } from "./administrators.ts";
import type { endpoints } from "./contract.ts";
import { exportReports } from "./export.ts";
import { listEvents, noteDeed } from "./history-store.ts";
import type { Receipts } from "./receipts.ts";
import { askOutside, linkSubmitter, queueVerdict, recallOpenId, rememberOpenId, sendsVerdicts } from "./messaging.ts";
import { mayClose, mayJudge, toExportedStates, toListedStates, toUploadName, type Verdict, verdicts } from "./rules.ts";
import {
  closeReport,
  deleteReports,
  findReport,
  insertReport,
  listReports,
  lockReport,
  type LockedReport,
  judgeReport,
} from "./store.ts";
import { toReceipt, toReport, toReportWithHistory } from "./wire-rows.ts";

const service = "reporting";
const filePath = "/reporting/file/";

type Endpoints = typeof endpoints;

/** What each operation of the contract does. */
export function reportingHandlers(platform: Platform, receipts: () => Receipts): Handlers<Endpoints> {
  const { pool, settings, files, messaging, clock } = platform;
  const zone = settings.TIME_ZONE;
  return {
    uploadFile: {
      withoutTransaction: async ({ file, once }) => {
        const name = await keepUpload(pool, files, file, { service, imagesOnly: false, settings, once });
        return toLink(settings, filePath + name);
      },
    },

    readFile: async ({ db, params, request }) => {
      const upload = await findUpload(db, service, params.name);
      const stored = upload && (await files.find(upload.name));
      if (!stored) throw new Problem("notFound");
      return toFileAnswer(upload, stored, request);
    },

    addReport: {
      // It opens its own: the receipt is of the id that a repeated submission got the first time.
      withoutTransaction: async ({ body, transact, reply }) => {
        const { code, ...report } = body;
        const names = listUploadNames(report);
        const submitter = messaging ? code : undefined;
        const add = async (tx: Db): Promise<string> => {
          const made = await insertReport(tx, { ...report, tenderTime: parseDateTime(report.tenderTime, zone) });
          if (names.length > 0) await holdUploads(tx, { service, record: toHolder(made) }, names);
          if (submitter) await linkSubmitter(tx, made, submitter);
          return String(made);
        };
        const id = await transact(add, names.length > 0 || submitter ? undefined : "oneStatement");
        reply.header("report_receipt", receipts().make(Number(id)));
        return id;
      },
    },

    readReceipt: async ({ db, params }) => {
      const id = receipts().read(params.receipt);
      const report = id === undefined ? undefined : await findReport(db, id);
      if (!report) throw new Problem("notFound");
      return toReceipt(report, await listEvents(db, report.id), zone);
    },

    deleteReports: async ({ db, body, caller, audit }) => {
      if (!body.ids?.length) throw new Problem("idMissing");
      const deleted = await deleteReports(db, body.ids);
      if (deleted.length === 0) throw new Problem("notFound");
      await noteDeed(db, deleted, { what: "deleted" }, caller);
      // There is no way back from deleted.
      await releaseUploads(db, { service, records: deleted.map(toHolder), removal: "atOnce" });
      audit.records = deleted;
      return String(deleted.length);
    },

    closeReport: async ({ db, body, caller, audit }) => {
      const report = await getLockedReport(db, body.itemId);
      if (!mayClose(report))
        throw explain("notAllowedNow", "只能关闭进行中的报备", "only a report in progress can be closed");
      await closeReport(db, report.id);
      await noteDeed(db, [report.id], { what: "closed" }, caller);
      audit.records = [report.id];
      return "1";
    },

    markValid: (call) => judge(platform, call, "valid"),
    markInvalid: (call) => judge(platform, call, "invalid"),

    listReports: async ({ db, query }) => {
      const { name, company, keyword, trade, valid: verdict, reportingTime } = query;
      const { currPage, pageSize, orderField = "reportingTime" } = query;
      const period = reportingTime === undefined ? undefined : parsePeriod(reportingTime, zone);
      const order = {
        field: orderField,
        descending: isDescending(query),
        offset: (currPage - 1) * pageSize,
        limit: pageSize,
      };
      const filter = { states: toListedStates(query), verdict, name, company, keyword, trade, period };
      const { rows, totalCount } = await listReports(db, filter, order, zone);
      return toPage(
        Array.from(rows, (row) => toReport(row, zone)),
        totalCount,
        query,
      );
    },

    readReport: async ({ db, params }) => {
      const report = await findReport(db, params.itemId);
      if (!report) throw new Problem("notFound");
      const receipt = receipts().make(report.id);
      return { ...toReportWithHistory(report, await listEvents(db, report.id), zone), receipt };
    },

    downloadReports: async ({ db, query, caller, address, language }): Promise<StreamedAnswer> => {
      const day = formatDateTime(new Date(clock()), zone).slice(0, 10);
      const { name, company, keyword, trade, valid: verdict, reportingTime, ids } = query;
      const period = reportingTime === undefined ? undefined : parsePeriod(reportingTime, zone);
      const filter = { states: toExportedStates(query.status), verdict, name, company, keyword, trade, period, ids };
      return {
        headers: {
          "content-type": WORKBOOK_MIME,
          "content-disposition": `attachment; filename="reports-${day}.xlsx"`,
        },
        open: async () => {
          await writeAudit(db, {
            service,
            ...byCaller(caller),
            action: "downloadReports",
            outcome: "done",
            records: ids ?? [],
            address,
          });
          return exportReports(pool, filter, language, zone);
        },
      };
    },

    issueDownloadTicket: ({ db, caller }) => issueTicket(db, caller, `${service}/downloadReports`),

    ...administratorHandlers(platform),
    ...accountHandlers(platform, service),

    findPhone: async ({ query }) => {
      const code = getCode(query.code);
      const phone = await askOutside(messaging, (outside) => outside.findPhone(code));
      if (phone === null) throw explain("notFound", "该用户未绑定手机号", "no phone number is bound");
      return phone;
    },

    findOpenId: async ({ db, query }) => {
      const code = getCode(query.code);
      const known = messaging ? await recallOpenId(db, code) : undefined;
      if (known !== undefined) return known;
      const openId = await askOutside(messaging, (outside) => outside.findOpenId(code));
      await rememberOpenId(db, code, openId);
      return openId;
    },
  };
}

function getCode(code: string | undefined): string {
  if (code === undefined) throw explain("badFormat", "code: 不能为空", "code: is missing");
  return code;
}

/** By which its uploads know a report. */
const toHolder = (id: number): string => `report/${id}`;

const listUploadNames = ({ bFile = [], file }: { bFile?: string[] | undefined; file?: string | undefined }): string[] =>
  [...bFile, file ?? ""].map(toUploadName).filter((name) => name !== undefined);

async function getLockedReport(tx: Db, itemId: number | undefined): Promise<LockedReport> {
  if (itemId === undefined) throw new Problem("idMissing");
  const report = await lockReport(tx, itemId);
  if (!report) throw new Problem("notFound");
  return report;
}

type VerdictCall = Pick<Call<Endpoints["markValid"]>, "db" | "body" | "caller" | "audit">;

async function judge(
  { messaging }: Platform,
  { db, body, caller, audit }: VerdictCall,
  verdict: Verdict,
): Promise<string> {
  const report = await getLockedReport(db, body.itemId);
  if (!mayJudge(report)) throw explain("notAllowedNow", "已删除的报备不能判定", "a deleted report cannot be judged");
  const ps = body.ps || undefined;
  await judgeReport(db, report.id, verdicts[verdict], ps);
  await noteDeed(db, [report.id], { what: "judged", verdict: verdicts[verdict], ps }, caller);
  if (report.openId !== null && sendsVerdicts(messaging)) await queueVerdict(db, report.id, verdict, ps);
  audit.records = [report.id];
  if (ps !== undefined) audit.detail = { ps };
  return "1";
}

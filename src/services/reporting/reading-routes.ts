import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import { issueTicket } from "#platform/accounts/session.ts";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { formatDateTime, parsePeriod } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import type { endpoints } from "./contract.ts";
import { exportReports } from "./export.ts";
import { listEvents } from "./history-store.ts";
import type { Receipts } from "./receipts.ts";
import { service, toExportedStates, toListedStates } from "./rules.ts";
import { listReports } from "./list-store.ts";
import { findReport } from "./store.ts";
import { toReport, toReportWithHistory } from "./wire-rows.ts";

type Endpoints = Pick<typeof endpoints, "listReports" | "readReport" | "downloadReports" | "issueDownloadTicket">;

/** The handlers with which administrators read reports. */
export function readingHandlers({ pool, settings, clock }: Platform, receipts: () => Receipts): Handlers<Endpoints> {
  const zone = settings.TIME_ZONE;
  return {
    listReports: async ({ db, query }) => {
      const { name, company, keyword, trade, valid: verdict, reportingTime } = query;
      const period = reportingTime === undefined ? undefined : parsePeriod(reportingTime, zone);
      const filter = { states: toListedStates(query), verdict, name, company, keyword, trade, period };
      const { rows, totalCount } = await listReports(db, filter, toListOrder(query, "reportingTime"), zone);
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
        headers: workbookHeaders(`reports-${day}`),
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
  };
}

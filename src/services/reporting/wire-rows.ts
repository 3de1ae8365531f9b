import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import type { ReportEvent } from "./history-store.ts";
import type {
  receiptOfReport,
  report,
  reportWithHistory,
  reviewedReport,
  supplementedReport,
} from "./report-contract.ts";
import { toDocumentedVerdict, verdicts } from "./rules.ts";
import type { ReportRow } from "./store.ts";

/**
 * The fields are written one by one. A loop over their names takes twice as long (0.81 ms instead of 0.39 ms for a
 * thousand reports), and a spread would reveal other columns.
 */
export const toReport = (row: ReportRow, zone: string): z.input<typeof report> => ({
  id: row.id,
  name: row.name,
  phone: row.phone,
  wxPhone: row.wxPhone,
  company: row.company,
  customerName: row.customerName,
  entryName: row.entryName,
  projectAmount: row.projectAmount,
  tenderTime: formatDateTime(row.tenderTime, zone),
  content: row.content,
  parameters: row.parameters,
  trade: row.trade,
  licensing: row.licensing,
  product: row.product,
  bProduct: row.bProduct,
  bFile: row.bFile,
  file: row.file,
  status: row.closed ? 0 : 1,
  delStatus: row.deleted ? 0 : 1,
  valid: toDocumentedVerdict(row.verdict),
  ps: row.ps,
  reportingTime: formatDateTime(row.createdAt, zone),
  updateTime: formatDateTime(row.updatedAt, zone),
});

export const toReviewedReport = (row: ReportRow, zone: string): z.input<typeof reviewedReport> => ({
  ...toReport(row, zone),
  valid: row.verdict,
});

export const toSupplemented = (row: ReportRow, zone: string): z.input<typeof supplementedReport> => {
  const { company, customerName, entryName, projectAmount, tenderTime, content } = toReport(row, zone);
  const { parameters, trade, licensing, product, bProduct, bFile, file } = row;
  const texts = { company, customerName, entryName, projectAmount, tenderTime, content, parameters };
  return { ...texts, trade, licensing, product, bProduct, bFile, file };
};

const plainEvent = { by: null, valid: null, ps: null };

export function toReportWithHistory(
  row: ReportRow,
  events: readonly ReportEvent[],
  zone: string,
): Omit<z.input<typeof reportWithHistory>, "receipt"> {
  const submitted = { ...plainEvent, time: formatDateTime(row.createdAt, zone), what: "submitted" as const };
  const later = events.map(({ at, what, userName, name, verdict, ps, changes }) => ({
    time: formatDateTime(at, zone),
    what,
    by: userName === null ? null : { userName, name: name ?? "" },
    valid: verdict,
    ps,
    ...(changes && { changes }),
  }));
  return { ...toReviewedReport(row, zone), events: [submitted, ...later] };
}

/** The submitter sees neither the administrators' names nor the events of sent messages. */
export function toReceipt(
  row: ReportRow,
  events: readonly ReportEvent[],
  zone: string,
): z.input<typeof receiptOfReport> {
  const { entryName, reportingTime, status, delStatus, valid, ps } = toReviewedReport(row, zone);
  const changes = events.flatMap(({ at, what, verdict, ps: remark }) => {
    if (what === "messageSent" || what === "messageRefused") return [];
    const isReturned = verdict === verdicts.returned;
    const change = { what: isReturned ? ("returned" as const) : what, time: formatDateTime(at, zone) };
    return [isReturned && remark !== null ? { ...change, ps: remark } : change];
  });
  const submitted = { what: "submitted" as const, time: reportingTime };
  return { entryName, reportingTime, status, delStatus, valid, ps, changes: [submitted, ...changes] };
}

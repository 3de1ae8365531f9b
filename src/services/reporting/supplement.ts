import type * as z from "zod";
import { explain, found } from "#platform/contract/problem.ts";
import { parseDateTime } from "#platform/contract/times.ts";
import { type Db, Within } from "#platform/database/index.ts";
import { referenceUploads } from "#platform/files/upload.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { type FieldChange, noteDeed } from "./history-store.ts";
import type { Receipts } from "./receipts.ts";
import type { supplement } from "./report-contract.ts";
import { listUploadNames, service, toHolder, verdicts } from "./rules.ts";
import { findReport, lockReport, type ReportRow, supplementReport } from "./store.ts";
import { toSupplemented } from "./wire-rows.ts";

export function supplementHandlers({ settings }: Platform, receipts: () => Receipts) {
  const zone = settings.TIME_ZONE;
  const getReturned = async (db: Db, receipt: string): Promise<ReportRow> => {
    const id = receipts().read(receipt);
    const report = found(id === undefined ? undefined : await findReport(db, id, Within.everywhere));
    if (report.verdict !== verdicts.returned || report.closed || report.deleted)
      throw explain("notAllowedNow", "该报备不在待补充状态", "the report is not awaiting a supplement");
    return report;
  };
  return {
    readSupplement: async ({ db, params }) => toSupplemented(await getReturned(db, params.receipt), zone),

    supplementReport: async ({ db, params, body }) => {
      // The row lock makes the second of two concurrent calls wait. The second call then finds that the report is no
      // longer returned.
      const id = receipts().read(params.receipt);
      if (id !== undefined) await lockReport(db, id, Within.everywhere);
      const report = await getReturned(db, params.receipt);
      const changes = listChanges(toSupplemented(report, zone), body);
      if (changes.length === 0) throw explain("badFormat", "没有要修改的内容", "the request changes nothing");
      const { tenderTime, ...given } = body;
      const time = tenderTime === undefined ? undefined : parseDateTime(tenderTime, zone);
      await supplementReport(db, report.id, { ...given, tenderTime: time });
      await noteDeed(db, [report.id], { what: "supplemented", changes });
      const names = listUploadNames({ bFile: body.bFile ?? report.bFile, file: body.file ?? report.file });
      await referenceUploads(db, { service, record: toHolder(report.id) }, names);
      return "1";
    },
  } satisfies Partial<Handlers<typeof endpoints>>;
}

type Supplement = z.output<typeof supplement>;

const toText = (value: string | readonly string[] | null): string =>
  typeof value === "string" ? value : (value ?? []).join("; ");

const listChanges = (before: ReturnType<typeof toSupplemented>, body: Supplement): FieldChange[] =>
  (Object.keys(before) as (keyof Supplement)[])
    .filter((field) => body[field] !== undefined)
    .map((field) => ({ field, before: toText(before[field]), after: toText(body[field] ?? null) }))
    .filter(({ before: was, after }) => was !== after);

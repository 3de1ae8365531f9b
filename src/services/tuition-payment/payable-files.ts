import { Readable } from "node:stream";
import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { toWorkbookLimits } from "#platform/workbooks/limits.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import type { endpoints } from "./contract.ts";
import { importPayables } from "./import.ts";
import { toFilter } from "./payable-filter.ts";
import { exportPayables, writeImportTemplate } from "./workbooks.ts";

const service = "tuition-payment";

type Endpoints = Pick<typeof endpoints, "importPayables" | "readImportTemplate" | "exportPayables">;

/** The handlers of payables that come and go as workbooks. */
export const payableFileHandlers = (platform: Platform, turns: Turns): Handlers<Endpoints> => ({
  importPayables: { withoutTransaction: (call) => importWorkbook(platform, turns, call) },

  readImportTemplate: async () => ({
    headers: workbookHeaders("payables-template"),
    stream: Readable.from([await writeImportTemplate()]),
  }),

  exportPayables: (call) => exportWorkbook(platform, call),
});

async function importWorkbook(
  { pool, settings, arrivals }: Platform,
  turns: Turns,
  { file, fields, transact, audit, language }: Call<Endpoints["importPayables"]>,
): Promise<string> {
  const { dryRun = false, replace = false } = fields;
  const write = (work: (tx: Db) => Promise<number>) =>
    transact(async (tx) => {
      const rows = await work(tx);
      audit.detail = { rows, dryRun, replace };
      return String(rows);
    });
  const begin = () => arrivals.begin(service);
  const order = {
    path: file.path,
    limits: toWorkbookLimits(settings),
    language,
    begin,
    keys: pool.keys,
    dryRun,
    replace,
  };
  return turns.take(() => importPayables(write, order));
}

async function exportWorkbook(
  { pool, settings, clock }: Platform,
  { db, query, caller, address, language }: Call<Endpoints["exportPayables"]>,
): Promise<StreamedAnswer> {
  const day = formatDateTime(new Date(clock()), settings.TIME_ZONE).slice(0, 10);
  return {
    headers: workbookHeaders(`payables-${day}`),
    open: async () => {
      await writeAudit(db, { service, ...byCaller(caller), action: "exportPayables", outcome: "done", address });
      return exportPayables(pool, toFilter(query), language);
    },
  };
}

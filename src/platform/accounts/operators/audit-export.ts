import { Readable } from "node:stream";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import type { Pool } from "#platform/database/index.ts";
import { workbookHeaders, writeWorkbook } from "#platform/workbooks/index.ts";
import { type AuditFilter, streamAuditLines } from "./audit-store.ts";
import type { AuditRecord } from "./contract.ts";
import { toAuditRecord } from "./records.ts";

// The audit log as a file, in constant memory: the cursor is freed when the last line is out, or the client has gone.

const batchRows = 500;

interface ExportColumn extends Bilingual {
  readonly width: number;
  readonly value: (line: AuditRecord) => string | number | null;
}

const column = (zh: string, en: string, width: number, value: ExportColumn["value"]): ExportColumn => ({
  zh,
  en,
  width,
  value,
});

const columns: readonly ExportColumn[] = [
  column("编号", "Id", 10, ({ id }) => id),
  column("时间", "Time", 20, ({ time }) => time),
  column("服务", "Service", 18, ({ service }) => service),
  column("用户名", "User name", 18, ({ userName }) => userName),
  column("姓名", "Name", 14, ({ name }) => name),
  column("操作", "Operation", 24, ({ action }) => action),
  column("结果", "Result", 10, ({ outcome }) => outcome),
  column("记录", "Records", 20, ({ records }) => records.join(", ")),
  column("变更", "Changes", 60, ({ changes }) => changes.map(describeChange).join("\n")),
  column("变更记录数", "Records changed", 12, ({ changedRecords }) => changedRecords),
  column("说明", "Detail", 40, ({ detail }) => (detail === null ? null : JSON.stringify(detail))),
  column("地址", "Address", 18, ({ address }) => address),
];

const describeChange = ({ what, record, fields }: AuditRecord["changes"][number]): string =>
  `${what} ${record}: ${fields.map(({ field, before, after }) => `${field} ${before ?? "–"} → ${after ?? "–"}`).join("; ")}`;

export interface AuditExport {
  readonly filter: AuditFilter;
  readonly format: "xlsx" | "jsonl";
  readonly language: Language;
  readonly zone: string;
}

/** @param name of the file, without its ending */
export const auditHeaders = ({ format }: Pick<AuditExport, "format">, name: string): StreamedAnswer["headers"] =>
  format === "xlsx"
    ? workbookHeaders(name)
    : {
        // Not "application/json…", which callers take for an envelope.
        "content-type": "application/x-ndjson; charset=utf-8",
        "content-disposition": `attachment; filename="${name}.jsonl"`,
      };

/** The lines that pass the filter, newest first. */
export function exportAudit(pool: Pool, { filter, format, language, zone }: AuditExport): Readable {
  const records = toRecords(streamAuditLines(pool, filter, batchRows), zone);
  if (format === "jsonl") return Readable.from(toJsonLines(records));
  return writeWorkbook({
    sheetName: language === "zh" ? "审计日志" : "Audit log",
    columns: columns.map(({ width, ...heading }) => ({ header: heading[language], width })),
    rows: toCells(records),
  });
}

type Batches<T> = AsyncGenerator<T[]>;

async function* toRecords(batches: ReturnType<typeof streamAuditLines>, zone: string): Batches<AuditRecord> {
  for await (const batch of batches) yield batch.map((line) => toAuditRecord(line, zone));
}

async function* toCells(batches: Batches<AuditRecord>): Batches<ReturnType<ExportColumn["value"]>[]> {
  for await (const batch of batches) yield batch.map((line) => columns.map(({ value }) => value(line)));
}

async function* toJsonLines(batches: Batches<AuditRecord>): AsyncGenerator<Buffer> {
  for await (const batch of batches) yield Buffer.from(batch.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

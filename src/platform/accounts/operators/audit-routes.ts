import { Readable } from "node:stream";
import { auditSink, byCaller, writeAudit } from "#platform/accounts/audit.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime, parseDateTime } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders, writeWorkbook } from "#platform/workbooks/index.ts";
import { type AuditFilter, type AuditLine, isAuditProtected, listAuditLines, streamAuditLines } from "./audit-store.ts";
import type { AuditFilterQuery, AuditRecord, PlatformEndpoints } from "./contract.ts";

export const auditHandlers = ({ pool, settings: { TIME_ZONE: zone }, clock }: Platform) =>
  ({
    listAudit: async ({ db, query, caller }) => {
      const { rows, totalCount } = await listAuditLines(db, toFilter(query, caller, zone), toRange(query));
      const list = rows.map((line) => toAuditRecord(line, zone));
      return toPage(list, totalCount, query);
    },

    exportAudit: async ({ db, query, caller, address, language }) => {
      const name = `audit-${formatDateTime(new Date(clock()), zone).slice(0, 10)}`;
      const isText = query.format === "jsonl";
      return {
        headers: isText
          ? {
              // The type is not "application/json…", because clients would parse such a response as an envelope.
              "content-type": "application/x-ndjson; charset=utf-8",
              "content-disposition": `attachment; filename="${name}.jsonl"`,
            }
          : workbookHeaders(name),
        open: async () => {
          const asked = Object.entries(query).flatMap(([field, value]) =>
            value === undefined ? [] : [[field, value]],
          );
          const line = { service: "platform", ...byCaller(caller), action: "exportAudit", address } as const;
          // The entry about this export is written before the entries are read, so that the exported file includes it.
          await writeAudit(db, { ...line, outcome: "done", detail: Object.fromEntries(asked) });
          const lines = streamAuditLines(pool, toFilter(query, caller, zone), batchRows);
          async function* write<T>(toChunk: (records: AuditRecord[]) => T) {
            for await (const batch of lines) yield toChunk(batch.map((one) => toAuditRecord(one, zone)));
          }
          if (isText)
            return Readable.from(
              write((records) => Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""))),
            );
          return writeWorkbook({
            sheetName: language === "zh" ? "审计日志" : "Audit log",
            columns: columns.map(([zh, en, width]) => ({ header: language === "zh" ? zh : en, width })),
            rows: write((records) => records.map((record) => columns.map(([, , , value]) => value(record)))),
          });
        },
      };
    },
  }) satisfies Partial<Handlers<PlatformEndpoints>>;

function toFilter(
  { what, startTime, endTime, ...filter }: AuditFilterQuery,
  { services }: Caller,
  zone: string,
): AuditFilter {
  const span = {
    start: startTime === undefined ? undefined : parseDateTime(startTime, zone),
    end: endTime === undefined ? undefined : new Date(parseDateTime(endTime, zone).getTime() + 1000),
  };
  return { ...filter, services, kinds: what?.split(","), span };
}

const batchRows = 500;

type Cell = (line: AuditRecord) => string | number | null;

const columns: readonly (readonly [zh: string, en: string, width: number, value: Cell])[] = [
  ["编号", "Id", 10, ({ id }) => id],
  ["时间", "Time", 20, ({ time }) => time],
  ["服务", "Service", 18, ({ service }) => service],
  ["用户名", "User name", 18, ({ userName }) => userName],
  ["姓名", "Name", 14, ({ name }) => name],
  ["操作", "Operation", 24, ({ action }) => action],
  ["结果", "Result", 10, ({ outcome }) => outcome],
  ["记录", "Records", 20, ({ records }) => records.join(", ")],
  ["变更", "Changes", 60, ({ changes }) => changes.map(describeChange).join("\n")],
  ["变更记录数", "Records changed", 12, ({ changedRecords }) => changedRecords],
  ["说明", "Detail", 40, ({ detail }) => (detail === null ? null : JSON.stringify(detail))],
  ["地址", "Address", 18, ({ address }) => address],
];

function describeChange({ what, record, fields }: AuditRecord["changes"][number]): string {
  const told = fields.map(({ field, before, after }) => `${field} ${before ?? "–"} → ${after ?? "–"}`);
  return `${what} ${record}: ${told.join("; ")}`;
}

/**
 * Reports whether the server's role can only add and read entries, whether entries are also sent to the destination in
 * AUDIT_LOG, and how many are unsent or lost.
 */
export const readAuditHealth = ({ pool }: Platform): Promise<Part> =>
  readPart("audit", { zh: "审计日志", en: "Audit log" }, async () => {
    const { waiting, lost } = auditSink?.readFigures() ?? { waiting: null, lost: null };
    return { protected: await isAuditProtected(pool), leaves: auditSink !== undefined, unsent: waiting, lost };
  });

const toAuditRecord = ({ at, id, changes, ...line }: AuditLine, zone: string): AuditRecord => ({
  id,
  time: formatDateTime(at, zone),
  ...line,
  changedRecords: changes?.rows ?? 0,
  changes: (changes?.of ?? []).map(({ table, record, fields }) => ({
    what: toCamelCase(table.slice(table.indexOf(".") + 1)),
    record: record ?? "",
    fields: fields.map(({ field, before, after }) => ({
      field: toCamelCase(field),
      before: toPlainValue(before, zone),
      after: toPlainValue(after, zone),
    })),
  })),
});

const toCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?[+-]\d{2}:\d{2}$/;

function toPlainValue(value: unknown, zone: string): string | number | boolean | null {
  if (typeof value === "string") return instantPattern.test(value) ? formatDateTime(new Date(value), zone) : value;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return JSON.stringify(value);
}

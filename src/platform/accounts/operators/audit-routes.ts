import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import type { StreamedAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime, parseDateTime } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { auditHeaders, exportAudit } from "./audit-export.ts";
import { type AuditFilter, listAuditLines } from "./audit-store.ts";
import type { AuditFilterQuery, AuditQuery, PlatformEndpoints } from "./contract.ts";
import { toAuditRecord } from "./records.ts";

/** The handlers of whoever reads the audit log. */
export function auditHandlers({
  pool,
  settings,
  clock,
}: Platform): Pick<Handlers<PlatformEndpoints>, "listAudit" | "exportAudit"> {
  const zone = settings.TIME_ZONE;
  return {
    listAudit: async ({ db, query }) => {
      const { descending: newestFirst, ...range } = toRange(query);
      const { rows, totalCount } = await listAuditLines(db, toFilter(query, zone), { newestFirst, ...range });
      return toPage(
        rows.map((line) => toAuditRecord(line, zone)),
        totalCount,
        query,
      );
    },

    exportAudit: async ({ db, query, caller, address, language }): Promise<StreamedAnswer> => ({
      headers: auditHeaders(query, `audit-${formatDateTime(new Date(clock()), zone).slice(0, 10)}`),
      open: async () => {
        const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
        // The line says what was asked for, and is itself the newest of the file.
        await writeAudit(db, {
          service: "platform",
          ...byCaller(caller),
          action: "exportAudit",
          outcome: "done",
          detail: Object.fromEntries(asked),
          address,
        });
        return exportAudit(pool, { filter: toFilter(query, zone), format: query.format, language, zone });
      },
    }),
  };
}

/** The second of the end belongs to the span. */
function toFilter(
  { service, userName, action, outcome, record, what, startTime, endTime }: AuditFilterQuery | AuditQuery,
  zone: string,
): AuditFilter {
  const span = {
    start: startTime === undefined ? undefined : parseDateTime(startTime, zone),
    end: endTime === undefined ? undefined : new Date(parseDateTime(endTime, zone).getTime() + 1000),
  };
  return { service, userName, action, outcome, record, kinds: what?.split(","), span };
}

import type { reporting } from "#shared/api/reporting.ts";
import type { Tone } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";

export type Report = RecordOf<typeof reporting.listReports>;

export const verdictTones: Readonly<Record<Report["valid"], Tone>> = { 0: "default", 1: "success", 2: "error" };

/** Only a normal report in progress can be closed, and only a normal one judged or deleted; the server's own rules. */
export const mayClose = ({ delStatus, status }: Report): boolean => delStatus === 1 && status === 1;
export const mayChange = ({ delStatus }: Report): boolean => delStatus === 1;

/** The export has one status for what the list has two for: 0 deleted, 1 in progress, 2 closed. */
export function toExportQuery({ delStatus, status, ...rest }: Readonly<Record<string, string>>): object {
  if (delStatus === "0") return { ...rest, status: 0 };
  return status === undefined ? rest : { ...rest, status: status === "1" ? 1 : 2 };
}

import type * as z from "zod";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { toErrors } from "#platform/workbooks/import-problems.ts";
import type { RosterEmployee } from "#services/attendance/analysis/roster-store.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import type { ImportRow } from "#services/attendance/import/import-store.ts";
import type { Promised } from "#services/attendance/import/recognise.ts";
import type { MonthState, MonthSummary } from "#services/attendance/month-store.ts";
import type {
  analysisStatus,
  importRecord,
  monthRecord,
  recognition,
  rosterEmployee,
  versionRecord,
} from "#services/attendance/record-contract.ts";
import type { VersionRow } from "./version-store.ts";

/** Warnings, one a line. */
export const toWaring = (warnings: readonly Bilingual[], language: Language): string =>
  warnings.map((warning) => warning[language]).join("\n");

const toTime = (instant: Date | null, zone: string): string | null => instant && formatDateTime(instant, zone);

export const toImport = (row: ImportRow, zone: string, language: Language): z.input<typeof importRecord> => ({
  id: row.id,
  sheet: row.sheet,
  fileName: row.fileName,
  month: row.month,
  phase: row.phase,
  bytesRead: row.bytesRead,
  bytesTotal: row.bytesTotal,
  rows: row.rows,
  startTime: formatDateTime(row.startedAt, zone),
  endTime: toTime(row.endedAt, zone),
  outcome: row.outcome,
  waring: toWaring(row.warnings, language),
  errors: toErrors(row.errors, language),
  covered: toCovered(row.spans),
});

export const toPromised = ({ sheet, months, days }: Promised): z.input<typeof recognition>["imports"][number] => ({
  sheet,
  months: [...months],
  days: days && { from: days.start, to: days.end },
});

export const toMonth = (
  row: MonthSummary,
  version: VersionRow | undefined,
  zone: string,
): z.input<typeof monthRecord> => ({
  month: row.month,
  employees: row.employees,
  punches: row.punches,
  identities: row.identities,
  importTime: toTime(row.importedAt, zone),
  statu: row.statu,
  analyseTime: toTime(row.analysedAt, zone),
  covered: toCovered(row.spans),
  locked: toLocked(version, zone),
});

/** What a month that is locked says of it; null for an open one. */
export const toLocked = (
  version: VersionRow | undefined,
  zone: string,
): NonNullable<z.input<typeof monthRecord>["locked"]> | null =>
  version
    ? {
        version: version.id,
        number: version.number,
        note: version.note,
        lockTime: formatDateTime(version.lockedAt, zone),
        lockedBy: version.lockedBy,
      }
    : null;

export const toVersion = (row: VersionRow, zone: string, language: Language): z.input<typeof versionRecord> => ({
  id: row.id,
  month: row.month,
  number: row.number,
  note: row.note,
  employees: row.employees,
  covered: [...row.covered],
  waring: toWaring(row.warnings, language),
  lockTime: formatDateTime(row.lockedAt, zone),
  lockedBy: row.lockedBy,
  unlockTime: toTime(row.unlockedAt, zone),
  unlockedBy: row.unlockedBy,
  reason: row.reason,
});

export const toEmployee = ({
  name,
  userId,
  workNumber,
  group,
  department,
}: RosterEmployee): z.input<typeof rosterEmployee> => ({
  workName: name,
  userId,
  workNum: workNumber,
  groupOfCheck: group,
  department,
});

export const toStatus = (
  month: string,
  state: MonthState | undefined,
  done: number,
): z.input<typeof analysisStatus> => ({
  month,
  statu: state?.statu ?? 0,
  total: state?.total ?? 0,
  done,
});

const shownDigits = { first: 4, last: 2 } as const;

/** An identity card of which only the region and the end are left to see. */
const maskIdCard = (idCard: string): string =>
  idCard.length <= shownDigits.first + shownDigits.last
    ? "*".repeat(idCard.length)
    : idCard.slice(0, shownDigits.first) +
      "*".repeat(idCard.length - shownDigits.first - shownDigits.last) +
      idCard.slice(-shownDigits.last);

/** Summary rows as JSON texts, for those who called without a token. */
export async function* maskIdCards(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string[]> {
  for await (const batch of batches) {
    yield batch.map((text) => {
      const row = JSON.parse(text) as { idCard: string };
      return JSON.stringify({ ...row, idCard: maskIdCard(row.idCard) });
    });
  }
}

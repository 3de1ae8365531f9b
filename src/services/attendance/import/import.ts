import type { Bilingual, Language } from "#platform/contract/language.ts";
import { toLoggable } from "#platform/contract/loggable.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import { type Db, inTransaction, longLimits, type Session, setLimits, usualLimits } from "#platform/database/index.ts";
import type { ArrivedFile } from "#platform/files/arrivals.ts";
import { addJob } from "#platform/jobs/runner.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import {
  FaultyRows,
  type RowFault,
  someRowsAreFaulty,
  toImportProblem as toPlainProblem,
} from "#platform/workbooks/import-problems.ts";
import { describeFileFault, SpreadsheetError, toWorkbookLimits } from "#platform/workbooks/spreadsheet-error.ts";
import { findSettings } from "#services/attendance/analysis/settings-store.ts";
import type { ImportSheet } from "#services/attendance/record-contract.ts";
import { dayOfInstant, monthOf, type Period, writeDay } from "#services/attendance/days.ts";
import type { Day } from "#services/attendance/model.ts";
import { findLatestMonth, findMonth, refuseLocked } from "#services/attendance/month-store.ts";
import type { AttendancePlatform } from "#services/attendance/settings.ts";
import { needsMonth } from "#services/attendance/workbook/advice.ts";
import { type Copied, copyWorkbook } from "./copy-workbook.ts";
import {
  failImport,
  finishImport,
  type ImportFindings,
  type ImportProgress,
  insertImport,
  insertPeople,
  releaseMonths,
  reserveMonth,
  saveProgress,
} from "./import-store.ts";
import { countMarks } from "./marks-store.ts";
import { chooseCoveredDays, swapMonth, type Swapped } from "./swap-month.ts";
import { addUpStrange, listImportWarnings, listKeywords, warnOfAddresses } from "./told.ts";

export const sweepTask = "attendance-sweep";

const progressMs = 500;
// Readers of the old rows are at them for a moment longer.
const sweepDelayMs = 10_000;

interface ImportOrder {
  readonly sheet: ImportSheet;
  readonly file: ArrivedFile;
  /** yyyy-MM, for sheets that do not say it themselves. */
  readonly month: string | undefined;
  /** A sheet without any row in the month is meant: its days have none then. */
  readonly allowEmpty: boolean;
  /** A sheet without a title covers the whole month. */
  readonly whole: boolean;
  /** Runs the swap of the month as the write that it is, with its audit line. */
  readonly transact: (month: string, work: (tx: Db) => Promise<string>) => Promise<string>;
}

/**
 * Reads the file, copies its rows in and makes them the month's. All or nothing: until the last step the month is what
 * it was. Goes on whether or not the client still listens; how far it is can be read meanwhile.
 * @throws {Problem} importFailed with the rows at fault; badFile, also without any row in the month; fileTooLarge;
 * badFormat where the month is missing; notAllowedNow where it is locked.
 */
export async function importWorkbook(platform: AttendancePlatform, turns: Turns, order: ImportOrder) {
  const { pool } = platform;
  const { sheet, file, month = null } = order;
  const fileName = toStorable(file.originalName, 255);
  const id = await insertImport(pool, { sheet, fileName, bytesTotal: file.bytes, month });
  const progress: ImportProgress = { phase: "waiting", month, bytesRead: 0, rows: 0 };
  const lost = new AbortController();
  const stopTelling = tellProgress(platform, id, progress, () => lost.abort(rowsRemoved()));
  try {
    return await turns.take(async () => {
      const connection = await pool.reserve();
      try {
        await setLimits(connection, longLimits, "connection");
        return await runImport({ platform, order, id, progress, connection }, lost.signal);
      } finally {
        await releaseMonths(connection).catch(() => undefined);
        await setLimits(connection, usualLimits, "connection").catch(() => undefined);
        connection.release();
      }
    });
  } catch (error) {
    await stopTelling();
    const { reason, faults } = describeFailure(error);
    await failImport(pool, id, reason, faults);
    await inTransaction(pool, (tx) => addJob(tx, sweepTask, {}, { key: sweepTask }));
    throw error;
  } finally {
    await stopTelling();
  }
}

// Whoever could not say for long enough that it runs counts as dead, and its rows go.
const rowsRemoved = () =>
  explain("importFailed", "导入中断过久，请重新上传", "the import stood still for too long, send it again");

/** Writes how far the import is, twice a second, never two at a time; returns how to stop. */
function tellProgress(
  { pool, log }: AttendancePlatform,
  id: number,
  progress: ImportProgress,
  onLost: () => void,
): () => Promise<void> {
  let saving: Promise<void> | undefined;
  const save = () => {
    saving ??= saveProgress(pool, id, progress)
      .then((isKept) => (isKept ? undefined : onLost()))
      .catch((error: unknown) => log.warn(toLoggable(error), "the progress of an import could not be written"))
      .finally(() => (saving = undefined));
  };
  const timer = setInterval(save, progressMs);
  return async () => {
    clearInterval(timer);
    await saving;
  };
}

interface Run {
  readonly platform: AttendancePlatform;
  readonly order: ImportOrder;
  readonly id: number;
  readonly progress: ImportProgress;
  readonly connection: Session;
}

/** @param signal aborts when the rows of the import have been removed */
async function runImport(run: Run, signal: AbortSignal) {
  const { platform, order, id, progress, connection } = run;
  progress.phase = "reading";
  const { ATTENDANCE_PERIOD_START: periodStart, TIME_ZONE: zone } = platform.settings;
  const copied = await copyWorkbook(connection, {
    importId: id,
    sheet: order.sheet,
    path: order.file.path,
    month: order.month,
    periodStart,
    limits: toWorkbookLimits(platform.settings),
    signal,
    onProgress: ({ bytesRead, rows }) => Object.assign(progress, { bytesRead, rows }),
    onMonth: async (month) => {
      progress.month = month;
      await reserveMonth(connection, month);
      // Before a million rows are read in vain. A list of identity cards may be another by the time that it is unlocked.
      const state = order.sheet === "work" ? undefined : await findMonth(connection, month);
      if (state) refuseLocked(state);
    },
  });
  progress.phase = "storing";
  const today = dayOfInstant(platform.clock(), zone);
  const known = copied.month ?? order.month;
  if (known === undefined && order.sheet !== "work")
    throw explain(
      "badFormat",
      "month: 文件未说明月份，请填写 yyyy-MM",
      "month: the file does not say it, so it must be given as yyyy-MM",
    );
  // Identity cards belong to no month: they join the one that people are at.
  const month = known ?? (await findLatestMonth(platform.pool)) ?? monthOf(writeDay(today), periodStart);
  if (month !== copied.month) await reserveMonth(connection, month);
  return store(run, copied, { month, periodStart }, today);
}

async function store(run: Run, copied: Copied, period: Period, today: Day) {
  const { platform, order, id } = run;
  const { month } = period;
  const { covered, findings, present } = await findOut(run, copied, period);
  let swapped: Swapped = { spans: [], warnings: [] };
  await order.transact(month, async (tx) => {
    if (!(await finishImport(tx, id, month, findings))) throw rowsRemoved();
    swapped = await swapMonth(tx, { id, sheet: order.sheet, period, covered, present, today });
    await addJob(tx, sweepTask, {}, { key: sweepTask, runAt: new Date(platform.clock() + sweepDelayMs) });
    return String(copied.rows);
  });
  return { month, ...findings, warnings: [...findings.warnings, ...swapped.warnings], spans: swapped.spans };
}

/** What the rows say that are copied in; `present` is what there is to tell by the settings as they are. */
async function findOut({ platform: { pool }, order, id, connection }: Run, copied: Copied, period: Period) {
  const { sheet } = order;
  const covered = await chooseCoveredDays(connection, id, period, order, copied);
  // Both go through a million rows; one after the other they would take half as long again.
  const [people, marks] = await Promise.all([
    insertPeople(connection, id, sheet),
    sheet === "work" ? undefined : countMarks(pool, covered, listKeywords(await findSettings(pool))),
  ]);
  const unknownDays = copied.unknownDays?.list() ?? [];
  const lasting = await listImportWarnings(connection, { id, sheet, period }, covered, unknownDays, marks);
  const findings: ImportFindings = {
    rows: copied.rows,
    skipped: copied.skipped,
    warnings: [...copied.warnings, ...lasting],
    employees: sheet === "month" ? copied.employees : people,
    days: copied.sheets[sheet === "work" ? "identity" : sheet]?.title ?? covered[0],
    figures: copied.kinds.list(copied.units, copied.figures),
  };
  return { covered, findings, present: warnOfAddresses(addUpStrange(marks?.strange ?? [])) };
}

/** What an import failed of, to be kept beside it: in both languages, since nobody knows yet who reads it. */
export function describeFailure(error: unknown): { reason: Bilingual; faults: readonly RowFault[] } {
  if (error instanceof FaultyRows) return { reason: someRowsAreFaulty, faults: error.faults };
  if (error instanceof SpreadsheetError) return { reason: describeFault(error), faults: [] };
  if (error instanceof Problem && error.extras.detail) return { reason: error.extras.detail, faults: [] };
  return { reason: { zh: "系统未知异常", en: "Unknown system error" }, faults: [] };
}

const describeFault = (error: SpreadsheetError): Bilingual =>
  (needsMonth(error) ? error.details.advice : undefined) ?? describeFileFault(error);

/** The problem that the caller of an import is told; anything unforeseen as it is. */
export const toImportProblem = (error: unknown, language: Language): unknown =>
  error instanceof SpreadsheetError && needsMonth(error)
    ? new Problem("badFormat", { detail: describeFault(error) })
    : toPlainProblem(error, language);

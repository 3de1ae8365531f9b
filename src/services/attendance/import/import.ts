import { toLoggable } from "#platform/contract/loggable.ts";
import { explain } from "#platform/contract/problem.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import { type Db, inTransaction, longLimits, type Session, setLimits, usualLimits } from "#platform/database/index.ts";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";
import { addJob } from "#platform/jobs/runner.ts";
import type { Semaphore } from "#platform/jobs/semaphore.ts";
import { FaultyRows, maxFaults, type RowFault } from "#platform/workbooks/import-problems.ts";
import { toWorkbookLimits } from "#platform/workbooks/spreadsheet-error.ts";
import { findSettings } from "#services/attendance/analysis/settings-store.ts";
import type { ImportSheet } from "#services/attendance/record-contract.ts";
import { dayOfInstant, monthOf, type Period, writeDay } from "#services/attendance/days.ts";
import type { DatedSheet, Day } from "#services/attendance/model.ts";
import { findLatestMonth, findMonth, refuseLocked } from "#services/attendance/month-store.ts";
import type { AttendancePlatform } from "#services/attendance/settings.ts";
import { type Copied, copyWorkbook } from "./copy-workbook.ts";
import { describeFailure } from "./failures.ts";
import {
  countPeople,
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
import { addUpStrange, joinWarnings, listImportWarnings, listKeywords, warnOfAddresses } from "./warnings.ts";

export const sweepTask = "attendance-sweep";

const progressMs = 500;
// Old rows are deleted after this delay, since requests may still read them.
const sweepDelayMs = 10_000;

interface ImportOrder {
  readonly sheet: ImportSheet;
  readonly file: ReceivedFile;
  /**
   * yyyy-MM; only needed if the sheet does not state its month. If the title spans several months, only this month is
   * imported.
   */
  readonly month: string | undefined;
  /** Whether to accept a sheet without rows in the month, which empties the days that the sheet covers. */
  readonly allowEmpty: boolean;
  readonly whole: boolean;
  /** Runs `work` in a transaction that also writes the audit entry. */
  readonly transact: (months: readonly string[], work: (tx: Db) => Promise<string>) => Promise<string>;
}

/** The part of an import that belongs to one month. It has its own record and rows. */
interface Part {
  readonly id: number;
  readonly progress: ImportProgress;
}

/**
 * Imports the file into its month or, if its title spans several months and the request names none, into each of them.
 * All months change in the last step, in one transaction. The import continues even if the client disconnects.
 * @throws {Error} that `toImportProblem` turns into one of these problems: importFailed with the faulty rows; badFile,
 * also if the file has no rows in the month; fileTooLarge; badFormat if the month is unknown; notAllowedNow if a month
 * is locked
 */
export async function importWorkbook(platform: AttendancePlatform, turns: Semaphore, order: ImportOrder) {
  const { pool } = platform;
  const parts = [await beginPart(pool, order)];
  const lost = new AbortController();
  const stopTelling = tellProgress(platform, parts, () => lost.abort(rowsRemoved()));
  try {
    return await turns.run(async () => {
      const connection = await pool.reserve();
      try {
        await setLimits(connection, longLimits, "connection");
        return await runImport({ platform, order, parts, connection }, lost.signal);
      } finally {
        await releaseMonths(connection).catch(() => undefined);
        await setLimits(connection, usualLimits, "connection").catch(() => undefined);
        connection.release();
      }
    });
  } catch (error) {
    await stopTelling();
    const { reason, faults } = describeFailure(error);
    for (const { id } of parts) await failImport(pool, id, reason, faults);
    await inTransaction(pool, (tx) => addJob(tx, sweepTask, {}, { key: sweepTask }));
    throw error;
  } finally {
    await stopTelling();
  }
}

// Thrown if the import's rows were deleted because its heartbeat had stopped.
const rowsRemoved = () =>
  explain("importFailed", "导入中断过久，请重新上传", "the import was interrupted for too long; upload the file again");

async function beginPart(pool: Db, order: Pick<ImportOrder, "sheet" | "file" | "month">): Promise<Part> {
  const { sheet, file } = order;
  const month = order.month ?? null;
  const fileName = toStorable(file.originalName, 255);
  const id = await insertImport(pool, { sheet, fileName, bytesTotal: file.bytes, month });
  return { id, progress: { phase: "waiting", month, bytesRead: 0, rows: 0 } };
}

function tellProgress(
  { pool, log }: AttendancePlatform,
  parts: readonly Part[],
  onLost: () => void,
): () => Promise<void> {
  let saving: Promise<void> | undefined;
  const save = () => {
    saving ??= Promise.all(parts.map(({ id, progress }) => saveProgress(pool, id, progress)))
      .then((areKept) => (areKept.every(Boolean) ? undefined : onLost()))
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
  readonly parts: Part[];
  readonly connection: Session;
}

interface ReadPart extends Part {
  readonly copied: Copied;
  readonly period: Period;
}

async function runImport(run: Run, signal: AbortSignal) {
  const { platform, order, connection } = run;
  const { ATTENDANCE_PERIOD_START: periodStart, TIME_ZONE: zone } = platform.settings;
  const today = dayOfInstant(platform.clock(), zone);
  const parts: ReadPart[] = [];
  for (const { copied, part } of await readParts(run, signal)) {
    const known = copied.month ?? part.progress.month ?? undefined;
    if (known === undefined && order.sheet !== "work")
      throw explain(
        "badFormat",
        "month: 文件未说明月份，请填写 yyyy-MM",
        "month: the file does not state the month; specify it as yyyy-MM",
      );
    // Identity cards belong to no month. If the request names none, they are imported into the latest month.
    const month = known ?? (await findLatestMonth(platform.pool)) ?? monthOf(writeDay(today), periodStart);
    if (month !== copied.month) await reserveMonth(connection, month);
    parts.push({ ...part, copied, period: { month, periodStart } });
  }
  return store(run, parts, today);
}

async function readParts({ platform, order, parts, connection }: Run, signal: AbortSignal) {
  const read: { readonly part: Part; readonly copied: Copied }[] = [];
  const faults: RowFault[] = [];
  let months: readonly (string | undefined)[] = [order.month];
  for (let at = 0; at < months.length; at++) {
    const month = months[at];
    const part = parts[at] ?? (await beginPart(platform.pool, { ...order, month }));
    if (at === parts.length) parts.push(part);
    const { id, progress } = part;
    progress.phase = "reading";
    try {
      const copied = await copyWorkbook(connection, {
        importId: id,
        sheet: order.sheet,
        path: order.file.path,
        month,
        periodStart: platform.settings.ATTENDANCE_PERIOD_START,
        limits: toWorkbookLimits(platform.settings),
        signal,
        onProgress: ({ bytesRead, rows }) => Object.assign(progress, { bytesRead, rows }),
        onMonths: async (found) => {
          if (at > 0) return;
          [progress.month = null] = months = found;
          await reserve(connection, order.sheet, found);
        },
      });
      read.push({ part, copied });
    } catch (error) {
      if (!(error instanceof FaultyRows)) throw error;
      faults.push(...error.faults);
    }
    progress.phase = "storing";
  }
  if (faults.length > 0) throw new FaultyRows(mergeFaults(faults));
  return read;
}

/**
 * Reserves the months. A locked month is refused here, before a million rows are read in vain.
 * @throws {Problem} notAllowedNow if a month is locked
 */
async function reserve(connection: Session, sheet: ImportSheet, months: readonly string[]): Promise<void> {
  for (const month of months) {
    await reserveMonth(connection, month);
    // Identity cards may be imported into a locked month, since they do not affect it.
    const state = sheet === "work" ? undefined : await findMonth(connection, month);
    if (state) refuseLocked(state);
  }
}

/** A row without a day is a fault in every month's part, but is reported once. */
const mergeFaults = (faults: readonly RowFault[]): RowFault[] =>
  [...new Map(faults.map((fault) => [`${fault.row} ${fault.field}`, fault])).values()]
    .toSorted((left, right) => left.row - right.row)
    .slice(0, maxFaults);

async function store(run: Run, parts: readonly ReadPart[], today: Day) {
  const { platform, order, connection } = run;
  const found: (ReadPart & Awaited<ReturnType<typeof findOut>>)[] = [];
  for (const part of parts) found.push({ ...part, ...(await findOut(run, part)) });
  const rows = countRows(parts);
  const months = parts.map(({ period }) => period.month);
  let swapped: Swapped[] = [];
  await order.transact(months, async (tx) => {
    swapped = [];
    for (const { id, period, covered, findings, present } of found) {
      if (!(await finishImport(tx, id, period.month, findings))) throw rowsRemoved();
      const { standIns } = findings;
      swapped.push(await swapMonth(tx, { id, sheet: order.sheet, period, covered, standIns, present, today }));
    }
    await addJob(tx, sweepTask, {}, { key: sweepTask, runAt: new Date(platform.clock() + sweepDelayMs) });
    return String(rows.rows);
  });
  const ids = parts.map(({ id }) => id);
  const employees = found[0]?.findings.employees ?? 0;
  return {
    months,
    ...rows,
    employees: order.sheet === "original" && ids.length > 1 ? await countPeople(connection, ids) : employees,
    warnings: joinWarnings(
      found.map(({ period, findings }, at) => ({
        month: period.month,
        warnings: [...findings.warnings, ...(swapped[at]?.warnings ?? [])],
      })),
    ),
    spans: swapped.flatMap(({ spans }) => spans),
  };
}

/**
 * Counts rows over all parts. A row counts as skipped only if it belongs to none of the months, although each part has
 * also skipped the rows of the other parts.
 */
function countRows(parts: readonly ReadPart[]): { rows: number; skipped: number } {
  const [first, ...others] = parts.map(({ copied }) => copied);
  const later = others.reduce(
    (sum, { rows, sheets }) => sum + rows - (sheets.month?.from ? 0 : (sheets.month?.rows ?? 0)),
    0,
  );
  return { rows: (first?.rows ?? 0) + later, skipped: (first?.skipped ?? 0) - later };
}

async function findOut({ platform: { pool }, order, connection }: Run, { id, copied, period }: ReadPart) {
  const { sheet } = order;
  const covered = await chooseCoveredDays(connection, id, period, order, copied);
  // Each of these two functions scans a million rows. Running one after the other would take 50 % longer.
  const [people, marks] = await Promise.all([
    insertPeople(connection, id, sheet),
    sheet === "work" ? undefined : countMarks(pool, covered, listKeywords(await findSettings(pool))),
  ]);
  const unknownDays = copied.unknownDays?.list() ?? [];
  const lasting = await listImportWarnings(connection, { id, sheet, period }, covered, unknownDays, marks);
  const main = copied.sheets[sheet === "work" ? "identity" : sheet];
  // Figures that were added up from 每日统计 are those of the month's own rows.
  const title = main?.from === "daily" ? undefined : main?.title;
  const findings: ImportFindings = {
    rows: copied.rows,
    skipped: copied.skipped,
    warnings: [...copied.warnings, ...lasting],
    employees: sheet === "month" ? copied.employees : people,
    days: title ?? covered[0],
    figures: copied.kinds.list(copied, copied.figures),
    standIns: listStandIns(copied),
  };
  return { covered, findings, present: warnOfAddresses(addUpStrange(marks?.strange ?? [])) };
}

const listStandIns = ({ sheets }: Copied): DatedSheet[] =>
  (["month", "daily"] as const).filter((sheet) => sheets[sheet]?.from);

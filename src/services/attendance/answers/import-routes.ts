import type { Readable } from "node:stream";
import type * as z from "zod";
import type { FileAnswer } from "#platform/contract/endpoint.ts";
import { toPage } from "#platform/contract/envelope.ts";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { HeldFiles } from "#platform/files/held-files.ts";
import type { ArrivedFile } from "#platform/files/arrivals.ts";
import { openTurns, type Turns } from "#platform/jobs/turns.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { toErrors } from "#platform/workbooks/import-problems.ts";
import { type Cell, type SpreadsheetLimits, workbookHeaders, writeWorkbook } from "#platform/workbooks/index.ts";
import { toWorkbookLimits } from "#platform/workbooks/limits.ts";
import { titleRow } from "#services/attendance/analysis/summary-row.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { toCovered } from "#services/attendance/days.ts";
import { wanted } from "#services/attendance/import/copy-workbook.ts";
import { findImport, type ImportRow, listImports } from "#services/attendance/import/import-store.ts";
import { importWorkbook, toImportProblem } from "#services/attendance/import/import.ts";
import { toTime, toWaring } from "#services/attendance/import/told.ts";
import {
  type importRecord,
  type ImportSheet,
  importSheets,
  type recognition,
} from "#services/attendance/record-contract.ts";
import { type DayRange, lookAtWorkbook } from "#services/attendance/workbook/index.ts";
import type { Prospect } from "#services/attendance/workbook/read-book.ts";

type Imports = Pick<
  Handlers<typeof endpoints>,
  | "importMonth"
  | "importOriginal"
  | "importWork"
  | "listImports"
  | "findImport"
  | "readMonthTemplate"
  | "readOriginalTemplate"
  | "readWorkTemplate"
>;

/** The handlers of the imports of a month, and of what they have come to. */
export function importHandlers(place: ImportPlace): Imports {
  const { platform } = place;
  const zone = platform.settings.TIME_ZONE;
  return {
    importMonth: { withoutTransaction: (call) => importSheet(place, call, "month") },
    importOriginal: { withoutTransaction: (call) => importSheet(place, call, "original") },
    importWork: { withoutTransaction: (call) => importSheet(place, call, "work") },

    listImports: async ({ db, query, language }) => {
      const { month, sheet } = query;
      const { rows, totalCount } = await listImports(db, { month, sheet, ...toRange(query) });
      return toPage(
        rows.map((row) => toImport(row, zone, language)),
        totalCount,
        query,
      );
    },

    findImport: async ({ db, params, language }) => {
      const row = await findImport(db, params.id);
      if (!row) throw new Problem("notFound");
      return toImport(row, zone, language);
    },

    readMonthTemplate: () => sendTemplate(platform, "month"),
    readOriginalTemplate: () => sendTemplate(platform, "original"),
    readWorkTemplate: () => sendTemplate(platform, "work"),
  };
}

async function sendTemplate({ settings, clock }: Platform, sheet: ImportSheet): Promise<FileAnswer> {
  const presentMonth = formatDateTime(new Date(clock()), settings.TIME_ZONE).slice(0, 7);
  return {
    headers: workbookHeaders(`${sheet}-template`),
    stream: writeSheetTemplate(sheet, presentMonth),
  };
}

/** Where imports take place: so many at once. */
interface ImportPlace {
  readonly platform: Platform;
  readonly turns: Turns;
}

interface ImportCall extends Pick<
  Call<(typeof endpoints)["importMonth"]>,
  "fields" | "language" | "transact" | "audit"
> {
  readonly file: ArrivedFile;
}

/** Imports a sheet, and tells what came of it. @throws {Problem} with the rows at fault. */
async function importSheet(
  { platform, turns }: ImportPlace,
  { file, fields, language, transact, audit }: ImportCall,
  sheet: ImportSheet,
) {
  try {
    const { month, employees, rows, skipped, warnings, spans } = await importWorkbook(platform, turns, {
      sheet,
      file,
      month: fields.month,
      allowEmpty: fields.allowEmpty ?? false,
      transact: (swapped, work) => {
        audit.records = [swapped];
        return transact(work);
      },
    });
    return { waring: toWaring(warnings, language), month, employees, rows, skipped, covered: toCovered(spans) };
  } catch (error) {
    throw toImportProblem(error, language);
  }
}

type Uploads = Pick<Handlers<typeof endpoints>, "recognise" | "importUpload">;

// A look takes a thread as an import does, though not for long: it is not to wait for one.
const mostLooksAtOnce = 2;

/** The handlers of workbooks that are looked at first, and held until a sheet of them is imported. */
export function uploadHandlers(place: ImportPlace, held: HeldFiles): Uploads {
  const limits = toWorkbookLimits(place.platform.settings);
  const looks = openTurns({ atOnce: mostLooksAtOnce });
  return {
    recognise: {
      withoutTransaction: async ({ file, caller, language }) => {
        try {
          const { imports, told } = await looks.take(() => recogniseWorkbook(file.path, limits));
          return {
            upload: imports.length > 0 ? held.hold(file, String(caller.accountId)) : "",
            imports: imports.map(toPromised),
            waring: toWaring(told, language),
          };
        } catch (error) {
          throw toImportProblem(error, language);
        }
      },
    },

    importUpload: {
      withoutTransaction: async (call) => {
        const { upload, sheet, ...fields } = call.body;
        const file = held.find(upload, String(call.caller.accountId));
        if (!file) throw fileIsGone();
        try {
          return await importSheet(place, { ...call, file, fields }, sheet);
        } finally {
          await file.end();
        }
      },
    },
  };
}

const fileIsGone = (): Problem =>
  explain(
    "notFound",
    "upload: 服务器没有或已不再保留此文件，请重新上传",
    "upload: the file is not, or no longer, kept here; send it again",
  );

/** An import that would find its sheet in the file. */
interface Promised {
  readonly sheet: ImportSheet;
  /** yyyy-MM: those that the title's days lie in. Of several the import must be told one; none is said by no title. */
  readonly months: readonly string[];
  /** The days of the title; null without one. */
  readonly days: DayRange | null;
}

interface Recognised {
  readonly imports: readonly Promised[];
  /** What stands in the way of the other imports; what the first would say where there is none. */
  readonly told: readonly Bilingual[];
}

/**
 * Which imports would take the file, in their own judgement, told by the beginnings of its sheets.
 * Errors: `SpreadsheetError` of a file that none would open.
 */
async function recogniseWorkbook(path: string, limits: Partial<SpreadsheetLimits>): Promise<Recognised> {
  const prospects = await lookAtWorkbook(
    path,
    importSheets.map((sheet) => wanted[sheet]),
    limits,
  );
  const imports = importSheets.flatMap((sheet, place) => promise(sheet, prospects[place]));
  const refusals = prospects.flatMap((prospect) => (prospect.is === "found" ? [] : [prospect]));
  const faults = refusals.filter(({ is }) => is === "faulty");
  const [first] = refusals;
  const told = faults.length === 0 && imports.length === 0 && first ? [first] : faults;
  return { imports, told: told.map(({ says }) => says) };
}

function promise(sheet: ImportSheet, prospect: Prospect | undefined): Promised[] {
  if (prospect?.is !== "found") return [];
  const { range, month } = prospect;
  return [{ sheet, days: range, months: month === null ? listMonths(range) : [month] }];
}

function listMonths(range: DayRange | null): string[] {
  if (range === null) return [];
  const months: string[] = [];
  const last = toMonthNumber(range.end);
  for (let month = toMonthNumber(range.start); month <= last; month++)
    months.push(`${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`);
  return months;
}

/** Months since the year 0. */
const toMonthNumber = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

const toImport = (row: ImportRow, zone: string, language: Language): z.input<typeof importRecord> => ({
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

const toPromised = ({ sheet, months, days }: Promised): z.input<typeof recognition>["imports"][number] => ({
  sheet,
  months: [...months],
  days: days && { from: days.start, to: days.end },
});

const person = ["姓名", "考勤组", "部门", "工号", "UserId"];
/** The figures that 月度汇总 has in every company; leave types differ. */
export const commonFigures = [
  "出勤天数",
  "休息天数",
  "工作时长",
  "迟到次数",
  "迟到时长",
  "严重迟到次数",
  "严重迟到时长",
  "旷工迟到天数",
  "早退次数",
  "早退时长",
  "上班缺卡次数",
  "下班缺卡次数",
  "旷工天数",
];
const figures = [...commonFigures, "出差", "外出", "事假", "病假", "丧假", "产假", "陪产假", "婚假"];
const punches = [...person, "考勤日期", "考勤时间", "打卡时间", "打卡结果", "打卡地址"];
const identities = ["姓名", "工号", "UserId", "身份证号"];

/** The workbook that people fill in and send back, for those who have no export of the attendance platform. */
function writeSheetTemplate(sheet: ImportSheet, month: string): Readable {
  if (sheet === "work") return write("员工信息", identities, []);
  if (sheet === "original") return write("原始记录", punches, []);
  const { id: _id, userId: _userId, workName: _workName, ...days } = titleRow(month);
  const labels = Object.values(days as Record<string, string>)
    .filter((weekday) => weekday !== "")
    .map((_, index) => String(index + 1));
  // The title says which days the columns are, so it stands above the headings, as in an export.
  const headings = [...person, ...figures, ...labels];
  const title = `月度汇总 统计日期：${month}-01 至 ${month}-${String(labels.length).padStart(2, "0")}`;
  return write("月度汇总", [title, ...headings.slice(1).map(() => "")], [headings]);
}

function write(sheetName: string, headings: readonly string[], rows: readonly (readonly Cell[])[]): Readable {
  return writeWorkbook({
    sheetName,
    columns: headings.map((header) => ({ header, width: 14, type: "text" as const })),
    rows: [rows],
  });
}

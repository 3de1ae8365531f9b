import type { Readable } from "node:stream";
import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";
import { explain, found } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import type { Db } from "#platform/database/index.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { HeldFiles } from "#services/attendance/import/held-files.ts";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";
import { openSemaphore, type Semaphore } from "#platform/jobs/semaphore.ts";
import { type Call, type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { toErrors } from "#platform/workbooks/import-problems.ts";
import { workbookHeaders, writeWorkbook } from "#platform/workbooks/index.ts";
import { toWorkbookLimits } from "#platform/workbooks/spreadsheet-error.ts";
import { listDayNames } from "#services/attendance/analysis/summary-row.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import {
  intersect,
  joinRuns,
  leaveOpen,
  monthOf,
  type Period,
  toCovered,
  toldSpansOf,
  toWireDays,
} from "#services/attendance/days.ts";
import { wanted } from "#services/attendance/import/copy-workbook.ts";
import { findImport, type ImportRow, listImports } from "#services/attendance/import/import-store.ts";
import { toImportProblem } from "#services/attendance/import/failures.ts";
import { importWorkbook } from "#services/attendance/import/import.ts";
import { toTime, toWaring } from "#services/attendance/import/warnings.ts";
import type { Span } from "#services/attendance/model.ts";
import { findMonth } from "#services/attendance/month-store.ts";
import {
  type importRecord,
  type ImportSheet,
  importSheets,
  type recognition,
} from "#services/attendance/record-contract.ts";
import type { AttendancePlatform } from "#services/attendance/settings.ts";
import { lookAtWorkbook } from "#services/attendance/workbook/index.ts";
import type { Prospect, TakenDays } from "#services/attendance/workbook/look-at-book.ts";
import { monthRange } from "#services/attendance/workbook/times.ts";

export function importHandlers(place: ImportPlace, held: HeldFiles) {
  const { settings, clock } = place.platform;
  const { TIME_ZONE: zone, ATTENDANCE_PERIOD_START: periodStart } = settings;
  const limits = toWorkbookLimits(settings);
  const looks = openSemaphore({ permits: mostLooksAtOnce });
  const importInto = (sheet: ImportSheet) => withoutTransaction((call: ImportCall) => importSheet(place, call, sheet));
  const sendTemplate = (sheet: ImportSheet) => async () => ({
    headers: workbookHeaders(`${sheet}-template`),
    stream: writeSheetTemplate(sheet, {
      month: monthOf(formatDateTime(new Date(clock()), zone).slice(0, 10), periodStart),
      periodStart,
    }),
  });
  return {
    importMonth: importInto("month"),
    importOriginal: importInto("original"),
    importWork: importInto("work"),

    recognise: withoutTransaction(async ({ file, fields, caller, language }) => {
      try {
        const prospects = await looks.run(() =>
          lookAtWorkbook({ path: file.path, wishes, periodStart, limits, ...toChoices(fields) }),
        );
        const { imports, told } = await recognise(place.platform.pool, prospects);
        const upload = imports.length > 0 ? held.hold(file, String(caller.accountId)) : "";
        return { upload, imports, waring: toWaring(told, language) };
      } catch (error) {
        throw toImportProblem(error, language);
      }
    }),

    importUpload: withoutTransaction(async (call) => {
      const { upload, sheet, ...fields } = call.body;
      const file = held.find(upload, String(call.caller.accountId));
      if (!file)
        throw explain(
          "notFound",
          "upload: 文件不存在或已删除，请重新上传",
          "upload: the file does not exist or has been deleted; upload it again",
        );
      try {
        return await importSheet(place, { ...call, file, fields }, sheet);
      } finally {
        await file.end();
      }
    }),

    listImports: async ({ db, query, language }) => {
      const { rows, totalCount } = await listImports(db, query, toRange(query));
      return toPage(
        rows.map((row) => toImport(row, zone, language)),
        totalCount,
        query,
      );
    },

    findImport: async ({ db, params, language }) => {
      return toImport(found(await findImport(db, params.id)), zone, language);
    },

    readMonthTemplate: sendTemplate("month"),
    readOriginalTemplate: sendTemplate("original"),
    readWorkTemplate: sendTemplate("work"),
  } satisfies Partial<Handlers<typeof endpoints>>;
}

// Previews have their own semaphore, so that they do not wait for imports.
const mostLooksAtOnce = 2;

interface ImportPlace {
  readonly platform: AttendancePlatform;
  readonly turns: Semaphore;
}

interface ImportCall extends Pick<
  Call<(typeof endpoints)["importMonth"]>,
  "fields" | "language" | "transact" | "audit"
> {
  readonly file: ReceivedFile;
}

/**
 * @throws {Problem} importFailed with the faulty rows, or the problem that `toImportProblem` returns for another error
 */
async function importSheet(
  { platform, turns }: ImportPlace,
  { file, fields, language, transact, audit }: ImportCall,
  sheet: ImportSheet,
) {
  try {
    const { months, employees, rows, skipped, warnings, spans } = await importWorkbook(platform, turns, {
      sheet,
      file,
      month: fields.month,
      allowEmpty: fields.allowEmpty ?? false,
      whole: fields.whole ?? false,
      transact: (swapped, work) => {
        audit.records = [...swapped];
        return transact(work);
      },
    });
    const month = months.at(-1) ?? "";
    return { waring: toWaring(warnings, language), month, employees, rows, skipped, months, covered: toCovered(spans) };
  } catch (error) {
    throw toImportProblem(error, language);
  }
}

const wishes = importSheets.map((sheet) => wanted[sheet]);
const toChoices = ({ month, whole = false, allowEmpty = false }: ImportCall["fields"]) => ({
  month: month ?? null,
  whole,
  allowEmpty,
});

async function recognise(db: Db, prospects: readonly Prospect[]) {
  const imports: z.input<typeof recognition>["imports"] = [];
  const found = prospects.flatMap((prospect) => (prospect.is === "found" ? prospect.takes : []));
  const spans = new Map<string, readonly Span[]>();
  for (const month of new Set(found.map(({ month }) => month)))
    spans.set(month, (await findMonth(db, month))?.spans ?? []);
  for (const [place, prospect] of prospects.entries()) {
    const sheet = importSheets[place];
    if (!sheet || prospect.is !== "found") continue;
    const { range, months, takes } = prospect;
    const days = range && { from: range.start, to: range.end };
    imports.push({
      sheet,
      months: [...months],
      days,
      takes: takes
        .filter((taken) => taken.sheet !== "month" || !taken.isStandIn)
        .flatMap((taken) => listTaken(spans.get(taken.month) ?? [], taken)),
    });
  }
  const refusals = prospects.flatMap((prospect) => (prospect.is === "found" ? [] : [prospect]));
  const faults = refusals.filter(({ is }) => is === "faulty");
  const told = faults.length === 0 && imports.length === 0 ? refusals.slice(0, 1) : faults;
  return { imports, told: told.map(({ says }) => says) };
}

/**
 * @returns the runs of days that the import would provide, each with the days of the same sheet that it would replace
 */
function listTaken(present: readonly Span[], { sheet, month, isStandIn, ...days }: TakenDays) {
  const all: Span = { sheet, importId: 0, ...days };
  return (isStandIn ? leaveOpen(present, all, [sheet]) : [all]).map((taken) => {
    const replaced = toldSpansOf(present, sheet).flatMap((span) => intersect(taken, span) ?? []);
    return { sheet, month, ...toWireDays(taken), replaces: joinRuns(replaced).map(toWireDays) };
  });
}

const toImport = (
  { startedAt, endedAt, outcome, warnings, errors, spans, ...row }: ImportRow,
  zone: string,
  language: Language,
): z.input<typeof importRecord> => ({
  ...row,
  startTime: formatDateTime(startedAt, zone),
  endTime: toTime(endedAt, zone),
  outcome,
  waring: toWaring(warnings, language),
  errors: toErrors(errors, language),
  covered: toCovered(spans),
});

const person = ["姓名", "考勤组", "部门", "工号", "UserId"];
/** Every company's 月度汇总 has these figures, while types of leave differ. */
export const commonFigures =
  "出勤天数 休息天数 工作时长 迟到次数 迟到时长 严重迟到次数 严重迟到时长 旷工迟到天数 早退次数 早退时长 上班缺卡次数 下班缺卡次数 旷工天数".split(
    " ",
  );
const figures = [...commonFigures, "出差", "外出", "事假", "病假", "丧假", "产假", "陪产假", "婚假"];
const punches = [...person, "考勤日期", "考勤时间", "打卡时间", "打卡结果", "打卡地址"];
const identities = ["姓名", "工号", "UserId", "身份证号"];

function writeSheetTemplate(sheet: ImportSheet, period: Period): Readable {
  const write = (sheetName: string, headings: readonly string[], rows: readonly string[][] = []): Readable => {
    const columns = headings.map((header) => ({ header, width: 14, type: "text" as const }));
    return writeWorkbook({ sheetName, columns, rows: [rows] });
  };
  if (sheet === "work") return write("员工信息", identities);
  if (sheet === "original") return write("原始记录", punches);
  const labels = listDayNames(period).map(({ number }) => String(number));
  const { start, end } = monthRange(period);
  const headings = [...person, ...figures, ...labels];
  const title = `月度汇总 统计日期：${start} 至 ${end}`;
  return write("月度汇总", [title, ...headings.slice(1).map(() => "")], [headings]);
}

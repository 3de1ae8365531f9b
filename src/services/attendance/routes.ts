import type { Db } from "#platform/database.ts";
import type { FileAnswer, StreamedAnswer } from "#platform/endpoint.ts";
import { toPage } from "#platform/envelope.ts";
import type { Call, Handlers } from "#platform/http/serve.ts";
import type { Platform } from "#platform/platform.ts";
import { explain, Problem } from "#platform/problem.ts";
import { isDescending } from "#platform/sorting.ts";
import { WORKBOOK_MIME } from "#platform/spreadsheet/index.ts";
import { formatDateTime } from "#platform/times.ts";
import type { Turns } from "#platform/turns.ts";
import { startAnalysis } from "./analyse.ts";
import { titleRow } from "./analysis.ts";
import { auditReading } from "./audit-reading.ts";
import type { endpoints, ImportSheet } from "./contract.ts";
import { exportMonth } from "./export.ts";
import { explainEmployee } from "./explain-employee.ts";
import { importWorkbook } from "./import.ts";
import { toImportProblem } from "./import-problems.ts";
import { findImport, listImports } from "./import-store.ts";
import { streamEnvelope } from "./json-answer.ts";
import type { AnalysisSettings } from "./model.ts";
import {
  countAnalysed,
  findLatestMonth,
  findMonth,
  findSettings,
  listMonths,
  type MonthState,
  saveSettings,
} from "./month-store.ts";
import { previewSettings } from "./preview.ts";
import {
  countResults,
  listAnalysisWarnings,
  type ResultFilter,
  streamComparison,
  streamResults,
} from "./result-store.ts";
import { writeSheetTemplate } from "./templates.ts";
import { listUnmatched } from "./unmatched.ts";
import { maskIdCards, toImport, toMonth, toStatus, toWaring } from "./wire-rows.ts";

type Endpoints = typeof endpoints;

/** What each operation of the contract does. */
export function attendanceHandlers(platform: Platform, turns: Turns): Handlers<Endpoints> {
  const { pool, settings, clock } = platform;
  const zone = settings.TIME_ZONE;
  const presentMonth = () => formatDateTime(new Date(clock()), zone).slice(0, 7);
  const chooseMonth = async (db: Db, month: string | undefined) =>
    month ?? (await findLatestMonth(db)) ?? presentMonth();

  return {
    importMonth: { withoutTransaction: (call) => importSheet(call, "month") },
    importOriginal: { withoutTransaction: (call) => importSheet(call, "original") },
    importWork: { withoutTransaction: (call) => importSheet(call, "work") },

    analyse: async ({ db, query, transact, audit }) => {
      const month = await chooseMonth(db, query.month);
      audit.records.push(month);
      await transact(async (tx) => {
        await startAnalysis(tx, month);
        return month;
      });
      return readStatus(db, month);
    },

    findStatus: async ({ db, query, language }) => {
      const month = await chooseMonth(db, query.month);
      const state = await findMonth(db, month);
      // Whoever waits for the end asks often, and the end brings them all.
      const found = state?.statu === 2 ? await listAnalysisWarnings(db, month) : [];
      // Of one state: read twice, a month that fails in between would answer 3 with the warnings of before.
      const status = await countStatus(db, month, state);
      return { ...status, waring: toWaring([...(state?.warnings ?? []), ...found], language) };
    },

    download: async (call) => {
      const { db, query, caller, request } = call;
      const { month, settings: used } = await getFinished(db, await chooseMonth(db, query.month));
      const filter: ResultFilter = { department: query.department, group: query.groupOfCheck, name: query.name };
      const asWorkbook = query.format === "xlsx";
      const span =
        query.curPage === undefined
          ? undefined
          : { offset: (query.curPage - 1) * query.pageSize, limit: query.pageSize };
      // Nothing leaves with a HEAD request, so nobody has read anything.
      if (request.method === "HEAD") return { headers: asWorkbook ? workbookHeaders(month) : jsonHeaders };
      const turned = asWorkbook ? undefined : query.curPage;
      if (caller) await auditReading(db, { month, caller, address: call.address, page: turned });
      const stored = streamResults(pool, month, filter, span);
      const rows = caller ? stored : maskIdCards(stored);
      if (asWorkbook) return sendWorkbook(month, used.bucketEdges, rows);
      if (!span) return streamEnvelope(rows, call.language);
      const page = toPage([], await countResults(db, month, filter), {
        currPage: query.curPage ?? 1,
        pageSize: query.pageSize,
      });
      return streamEnvelope(rows, call.language, (list) => ({ ...page, list }));
    },

    testService: async () => "",

    findTitle: async ({ db, query }) => titleRow(await chooseMonth(db, query.month)),

    listImports: async ({ db, query, language }) => {
      const { curPage: currPage, pageSize, month, sheet } = query;
      const { rows, totalCount } = await listImports(db, {
        month,
        sheet,
        descending: isDescending(query),
        offset: (currPage - 1) * pageSize,
        limit: pageSize,
      });
      return toPage(
        rows.map((row) => toImport(row, zone, language)),
        totalCount,
        { currPage, pageSize },
      );
    },

    findImport: async ({ db, params, language }) => {
      const row = await findImport(db, params.id);
      if (!row) throw new Problem("notFound");
      return toImport(row, zone, language);
    },

    listMonths: async ({ db }) => (await listMonths(db)).map((row) => toMonth(row, zone)),

    explain: async ({ db, query, language }) => {
      if (query.userId === undefined && query.workNum === undefined && query.name === undefined)
        throw explain("badFormat", "userId: 不能为空", "userId: is missing");
      const state = await getFinished(db, await chooseMonth(db, query.month));
      const who = { userId: query.userId, workNumber: query.workNum, name: query.name };
      return explainEmployee(db, state, who, language);
    },

    listUnmatched: async ({ db, query }) => {
      const state = await findMonth(db, await chooseMonth(db, query.month));
      if (!state) throw new Problem("notFound");
      return listUnmatched(db, state);
    },

    compare: async ({ db, query, language, request }) => {
      for (const month of [query.month, query.with]) await getFinished(db, month);
      if (request.method === "HEAD") return { headers: jsonHeaders };
      return streamEnvelope(streamComparison(pool, query.month, query.with, query.department), language);
    },

    readSettings: async ({ db }) => toSettings(await findSettings(db)),

    changeSettings: async ({ db, body }) => {
      await saveSettings(db, applyChange(await findSettings(db), body));
      return "1";
    },

    previewSettings: {
      withoutTransaction: async ({ db, body }) => {
        const state = await getFinished(db, await chooseMonth(db, body.month));
        const present = await findSettings(db);
        return previewSettings(db, state, present, applyChange(present, body));
      },
    },

    readMonthTemplate: () => sendTemplate("month"),
    readOriginalTemplate: () => sendTemplate("original"),
    readWorkTemplate: () => sendTemplate("work"),
  };

  type ImportCall = Pick<Call<Endpoints["importMonth"]>, "file" | "fields" | "language" | "transact" | "audit">;

  async function importSheet({ file, fields, language, transact, audit }: ImportCall, sheet: ImportSheet) {
    try {
      const { month, employees, rows, skipped, warnings } = await importWorkbook(platform, turns, {
        sheet,
        file,
        month: fields.month,
        transact: (swapped, work) => {
          audit.records = [swapped];
          return transact(work);
        },
      });
      return { waring: toWaring(warnings, language), month, employees, rows, skipped };
    } catch (error) {
      throw toImportProblem(error, language);
    }
  }

  async function sendTemplate(sheet: ImportSheet): Promise<FileAnswer> {
    return {
      headers: {
        "content-type": WORKBOOK_MIME,
        "content-disposition": `attachment; filename="${sheet}-template.xlsx"`,
      },
      stream: writeSheetTemplate(sheet, presentMonth()),
    };
  }
}

const jsonHeaders = { "content-type": "application/json; charset=utf-8" };
const workbookHeaders = (month: string) => ({
  "content-type": WORKBOOK_MIME,
  "content-disposition": `attachment; filename="attendance-${month}.xlsx"`,
});

function sendWorkbook(
  month: string,
  bucketEdges: readonly [number, number],
  rows: AsyncIterable<readonly string[]>,
): StreamedAnswer {
  const { id: _id, userId: _userId, workName: _workName, ...days } = titleRow(month);
  const weekdays = Object.values(days as Record<string, string>).filter((weekday) => weekday !== "");
  return { headers: workbookHeaders(month), open: () => exportMonth({ month, weekdays, bucketEdges, rows }) };
}

const readStatus = async (db: Db, month: string) => countStatus(db, month, await findMonth(db, month));

const countStatus = async (db: Db, month: string, state: MonthState | undefined) =>
  toStatus(month, state, state ? await countAnalysed(db, state.run) : 0);

type FinishedMonth = MonthState & { readonly settings: AnalysisSettings };

/** @throws {Problem} notFound while there are no results. */
async function getFinished(db: Db, month: string): Promise<FinishedMonth> {
  const state = await findMonth(db, month);
  if (state?.statu !== 2 || !state.settings)
    throw explain("notFound", `${month} 尚未完成分析`, `${month} is not analysed`);
  return { ...state, settings: state.settings };
}

type SettingsChange = { readonly [K in keyof AnalysisSettings]?: unknown };

/** What is left out stays. */
const applyChange = (present: AnalysisSettings, { campuses, bucketEdges }: SettingsChange): AnalysisSettings => ({
  campuses: (campuses as AnalysisSettings["campuses"] | undefined) ?? present.campuses,
  bucketEdges: (bucketEdges as AnalysisSettings["bucketEdges"] | undefined) ?? present.bucketEdges,
});

const toSettings = ({ campuses, bucketEdges }: AnalysisSettings) => ({
  campuses: campuses.map(({ campus, keywords }) => ({ campus, keywords: [...keywords] })),
  bucketEdges: [...bucketEdges],
});

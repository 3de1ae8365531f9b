import * as z from "zod";
import { type Db, inLongTransaction } from "#platform/database.ts";
import { addJob, type JobRun, type JobTasks, type RecurringJob, taskWith } from "#platform/jobs.ts";
import type { Platform } from "#platform/platform.ts";
import { Problem } from "#platform/problem.ts";
import type { Bilingual } from "#platform/language.ts";
import { analyseMonth } from "./analysis.ts";
import { matchPeople } from "./match-people.ts";
import {
  beginRun,
  claim,
  closeRun,
  failLostRuns,
  failRun,
  findOpenPart,
  finishPart,
  storeResults,
  insertMatches,
  insertParts,
  listEmployeeNames,
  listPeople,
  type Part,
  type ResultLine,
  toResultLine,
} from "./analysis-store.ts";
import { streamInputs } from "./employee-store.ts";
import type { AnalysisSettings, EmployeeMonth, Person } from "./model.ts";
import { findMonth, findSettings, keepIdentityImport } from "./month-store.ts";

// An analysis is jobs: one joins the people of the sheets and cuts the month into parts, then each part is a job. Any
// process may run any of them, and any of them again: what a job does becomes true at once or not at all.

const joinTask = "attendance-join";
const partTask = "attendance-part";
const watchTask = "attendance-watch";

const employeesOfPart = 200;
// About half a minute in all before an analysis counts as failed.
const maxAttempts = 4;

/** Starts the analysis of a locked month, unless it runs already. @throws {Problem} notFound without a month sheet. */
export async function startAnalysis(tx: Db, month: string): Promise<void> {
  const state = await findMonth(tx, month, "locked");
  if (!state || state.monthImport === null)
    throw new Problem("notFound", {
      detail: { zh: `${month} 尚未导入月度汇总`, en: `no month sheet of ${month} was imported` },
    });
  if (state.statu === 1) return;
  await addJoinJob(tx, month, await beginRun(tx, month, await findSettings(tx)));
}

const joinKey = (run: number): string => `${joinTask}-${run}`;
const partKey = (run: number, part: number): string => `${partTask}-${run}-${part}`;
const addJoinJob = (tx: Db, month: string, run: number) =>
  addJob(tx, joinTask, { month, run }, { key: joinKey(run), maxAttempts });
const addPartJob = (tx: Db, month: string, run: number, part: number) =>
  addJob(tx, partTask, { month, run, part }, { key: partKey(run, part), maxAttempts });

const joinPayload = z.object({ month: z.string(), run: z.int() });
const partPayload = joinPayload.extend({ part: z.int() });
type JobOf = z.output<typeof joinPayload>;

export function analysisTasks(platform: Platform): { tasks: JobTasks; recurring: readonly RecurringJob[] } {
  const { pool } = platform;
  return {
    tasks: {
      [joinTask]: taskWith(joinPayload, (payload, run) =>
        orFail(platform, payload, run, () => inLongTransaction(pool, (tx) => joinMonth(tx, payload))),
      ),
      [partTask]: taskWith(partPayload, (payload, run) =>
        orFail(platform, payload, run, () =>
          inLongTransaction(pool, (tx) => analysePart(tx, payload)).catch(passOvertaken),
        ),
      ),
      [watchTask]: () => failLostRuns(pool, { joinTask, partTask }, givenUp),
    },
    recurring: [{ task: watchTask, pattern: "* * * * *" }],
  };
}

const givenUp: Bilingual = { zh: "分析失败，请重新分析", en: "The analysis failed; start it again" };

/** After the last try the analysis has failed, which the month then says. */
async function orFail(
  { pool }: Platform,
  { month, run }: JobOf,
  { isLastAttempt }: JobRun,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isLastAttempt) await failRun(pool, month, run, givenUp);
    throw error;
  }
}

async function joinMonth(tx: Db, { month, run }: JobOf): Promise<void> {
  await claim(tx, run, "join");
  const state = await findMonth(tx, month, "locked");
  if (state?.run !== run || state.parts !== null) return;
  await keepIdentityImport(tx, month, state.workImport);
  const employees = await listEmployeeNames(tx, state.monthImport);
  const warnings: Bilingual[] = [];
  for (const importId of new Set([state.monthImport, state.originalImport, state.workImport])) {
    if (importId === null) continue;
    const { pairs, unmatched } = matchPeople(employees, await listPeople(tx, importId));
    await insertMatches(tx, month, importId, pairs);
    if (unmatched.length > 0)
      warnings.push(
        warnOf(
          unmatched,
          importId === state.monthImport ? "daily" : importId === state.originalImport ? "original" : "work",
        ),
      );
  }
  const parts = cutIntoParts(employees.map(({ row }) => row));
  await insertParts(tx, month, run, parts, warnings);
  await Promise.all(parts.map(({ part }) => addPartJob(tx, month, run, part)));
  if (parts.length === 0) await closeRun(tx, month, run);
}

const sheetNames = { daily: "每日统计", original: "原始记录", work: "员工信息" } as const;
const shownPeople = 10;

function warnOf(unmatched: readonly Person[], sheet: keyof typeof sheetNames): Bilingual {
  const names =
    unmatched
      .slice(0, shownPeople)
      .map(({ name }) => name)
      .join("、") + (unmatched.length > shownPeople ? "…" : "");
  return {
    zh: `${sheetNames[sheet]}中有 ${unmatched.length} 人无法对应到月度汇总：${names}`,
    en: `${unmatched.length} people of ${sheetNames[sheet]} are nobody of the month sheet for certain: ${names}`,
  };
}

function cutIntoParts(rows: readonly number[]): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < rows.length; from += employeesOfPart) {
    const chosen = rows.slice(from, from + employeesOfPart);
    parts.push({ part: parts.length, firstRow: chosen[0] ?? 0, lastRow: chosen.at(-1) ?? 0, employees: chosen.length });
  }
  return parts;
}

/** The month has another run by now, or none; what was done is undone, and nobody is to try it again. */
class Overtaken extends Error {}

function passOvertaken(error: unknown): void {
  if (!(error instanceof Overtaken)) throw error;
}

async function analysePart(tx: Db, { month, run, part: number }: JobOf & { part: number }): Promise<void> {
  await claim(tx, run, number);
  const part = await findOpenPart(tx, run, number);
  const state = await findMonth(tx, month);
  if (!part || state?.run !== run || !state.settings) return;
  const { settings } = state;
  const results: Buffer[] = [];
  for await (const inputs of streamInputs(tx, state, part))
    results.push(Buffer.from(inputs.map((input) => toResult(input, settings)).join("")));
  await storeResults(tx, results);
  // Taken last and for a moment only; an import that came in between has put the month on another footing.
  if ((await findMonth(tx, month, "locked"))?.run !== run) throw new Overtaken();
  await finishPart(tx, month, run, number);
}

function toResult(input: EmployeeMonth, settings: AnalysisSettings): ResultLine {
  const { row, warnings } = analyseMonth(input, settings);
  return toResultLine(input.month, input.summary, row, warnings);
}

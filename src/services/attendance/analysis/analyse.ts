import * as z from "zod";
import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import { type Db, inLongTransaction } from "#platform/database/index.ts";
import { addJob, type JobRun, type JobTasks, type RecurringJob, taskWith } from "#platform/jobs/runner.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { spansOf } from "#services/attendance/days.ts";
import type { AnalysisSettings, EmployeeMonth } from "#services/attendance/model.ts";
import { findMonth, holdMonth, keepIdentityImport, refuseLocked } from "#services/attendance/month-store.ts";
import { sealResultCard } from "#services/attendance/stored-rows.ts";
import {
  beginRun,
  claim,
  closeRun,
  failLostRuns,
  failRun,
  findOpenPart,
  finishPart,
  insertMatches,
  insertParts,
  type Part,
  type ResultLine,
  savePeopleWarnings,
  storeResults,
  toResultLine,
} from "./analysis-store.ts";
import { streamInputs } from "./employee-store.ts";
import { joinSheets, warnOfPeople } from "./people-store.ts";
import { findSettings } from "./settings-store.ts";
import { analyseMonth } from "./summary-row.ts";

// An analysis is jobs: one joins the people of the sheets and cuts the month into parts, then each part is a job. Any
// process may run any of them, and any of them again: what a job does becomes true at once or not at all.

const joinTask = "attendance-join";
const partTask = "attendance-part";
const watchTask = "attendance-watch";

const employeesOfPart = 200;
// About half a minute in all before an analysis counts as failed.
const maxAttempts = 4;

/** Starts the analysis of a month, unless it runs already. @throws {Problem} notFound without a month sheet, notAllowedNow for a locked one. */
export async function startAnalysis(tx: Db, month: string): Promise<void> {
  const state = await holdMonth(tx, month);
  if (!state || spansOf(state.spans, "month").length === 0)
    throw explain("notFound", `${month} 尚未导入月度汇总`, `no month sheet of ${month} was imported`);
  refuseLocked(state);
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
  const state = await holdMonth(tx, month);
  if (state?.run !== run || state.parts !== null) return;
  await keepIdentityImport(tx, month, state.workImport);
  const { employees, sheets } = await joinSheets(tx, state);
  for (const { pairs } of sheets) await insertMatches(tx, month, pairs);
  await savePeopleWarnings(tx, month, warnOfPeople(employees, sheets));
  const parts = cutIntoParts(employees.map(({ employee }) => employee));
  await insertParts(tx, month, run, parts);
  await Promise.all(parts.map(({ part }) => addPartJob(tx, month, run, part)));
  if (parts.length === 0) await closeRun(tx, month, run);
}

function cutIntoParts(employees: readonly number[]): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < employees.length; from += employeesOfPart) {
    const chosen = employees.slice(from, from + employeesOfPart);
    parts.push({ part: parts.length, first: chosen[0] ?? 0, last: chosen.at(-1) ?? 0, employees: chosen.length });
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
  const addresses = new Map<string, number>();
  for await (const inputs of streamInputs(tx, state, part))
    results.push(Buffer.from(inputs.map((input) => toResult(tx.keys, input, settings, addresses)).join("")));
  await storeResults(tx, results);
  // Taken last and for a moment only; an import that came in between has put the month on another footing.
  if ((await holdMonth(tx, month))?.run !== run) throw new Overtaken();
  await finishPart(tx, { month, run, part: number }, addresses);
}

function toResult(
  keys: Keyring,
  input: EmployeeMonth,
  settings: AnalysisSettings,
  addresses: Map<string, number>,
): ResultLine {
  const { row, findings } = analyseMonth(input, settings);
  for (const [address, count] of findings.strangeAddresses)
    addresses.set(address, (addresses.get(address) ?? 0) + count);
  return toResultLine(
    input.basis.month,
    input.summary,
    { data: JSON.stringify({ ...row, idCard: "" }), idCard: sealResultCard(keys, row.idCard) },
    findings.warnings,
  );
}

import * as z from "zod";
import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";
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
  const run = await beginRun(tx, month, await findSettings(tx));
  await addJob(tx, joinTask, { month, run }, { key: `${joinTask}-${run}`, maxAttempts });
}

const addPartJob = (tx: Db, month: string, run: number, part: number) =>
  addJob(tx, partTask, { month, run, part }, { key: `${partTask}-${run}-${part}`, maxAttempts });

const joinPayload = z.object({ month: z.string(), run: z.int() });
const partPayload = joinPayload.extend({ part: z.int() });
type JobOf = z.output<typeof joinPayload>;

export function analysisTasks(platform: Platform): { tasks: JobTasks; recurring: readonly RecurringJob[] } {
  const { pool } = platform;
  return {
    tasks: {
      [joinTask]: taskWith(joinPayload, (payload, run) => attempt(pool, payload, run, (tx) => joinMonth(tx, payload))),
      [partTask]: taskWith(partPayload, (payload, run) =>
        attempt(pool, payload, run, (tx) => analysePart(tx, payload)),
      ),
      [watchTask]: () => failLostRuns(pool, { joinTask, partTask }, givenUp),
    },
    recurring: [{ task: watchTask, pattern: "* * * * *" }],
  };
}

const givenUp: Bilingual = { zh: "分析失败，请重新分析", en: "The analysis failed; start it again" };

/** After the last try the analysis has failed, which the month then says. */
async function attempt(
  pool: Pool,
  { month, run }: JobOf,
  { isLastAttempt }: JobRun,
  work: (tx: Db) => Promise<void>,
): Promise<void> {
  try {
    await inLongTransaction(pool, work);
  } catch (error) {
    if (error instanceof Overtaken) return;
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

const cutIntoParts = (employees: readonly number[]): Part[] =>
  Array.from({ length: Math.ceil(employees.length / employeesOfPart) }, (_, part) => {
    const chosen = employees.slice(part * employeesOfPart, (part + 1) * employeesOfPart);
    return { part, first: chosen[0] ?? 0, last: chosen.at(-1) ?? 0, employees: chosen.length };
  });

/** The month has another run by now, or none; what was done is undone, and nobody is to try it again. */
class Overtaken extends Error {}

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
): string {
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

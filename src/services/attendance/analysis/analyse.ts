import * as z from "zod";
import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";
import { addJob, type JobRun, type JobTasks, type RecurringJob, typedTask } from "#platform/jobs/runner.ts";
import { spansOf } from "#services/attendance/days.ts";
import { findMonth, holdMonth, type MonthState, refuseLocked } from "#services/attendance/month-store.ts";
import { copyText, sealResultCard } from "#services/attendance/stored-rows.ts";
import { type Difference, holdAgainstExport } from "./against-export.ts";
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
  toResultLine,
} from "./analysis-store.ts";
import { streamInputs } from "./employee-store.ts";
import { joinSheets, warnOfPeople } from "./people-store.ts";
import { findSettings } from "./settings-store.ts";
import { analyseMonth } from "./summary-row.ts";

// An analysis runs as several jobs: the first matches people across sheets and splits the month into parts, and each
// part then has a job of its own. Jobs are idempotent and atomic, so any process may run or retry them.

const joinTask = "attendance-join";
const partTask = "attendance-part";
const watchTask = "attendance-watch";

const employeesOfPart = 200;
// The retries of a job take half a minute, after which the analysis fails.
const maxAttempts = 4;

/**
 * Starts the analysis of the month, unless one is running already.
 * @throws {Problem} notFound without a month sheet, notAllowedNow for a locked month
 */
export async function startAnalysis(tx: Db, month: string): Promise<void> {
  const state = await holdMonth(tx, month);
  if (!state || spansOf(state.spans, "month").length === 0)
    throw explain("notFound", `${month} 尚未导入月度汇总`, `no monthly summary has been imported for ${month}`);
  refuseLocked(state);
  if (state.statu === 1) return;
  const run = await beginRun(tx, month, await findSettings(tx));
  await addJob(tx, joinTask, { month, run }, { key: `${joinTask}-${run}`, maxAttempts });
}

const joinPayload = z.object({ month: z.string(), run: z.int() });
const partPayload = joinPayload.extend({ part: z.int() });
type JobOf = z.output<typeof joinPayload>;

export function analysisTasks(pool: Pool): { tasks: JobTasks; recurring: readonly RecurringJob[] } {
  return {
    tasks: {
      [joinTask]: typedTask(joinPayload, (payload, run) => attempt(pool, payload, run, (tx) => joinMonth(tx, payload))),
      [partTask]: typedTask(partPayload, (payload, run) =>
        attempt(pool, payload, run, (tx) => analysePart(tx, payload)),
      ),
      [watchTask]: () => failLostRuns(pool, { joinTask, partTask }, givenUp),
    },
    recurring: [{ task: watchTask, pattern: "* * * * *" }],
  };
}

const givenUp: Bilingual = { zh: "分析失败，请重新分析", en: "The analysis failed; start it again" };

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
  const { employees, sheets } = await joinSheets(tx, state);
  for (const { pairs } of sheets) await insertMatches(tx, month, pairs);
  const warnings = warnOfPeople(employees, sheets);
  const joined = { month, workImport: state.workImport, employees: employees.length, warnings };
  const parts = await insertParts(tx, run, joined, employeesOfPart);
  await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      addJob(tx, partTask, { month, run, part }, { key: `${partTask}-${run}-${part}`, maxAttempts }),
    ),
  );
  if (parts === 0) await closeRun(tx, month, run);
}

export async function analyseAgain(tx: Db, state: MonthState, employee: number): Promise<void> {
  if (state.statu !== 2 || !state.settings) return;
  const [[input] = []] = await Array.fromAsync(streamInputs(tx, state, { first: employee, last: employee }));
  if (!input) return;
  const { row, findings } = analyseMonth(input, state.settings);
  const data = JSON.stringify({ ...row, idCard: "" });
  await tx`
    update attendance.result set data = ${data}, warnings = ${JSON.stringify(findings.warnings)}
    where month = ${state.month} and row = ${employee}`;
}

/** Thrown to roll the job back without a retry, because its run is no longer the current run of the month. */
class Overtaken extends Error {}

async function analysePart(tx: Db, { month, run, part: number }: JobOf & { part: number }): Promise<void> {
  await claim(tx, run, number);
  const part = await findOpenPart(tx, run, number);
  const state = await findMonth(tx, month);
  if (!part || state?.run !== run || !state.settings) return;
  const { settings } = state;
  const results: Buffer[] = [];
  const addresses = new Map<string, number>();
  const differences: (Difference & { row: number })[] = [];
  for await (const inputs of streamInputs(tx, state, part)) {
    const lines = inputs.map((input) => {
      const { row, findings } = analyseMonth(input, settings);
      for (const [address, count] of findings.strangeAddresses)
        addresses.set(address, (addresses.get(address) ?? 0) + count);
      for (const difference of holdAgainstExport(input, findings))
        differences.push({ row: input.summary.employee, ...difference });
      const stored = { data: JSON.stringify({ ...row, idCard: "" }), idCard: sealResultCard(tx.keys, row.idCard) };
      return toResultLine(month, input.summary, stored, findings.warnings);
    });
    results.push(Buffer.from(lines.join("")));
  }
  await copyText(tx, "results", results);
  // The month is locked last, so that the lock is short. An import may have superseded the run by now.
  if ((await holdMonth(tx, month))?.run !== run) throw new Overtaken();
  await finishPart(tx, run, number, { addresses, differences });
  await closeRun(tx, month, run);
}

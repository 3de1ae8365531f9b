import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { pino } from "pino";
import { inTransaction } from "#platform/database.ts";
import { openGround } from "./ground.ts";
import { openPlatform } from "#quintet/serve.ts";
import { importWorkbook } from "#services/attendance/import.ts";
import { openTurns } from "#services/attendance/turns.ts";
import { analysisTasks, startAnalysis, listInputs } from "#services/attendance/analyse.ts";
import { analyseMonth } from "#services/attendance/analysis.ts";
import { findMonth } from "#services/attendance/month-store.ts";
import { listEmployees, listPunches } from "#services/attendance/analysis-store.ts";
import { copyOut } from "#services/attendance/copy-out.ts";
import { standardSettings } from "#services/attendance/model.ts";

const ground = await openGround();
const platform = await openPlatform(ground.settings, ground.pool, pino());
for (const [sheet, path] of [["month", "/tmp/q/s/month.xlsx"], ["original", "/tmp/q/s/big.xlsx"]] as const) {
  const file = { path, originalName: "x.xlsx", bytes: (await stat(path)).size, sha256: createHash("sha256").digest(), fields: {} };
  await importWorkbook(platform, openTurns(1), { sheet, file, month: undefined, transact: (_m, work) => inTransaction(ground.pool, work) });
}
const { tasks } = analysisTasks(platform);
for (let round = 0; round < 2; round++) {
  await inTransaction(ground.pool, (tx) => startAnalysis(tx, "2026-05"));
  const [{ run }] = (await ground.pool`select run from attendance.month`) as never as [{ run: number }];
  const job = { attempt: 1, isLastAttempt: false, log: platform.log };
  let t = performance.now();
  await tasks["attendance-join"]?.({ month: "2026-05", run }, job);
  console.log("join", performance.now() - t);
  const parts = await ground.pool`select part from attendance.part where run = ${run}`;
  if (round === 1) {
    const state = (await findMonth(ground.pool, "2026-05"))!;
    t = performance.now();
    let n = 0;
    for (let from = 0; from < 8100; from += 200) n += (await listPunches(ground.pool, "2026-05", state.originalImport, { firstRow: from, lastRow: from + 199 })).length;
    console.log("punches", n, performance.now() - t);
    t = performance.now();
    for (let from = 0; from < 8100; from += 200) n += (await listEmployees(ground.pool, state.monthImport, { firstRow: from, lastRow: from + 199 })).length;
    console.log("employees", performance.now() - t);
    t = performance.now();
    const inputs = await listInputs(ground.pool, state);
    console.log("inputs", performance.now() - t);
    for (let k = 0; k < 2; k++) {
    t = performance.now();
    const rows = inputs.map((i) => analyseMonth(i, standardSettings));
    console.log("analyse", performance.now() - t);
    t = performance.now();
    console.log("json", rows.map(({ row }) => JSON.stringify(row)).join("").length, performance.now() - t);
    }
  }
  t = performance.now();
  await Promise.all([0, 1, 2, 3].map(async (worker) => { for (const [i, { part }] of parts.entries() as never as [number, { part: number }][]) if (i % 4 === worker) await tasks["attendance-part"]?.({ month: "2026-05", run, part }, job); }));
  console.log("parts", parts.length, performance.now() - t);
}
await ground.end();

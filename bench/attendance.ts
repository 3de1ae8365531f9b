// Measures a synthetic month over HTTP: 8,000 employees and 1,000,000 raw punches of 20 columns, imported, analysed and
// downloaded. Rounds alternate with the baselines: the spreadsheet library counting the same file's cells, and COPY of
// the same rows from memory. Then it compares calls with and without a scope. "shared" makes workbooks with shared
// strings.
// `node bench/attendance.ts [punches] [employees] [rounds] [shared]`
import { openAsBlob } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeMonth, makePunches, originalSheet, writeBook } from "#test/attendance/workbooks.ts";
import { compareScopes } from "./attendance-scope.ts";
import { start } from "./child.ts";
import { openGround, signIn, startServer } from "./ground.ts";
import { median, shoot } from "./measure.ts";

const punches = Number(process.argv[2] ?? 1_000_000);
const employees = Number(process.argv[3] ?? 8000);
const rounds = Number(process.argv[4] ?? 3);
const strings = process.argv[5] === "shared" ? "shared" : "inline";
const month = "2026-05";
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

async function makeFiles(folder: string): Promise<{ monthFile: string; originalFile: string }> {
  const [monthFile, originalFile] = [path.join(folder, "month.xlsx"), path.join(folder, "original.xlsx")];
  const { monthSheet, dailySheet } = makeMonth({ month, people: employees, seed: 3, generation: 2026 });
  await writeBook(monthFile, [monthSheet, dailySheet], { strings });
  const lines = makePunches(month, employees, punches, 3);
  const punchSheet = originalSheet({ generation: 2026, start: `${month}-01`, end: `${month}-31`, lines });
  await writeBook(originalFile, [punchSheet], { strings });
  return { monthFile, originalFile };
}

async function measureFloor(...args: string[]): Promise<number> {
  return (await start<number>("./attendance-floor.ts", args)).first;
}

const folder = await mkdtemp(path.join(tmpdir(), "attendance-bench-"));
const { monthFile, originalFile } = await makeFiles(folder);
console.log(
  `${employees} employees, ${punches} punches of 20 columns in ${((await stat(originalFile)).size / 1e6).toFixed(0)} MB`,
);

const ground = await openGround();
const server = await startServer(ground, { BENCH_SERVICE: "attendance" });
const { address, pid } = server;
const readMemoryMb = async (field: "VmRSS" | "VmHWM"): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
};
const headers = { admin_token: await signIn(address) };

const get = async <T>(target: string): Promise<T> =>
  (JSON.parse(await shoot({ url: `${address}/attendance/month/${target}`, method: "GET", headers })) as { data: T })
    .data;

async function upload(target: string, file: string): Promise<{ ms: number; rows: number }> {
  const form = new FormData();
  form.append("file", await openAsBlob(file), path.basename(file));
  const started = performance.now();
  const response = await fetch(`${address}/attendance/${target}`, { method: "POST", headers, body: form });
  const { data, message } = (await response.json()) as { data: { rows: number } | null; message: string };
  if (!data) throw new Error(message);
  return { ms: performance.now() - started, rows: data.rows };
}

async function analyse(): Promise<number> {
  const started = performance.now();
  await get(`analyse?month=${month}`);
  for (;;) {
    const { statu } = await get<{ statu: number }>(`queryAnalyseStatu?month=${month}`);
    if (statu === 2) return performance.now() - started;
    if (statu === 3) throw new Error("the analysis failed");
    await wait(20);
  }
}

/**
 * Returns, besides the result of `work`, the peak memory above idle during the work, as the kernel measures it, and the
 * highest latency of a probe.
 */
async function watch<T>(
  idleMb: number,
  work: () => Promise<T>,
): Promise<T & { peakMb: number; longestWaitMs: number }> {
  let longestWaitMs = 0;
  // Writing 5 to this file resets the process's peak memory (VmHWM).
  await writeFile(`/proc/${pid}/clear_refs`, "5");
  const probe = setInterval(() => {
    const asked = performance.now();
    void shoot({ url: `${address}/attendance/month/te`, method: "GET", headers }).then(
      () => (longestWaitMs = Math.max(longestWaitMs, performance.now() - asked)),
    );
  }, 100);
  const result = await work();
  clearInterval(probe);
  return { ...result, peakMb: (await readMemoryMb("VmHWM")) - idleMb, longestWaitMs };
}

for (let warm = 0; warm < 50; warm++) await get("te").catch(() => undefined);
const idleMb = await readMemoryMb("VmRSS");
const [library, copy, imports, analyses, peaks, waits]: number[][] = [[], [], [], [], [], []];
for (let round = 1; round <= rounds; round++) {
  library?.push(await measureFloor("library", originalFile));
  copy?.push(await measureFloor("copy", originalFile, ground.url));
  // ANALYZE updates the statistics before the imports, as autovacuum would. It does not run after them, since import
  // and analysis must be fast although the statistics do not yet include the new rows.
  await ground.pool`analyze`;
  const { ms: monthMs, peakMb: monthPeak } = await watch(idleMb, () => upload("month/importExcel", monthFile));
  const original = await watch(idleMb, () => upload("original/importOriginal", originalFile));
  if (original.rows !== punches) throw new Error(`${original.rows} of ${punches} rows were imported`);
  const analysis = await watch(idleMb, async () => ({ ms: await analyse() }));
  const download = await watch(idleMb, async () => ({
    count: (await get<unknown[]>(`downLoad?month=${month}`)).length,
  }));
  if (download.count !== employees) throw new Error(`${download.count} of ${employees} rows were downloaded`);
  imports?.push(original.ms);
  analyses?.push(analysis.ms);
  for (const { peakMb, longestWaitMs } of [original, analysis, download]) {
    peaks?.push(peakMb);
    waits?.push(longestWaitMs);
  }
  console.log(
    `round ${round}: month sheet ${seconds(monthMs)} (${monthPeak.toFixed(0)} MB), raw sheet ${seconds(original.ms)} (${original.peakMb.toFixed(0)} MB above idle), analysis ${seconds(analysis.ms)} (${analysis.peakMb.toFixed(0)} MB), download ${download.peakMb.toFixed(0)} MB`,
  );
}

const [a, b, c, d] = [median(library ?? []), median(copy ?? []), median(imports ?? []), median(analyses ?? [])];
console.log(
  `library counts cells ${seconds(a)}, COPY from memory ${seconds(b)}, import ${seconds(c)}: ratio ${(c / (a + b)).toFixed(2)} (target: at most 1.30)`,
);
console.log(`analysis ${seconds(d)}: ${(d / c).toFixed(2)} of the import (target: at most 0.25)`);
console.log(
  `memory at most ${Math.max(...(peaks ?? [])).toFixed(0)} MB above idle (target: 400); longest wait of a small request ${Math.max(...(waits ?? [])).toFixed(0)} ms`,
);
await compareScopes(ground.pool, month, { address, headers });
await server.end();
await ground.end();
await rm(folder, { recursive: true });

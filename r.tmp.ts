import { makePunches, originalSheet, writeBook, makeMonth } from "#test/attendance/workbooks.ts";
import { readWorkbook } from "#services/attendance/workbook/index.ts";
import { streamXlsxRows } from "hucre/xlsx";
import { readFile, stat } from "node:fs/promises";
const what = process.argv[2], file = process.argv[3]!, n = Number(process.argv[4] ?? 1000000);
const idle = process.memoryUsage.rss(); let peak = 0, longest = 0, last = performance.now();
const t = performance.now();
setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last - 2); last = now; peak = Math.max(peak, process.memoryUsage.rss()); }, 2).unref();
if (what === "write") await writeBook(file, [originalSheet({ generation: 2026, start: "2026-05-01", end: "2026-05-31", lines: makePunches("2026-05", 8000, n, 1) })], process.argv[5] === "shared" ? { strings: "shared" } : {});
if (what === "ours") { let rows = 0, bytes = 0; for await (const p of readWorkbook({ path: file })) { if (p.kind === "copy") { rows += p.count; bytes += p.text.length; } } console.log(rows, bytes); }
if (what === "hucre") { let rows = 0, cells = 0; for await (const r of streamXlsxRows(await readFile(file))) { rows++; cells += (r as any).values?.length ?? 0; } console.log(rows, cells); }
console.log(what, ((performance.now() - t) / 1000).toFixed(2), "s cpu", ((process.cpuUsage().user+process.cpuUsage().system)/1e6).toFixed(2), "above idle", ((peak - idle)/1e6).toFixed(0), "MB longest block", longest.toFixed(0), (await stat(file)).size);

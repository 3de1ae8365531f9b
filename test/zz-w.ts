import { makeMonth, writeBook } from "#test/attendance/workbooks.ts";
import { readAll } from "#test/attendance/reading-fixture.ts";
const made = makeMonth({ month: "2026-05", people: 6, seed: 1, generation: 2026 });
await writeBook("/dev/shm/zz.xlsx", [made.monthSheet, made.originalSheet]);
const t = async (n: number) => { const u0 = process.cpuUsage(); for (let i = 0; i < n; i++) await readAll({ path: "/dev/shm/zz.xlsx" }); const u = process.cpuUsage(u0); console.log((u.user / n / 1000).toFixed(0), (u.system / n / 1000).toFixed(0)); };
await t(2); await t(10); await t(10);

// Measures the same calls by an operator without a scope and with a scope of one department, alternating.
import type { Pool } from "#platform/database/index.ts";
import { median, shoot } from "./measure.ts";

const departments = 60;
const rounds = 15;

export async function compareScopes(
  pool: Pool,
  month: string,
  { address, headers }: { readonly address: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  for (const [table, row] of [["roster", "employee"] as const, ["result", "row"] as const])
    await pool.script(
      `update attendance.${table} set department = '部门' || ${row} % ${departments} where month = '${month}'`,
    );
  await pool`select attendance.count_departments(${month})`;
  await pool.script("vacuum analyze");
  const userId = await pool.value<string>`
    select user_id from attendance.result where month = ${month} and department = '部门7' order by row limit 1`;
  const paths = [
    `downLoad?month=${month}`,
    `downLoad?month=${month}&curPage=1&pageSize=20`,
    `explain?month=${month}&userId=${userId}`,
    `employees?month=${month}&pageSize=20`,
    "months",
    `queryAnalyseStatu?month=${month}`,
    `versions?month=${month}`,
  ];
  for (const path of paths) {
    const [all, own]: [number[], number[]] = [[], []];
    for (let round = -3; round < rounds; round++)
      for (const [times, scope] of [[all, null] as const, [own, `{"department": ["部门7"]}`] as const]) {
        await pool`update platform.account set scope = ${scope} where user_name = 'operator'`;
        const started = performance.now();
        await shoot({ url: `${address}/attendance/month/${path}`, method: "GET", headers });
        if (round >= 0) times.push(performance.now() - started);
      }
    const [whole, part] = [median(all), median(own)];
    const call = path.replace(/\?.*curPage.*/, ", a page").replace(/\?.*/, "");
    console.log(
      `${call}: everybody ${whole.toFixed(1)} ms, one department of ${departments} ${part.toFixed(1)} ms: ${(part / whole).toFixed(2)}`,
    );
  }
  await pool`update platform.account set scope = null where user_name = 'operator'`;
}

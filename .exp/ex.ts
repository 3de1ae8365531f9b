import { openGround, fillReports } from "../bench/ground.ts";
import { openPool } from "#platform/database.ts";
import { listReports } from "#services/reporting/store.ts";
const g = await openGround();
await fillReports(g.pool, 150000);
let st: any; const p = openPool(g.url, { connections: 1, onStatement: (text, values) => { st = { text, values }; } });
for (const keyword of ["12345", "示例"]) {
  const go = () => listReports(p, { states: { deleted: false, closed: undefined }, keyword }, { field: "reportingTime", descending: true, offset: 0, limit: 10 }, "Asia/Shanghai");
  for (let i = 0; i < 8; i++) { const s = performance.now(); await go(); console.log(keyword, (performance.now() - s).toFixed(0)); }
  const { text, values } = st;
  console.log((await p.unsafe("explain (analyze, buffers) " + text, values)).map((r: any) => r["QUERY PLAN"]).join("\n"));
}
await p.end(); await g.end();

// Measures the search for similar reports among 150,000, over HTTP, compared with the statement that finds the
// candidates.
// `node bench/similar.ts [reports]`
import { insertReports, openGround, signIn, silent } from "./ground.ts";
import { quantile, shoot } from "./measure.ts";
import { mostFound } from "#services/reporting/similar.ts";
import { findStatistics, listCandidates } from "#services/reporting/similar-store.ts";
import { choosePieces } from "#services/reporting/similarity.ts";
import { Within } from "#platform/database/index.ts";
import { startServer } from "#quintet/serve.ts";

const count = Number(process.argv[2] ?? 150_000);
const calls = 300;
const pick = (letters: string) => `substr('${letters}', 1 + (random() * ${letters.length - 1})::int, 1)`;
const place = "云江青白石南东长金清龙凤平安永梦夏山河桥湖岭滩洲溪口台陵泉浦";
const ground = await openGround();
await insertReports(
  ground.pool,
  `insert into reporting.report
    (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade, licensing, b_product)
  select '测试员', '555 0100 0001', '示例科技', ${pick(place)} || ${pick(place)} || ${pick(place)} ||
      (array['第一中学', '人民医院', '师范大学', '图书馆', '交通局'])[1 + (random() * 4)::int],
    (array['东校区', '门诊楼', '教学楼', '办公区', '主机房'])[1 + (random() * 4)::int] || ${pick(place)} ||
      (array['照明', '空调', '消防', '监控', '网络', '电梯', '座椅', '绿化'])[1 + (random() * 7)::int] || '系统建设项目',
    '100万元', now(), '教育', '是', '{交换机}' from generate_series(1, ${count})`,
);
await ground.pool`analyze reporting.report`;
const server = await startServer(ground.settings, { services: ["reporting"], log: silent, isTerminal: false });
const token = await signIn(server.address);
const { shares, reports } = await findStatistics(ground.pool);
const [whole, floor, found]: [number[], number[], number[]] = [[], [], []];
for (let call = 0; call < calls; call++) {
  const id = 1 + Math.floor(Math.random() * count);
  const [report] = await ground.pool<{ customerName: string; entryName: string }[]>`
    select customer_name as "customerName", entry_name as "entryName" from reporting.report where id = ${id}`;
  if (!report) continue;
  const pieces = choosePieces(report, shares, mostFound, reports);
  const begun = performance.now();
  found.push((await listCandidates(ground.pool, id, pieces, Within.everywhere)).length);
  const between = performance.now();
  await shoot({
    url: `${server.address}/reporting/informationReporting/similar/${id}`,
    method: "GET",
    headers: { admin_token: token },
  });
  floor.push(between - begun);
  whole.push(performance.now() - between);
}
const at = (values: readonly number[]) => [0.5, 0.95].map((share) => quantile(values, share).toFixed(1)).join(" and ");
console.log(
  `similar among ${count}: median and p95 ${at(whole)} ms; the statement alone ${at(floor)} ms; candidates ${at(found)}`,
);
console.log(`ratio of the p95s: ${(quantile(whole, 0.95) / quantile(floor, 0.95)).toFixed(2)}`);
await server.stop();
await ground.end();

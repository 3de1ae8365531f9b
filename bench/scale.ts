// Measures the list's first page at 10,000 and at 1,000,000 reports, over HTTP: unfiltered, sorted by update, and with
// filters, among them names of one, two and three characters that match the same 50 reports.
// `node bench/scale.ts [small] [large] [filters, separated by commas]`
import { fillReports, openGround, rareDay, rareName, signIn, silent } from "./ground.ts";
import { shoot, timeMs } from "./measure.ts";
import { startServer } from "#quintet/serve.ts";

const sizes = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 1_000_000)];
const chosen = process.argv[4]?.split(",");
const rounds = 200;

const allQueries: Readonly<Record<string, string>> = {
  unfiltered: "",
  "by day": `?reportingTime=${rareDay}`,
  "by month": "?reportingTime=2025-03",
  "by year": "?reportingTime=2025",
  "by state": "?status=0",
  "by verdict: not judged": "?valid=0",
  "by verdict: valid": "?valid=1",
  "by verdict: invalid": "?valid=2",
  "by verdict and industry": `?valid=2&trade=${encodeURIComponent("教育")}`,
  "by keyword, rare": "?keyword=12345",
  "by keyword, common": `?keyword=${encodeURIComponent("示例")}`,
  "by one character": `?name=${encodeURIComponent(rareName.slice(0, 1))}`,
  "by two characters": `?name=${encodeURIComponent(rareName.slice(0, 2))}`,
  "by three characters": `?name=${encodeURIComponent(rareName)}`,
  "by industry": `?trade=${encodeURIComponent("教育")}`,
  "sorted by update": "?orderField=updateTime&order=desc",
};

const queries = Object.fromEntries(
  Object.entries(allQueries).filter(([name]) => chosen === undefined || chosen.includes(name)),
);

async function measure(size: number): Promise<Record<string, { ms: number; total: number }>> {
  const ground = await openGround();
  const started = performance.now();
  await fillReports(ground.pool, size);
  console.log(`${size} reports made in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  const server = await startServer(ground.settings, { services: ["reporting"], log: silent, isTerminal: false });
  const token = await signIn(server.address);
  const results: Record<string, { ms: number; total: number }> = {};
  for (const [name, query] of Object.entries(queries)) {
    const shot = {
      url: `${server.address}/reporting/informationReporting/list${query}`,
      method: "GET",
      headers: { admin_token: token },
    } as const;
    const { totalCount } = (JSON.parse(await shoot(shot)) as { data: { totalCount: number } }).data;
    results[name] = {
      ms: await timeMs(() => shoot(shot), totalCount > size / 10 ? rounds / 4 : rounds),
      total: totalCount,
    };
  }
  await server.stop();
  await ground.end();
  return results;
}

const small = await measure(sizes[0] ?? 0);
const large = await measure(sizes[1] ?? 0);
console.log(
  `\nmedian ms of the first page          ${String(sizes[0]).padStart(10)} ${String(sizes[1]).padStart(10)}   ratio   hits`,
);
for (const name of Object.keys(queries)) {
  const [a, b] = [small[name], large[name]];
  if (a && b)
    console.log(
      `${name.padEnd(36)} ${a.ms.toFixed(2).padStart(10)} ${b.ms.toFixed(2).padStart(10)} ${(b.ms / a.ms).toFixed(2).padStart(7)}   ${a.total} / ${b.total}`,
    );
}

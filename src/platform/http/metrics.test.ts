import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleReport } from "#test/sample-report.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { startFront } from "#test/front.ts";

const bearer = "a-token-for-metrics-1";
const app = await startTestApp({ settings: { METRICS_TOKEN: bearer } });
const authorization = `Bearer ${bearer}`;
const scrape = async ({ call }: TestApp): Promise<string> => {
  const answer = await call("GET", "/metrics", { headers: { authorization } });
  assert.equal(answer.status, 200);
  return answer.text;
};

const read = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

test("the figures are told to operators and to the bearer of METRICS_TOKEN alone", async () => {
  const [operator, administrator] = [await app.signIn("platform"), await app.signIn("reporting")];
  const ask = async (options: Parameters<TestApp["call"]>[2]) => (await app.call("GET", "/metrics", options)).status;
  assert.equal(await ask({}), 401);
  assert.equal(await ask({ headers: { authorization: `${authorization}x` } }), 401);
  assert.equal(await ask({ token: "none" }), 401);
  assert.equal(await ask({ token: administrator.token }), 403);
  assert.equal(await ask({ token: operator.token }), 200);
});

test("answers, refusals, pool, jobs, health and what the services count are told", async () => {
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport() });
  await app.call("POST", "/reporting/informationReporting/add", { body: {} });
  await app.call("POST", "/wx/push/receive", { body: {} });
  const text = await scrape(app);
  const route = `route="/reporting/informationReporting/add"`;
  assert.equal(read(text, `quintet_http_request_seconds_count{method="POST",${route},status="200"}`), 1);
  const refused = text.split("\n").filter((line) => line.startsWith(`quintet_http_problems_total{${route}`));
  assert.equal(refused.map((line) => line.split(" ")[1]).join(), "1");
  assert.equal(read(text, "quintet_pool_connections_max"), 8);
  assert.ok((read(text, "quintet_pool_waits_total") ?? 0) > 0, "the first statement waits for the first connection");
  assert.equal(read(text, `quintet_turns{of="attendance imports",state="waiting"}`), 0);
  assert.equal(read(text, `quintet_health{part="relay",state="ok"}`), 1);
  assert.equal(read(text, `quintet_health_flag{part="jobs",flag="running"}`), 1);
  const seconds = read(text, "quintet_database_round_trip_seconds") ?? -1;
  assert.ok(seconds >= 0 && seconds < 1, "milliseconds are told in seconds");
  assert.ok(text.includes("# TYPE quintet_relay_push_seconds histogram"));
});

test("names follow the rules of Prometheus, and no series is named twice", async () => {
  const lines = (await scrape(app)).split("\n").filter((line) => line !== "");
  const types = lines.flatMap((line) => (line.startsWith("# TYPE ") ? [line.split(" ").slice(2)] : []));
  assert.ok(types.length > 60, "the test must have read the figures");
  for (const [name = "", type] of types) {
    if (/^quintet_(?:nodejs|process)_/.test(name)) continue;
    assert.match(name, /^quintet_[a-z0-9_]+$/);
    assert.equal(name.endsWith("_total"), type === "counter", name);
    assert.doesNotMatch(name, /_(?:ms|mb|minutes|percent)$/);
  }
  assert.equal(new Set(types.map(([name]) => name)).size, types.length);
  const series = lines.filter((line) => !line.startsWith("#")).map((line) => line.replace(/ [^ ]+$/, ""));
  assert.equal(new Set(series).size, series.length);
});

test("what the database knows is asked for every five seconds at most", async () => {
  const scheduled = async () => read(await scrape(app), "quintet_jobs_scheduled");
  const before = await scheduled();
  await app.pool`select graphile_worker.add_job('nobody-knows-it', run_at => now() + interval '1 hour')`;
  assert.equal(await scheduled(), before, "this is what was known a moment ago");
});

test("a database that is silent does not keep back the figures that need none", async (t) => {
  const front = await startFront(app.database.url);
  const cut = await startTestApp({ settings: { DATABASE_URL: front.url, METRICS_TOKEN: bearer }, beside: app });
  t.after(() => front.stop());
  front.hush("all");
  const text = await scrape(cut);
  assert.equal(read(text, `quintet_health{part="database",state="failed"}`), 1);
  assert.ok((read(text, "quintet_process_resident_memory_bytes") ?? 0) > 0);
  assert.ok((read(text, `quintet_pool_connections{state="busy"}`) ?? 0) > 0, "those that ask in vain");
});

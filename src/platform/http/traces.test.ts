import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { addJob } from "#platform/jobs/runner.ts";
import { callOutside, OutsideError } from "#platform/messaging/outside-call.ts";
import { tracer } from "#platform/tracing/tracer.ts";
import { openSender } from "#services/push-relay/delivery/sender.ts";
import { createSecret } from "#platform/outbound/signature.ts";
import { startTestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";
import { startLoopback } from "#test/stand-ins/loopback.ts";
import { type CollectedSpan, type Collector, startCollector } from "#test/stand-ins/otlp.ts";

const list = "/reporting/informationReporting/list";
const add = "/reporting/informationReporting/add";
const given = "0af7651916cd43dd8448eb211c80319c";
const parent = { traceparent: `00-${given}-b7ad6b7169203331-01` };

async function startTraced(settings: Record<string, string> = {}) {
  const collector = await startCollector();
  const app = await startTestApp({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings } });
  app.database.closers.push(collector.close);
  return { app, collector };
}

const findRequests = ({ spans }: Collector, route: string): CollectedSpan[] =>
  spans.filter(({ kind, facts }) => kind === 2 && facts["http.route"] === route);

const below = ({ spans }: Collector, above: CollectedSpan | undefined): string[] =>
  spans.filter(({ parentSpanId }) => parentSpanId === above?.spanId).map(({ name }) => name);

test("a request is one tree of spans, below what a trusted proxy says, and nothing in it is anybody's", async () => {
  const { app, collector } = await startTraced({
    TRUSTED_PROXIES: "127.0.0.1,::1",
    OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=a%20key",
  });
  const { token } = await app.signIn("reporting");
  const told = { ...parent, "user-agent": "spy-agent", cookie: "c=spy-cookie", "x-forwarded-for": "203.0.113.77" };
  const body = sampleReport({ name: "Spy-Name", phone: "555 0199 7777", content: "11010519491231002X" });
  await app.call("POST", add, { body, headers: told });
  await app.call("GET", list, { token, query: { name: "Spy-Name", size: "wrong" }, headers: told });
  await app.call("GET", list, { token, query: { name: "Spy-Name" }, headers: told });
  await app.call("GET", "/reporting/spy-path?ticket=spy-ticket", { headers: told });
  await app.server.stop();
  await collector.until(({ facts }) => facts["quintet.problem"] === "pathNotFound");

  const [added] = findRequests(collector, add);
  assert.deepEqual([added?.traceId, added?.parentSpanId], [given, "b7ad6b7169203331"]);
  assert.deepEqual(below(collector, added), ["INSERT platform.rate_count", "INSERT reporting.report"]);
  const read = findRequests(collector, list).at(-1);
  assert.equal(read?.name, `GET ${list}`);
  assert.equal(read.facts["http.response.status_code"], 200);
  const statements = "SELECT platform.session, EXPLAIN reporting.report, WITH reporting.report";
  assert.equal(below(collector, read).join(", "), statements);
  const line = app.logged.find(({ reqId }) => reqId === read.facts["quintet.request_id"]);
  assert.equal(line?.["traceId"], given);
  const nowhere = collector.spans.find(({ kind, facts }) => kind === 2 && facts["http.route"] === undefined);
  assert.deepEqual([nowhere?.name, nowhere?.facts["quintet.problem"]], ["GET", "pathNotFound"]);
  assert.equal(nowhere?.failed, false, "a refusal is no failure");
  assert.equal(collector.headers["x-collector-key"], "a key");
  assert.equal(collector.resource["service.name"], "quintet");
  for (const { name } of collector.spans.filter(({ parentSpanId }) => parentSpanId === ""))
    assert.match(name, /^(?:GET|POST|job) /, "no statement is a trace by itself");
  for (const secret of ["Spy-Name", "555 0199", "11010519491231002X", token, "spy-", "203.0.113", "测试"])
    assert.ok(!collector.raw.includes(secret), `${secret} has been told`);
});

test("an address that is no trusted proxy's names no parent", async () => {
  const { app, collector } = await startTraced();
  await app.call("POST", add, { body: sampleReport(), headers: parent });
  await app.server.stop();
  await collector.until(({ kind }) => kind === 2);
  const [added] = findRequests(collector, add);
  assert.ok(added, "it is taken, in a trace of its own");
  assert.equal(added.parentSpanId, "");
  assert.notEqual(added.traceId, given);
});

test("jobs, pushes and calls to the outside are told, without their addresses", async (t) => {
  const { app, collector } = await startTraced();
  const outside = await startLoopback(() => ({ body: { errcode: 0 } }));
  t.after(() => outside.close());
  await addJob(app.pool, "platform-housekeeping", {});
  const count = async () => (await app.pool`select from graphile_worker.jobs where last_error is null`).length;
  while ((await count()) > 0) await new Promise(setImmediate);
  await callOutside({
    service: "wechat",
    url: new URL(`${outside.url}/spy-path?secret=spy-secret`),
    body: { card: "spy-card" },
    timeoutMs: 2000,
    answer: z.object({}),
    toError: () => new OutsideError("no", { service: "wechat", kind: "refused", retryable: false }),
  });
  const secrets = { secret: createSecret(), oldSecret: null, oldSecretUntil: null };
  const target = { projectId: 7, revision: 1, perSecond: 0, url: `${outside.url}/spy-path?key=spy-key`, ...secrets };
  const limits = { isAllowed: () => true, resolve: async () => [], timeoutMs: 2000, connections: 1 };
  const forwarded = {
    form: "json" as const,
    contentType: "application/json",
    body: Buffer.from('{"card":"spy-card"}'),
  };
  const sender = openSender(target, limits);
  const { statusCode } = await sender.send("msg_spy", forwarded, Date.now());
  assert.equal(statusCode, 200);
  sender.close();
  await app.server.stop();
  await collector.until(({ name }) => name === "POST push");

  const named = (name: string) => collector.spans.find((span) => span.name === name);
  const job = named("job platform-housekeeping");
  assert.equal(job?.parentSpanId, "");
  assert.ok(below(collector, job).includes("DELETE platform.rate_count"));
  assert.deepEqual(named("POST wechat")?.facts, {
    "http.request.method": "POST",
    "server.address": "127.0.0.1",
    "http.response.status_code": 200,
  });
  assert.equal(named("POST push")?.facts["quintet.project_id"], 7);
  assert.ok(!collector.raw.includes("spy"));
  assert.equal(outside.received.length, 2);
});

test("a collector that is silent or refuses holds up no request and no stop, and the log says so", async (t) => {
  const { app, collector } = await startTraced();
  collector.fallSilent();
  for (let calls = 0; calls < 200; calls++) await app.call("POST", add, { body: sampleReport() });
  const startMs = performance.now();
  await app.server.stop();
  assert.ok(performance.now() - startMs < 5000, "the stop has waited for the collector");
  assert.equal(tracer, undefined);
  await collector.close();

  const other = await startLoopback(() => ({ body: "" }));
  other.fail({ status: 404 }, { times: 9 });
  t.after(() => other.close());
  const refused = await startTestApp({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: other.url } });
  await refused.call("POST", add, { body: sampleReport() });
  await refused.server.stop();
  const lost = refused.logged.find(({ msg }) => msg === "traces could not be exported");
  assert.equal(lost?.["why"], "status 404");
});

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { inTransaction } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";
import { startTestApp, testPassword } from "#test/app.ts";
import { meetWaiting } from "#test/meeting.ts";
import { until } from "#test/until.ts";

const services = ["reporting", "push-relay", "disease-command"];

test("a version that is too old refuses what comes, ends its streams, and takes no job", async () => {
  const app = await startTestApp({ services });
  const { token } = await app.signIn("platform");
  const stream = await fetch(`${app.url}/disease-command/changes`);
  await app.pool`insert into platform.migration (name, hash, beside) values ('9000_planted.sql', '', '9000')`;
  await stream.text();
  const ask = async () => {
    const ready = await fetch(`${app.url}/readyz`);
    return { status: ready.status, parts: ((await ready.json()) as { parts: Record<string, boolean> }).parts };
  };
  await until("it takes no job", async () => !(await ask()).parts["jobs"]);
  const { status, parts } = await ask();
  assert.deepEqual([status, parts["beside"], parts["migrations"]], [503, false, true]);
  const answer = await app.call("GET", "/platform/health", { token });
  assert.deepEqual(
    [answer.status, answer.json.code, answer.headers.get("retry-after"), answer.headers.get("connection")],
    [503, "10000", "2", "close"],
  );
  const body = { userName: "operator", password: "anything-at-all" };
  assert.equal((await app.call("POST", "/platform/login", { body })).status, 503);
  assert.equal((await fetch(`${app.url}/livez`)).status, 200);
  // If this process still ran jobs, it would take the job at once, and `stop` would wait for the job.
  await addJob(app.pool, "platform-housekeeping", {});
  await app.server.stop();
  const jobs = await app.pool`
    select attempts from graphile_worker.jobs where task_identifier = 'platform-housekeeping'`;
  assert.deepEqual([...jobs], [{ attempts: 0 }]);
  const said = app.logged.filter(({ msg }) => String(msg).startsWith("the database is too new for this version"));
  assert.equal(said.map(({ level, had }) => `${level} ${had}`).join(), "50 9000_planted.sql");
  assert.equal(app.logged.filter(({ msg }) => String(msg).includes("unavailable for a request")).length, 0);
});

test("what comes on a kept connection while the server stops is answered, and the connection closed", async () => {
  const app = await startTestApp({ services });
  const { userName } = await app.signIn("platform", { userName: "kept" });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (method: string, target: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const request = http.request(`${app.url}${target}`, { agent, method, headers });
    request.end(body && JSON.stringify(body));
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    response.resume();
    await once(response, "end");
    return [response.statusCode, response.headers.connection];
  };
  const { underWay, stopped } = await inTransaction(app.pool, async (holder) => {
    await holder`lock table platform.account`;
    const login = send("POST", "/platform/login", { userName, password: testPassword });
    await meetWaiting(app.pool, 1);
    const stop = app.server.stop();
    await until("it accepts no connection", async () => !(await fetch(`${app.url}/livez`).catch(() => undefined)));
    return { underWay: login, stopped: stop };
  });
  assert.equal((await underWay)[0], 200);
  assert.deepEqual(await send("GET", "/livez"), [200, "close"]);
  await stopped;
  agent.destroy();
});

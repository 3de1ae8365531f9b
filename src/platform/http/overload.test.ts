import assert from "node:assert/strict";
import { test } from "node:test";
import { inTransaction } from "#platform/database/index.ts";
import { type Answer, startTestApp } from "#test/app.ts";
import { meetWaiting } from "#test/meeting.ts";
import { sampleReport } from "#test/sample-report.ts";

// To overload the process, another session locks a table for which every connection of the pool then waits.

const connections = 2;
const app = await startTestApp({
  services: ["reporting", "push-relay", "tuition-payment"],
  settings: { DATABASE_POOL: String(connections) },
});
const { token } = await app.signIn("reporting");
const { token: operator } = await app.signIn("platform");
const list = () => app.call("GET", "/reporting/informationReporting/list", { token });
const add = () => app.call("POST", "/reporting/informationReporting/add", { body: sampleReport() });
const push = () => app.call("POST", "/wx/wxc/receive", { body: {} });
const notice = () => app.call("POST", "/tuitionpayment/pay/notify/nobody", { raw: "{}" });
const health = () => app.call("GET", "/platform/health", { token: operator });

async function whileBlocked(work: (answered: readonly Answer[]) => Promise<void>): Promise<Answer[]> {
  const answered: Answer[] = [];
  const holding = await inTransaction(app.pool, async (tx) => {
    await tx`lock table reporting.report in access exclusive mode`;
    const calls = Array.from({ length: connections }, () => list().then((answer) => answered.push(answer)));
    await meetWaiting(app.pool, connections);
    await work(answered);
    return calls;
  });
  await Promise.all(holding);
  return answered;
}

const countReports = async (): Promise<unknown> =>
  (await app.pool`select count(*) as count from reporting.report`)[0]?.["count"];

test("what cannot begin soon is refused while others are at work, and nothing of it is done; but not what cannot wait", async () => {
  const before = await countReports();
  const urgent: Promise<Answer>[] = [];
  const holders = await whileBlocked(async (answered) => {
    urgent.push(notice(), health());
    assert.equal((await app.call("GET", "/livez")).status, 200);
    const refused = await Promise.all([list(), add(), push()]);
    assert.equal(answered.length, 0, "the calls that hold the connections ended first");
    for (const { status, headers, json } of refused) {
      assert.deepEqual([status, headers.get("retry-after"), String(json.code)], [503, "2", "10000"]);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
    }
  });
  for (const { status } of holders) assert.equal(status, 200);
  assert.equal(await countReports(), before);
  const [told, parts] = await Promise.all(urgent);
  assert.equal(told?.json.code, "10001", "nobody is no gateway");
  assert.equal(parts?.status, 200);
});

test("who waits when the connections are free again is served, and so is who comes then", async () => {
  const waiting: Promise<Answer>[] = [];
  await whileBlocked(async () => {
    for (let count = 0; count < 20; count++) waiting.push(list());
    await app.call("GET", "/livez");
  });
  for (const { status } of await Promise.all([...waiting, list(), push(), add()])) assert.notEqual(status, 503);
});

test("the log counts the refusals, and has no line of failure for each", async () => {
  const readLines = () =>
    app.logged.filter(({ msg }) => msg === "requests were refused because the server is overloaded");
  while (readLines().length === 0) await new Promise(setImmediate);
  const lines = readLines();
  assert.ok(lines.every(({ refused }) => Number(refused) > 0));
  assert.equal(app.logged.filter(({ level }) => Number(level) >= 50).length, 0);
});

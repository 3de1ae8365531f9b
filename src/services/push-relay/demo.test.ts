import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { readSettings } from "#quintet/settings.ts";
import type { DemoTools } from "#platform/process/service.ts";
import { startTestApp } from "#test/app.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { demonstration } from "./demo.ts";
import type { RelayPlatform } from "./settings.ts";

const settings = { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PUSH_POLL_MS: "20" };
const app = await startTestApp({ services: ["push-relay"], settings });
const log = pino({ level: "silent" });
const platform = { pool: app.pool, settings: readSettings(settings), log, clock: Date.now } as unknown as RelayPlatform;
const { token } = await app.signIn("push-relay");

const call: DemoTools["call"] = async (method, path, body) => {
  const { status, json, text } = await app.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  assert.equal(status, 200, text);
  return json.data;
};
const upload = () => Promise.reject(new Error("the relay's demonstration uploads nothing"));

test("the demonstration's events arrive, twice over, and nothing is left on its way", async () => {
  for (let time = 1; time <= 2; time++) {
    const lines: string[] = [];
    await demonstration.load({ call, upload, say: (line) => void lines.push(line), db: app.pool }, platform);
    assert.match(lines.join(), /17 events .* received 17; .* received 11 of 11 /);
  }
  const projects = (await call("GET", "/wx/push/queryPushProject")) as { statu: number; dead: number }[];
  assert.deepEqual(
    projects.map(({ statu, dead }) => [statu, dead]),
    Array.from({ length: 4 }, () => [1, 0]),
  );
  const [application] = (await call("GET", "/wx/push/campusApp/list")) as { allowedNetworks: string[] }[];
  assert.deepEqual(application?.allowedNetworks, ["127.0.0.0/8", "::1/128"]);
});

test("while a server runs with its demonstration, one of its projects is received", async () => {
  const lines: string[] = [];
  const tools = { call, upload, say: (line: string) => void lines.push(line), db: app.pool };
  type Project = { id: number; url: string; statu: number };
  const listValid = async () =>
    ((await call("GET", "/wx/push/queryPushProject")) as Project[]).filter(({ statu }) => statu === 0);
  assert.deepEqual(await listValid(), []);
  // As when the server has started once more: its receiver is elsewhere then.
  for (let start = 1; start <= 2; start++) {
    await demonstration.wake?.(tools);
    const [project, ...others] = await listValid();
    assert.deepEqual(others, []);
    assert.ok(lines.at(-1)?.includes(project?.url ?? "?"), lines.join());
    const tested = (await call("POST", `/wx/push/project/test?id=${project?.id}`)) as { statusCode: number };
    assert.equal(tested.statusCode, 204);
  }
  // Who has deleted it is not given it again.
  for (const { id } of (await call("GET", "/wx/push/queryPushProject")) as Project[])
    await call("DELETE", `/wx/push/deletePushProject?id=${id}`);
  await demonstration.wake?.(tools);
  assert.deepEqual(await listValid(), []);
});

test("where there are projects it is left out: they must not hear of people who do not exist", async () => {
  const receiver = await startReceiver();
  const body = { url: receiver.url, project: "真实系统" };
  const { json } = await app.call("POST", "/wx/push/addPushProject", { token, body });
  const count = async () => (await app.pool`select count(*)::int as events from push_relay.event`)[0]?.["events"];
  const before = await count();
  const lines: string[] = [];
  await demonstration.load({ call, upload, say: (line) => void lines.push(line), db: app.pool }, platform);
  assert.match(lines.join(), /^push relay: left out, /);
  assert.equal(await count(), before);
  await app.call("DELETE", "/wx/push/deletePushProject", { token, query: { id: json.data } });
  await receiver.stop();
  assert.deepEqual(receiver.pushes, []);
});

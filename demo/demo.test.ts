import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pino } from "pino";
import type { RelayPlatform } from "#services/push-relay/settings.ts";
import { readSettings } from "#quintet/settings.ts";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { loadDemo } from "./index.ts";
import { pushRelayDemo } from "./push-relay.ts";
import type { DemoTools } from "./tools.ts";

const demoSettings = { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PAY_SIMULATED: "1" };
const app = await startTestApp({ settings: demoSettings });
const { token } = await app.signIn("platform");
const settings = readSettings({
  ...demoSettings,
  DATA_DIR: app.dataDir,
  DATABASE_URL: app.database.url,
  DATABASE_POOL: "4",
});
const said: string[] = [];
const say = (line: string) => void said.push(line);

const call = async <T>(...[method, path, body]: Parameters<DemoTools["call"]>): Promise<T> => {
  const { status, json, text } = await app.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  assert.equal(status, 200, text);
  return json.data as T;
};
const upload = () => Promise.reject(new Error("the relay's demonstration uploads nothing"));
const tools: DemoTools = { call, upload, say, db: app.pool };

before(() => loadDemo(settings, say));

test("a second start finds the demonstration loaded, and adds nothing", async () => {
  const lines: string[] = [];
  await loadDemo(settings, (line) => void lines.push(line), "once");
  assert.equal(lines[0], "the data has already been loaded");
  const { totalCount } = await call<{ totalCount: number }>("GET", "/reporting/informationReporting/list");
  assert.equal(totalCount, 45);
});

test("reporting: reports lie weeks apart, each with its history after it", async () => {
  const prefix = "/reporting/informationReporting";
  const { list } = await call<{ list: { id: number; reportingTime: string; valid: number }[] }>(
    "GET",
    `${prefix}/list?pageSize=100`,
  );
  const [newest, oldest] = [list[0]?.reportingTime ?? "", list.at(-1)?.reportingTime ?? ""];
  assert.ok(Date.parse(newest) - Date.parse(oldest) > 28 * 86_400_000, `${oldest} to ${newest}`);
  assert.deepEqual(new Set(list.map(({ valid }) => valid)), new Set([0, 1, 2]));
  const { events } = await call<{ events: { time: string }[] }>("GET", `${prefix}/info/${list.at(-1)?.id}`);
  const times = events.map(({ time }) => time);
  assert.deepEqual([times[0], times], [oldest, times.toSorted()]);
});

test("attendance: three months of 120 people are analysed", async () => {
  const months = await call<{ month: string; employees: number; identities: number; punches: number }[]>(
    "GET",
    "/attendance/month/months",
  );
  assert.deepEqual(
    months.map(({ month, employees, identities, punches }) => [month, employees, identities, punches > 4000]),
    ["2026-10", "2026-09", "2021-03"].map((month) => [month, 120, 120, true]),
  );
  const { get } = await openAttendance(app, token);
  const rows = (await get("downLoad", { month: "2026-10" })).json.data as Record<string, string | number>[];
  assert.ok(rows.some((row) => Number(row["geThirtyLateNumber"]) > 0));
  const objections = await call<{ list: { state: string }[] }>("GET", "/attendance/objection/list");
  assert.deepEqual(objections.list.map(({ state }) => state).toSorted(), ["open", "open", "refused"]);
});

type Project = { id: number; url: string; statu: number; dead: number };
const listProjects = () => call<Project[]>("GET", "/wx/push/queryPushProject");
const listValid = async () => (await listProjects()).filter(({ statu }) => statu === 0);

test("push relay: the events have arrived, and while a server runs one project is received", async () => {
  assert.match(said.join(), /17 events .* received 17; .* received 11 of 11 /);
  assert.deepEqual(
    (await listProjects()).map(({ dead }) => dead),
    [0, 0],
  );
  for (let start = 1; start <= 2; start++) {
    await pushRelayDemo.wake?.(tools);
    const [project, ...others] = await listValid();
    assert.deepEqual(others, []);
    assert.ok(said.at(-1)?.includes(project?.url ?? "?"), said.join());
    const tested = await call<{ statusCode: number }>("POST", `/wx/push/project/test?id=${project?.id}`);
    assert.equal(tested.statusCode, 204);
  }
  for (const { id } of await listProjects()) await call("DELETE", `/wx/push/deletePushProject?id=${id}`);
  await pushRelayDemo.wake?.(tools);
  assert.deepEqual(await listValid(), []);
});

test("push relay: where there are projects it is left out, since they must not hear of people who do not exist", async () => {
  const receiver = await startReceiver();
  const id = await call<string>("POST", "/wx/push/addPushProject", { url: receiver.url, project: "真实系统" });
  const count = async () => (await app.pool`select count(*)::int as events from push_relay.event`)[0]?.["events"];
  const before = await count();
  const log = pino({ level: "silent" });
  const platform = { pool: app.pool, settings, log, clock: Date.now } as unknown as RelayPlatform;
  await pushRelayDemo.load(tools, platform);
  assert.match(said.at(-1) ?? "", /^push relay: skipped, /);
  assert.equal(await count(), before);
  await call("DELETE", `/wx/push/deletePushProject?id=${id}`);
  await receiver.stop();
  assert.deepEqual(receiver.pushes, []);
});

test("the institution has a name, a logo and a seal", async () => {
  const { name, logo, seal } = await call<Record<string, string>>("GET", "/platform/institution");
  assert.equal(name, "示例大学");
  for (const picture of [logo, seal])
    assert.equal((await app.call("GET", `/platform/institution/picture/${picture}`)).status, 200);
});

test("tuition payment: students of four grades, whose orders are paid in part", async () => {
  const limits = await call<{ gradeName: string; enablePay: string }[]>("GET", "/enablePayLimit/list");
  assert.deepEqual(
    limits.map(({ gradeName, enablePay }) => `${gradeName} ${enablePay}`),
    ["2023级 1", "2024级 1", "2025级 1", "2026级 1"],
  );
  const { totalCount } = await call<{ totalCount: number }>("GET", "/tuitionpayment/payableinfo/list");
  assert.equal(totalCount, 2000);
  const orders = await call<{ totalCount: number }>("GET", "/tuitionpayment/order/list");
  assert.equal(orders.totalCount, 16);
  const desk = await call<{ list: { kind: string }[] }>("GET", "/tuitionpayment/desk/list?state=open");
  assert.deepEqual(desk.list.map(({ kind }) => kind).toSorted(), ["late", "otherAmount"]);
});

test("disease command: every part of the overview is filled, once", async () => {
  const { data } = (await app.call("GET", "/disease-command/overview")).json;
  for (const [name, part] of Object.entries(data)) if (Array.isArray(part)) assert.ok(part.length > 5, name);
  assert.deepEqual(
    [data.theme.themeName, data.emergencyTeam.teamCount, data.detectionStatistics.length],
    ["日常值守", 6, 120],
  );
  const picture = await fetch(`${app.url}/disease-command/file/${data.scenicSpotOverview[0].image}`);
  assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/png"]);
  const { spots } = await call<{ spots: string[] }>("GET", "/disease-command/map/mismatches");
  assert.deepEqual(spots, ["星浦贝壳滩"]);
});

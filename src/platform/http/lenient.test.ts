import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";

const services = ["reporting", "tuition-payment", "disease-command"];
const app = await startTestApp({ services, settings: { INPUT_STYLE: "lenient" } });
const strict = await startTestApp({ services, beside: app });
const { token } = await app.signIn("platform", { isSuper: true });
const prefix = "/reporting/informationReporting";
const list = (query: Record<string, string | number>, at = app) => at.call("GET", `${prefix}/list`, { token, query });
const add = (given: Record<string, unknown>, at = app) =>
  at.call("POST", `${prefix}/add`, { body: sampleReport(given) });
const statistics = (broadcastTime: unknown, at = app) =>
  at.call("PUT", "/disease-command/broadcast/statistics/update", { token, body: { id: 1, broadcastTime } });

const newestTender = async (): Promise<string> =>
  (await list({ orderField: "id", order: "desc", pageSize: 1 })).json.data.list[0].tenderTime;

test("texts of a value set may come as numbers, and a number outside the set may not", async () => {
  const save = (adminType: unknown, status: unknown, at = app) =>
    at.call("POST", "/tuitionpayment/admininfo/save", {
      token,
      body: { userName: `lenient-${String(adminType)}`, password: "correct-horse-9", adminType, status },
    });
  assert.equal((await save(1, 1)).json.code, "0");
  for (const wrong of [2, -1, 1.5, true]) assert.equal((await save(wrong, 1)).json.code, "10001", String(wrong));
  assert.equal((await save(0, 1, strict)).json.code, "10001");
  const theme = { themeName: "值守", enable: 2 };
  assert.equal((await app.call("POST", "/disease-command/theme/save", { token, body: theme })).json.code, "0");
});

test("undefined and null in a query are what was left out", async () => {
  const all = (await list({})).json.data.totalCount;
  const empty = { name: "undefined", trade: "null", status: "undefined", currPage: "null", order: "undefined" };
  const answer = await list(empty);
  assert.deepEqual([answer.json.code, answer.json.data?.totalCount, answer.json.data?.currPage], ["0", all, 1]);
  assert.equal((await list({ status: "undefined" }, strict)).json.code, "10001");
  assert.equal((await list({ name: "undefined" }, strict)).json.data.totalCount, 0);
  const path = "/tuitionpayment/feedbackmsg/info/undefined";
  assert.equal((await app.call("GET", path, { token })).json.code, "10001");
  assert.equal((await add({ status: "undefined", content: "undefined" })).json.code, "0");
  const [row] = (await list({ orderField: "id", order: "desc" })).json.data.list;
  assert.equal(row.content, "undefined");
});

test("a number that JSON cannot hold is not taken for a text", async () => {
  const raw = JSON.stringify(sampleReport()).replace('"15万元"', "420106199001011234");
  const headers = { "content-type": "application/json" };
  assert.equal((await app.call("POST", `${prefix}/add`, { raw, headers })).json.code, "10001");
  assert.equal((await add({ projectAmount: Number.MAX_SAFE_INTEGER })).json.code, "0");
});

test("a sort direction may be written out", async () => {
  await add({ name: "甲" });
  await add({ name: "乙" });
  const ids = async (order: string) =>
    (await list({ orderField: "id", order })).json.data.list.map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids("descending"), await ids("desc"));
  assert.deepEqual(await ids("Ascending"), await ids("ASC"));
  for (const wrong of ["down", "descendingly"]) assert.equal((await list({ order: wrong })).json.code, "10001");
  assert.equal((await list({ order: "descending" }, strict)).json.code, "10001");
});

describe("a time", () => {
  const cases: [string, string][] = [
    ["2027-03-01 09:30", "2027-03-01 09:30:00"],
    ["2027-03-01T09:30", "2027-03-01 09:30:00"],
    ["2027-03-01T09:30:15", "2027-03-01 09:30:15"],
    ["2027-03-01T09:30:15.250", "2027-03-01 09:30:15"],
    ["2027-03-01T01:30:00.000Z", "2027-03-01 09:30:00"],
    ["2027-02-28T23:30:00-02:00", "2027-03-01 09:30:00"],
    ["2027-03-01T09:30+0800", "2027-03-01 09:30:00"],
    ["2027-03-01 09:30:00", "2027-03-01 09:30:00"],
  ];
  test("may be written as browsers write it", async () => {
    for (const [sent, meant] of cases) {
      assert.equal((await add({ tenderTime: sent })).json.code, "0", sent);
      assert.equal(await newestTender(), meant);
    }
    assert.equal((await add({ tenderTime: "2027-03-01T09:30" }, strict)).json.code, "10001");
  });

  test("may not be another", async () => {
    const unreal = "2027-02-29T09:30,2027-02-30T09:30:00Z,2027-03-01T25:00,2027-03-01T09:60Z,2027-03-01T23:59:60Z";
    const misspelt = "2027-03-01T09,2027-3-1 9:30,2027-03-01T09:30:00+99:00,0001-01-01T00:00Z,tomorrow";
    for (const sent of [...unreal.split(","), ...misspelt.split(","), 20270301])
      assert.equal((await add({ tenderTime: sent })).json.code, "10001", String(sent));
  });

  test("of a filter likewise", async () => {
    const day = (await list({ reportingTime: "2000-01-01T00:00,2999-12-31T00:00:00.000Z" })).json;
    assert.deepEqual([day.code, day.data.totalCount], ["0", (await list({})).json.data.totalCount]);
    assert.equal((await list({ reportingTime: "2026-01-01 00:00" }, strict)).json.code, "10001");
    const plans = (startTime: string, at = app) =>
      at.call("GET", "/disease-command/eventPlanning/list", { query: { startTime } });
    assert.equal((await plans("2026-01-01 00:00")).json.code, "0");
    assert.equal((await plans("2026-01-01 00:00", strict)).json.code, "10001");
  });
});

describe("periods of the day", () => {
  const cases: [string, string][] = [
    ["7:00-8:00", "07:00-08:00"],
    ["07:00:00-08:00:00", "07:00-08:00"],
    ["07:00~08:00", "07:00-08:00"],
    ["7:00:00 ~ 8:30:00, 18:00-19:00", "07:00-08:30,18:00-19:00"],
  ];
  for (const [sent, meant] of cases)
    test(`may be ${sent}`, async () => {
      assert.equal((await statistics(sent, strict)).json.code, "10001");
      assert.equal((await statistics(sent)).json.code, "0");
      const { json } = await app.call("GET", "/disease-command/broadcast/statistics/info");
      assert.equal(json.data.broadcastTime, meant);
    });
  for (const sent of ["7-8", "24:00-25:00", "07:00:99-08:00", "07:00", "07:00-08:00~09:00"])
    test(`may not be ${sent}`, async () => assert.equal((await statistics(sent)).json.code, "10001"));
});

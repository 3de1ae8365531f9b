import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatDateTime } from "#platform/contract/times.ts";
import { startTestApp } from "#test/app.ts";
import { listModules, pngBytes, sampleToilet, toMonthText, upload, uploadImage } from "#test/disease-command.ts";
import { overview } from "./screen-contract.ts";

const app = await startTestApp({ services: ["disease-command"], settings: { MAX_UPLOAD_MB: "1" } });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command${path}`, { token, body, query })).json;
const read = async () => (await app.call("GET", "/disease-command/overview")).json.data;

test("an empty city has an overview", async () => {
  const empty = await read();
  assert.deepEqual(overview.parse(empty), empty);
  const { broadcast, consumptionCategoryStatistics, emergencyTeam, theme, ...lists } = empty;
  assert.deepEqual([broadcast.records, theme, emergencyTeam.teamCount], [[], null, 0]);
  assert.equal(consumptionCategoryStatistics.length, 6);
  for (const list of Object.values(lists)) assert.deepEqual(list, []);
});

test("the overview is what the open reads answer", async () => {
  const image = await uploadImage(app, token);
  const team = Number((await call("POST", "/emergencyTeam/save", { teamName: "队" })).data);
  for (const { save, sample } of listModules(image, team))
    for (let n = 0; n < 14; n++) assert.equal((await call("POST", save, sample(n))).code, "0", save);
  for (let n = 100; n < 105; n++) await call("POST", "/toilet/save", { ...sampleToilet(n), status: "1" });
  await call("POST", "/theme/save", { themeName: "值守", enable: "1" });
  const clinics = ["2026-11-19", "2026-11-20"].flatMap((statisticsDate) =>
    [3, 9, 5].map((count) => {
      return { statisticsDate, hospitalName: `${count}院`, feverClinicCount: count, epidemicCount: 0 };
    }),
  );
  await call("POST", "/feverClinicOfHospitalStatistics/save", { datas: clinics });

  const found = await read();
  assert.deepEqual(overview.parse(found), found);
  const data = async (path: string, query = {}) => (await call("GET", path, undefined, query)).data;
  const list = async (path: string, query = {}) => (await data(path, query)).list;
  const { recordPage } = await data("/broadcast/record/page");
  const withoutContent = (row: object) => ({ ...row, content: null });
  const sortedByMonth = { orderField: "month", order: "desc", pageSize: 12 };
  const sortedByDate = { orderField: "statisticsDate", order: "desc", pageSize: 1000 };
  assert.deepEqual(found, {
    broadcast: { statistics: await data("/broadcast/statistics/info"), records: recordPage.list },
    consumptionCategoryStatistics: await list("/consumptionCategoryStatistics/list"),
    detectionStatistics: await list("/detectionStatistics/list", sortedByDate),
    emergencyTeam: await data("/emergencyTeam/statistics"),
    eventPlanning: found.eventPlanning,
    eventPlanningMonthSummary: (await list("/eventPlanningMonthSummary/list", sortedByMonth)).map(withoutContent),
    feverClinicOfHospitalStatistics: await data("/feverClinicOfHospitalStatistics/lastData"),
    scenicSpotOverview: await list("/scenicSpotOverview/list", { pageSize: 100 }),
    theme: await data("/theme/currentItem"),
    toilet: await data("/toilet/list/mini"),
  });
  assert.deepEqual([recordPage.list.length, found.toilet.length], [10, 5]);
  assert.equal(found.eventPlanningMonthSummary[0].month, toMonthText(13));
});

test("plans are those of this month and after, earliest first", async () => {
  const plans = await app.pool<{ id: number }[]>`select id from disease_command.event_plan`;
  const ids = plans.map(({ id }) => id);
  assert.equal((await call("DELETE", "/eventPlanning/delete", ids)).code, "0");
  const month = formatDateTime(new Date(), "Asia/Shanghai").slice(0, 7);
  for (const startTime of ["9000-01-01 00:00:00", `${month}-01 00:00:00`, "2020-01-01 00:00:00"])
    await call("POST", "/eventPlanning/save", { title: startTime, startTime, content: "c" });
  const { eventPlanning } = await read();
  const told = eventPlanning.map(({ title, content }: Record<string, unknown>) => `${title} ${content}`);
  assert.deepEqual(told, [`${month}-01 00:00:00 null`, "9000-01-01 00:00:00 null"]);
});

test("detection is of the latest 30 dates", async () => {
  const students = { peopleType: "学生", detectionCount: 1, abnormalCount: 0 };
  for (let n = 0; n < 40; n++)
    await call("POST", "/detectionStatistics/save", { statisticsDate: `20${30 + n}-01-01`, ...students });
  const { detectionStatistics: told } = await read();
  assert.equal(told.length, 30);
  assert.deepEqual([told[0].statisticsDate, told[29].statisticsDate], ["2069-01-01", "2040-01-01"]);
});

const sendImage = (bytes: Uint8Array | string, name: string) => upload(app, "/file/imageUpload", token, bytes, name);

describe("what is no image is refused, whatever it is called", () => {
  const refused: [string, Uint8Array | string, number][] = [
    ["a page", "<!doctype html><script>alert(1)</script>", 400],
    ["svg, which holds scripts", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 400],
    ["a script behind the first letters of a gif", "GIF89a/*", 400],
    ["pdf", "%PDF-1.4\n%%EOF\n", 400],
    ["too much", Buffer.concat([pngBytes, Buffer.alloc(1024 * 1024)]), 413],
  ];
  for (const [what, bytes, status] of refused) {
    test(what, async () => {
      const answer = await sendImage(bytes, "photo.png");
      assert.deepEqual([answer.status, answer.json.code], [status, "10030"]);
    });
  }
});

test("an image gets a name and an address, which anyone may read", async () => {
  const { json } = await sendImage(pngBytes, "湖 <1>.html");
  const { imageName, url } = json.data;
  assert.match(imageName, /^[0-9a-f]{32}\.png$/);
  assert.equal(url, `/disease-command/file/${imageName}`);
  const answer = await fetch(app.url + url);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), pngBytes);
  assert.deepEqual(
    ["content-type", "x-content-type-options"].map((name) => answer.headers.get(name)),
    ["image/png", "nosniff"],
  );
  assert.match(answer.headers.get("content-disposition") ?? "", /^inline; filename\*=UTF-8''/);
  const [line] =
    await app.pool`select records from platform.audit where action = 'uploadImage' order by id desc limit 1`;
  assert.deepEqual(line?.["records"], [imageName]);
});

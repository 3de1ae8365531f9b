import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { contracts } from "#quintet/app.ts";
import { startTestApp } from "#test/app.ts";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";
import { listOldRows } from "#test/old-systems/old-database.ts";
import { answerFor, type Row } from "#test/old-systems/old-reads.ts";
import { type OldServer, startOldServer } from "#test/old-systems/old-server.ts";
import { longId, type OldService } from "#test/old-systems/old-services.ts";
import { bring, playCommand, prepare } from "#test/old-systems/steps.ts";
import { listAsks, listReads } from "./reads.ts";
import { compareSides } from "./side-by-side.ts";

const app = await startTestApp();
const folder = await mkdtemp(path.join(tmpdir(), "quintet-sides-"));
after(() => rm(folder, { recursive: true }));
const oldToken = "old-token";

/** Returns the lines of the command, and the differences with the paths of their reads. */
async function compare(service: string, { base }: OldServer, { token = oldToken, url = app.url } = {}) {
  const said: string[] = [];
  const here = { base: url, token: (await app.signIn(service, { isSuper: true })).token };
  const isSame = await compareSides(contracts, {
    service,
    there: { base, token },
    here,
    say: (line) => said.push(line),
  });
  let read = "";
  const differences = said.flatMap((line) => {
    if (line.startsWith("  ")) return [`${read}${line.slice(1)}`];
    read = /^\S+(?=: )/.exec(line)?.[0] ?? "";
    return [];
  });
  assert.equal(isSame, differences.length === 0);
  return { said, differences };
}

async function bringFrom(service: OldService, count = 250) {
  const given = { seed: 20261127, count };
  const old = await prepare(folder, service, given);
  await bring(app, "run", old);
  const rows = listOldRows(service, given);
  const refused = old.faults
    .filter(([, , rule, field]) => rule === "refused" && field !== "id")
    .map(([record, key]) => `${record} ${key}`);
  const listRows = (table: string, record: string): Row[] =>
    (rows.get(table) ?? []).filter(({ id }) => !refused.includes(`${record} ${id}`));
  const page = service === "reporting" ? "currPage" : "curPage";
  const server = await startOldServer({ token: oldToken, page }, answerFor(service, listRows));
  return { old, server };
}

/** Changes one response of the old system. */
function plant({ answers }: OldServer, at: string, change: (data: never) => unknown): void {
  const answer = answers.get(at) ?? assert.fail(at);
  answers.set(at, (paged, card) => change(structuredClone(answer(paged, card)) as never));
}

test("reports and administrators are compared item by item, and what was put right is named", async () => {
  const { old, server } = await bringFrom("reporting");
  const keyOf = (field: string) =>
    old.faults.find(([record, , rule, of]) => record === "reports" && rule === "changed" && of === field)?.[1];
  const [reports, users] = ["/reporting/informationReporting/list", "/reporting/user/list"];
  const told = [
    `${keyOf("tenderTime")}: tenderTime`,
    `${keyOf("company")}: company`,
    `${longId}: only in the old system`,
  ];
  const { said, differences } = await compare("reporting", server);
  assert.match(
    said[0] ?? "",
    /24\d identical, 1 with intended differences, 2 different, 1 only in the old system, 1 only in Quintet$/,
  );
  assert.deepEqual(
    differences.filter((line) => !line.endsWith("only in Quintet")).toSorted(),
    [...told.map((line) => `${reports} ${line}`), `${users} Shiro: time`, `${users} unknown: time`].toSorted(),
  );
  assert.ok(
    said.includes(`intended difference: ${reports}: content: addresses of uploads change (1)`),
    said.join("\n"),
  );
  assert.ok(said.includes(`intended difference: ${users}: password: Never returned (7)`), said.join("\n"));
  plant(server, reports, ({ list, ...page }: { list: Row[] }) => ({
    ...page,
    list: list.map((row) => (row["id"] === 2 ? { ...row, trade: "另一", version: 1 } : row)),
  }));
  const planted = await compare("reporting", server);
  assert.ok(planted.differences.includes(`${reports} 2: trade`));
  assert.ok(planted.said.includes(`intended difference: ${reports}: version: the field is not documented (1)`));
  const refused = await compare("reporting", server, { token: "another" });
  assert.deepEqual(
    refused.differences,
    [reports, users].map((at) => `${at} ${server.base}${at} cannot be read: status 200, code 10006.`),
  );
});

test("a month of attendance and the push projects are the same on both sides", async () => {
  const { server } = await bringFrom("attendance", 9);
  const { said, differences } = await compare("attendance", server);
  assert.deepEqual(differences, []);
  assert.ok(said.some((line) => /downLoad: 4 in the old system, 4 in Quintet; 4 identical, /.test(line)));
  assert.ok(said.includes("intended difference: /attendance/month/title: id: the id is the month (1)"));
  const at = "/attendance/month";
  plant(server, `${at}/title`, (row: Row) => ({ ...row, twoOfMonth: "日" }));
  plant(server, `${at}/queryAnalyseStatu`, (row: Row) => ({ ...row, statu: 3 }));
  assert.deepEqual((await compare("attendance", server)).differences.toSorted(), [
    `${at}/queryAnalyseStatu ${at}/queryAnalyseStatu: statu`,
    `${at}/title ${at}/title: twoOfMonth`,
  ]);
  const relay = await bringFrom("push-relay");
  assert.deepEqual((await compare("push-relay", relay.server)).differences, ["/wx/push/queryPushProject 4: project"]);
});

const feedback = "/tuitionpayment/feedbackmsg";
const dues = "/tuitionpayment/payableinfo/payableInfo";
const duesByName = `${dues}/:studentNo/:studentName`;
const strictSettings: readonly Record<string, string>[] = [
  { STUDENT_IDENTITY: "" },
  { STUDENT_IDENTITY: "signed", STUDENT_IDENTITY_SECRET: "a-secret-of-at-least-32-characters" },
  { STUDENT_IDENTITY: "campus" },
];

test("payables, pay limits and feedback are the same on both sides, for administrators and students", async (t) => {
  const { server } = await bringFrom("tuition-payment");
  const { said, differences } = await compare("tuition-payment", server);
  const otherYear = "years: Quintet shows the earliest unpaid charging year, else the latest";
  assert.ok(
    said.some((line) => line.includes("payableinfo/list: 247 in the old system, 247 in Quintet; 247 identical, ")),
  );
  // The old service did not store when this feedback was handled, so the import used its publication time.
  assert.deepEqual(differences, [`${feedback}/list 1: handleTime`]);
  for (const at of [dues, duesByName]) {
    assert.ok(said.includes(`intended difference: ${at}: ${otherYear} (1)`));
    assert.ok(said.some((line) => line.startsWith(`${at}: 18 in the old system, 18 in Quintet; 17 identical, `)));
  }
  const campus = await startCampusStandIn();
  t.after(() => campus.close());
  for (const settings of strictSettings) {
    const { url } = await startTestApp({
      services: ["tuition-payment"],
      settings: { ...campus.settings, ...settings },
      beside: app,
    });
    const strict = await compare("tuition-payment", server, { url });
    assert.deepEqual(
      strict.said.filter((line) => line.startsWith("not read: ")),
      [`${feedback}/listOfCurrentUser`, dues, duesByName].map((at) => `not read: ${at}: requires a student's login`),
    );
    assert.deepEqual(strict.differences, differences);
  }
  plant(server, `${feedback}/info/2`, set("feedbackInfo", "再见"));
  plant(server, `${feedback}/listOfCurrentUser`, set("list", []));
  // Quintet shows the later charging year of this student, whose earlier one is paid. The old answer is about the earlier
  // one, as if it were not paid.
  plant(server, dues, (row: Row) =>
    row["studentNo"] === "2000239" ? { ...row, id: 240, years: "2024", pay: false } : row,
  );
  plant(server, `${dues}/2000241/某人`, set("pay", true));
  assert.deepEqual((await compare("tuition-payment", server)).differences, [
    `${feedback}/list 1: handleTime`,
    `${feedback}/listOfCurrentUser 3: only in Quintet`,
    `${feedback}/listOfCurrentUser 2: only in Quintet`,
    `${feedback}/info/:id ${feedback}/info/2: feedbackInfo`,
    `${dues} ${dues} of 239: id, years`,
    `${duesByName} ${duesByName} of 241: pay`,
  ]);
  server.answers.delete(`${dues}/2000243/某人`);
  const unnamed = `${duesByName} ${server.base}${duesByName} of 243 cannot be read: status 200, code 10005.`;
  assert.ok((await compare("tuition-payment", server)).differences.includes(unnamed));
});

const set =
  (field: string, value: unknown) =>
  (row: Row): Row => ({ ...row, [field]: value });
const setFirst =
  (field: string, value: unknown) =>
  ([first, ...rest]: Row[]): Row[] => [{ ...first, [field]: value }, ...rest];
const city = "/disease-command";
/** Changes of the old system's responses by path, each with the line that reports the difference. */
const cityFaults: Readonly<Record<string, readonly [change: (data: never) => unknown, told: string]>> = {
  "/broadcast/statistics/info": [set("rateOfInline", 0.5), "/broadcast/statistics/info: rateOfInline"],
  "/broadcast/record/page": [set("numOfBroadcasts", 7), "/broadcast/record/page: numOfBroadcasts"],
  "/broadcast/record/info/2": [set("content", "另一"), "/broadcast/record/info/2: content"],
  "/detectionStatistics/list": [set("list", []), "2: only in Quintet"],
  "/emergencyTeam/statistics": [set("peopleCount", 3), "/emergencyTeam/statistics: peopleCount"],
  "/eventPlanning/list/groupByMonth": [
    ({ list, ...page }: { list: Row[] }) => ({ ...page, list: setFirst("plannings", [])(list) }),
    "2022-05: plannings",
  ],
  "/eventPlanning/info/3": [set("content", "另一"), "/eventPlanning/info/3: content"],
  "/eventPlanningMonthSummary/info/1": [set("title", "另一"), "/eventPlanningMonthSummary/info/1: title"],
  "/eventPlanningMonthSummary/2022-02/info": [
    set("month", "2022-01"),
    "/eventPlanningMonthSummary/2022-02/info: month",
  ],
  "/feverClinicOfHospitalStatistics/lastData": [(rows: Row[]) => rows.slice(1), "2: only in Quintet"],
  "/scenicSpotOverview/info/id/1": [set("responsibler", "另一"), "/scenicSpotOverview/info/id/1: responsibler"],
  "/scenicSpotOverview/info/name/东湖 听涛": [
    set("id", 2),
    `/scenicSpotOverview/info/name/${encodeURIComponent("东湖 听涛")}: id`,
  ],
  "/theme/list": [setFirst("enable", "1"), "1: enable"],
  "/theme/currentItem": [() => null, "/theme/currentItem: only in Quintet"],
  "/toilet/list/mini": [setFirst("flag", "t-1"), "1: flag"],
  "/toilet/info/2": [set("area", "41"), "/toilet/info/2: area"],
};

test("the city's records and statistics are the same on both sides, and each planted difference is found", async () => {
  const { server } = await bringFrom("disease-command");
  assert.deepEqual((await compare("disease-command", server)).differences, []);
  for (const [at, [change]] of Object.entries(cityFaults)) plant(server, city + at, change);
  const { differences } = await compare("disease-command", server);
  const found = differences.map((line) => line.slice(line.indexOf(" ") + 1).replace(city, ""));
  const told = Object.values(cityFaults).map(([, line]) => line);
  assert.deepEqual(
    found.toSorted(),
    [...told, "1: only in Quintet"].toSorted(),
    "the list of two detections has become empty",
  );
  server.answers.clear();
  const refused = await compare("disease-command", server);
  assert.equal(refused.said.filter((line) => line.endsWith("no record that is identical in both systems")).length, 7);
});

test("every documented read is compared, or named with the reason", async () => {
  const said: string[] = [];
  const nobody = { base: "http://127.0.0.1:1", token: "" };
  for (const { name } of contracts)
    await compareSides(contracts, { service: name, there: nobody, here: nobody, say: (line) => said.push(line) });
  const reads = contracts
    .flatMap(({ endpoints }) => Object.values(endpoints))
    .filter(({ method, own }) => method === "GET" && !own)
    .map(({ url }) => url);
  const named = said.flatMap((line) => /^(?:not read: )?(\/\S+): /.exec(line)?.[1] ?? []);
  assert.deepEqual(named.toSorted(), reads.toSorted());
  const obstacles = said.filter((line) => line.startsWith("not read: ") && !line.includes("there is no record"));
  assert.deepEqual(obstacles.map((line) => line.replace(/^not read: /, "")).toSorted(), [
    "/attendance/month/analyse: starts an analysis",
    "/attendance/month/te: returns no data",
    "/reporting/informationReporting/download: returns a file whose content is not documented",
    "/reporting/wx/getOpenId: requires a single-use code that the messaging platform gives a browser",
    "/reporting/wx/getPhone: requires a single-use code that the messaging platform gives a browser",
  ]);
});

test("the command wants both sides", async () => {
  await assert.rejects(playCommand("compare", "--old", app.url), {
    message: "Specify the old database and --map, or --old, --new and --service.",
  });
});

test("a payable without a student number is not asked for by one", () => {
  const tuition = contracts.find(({ name }) => name === "tuition-payment");
  assert.ok(tuition);
  const records = [null, "2026010001"].map((studentNo, id) => ({ id, studentNo, studentName: "某人" }));
  const asks = listReads(tuition)
    .filter(({ url }) => /payableInfo(?:\/:\w+)*$/.test(url))
    .map((read) => listAsks(read, records).map(({ path: at, headers }) => [at, headers?.["card_number"]]));
  const at = "/tuitionpayment/payableinfo/payableInfo";
  const own = [at, "2026010001"];
  const matched = [`${at}/2026010001/${encodeURIComponent("某人")}`, "2026010001"];
  assert.deepEqual(asks, [[own], [matched]]);
});

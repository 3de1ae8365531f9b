import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { contracts } from "#quintet/app.ts";
import { startTestApp } from "#test/app.ts";
import { listOldRows } from "#test/old-systems/old-database.ts";
import { longId, type OldService } from "#test/old-systems/old-services.ts";
import { toOldSummary } from "#test/old-systems/old-months.ts";
import { type OldServer, startOldServer } from "#test/old-systems/old-server.ts";
import { bring, playCommand, prepare, type Prepared } from "#test/old-systems/steps.ts";
import { compareSides } from "./side-by-side.ts";

const app = await startTestApp();
const folder = await mkdtemp(path.join(tmpdir(), "quintet-sides-"));
after(() => rm(folder, { recursive: true }));
const given = { seed: 20261127, count: 250 };
const reportList = "/reporting/informationReporting/list";
const oldToken = "old-token";

async function compare(service: string, { base }: OldServer, token = oldToken): Promise<string[]> {
  const said: string[] = [];
  const here = { base: app.url, token: (await app.signIn(service, { isSuper: true })).token };
  const isSame = await compareSides(contracts, {
    service,
    there: { base, token },
    here,
    say: (line) => said.push(line),
  });
  assert.equal(
    isSame,
    said.every((line) => !/^ |(?:differing|only there|only here) [1-9]/.test(line)),
  );
  return said;
}

async function bringFrom(service: OldService): Promise<Prepared> {
  const old = await prepare(folder, service, given);
  await bring(app, "run", old);
  return old;
}

type Row = Readonly<Record<string, unknown>>;
const later = (utc: string): string =>
  new Date(Date.parse(`${utc.replace(" ", "T")}Z`) + 8 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
const toList = (text: string): unknown[] =>
  text.startsWith("[") ? (JSON.parse(text) as string[]) : text.split(",").filter(Boolean);
const toNumbers = (row: Row): Row => ({
  ...row,
  ...Object.fromEntries(
    ["status", "delStatus", "valid", "adminType"]
      .filter((field) => field in row)
      .map((field) => [field, Number(row[field])]),
  ),
});

const toReport = (row: Row): Row => ({
  ...toNumbers(row),
  bProduct: toList(String(row["bProduct"])),
  bFile: toList(String(row["bFile"] ?? "")),
  reportingTime: later(String(row["reportingTime"])),
  tenderTime: String(row["tenderTime"]).startsWith("0") ? null : row["tenderTime"],
});
const toAdministrator = ({ createTime, ...row }: Row): Row => ({
  ...toNumbers({ ...row, salt: undefined }),
  time: String(createTime).startsWith("2") ? createTime : null,
});

function openBrought(service: OldService, { faults }: Prepared) {
  const rows = listOldRows(service, given);
  const refused = faults
    .filter(([, , rule, field]) => rule === "refused" && field !== "id")
    .map(([record, key]) => `${record} ${key}`);
  return (table: string, record: string): Row[] =>
    (rows.get(table) ?? []).filter(({ id }) => !refused.includes(`${record} ${id}`));
}

test("reports and administrators are compared item by item, and what was put right is named", async () => {
  const old = await bringFrom("reporting");
  const listBrought = openBrought("reporting", old);
  const reports = listBrought("tb_report", "reports").slice(0, -1).map(toReport);
  const administrators = listBrought("sys_user", "administrators").map(toAdministrator);
  const lists = new Map([
    [reportList, reports],
    ["/reporting/user/list", administrators],
  ]);
  const server = await startOldServer({ token: oldToken, page: "currPage" }, lists);
  const keyOf = (field: string) =>
    old.faults.find(([record, , rule, of]) => record === "reports" && rule === "changed" && of === field)?.[1];
  const told = [
    `  ${keyOf("tenderTime")}: tenderTime`,
    `  ${keyOf("company")}: company`,
    `  ${longId}: only in the old system`,
  ];
  const said = await compare("reporting", server);
  assert.match(
    said[0] ?? "",
    /24\d identical, 1 with intended differences, 2 different, 1 only in the old system, 1 only in Quintet$/,
  );
  assert.equal(said[1], "reporting.reports: 20 read one by one, 0 different");
  assert.deepEqual(said.filter((line) => told.includes(line)).toSorted(), told.toSorted());
  assert.deepEqual(said.slice(-2).toSorted(), ["  Shiro: time", "  unknown: time"], "there is always one here");

  server.lists.set(
    reportList,
    reports.map((row) => (row["id"] === 2 ? { ...row, trade: "另一" } : row)),
  );
  assert.ok((await compare("reporting", server)).includes("  2: trade"));
  for (const row of reports)
    server.singles.set(`/reporting/informationReporting/info/${String(row["id"])}`, { ...row, company: "另一" });
  const singly = await compare("reporting", server);
  assert.equal(singly[1], "reporting.reports: 20 read one by one, 20 different");
  assert.equal(
    singly.filter((line) => /^ {2}\/reporting\/informationReporting\/info\/\d+: company$/.test(line)).length,
    20,
  );
  await assert.rejects(compare("reporting", server, "another"), /list cannot be read: status 200, code 10006\./);
});

test("a month of attendance and the push projects are the same on both sides", async () => {
  for (const service of ["attendance", "push-relay"] as const)
    await bring(app, "run", await prepare(folder, service, { seed: 1, count: 9 }));
  const month = [2, 4, 6, 8].map((n) => toOldSummary(n));
  const projects = [
    { id: 1, url: "http://192.0.2.1/a", project: "同一项目", statu: 1 },
    { id: 4, url: "http://192.0.2.1/b", project: null, statu: 0 },
  ];
  const lists = new Map<string, Record<string, unknown>[]>([
    ["/attendance/month/downLoad", month],
    ["/wx/push/queryPushProject", projects],
  ]);
  const server = await startOldServer({ token: oldToken, page: "", plain: [...lists.keys()] }, lists);
  assert.match((await compare("attendance", server)).join(), /4 in the old system, 4 in Quintet; 4 identical, /);
  assert.match((await compare("push-relay", server)).join(), / 1 different, .*\n? {2}4: project/);
});

test("the payables of a student and the city's records are the same on both sides", async () => {
  const payables = openBrought("tuition-payment", await bringFrom("tuition-payment"));
  const city = openBrought("disease-command", await bringFrom("disease-command"));
  const toPayable = (row: Row): Row => ({ ...row, realPayAmount: Number(row["realPayAmount"]), paid: undefined });
  const withoutSecrets = (row: Row): Row => ({ ...row, password: null, salt: undefined, createTime: undefined });
  const lists = new Map<string, Row[]>([
    ["/tuitionpayment/payableinfo/list", payables("payable_info", "payables").map(toPayable)],
    ["/enablePayLimit/list", payables("pay_limit", "payLimits")],
    ["/tuitionpayment/feedbackmsg/list", payables("feedback_msg", "feedback")],
    ["/tuitionpayment/admininfo/list", payables("sys_user", "administrators").map(withoutSecrets)],
    ["/emergencyTeam/list", city("team", "teams")],
    ["/emergencyTeam/member/list", city("team_member", "members")],
    ["/consumptionCategoryStatistics/list", city("consumption", "consumption").map((row) => ({ ...row, value: 1.5 }))],
    ["/eventPlanningMonthSummary/list", city("month_summary", "monthSummaries")],
    ["/adminInfo/list", city("sys_user", "administrators").map(withoutSecrets)],
  ]);
  const server = await startOldServer({ token: oldToken, page: "curPage", plain: ["/enablePayLimit/list"] }, lists);
  for (const row of payables("payable_info", "payables"))
    server.singles.set(`/tuitionpayment/payableinfo/info/${String(row["id"])}`, {
      ...toPayable(row),
      pay: row["paid"] === 1,
    });
  const [listed, singly, ...others] = await compare("tuition-payment", server);
  assert.match(listed ?? "", /247 in the old system, 247 in Quintet; 247 identical, /);
  assert.equal(singly, "tuition-payment.payables: 20 read one by one, 0 different");
  const isDifference = (line: string): boolean => line.startsWith("  ");
  // The old service did not store when this feedback was handled, so the import used its publication time.
  assert.deepEqual(others.filter(isDifference), ["  1: handleTime"]);
  assert.deepEqual((await compare("disease-command", server)).filter(isDifference), []);
});

test("the command wants both sides", async () => {
  await assert.rejects(playCommand("compare", "--old", app.url), {
    message: "Specify the old database and --map, or --old, --new and --service.",
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "playwright-core";
import { openAttendance } from "#test/attendance/calls.ts";
import { lineOf, plainPunches, someone } from "#test/attendance/plain-sheets.ts";
import { monthSheet } from "#test/attendance/workbooks.ts";
import { button, startConsole } from "#test/browser/console.ts";

const { app, open } = await startConsole({ settings: { EMPLOYEE_IDENTITY: "header" } });
const month = "2026-05";
const hr = await app.signIn("platform", { userName: "hr" });
const { send, analyse } = await openAttendance(app, hr.token);
const people = Array.from({ length: 21 }, (_, n) => ({
  ...someone,
  name: `员工${n}`,
  workNumber: `W${n}`,
  userId: `1000000000000000${n + 10}`,
}));
const lines = people.map((who) => lineOf(31, {}, who));
await send("month", [monthSheet({ generation: 2026, start: `${month}-01`, end: `${month}-31`, lines })]);
await send("original", [plainPunches(month, 1, 31, [])], { allowEmpty: "true" });
await analyse(month);
for (const { workNumber } of people) {
  const body = { month, day: 6, kind: "forgot", text: "忘记打卡，当天在黄家湖" };
  const headers = { employee_no: workNumber };
  assert.equal((await app.call("POST", "/attendance/own/objection", { headers, body })).json.code, "0");
}
const { page, visit, check } = await open({ as: hr, stays: true });

test("21 objections on two pages are judged by keyboard, with campus and hours, in at most 60 keys", async (t) => {
  await visit("/attendance/objections");
  await page.getByRole("heading", { name: "员工0", exact: true }).waitFor();
  await check("attendance-objections");
  let keys = 0;
  const press = async (key: string) => {
    keys++;
    await page.keyboard.press(key);
  };
  await page.getByRole("region", { name: "考勤异议" }).focus();
  for (const [n, { name }] of people.entries()) {
    await page.getByRole("heading", { name, exact: true }).waitFor();
    if (n === 20) for (const key of ["h", "4", "Enter"]) await press(key);
    else if (n % 5 !== 4) await press(n === 0 ? "6" : String((n % 4) + 1));
    else {
      await press("r");
      await page.getByRole("button", { name: "没有依据" }).waitFor();
      await press("1");
    }
  }
  await page.getByText("没有待处理的异议").waitFor();
  t.diagnostic(`${keys} keys`);
  assert.ok(keys <= 60);
  // Leaving the page sends the decisions that it still holds back. The routes delay them until the server has read the
  // next page's list, and delay that list until the last decision is stored.
  const listRead = Promise.withResolvers<void>();
  const lastJudged = page.waitForResponse((response) => response.request().postDataJSON()?.correction?.hours === 4);
  await page.route("**/attendance/objection/judge/**", async (route) => {
    await listRead.promise;
    await route.continue();
  });
  const sendListLate = async (route: Route) => {
    const response = await route.fetch();
    listRead.resolve();
    await lastJudged;
    await route.fulfill({ response });
  };
  await page.route("**/attendance/correction?*", sendListLate, { times: 1 });
  await page.getByRole("link", { name: "考勤更正" }).first().click();
  await page.getByRole("button", { name: "撤销 员工20 的更正" }).waitFor();
  const { list } = (await app.call("GET", "/attendance/objection/list", { token: hr.token, query: { pageSize: 100 } }))
    .json.data;
  const judged = list as { state: string; note: string | null; correction: object | null }[];
  const states = Object.groupBy(judged, ({ state }) => state);
  assert.deepEqual([states["accepted"]?.length, states["refused"]?.length], [17, 4]);
  assert.equal(states["refused"]?.[0]?.note, "没有依据");
  assert.deepEqual(
    [judged.at(-1), judged[0]].map((one) => one?.correction),
    [
      { kind: "present", campus: 2, hours: null },
      { kind: "leave", campus: null, hours: 4 },
    ],
  );
});

test("hours out of range are not given, and a file that does not come says why", async () => {
  const headers = { employee_no: "W4" };
  const file = ["假条.txt", new Blob(["请假半天"])] as const;
  const { data: uploaded } = (await app.call("POST", "/attendance/own/upload", { headers, file })).json;
  const body = { month, day: 7, kind: "forgot", text: "请假半天", files: [uploaded] };
  assert.equal((await app.call("POST", "/attendance/own/objection", { headers, body })).json.code, "0");
  await visit("/attendance/objections");
  await page.getByRole("heading", { name: "员工4", exact: true }).waitFor();
  await page.route("**/attendance/objection/file/*", (route) =>
    route.fulfill({ status: 404, json: { code: "10014", message: "文件不存在", data: null } }),
  );
  await page.getByRole("button", { name: "附件 1" }).click();
  await page.getByText("文件不存在").waitFor();
  await page.getByRole("region", { name: "考勤异议" }).focus();
  await page.keyboard.press("h");
  await page.keyboard.type("30");
  await page.keyboard.press("Enter");
  await page.getByRole("spinbutton", { name: "请假小时数" }).waitFor();
  assert.equal(await page.getByRole("spinbutton").inputValue(), "24.00");
  await page.getByRole("spinbutton").fill("2.5");
  await page.keyboard.press("Enter");
  await page.getByText("没有待处理的异议").waitFor();
  await page.getByText("请假 2.5 小时").waitFor();
});

test("a correction is undone with a reason", async () => {
  await visit("/attendance/corrections");
  await page.getByRole("button", { name: "撤销 员工0 的更正" }).click();
  await page.getByLabel("撤销原因").fill("弄错了");
  await button(page.getByRole("dialog"), "撤销").click();
  await page.getByText("已撤销：弄错了").waitFor();
  await check("attendance-corrections");
});

test("before a month is locked, its own open objections are led to", async () => {
  const lines = [lineOf(30, {}, someone)];
  await send("month", [monthSheet({ generation: 2026, start: "2026-04-01", end: "2026-04-30", lines })]);
  await analyse("2026-04");
  const objections = [
    ["W5", { month, day: 8, kind: "other", text: "五月的异议" }],
    [someone.workNumber, { month: "2026-04", day: 8, kind: "other", text: "四月的异议" }],
  ] as const;
  for (const [employee_no, body] of objections) {
    const headers = { employee_no };
    assert.equal((await app.call("POST", "/attendance/own/objection", { headers, body })).json.code, "0");
  }
  await visit("/attendance/months/2026-04");
  await button(page, "锁定").click();
  await page
    .getByRole("dialog")
    .getByRole("link", { name: /异议 1/ })
    .click();
  await page.getByText("四月的异议").first().waitFor();
  assert.equal(await page.getByText("五月的异议").count(), 0);
  await check("attendance-objections-month");
  await button(page, "显示全部月份").click();
  await page.getByText("五月的异议").first().waitFor();
  await page.getByText("四月的异议").first().waitFor();
});

test("the confirmations are those of the chosen month", async () => {
  const lines = [lineOf(30, {}, someone)];
  await send("month", [monthSheet({ generation: 2026, start: "2026-04-01", end: "2026-04-30", lines })]);
  await analyse("2026-04");
  await visit("/attendance/objections");
  const confirmations = page.getByRole("region", { name: "确认情况" });
  await confirmations.getByText("已确认 0 / 21 人").waitFor();
  await confirmations.getByRole("combobox", { name: "月份" }).click();
  await page.getByTitle("2026-04").last().click();
  await confirmations.getByText("已确认 0 / 1 人").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("month"), "2026-04");
  await check("attendance-confirmations");
});

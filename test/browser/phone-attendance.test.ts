import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { lineOf, plainPunches, punchesOf, someone } from "#test/attendance/plain-sheets.ts";
import { monthSheet } from "#test/attendance/workbooks.ts";
import { buildWeb } from "#test/browser/console.ts";
import { openPhoneTests } from "#test/browser/phone.ts";

await buildWeb();
const app = await startTestApp({ services: ["attendance"], settings: { EMPLOYEE_IDENTITY: "demo" } });
const tests = await openPhoneTests(app);
const { token } = await app.signIn("platform");
const { send, analyse } = await openAttendance(app, token);
const month = "2026-05";
const home = "/h5/attendance/";

const days: string[] = Array.from({ length: 31 }, (_, n) =>
  n % 7 > 4 ? "休息" : n === 11 ? "旷工" : "普通出勤:正常\n(08:20,18:05)",
);
days[13] = `事假05-14 08:30到05-14 18:00 ${"很长的原因".repeat(20)}`;
const line = { ...lineOf(31, { numberOfLate: 1, workHours: 9125, privateAffairLeaveDay: 1 }), days };
const punches = punchesOf(month, 1, 31).filter((_, n) => n % 7 < 5 && n !== 11 && n !== 13);
const late = punches.map((punch, n) => (n === 3 ? { ...punch, time: `${month}-04 08:45`, result: "迟到" } : punch));
const elsewhere = late.map((punch, n) => (n === 5 ? { ...punch, address: "火车站 站前路1号" } : punch));
await send("month", [monthSheet({ generation: 2026, start: `${month}-01`, end: `${month}-31`, lines: [line] })]);
await send("original", [plainPunches(month, 1, 31, elsewhere)]);
await analyse(month);

test("an employee objects to a day, sees what became of it, and confirms the month within a minute", async (t) => {
  const { page, visit, check } = await tests.open();
  const began = performance.now();
  await visit(home);
  await page.getByRole("button", { name: "登录" }).tap();
  await page.getByRole("alert").getByText("请填写工号").waitFor();
  await check("attendance-sign-in");
  await page.getByLabel("工号").fill(someone.workNumber);
  await page.getByRole("button", { name: "登录" }).tap();
  await page.getByRole("button", { name: "2026-05-04 迟到或早退" }).waitFor();
  await check("attendance-month");
  await page.getByText("出勤合计天数").tap();
  const total = page.locator("details", { hasText: "出勤合计天数" });
  await total.getByText("05-01 校区1（按首次校区打卡）").waitFor();
  for (const [figure, value] of [
    ["工作时长", "152 小时 5 分钟"],
    ["事假", "1 小时"],
    ["迟到记录", "1 条"],
  ] as const)
    await page.locator("summary", { hasText: figure }).getByText(value, { exact: true }).waitFor();
  await page.getByRole("button", { name: "2026-05-12 旷工" }).tap();
  await page.getByRole("button", { name: "这天不对" }).tap();
  await page.getByRole("button", { name: "提交" }).tap();
  await page.getByRole("alert").getByText("请填写情况说明").waitFor();
  await page.getByLabel("说明").fill("那天在黄家湖上课");
  await page.getByLabel("到岗时间").fill("08:21");
  await page
    .getByLabel("附件")
    .setInputFiles({ name: "课表.txt", mimeType: "text/plain", buffer: Buffer.from("课表") });
  await check("attendance-objecting");
  await page.getByRole("button", { name: "提交" }).dblclick();
  await page.getByText("有 1 条异议在处理").waitFor();
  await page.getByRole("button", { name: /05-12 .*已提出异议/ }).waitFor();
  await check("attendance-objected");
  const { list } = (await app.call("GET", "/attendance/objection/list", { token })).json.data;
  assert.deepEqual([list.length, list[0].punches], [1, [{ slot: "上班", time: "08:21" }]]);
  const body = { accept: true, note: "已核对课表", correction: { kind: "present", campus: 1 } };
  await app.call("PUT", `/attendance/objection/judge/${list[0].id}`, { token, body });
  await page.reload();
  await page.getByText("答复：已核对课表").waitFor();
  await page.getByRole("button", { name: "2026-05-12 出勤" }).tap();
  await page.getByText("更正 出勤 · 已核对课表").waitFor();
  await page.getByRole("button", { name: "确认本月无误" }).tap();
  await page.getByText("您已确认本月考勤").waitFor();
  await check("attendance-confirmed");
  await page.getByRole("checkbox", { name: "接收通知", checked: true }).tap();
  await page.getByRole("checkbox", { name: "接收通知", checked: false }).waitFor();
  assert.equal(await app.pool.value<number>`select count(*) from platform.notice_refusal`, 1);
  await check("attendance-told-nothing");
  const seconds = (performance.now() - began) / 1000;
  t.diagnostic(`${seconds.toFixed(1)} s`);
  assert.ok(seconds < 60);
});

test("what is typed of a day is there again after a reload, and the city's day counts wherever the phone is", async () => {
  const { page, visit } = await tests.open({ timezoneId: "UTC" });
  await page.clock.setFixedTime(`${month}-04T16:30:00Z`);
  await visit(home);
  await page.getByLabel("工号").fill(someone.workNumber);
  await page.getByRole("button", { name: "登录" }).tap();
  await page.getByRole("button", { name: "2026-05-05 出勤" }).tap();
  await page.getByRole("button", { name: "这天不对" }).tap();
  await page.getByLabel("原因").selectOption("system");
  await page.getByLabel("到岗时间").fill("08:21");
  await page.reload();
  await page.getByRole("button", { name: "2026-05-05 出勤" }).tap();
  assert.equal(await page.getByLabel("原因").inputValue(), "system");
  assert.equal(await page.getByLabel("到岗时间").inputValue(), "08:21");

  await page.getByLabel("说明").fill("打卡机坏了");
  await page
    .getByLabel("附件")
    .setInputFiles({ name: "照片.txt", mimeType: "text/plain", buffer: Buffer.from("照片") });
  await page.route(
    (url) => url.pathname === "/attendance/own/objection",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByRole("button", { name: "提交" }).tap();
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "提交" }).tap();
  await page.getByRole("button", { name: /05-05 .*已提出异议/ }).waitFor();
  const objections = app.pool.value<number>`select count(*) from attendance.objection where day = '2026-05-05'`;
  assert.equal(await objections, 1, "the answer to the first was lost");
});

test("who has no row, or comes where nobody is let in, is told so", atLength, async () => {
  const { page, visit, check } = await tests.open({ locale: "en-GB", theme: "dark" });
  await visit(home);
  await page.getByLabel("Employee number").fill("nobody");
  await page.getByRole("button", { name: "Sign in" }).tap();
  await page.getByText("No attendance records for you yet").waitFor();
  await check("attendance-nothing-dark");
  await page.getByRole("button", { name: "Sign out" }).tap();
  await page.getByLabel("Employee number").fill(someone.workNumber);
  await page.getByRole("button", { name: "Sign in" }).tap();
  await page.getByRole("button", { name: "2026-05-14, On leave or away" }).tap();
  await page.getByRole("button", { name: "This day is wrong" }).tap();
  await check("attendance-month-dark");
  await app.pool`update attendance.month set statu = 0`;
  await page.reload();
  await page.getByText("This month is still being processed").waitFor();
  const closed = await openPhoneTests(await startTestApp({ services: ["attendance"], beside: app }));
  const { page: other, visit: open } = await closed.open();
  await open(home);
  await other.getByText("考勤查询尚未开放").waitFor();
});

test("what is typed outlives a sign-in that has ended", atLength, async () => {
  const { page, visit } = await tests.open();
  await visit(home);
  await page.getByLabel("工号").fill(someone.workNumber);
  await page.getByRole("button", { name: "登录" }).tap();
  await app.pool`update attendance.month set statu = 2`;
  await page.reload();
  await page.getByRole("button", { name: "2026-05-01 出勤" }).tap();
  await page.getByRole("button", { name: "这天不对" }).tap();
  await page.getByLabel("说明").fill("写了一半");
  await page.reload();
  await page.getByRole("button", { name: "2026-05-01 出勤" }).tap();
  assert.equal(await page.getByLabel("说明").inputValue(), "写了一半");
});

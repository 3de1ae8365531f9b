import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { bitOf, type DayKind, listKinds, readClock, readDay } from "#console/pages/attendance/grid/day-results.ts";
import { atLength } from "#test/at-length.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { plainSummary, punchesOf } from "#test/attendance/plain-sheets.ts";
import { deleteColumn, makeMonth, originalSheet, removeTitleRows, writeBook } from "#test/attendance/workbooks.ts";
import { button, cutLine, download, readRows, startConsole, turnDark } from "#test/browser/console.ts";

const { app, open } = await startConsole();

const month = "2026-05";
const made = makeMonth({ month, people: 40, seed: 7, generation: 2026 });
const fileOf = (name: string) => path.join(app.dataDir, name);
const report = fileOf("示例大学_考勤报表_20260501-20260531.xlsx");
const identities = fileOf("员工信息.xlsx");
await writeBook(report, [made.clockTimesSheet, made.originalSheet, made.monthSheet, made.dailySheet]);
await writeBook(identities, [made.identitySheet]);

const importsUrl = /\/attendance\/month\/imports$/;
const hr = await app.signIn("platform", { userName: "hr" });
const { page, visit, load, check } = await open({ as: hr, stays: true });

test("what a day says is known by its text", () => {
  const says = (text: string): DayKind[] => listKinds(readDay(text));
  assert.deepEqual(says("普通出勤:正常；(08:22,18:11)"), ["normal"]);
  assert.deepEqual(says("上班1严重迟到1小时3分钟；下班1缺卡"), ["missing", "late"]);
  assert.deepEqual(says("3班次17点:上班旷工迟到260分钟,3班次17点:下班早退3分钟；(12:50,17:57)"), ["late", "early"]);
  assert.deepEqual(says("普通出勤:旷工；(-)"), ["absent"]);
  assert.deepEqual(says("事假05-13 08:30到05-13 13:30 3.5小时；(13:36,18:07)"), ["leave"]);
  assert.deepEqual(says("普通出勤:正常,加班05-07 18:00到05-07 19:00 1小时,外出05-07 14:00到05-07 16:00 2小时"), [
    "trip",
    "normal",
  ]);
  assert.deepEqual(says("休息并打卡；(08:23,16:36)"), ["rest"]);
  assert.deepEqual(says("未排班；(-)"), []);
  assert.deepEqual(says("火星漫步"), ["other"]);
  assert.equal(readDay(""), 0);
  assert.equal(readDay("旷工"), bitOf("absent"));
  assert.equal(readClock("普通出勤:下班缺卡；(12:50,-)"), "12:50–…");
  assert.equal(readClock("休息；(-)"), "");
});

test("the month is imported, analysed, explained and downloaded", async () => {
  await visit("/attendance/months");
  await page.getByRole("heading", { name: "还没有考勤数据" }).waitFor();
  await check("attendance-empty");

  await page.getByRole("button", { name: "导入考勤表" }).first().click();
  await page.locator("input[type=file]").setInputFiles([report, identities]);
  await page.getByText("由文件识别").waitFor();
  await page.getByText("员工信息不分月份").waitFor();
  await check("attendance-import");
  await page.getByRole("button", { name: "开始导入" }).click();
  await page.getByText(`${month}：40 人，40 行`).waitFor();
  await page.getByRole("button", { name: `查看 ${month}` }).click();
  await page.getByText("40 / 40 人").waitFor();
  await check("attendance-month");
  const shown = page.locator("tbody tr td:first-child strong");
  await shown.nth(39).waitFor();
  const names = await shown.allInnerTexts();
  assert.equal(names.length, 40);
  assert.deepEqual(names, names.toSorted(new Intl.Collator("zh-u-co-pinyin").compare), "by pinyin");
  await page.getByRole("columnheader", { name: /^出勤.*天/ }).waitFor();
  await page.getByRole("columnheader", { name: /^迟到.*次/ }).waitFor();
  const audited = await app.pool`
    select action from platform.audit where user_name = 'hr' and (action = 'download' or action like 'read%')`;
  assert.deepEqual(
    audited.map(({ action }) => action),
    ["readMonth"],
  );

  await page.getByRole("button", { name: /^缺卡 \d/ }).click();
  await page.getByRole("button", { name: /按两校区缺卡天数排序/ }).click();
  // Until both are applied, the first row is a person who may have no missing punch.
  await page.getByRole("button", { name: /^缺卡 \d/, pressed: true }).waitFor();
  await page.locator("[aria-sort='descending']").waitFor();
  await page.locator("tbody tr[data-index='0']").getByRole("button").click();
  await page.getByRole("switch", { name: /0/ }).click();
  await page.getByRole("cell", { name: "迟到 21–30 分钟" }).waitFor();
  await page.getByRole("row", { name: /^异常地点打卡天数 \d+ 天/ }).waitFor();
  await page
    .getByRole("row", { name: /湖合计天数/ })
    .first()
    .click();
  await page
    .getByText(/^原始记录 第 \d+ 行$/)
    .first()
    .waitFor();
  await button(page, /^\d+ 缺卡/).click();
  await page.getByText(/ 的判定与打卡$/).waitFor();
  await check("attendance-person");
  await page.getByRole("button", { name: "下一个人" }).click();
  await page.locator(".ant-drawer-close").click();

  const workbook = await download(page, /下载 Excel$/);
  assert.equal(workbook.name, `attendance-${month}.xlsx`);
  const rows = await readRows(workbook.path);
  assert.equal(rows.length, 41);
  assert.deepEqual(rows[0]?.values.slice(0, 4), ["姓名", "考勤组", "部门", "工号"]);
  const cardsOf = async (file: string) => {
    const [heading, ...people] = await readRows(file);
    return people.map(({ values }) => String(values[heading?.values.indexOf("身份证号") ?? -1] ?? ""));
  };
  assert.ok((await cardsOf(workbook.path)).every((card) => /^\d{4}\*{12}[\dX]{2}$/.test(card)));

  const { department } = made.employees[0] ?? assert.fail();
  await load(`/attendance/months/${month}?department=${encodeURIComponent(department)}`);
  await button(page, "更多").click();
  await check("attendance-downloads");
  const choose = async (name: string) => {
    const saved = page.waitForEvent("download");
    await page.getByRole("menuitem", { name }).last().click();
    return saved;
  };
  const file = await choose("只下载筛选出的人员");
  assert.match(file.suggestedFilename(), new RegExp(department));
  const cards = await cardsOf(await file.path());
  assert.ok(cards.length > 0 && cards.length < 40 && cards.every((card) => /^\d{17}[\dX]$/.test(card)), cards.join());
  await button(page, "更多").click();
  assert.equal((await choose("各部门各一份")).suggestedFilename(), `attendance-${month}.zip`);
});

test("a month is replaced knowingly, and the import goes on while one is elsewhere", async () => {
  const stranger = { ...made.punchLines[0], name: "陌生人", userId: "", workNumber: "", result: "系统异常打卡" };
  const odd = fileOf("原始记录.xlsx");
  const lines = [...made.punchLines, stranger] as typeof made.punchLines;
  await writeBook(odd, [originalSheet({ generation: 2026, start: `${month}-01`, end: `${month}-31`, lines })]);
  await visit("/attendance/months");
  await page.getByRole("link", { name: `查看 ${month}` }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(importsUrl, async (route) => {
    if (route.request().method() === "POST") await held.promise;
    await route.continue();
  });
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.fromBase64("${(await readFile(odd)).toString("base64")}");
    transfer.items.add(new File([bytes], "原始记录.xlsx"));
    return transfer;
  })()`);
  await page.getByRole("heading", { name: "考勤月份" }).dispatchEvent("drop", { dataTransfer: dropped });
  await page.getByText(`${month} 已完成的分析结果会清除`).waitFor();
  const start = page.getByRole("button", { name: "替换并导入" });
  assert.ok(await start.isDisabled(), "nothing is replaced unknowingly");
  await page.getByLabel("我知道，继续替换").check();
  await check("attendance-replace");
  await start.click();
  await page.getByRole("button", { name: "关闭" }).last().click();
  await page.getByRole("link", { name: "导入记录" }).click();
  await page.getByRole("heading", { name: "导入记录" }).waitFor();
  await page.getByRole("cell", { name: "员工信息.xlsx", exact: true }).waitFor();
  await check("attendance-imports");
  await page.getByRole("link", { name: "考勤月份" }).click();
  await page.getByRole("heading", { name: "正在导入" }).waitFor();
  held.resolve();
  await page.getByRole("heading", { name: "本次导入" }).waitFor();
  await page.getByRole("link", { name: `查看 ${month}` }).click();
  await page.getByRole("tab", { name: /待核对/ }).click();
  await page.getByRole("cell", { name: "陌生人", exact: true }).waitFor();
  await page.getByRole("cell", { name: "系统异常打卡" }).waitFor();
  await check("attendance-problems");
  await page.unroute(importsUrl);
});

test("files of several months, or without a title, say beforehand which days they take", atLength, async () => {
  const across = fileOf("跨月.xlsx");
  const lines = [...punchesOf("2026-04", 27, 30), ...punchesOf(month, 1, 3)];
  await writeBook(across, [originalSheet({ generation: 2026, start: "2026-04-27", end: `${month}-03`, lines })]);
  const untitled = fileOf("导出.xlsx");
  await writeBook(untitled, [removeTitleRows(plainSummary(month, 4, 8))]);
  await visit("/attendance/months");
  await page.getByRole("button", { name: "导入考勤表" }).click();
  await page.locator("input[type=file]").setInputFiles([across, untitled]);
  await page.getByText("月份 2026-04、2026-05 日期 04-27 至 05-03").waitFor();
  await page.getByText(`${month} 的原始记录：05-01 至 05-03`).waitFor();
  const start = page.getByRole("button", { name: /导入$/ }).last();
  await page.getByText("无法识别月份").waitFor();
  assert.ok(await start.isDisabled(), "the month is missing");
  const field = page.getByRole("textbox", { name: "月份" });
  await field.fill(month);
  await field.press("Enter");
  await page.getByText(`${month} 的月度汇总：05-04 至 05-08`).waitFor();
  await check("attendance-import-days");
  await page.getByLabel("文件是整月的").check();
  await page.getByText(`${month} 的月度汇总：05-01 至 05-31`).waitFor();
  await load("/attendance/months");
});

test(
  "a file is recognised by the server: what is none says what to send instead, what fails is asked about again",
  atLength,
  async () => {
    const wrong = fileOf("缺列_月度汇总.xlsx");
    await writeBook(wrong, [deleteColumn(made.monthSheet, "姓名")]);
    const damaged = fileOf("损坏.xlsx");
    await writeFile(damaged, (await readFile(report)).subarray(0, 5000));
    await visit("/attendance/months");
    await page.getByRole("button", { name: "导入考勤表" }).click();
    const file = page.locator("input[type=file]");
    await file.setInputFiles([wrong, damaged]);
    await page.getByText(/缺少必需的表头：月度汇总 姓名/).waitFor();
    await page.getByText(/工作簿已损坏/).waitFor();
    assert.ok(await page.getByRole("button", { name: "开始导入" }).isDisabled());
    await check("attendance-unknown");
    for (const name of ["缺列_月度汇总.xlsx", "损坏.xlsx"])
      await page.getByRole("button", { name: `移除 ${name}` }).click();

    const answered = Promise.withResolvers<void>();
    await page.route("**/recognise", async (route) => {
      await answered.promise;
      await cutLine(route);
    });
    await file.setInputFiles([report, identities]);
    await page.getByText("正在上传").waitFor();
    await page.getByText("等待中").waitFor();
    await check("attendance-recognising");
    answered.resolve();
    await page.getByRole("button", { name: "重试" }).first().waitFor();
    await page.unroute("**/recognise");
    await page.getByRole("button", { name: "重试" }).first().click();
    await page.getByText("由文件识别").waitFor();
    await load("/attendance/months");
  },
);

test("settings are previewed, and two months compared, in English and in the dark", async () => {
  const attendance = await openAttendance(app, (await app.signIn("platform")).token);
  const before = makeMonth({ month: "2026-04", people: 40, seed: 8, generation: 2020 });
  await attendance.send("month", [before.monthSheet]);
  await attendance.send("original", [before.originalSheet]);
  await attendance.analyse("2026-04");
  await attendance.analyse(month);
  await turnDark(page);
  await visit("/attendance/settings");
  await page.getByLabel("First range up to").fill("10");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText(/^The figures of \d+ of 40 people in 2026-05 would change/).waitFor();
  await check("attendance-settings");
  // The page is reloaded, since leaving it within the console would ask whether to discard the preview.
  await load(`/attendance/compare?department=${encodeURIComponent("教务处")}`);
  await page.getByText(/^\d+ people, of whom \d+ differs?$/).waitFor();
  await check("attendance-compare");
  await visit(`/attendance/months/${month}`);
  await page.getByText("40 of 40 people").waitFor();
  await check("attendance-month-dark");
});

import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import { placeAddresses } from "#console/pages/attendance/problems/places.ts";
import { standardSettings } from "#services/attendance/model.ts";
import { atLength } from "#test/at-length.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { makeMonth, originalSheet, writeBook } from "#test/attendance/workbooks.ts";
import { button, type ConsoleOptions, startConsole } from "#test/browser/console.ts";
import { findOverflow } from "#test/browser/pages.ts";

// This file plays an institution's first month, in which the addresses of the campuses match no keyword.

const { app, open } = await startConsole();
const hr = await app.signIn("platform", { userName: "hr" });
const attendance = await openAttendance(app, hr.token);

const people = 24;
const fewestClicks = 10;

async function writeExport(month: string): Promise<string[]> {
  const made = makeMonth({ month, people, seed: 5, generation: 2026 });
  const lines = made.punchLines.map(({ address, ...line }) => ({
    ...line,
    address: address.replace("黄家湖", "南湖").replace("墨轩湖", "北湖"),
  }));
  const punches = originalSheet({
    generation: 2026,
    start: `${month}-01`,
    end: made.dailyLines.at(-1)?.day ?? "",
    lines,
  });
  const files = [`考勤报表_${month}.xlsx`, `员工信息_${month}.xlsx`].map((name) => path.join(app.dataDir, name));
  await writeBook(files[0] ?? "", [punches, made.monthSheet, made.dailySheet]);
  await writeBook(files[1] ?? "", [made.identitySheet]);
  return files;
}

const words = {
  zh: {
    imports: "导入考勤表",
    start: "开始导入",
    open: "查看",
    belongs: "属于",
    places: ["校区外", "校区 1", "校区 2"],
  },
  en: {
    imports: "Import sheets",
    start: "Import",
    open: "Open",
    belongs: "belongs to",
    places: ["Off site", "Campus 1", "Campus 2"],
  },
};
const bannerNames = /没有关键词的打卡地址|Addresses without a keyword/;
const keepNames = /保存并重新分析|Save and analyse again/;
const problemNames = /^(?:待核对|To check)$/;

const coloured = ":is(.q-attendance-grid, .q-attendance-cards) .q-attendance-abnormal";

const sizes = { desk: { width: 1366, height: 768 }, phone: { width: 390, height: 844 } };
const walks: { name: string; month: string; options: ConsoleOptions; atLength: boolean }[] = [
  { name: "desk", month: "2026-05", options: { size: sizes.desk }, atLength: false },
  { name: "phone", month: "2026-04", options: { size: sizes.phone }, atLength: true },
  { name: "desk-dark", month: "2026-03", options: { size: sizes.desk, language: "en", theme: "dark" }, atLength: true },
  {
    name: "phone-dark",
    month: "2026-01",
    options: { size: sizes.phone, language: "en", theme: "dark" },
    atLength: true,
  },
];

describe("from the exports to a month with nothing left to settle in less than ten clicks", () => {
  for (const { name, month, options, atLength: isLong } of walks)
    test(name, isLong ? atLength : {}, async () => {
      const files = await writeExport(month);
      await attendance.put("settings", { campuses: standardSettings.campuses });
      const { page, visit, check } = await open({ as: hr, ...options });
      const t = words[options.language ?? "zh"];
      const look = async (what: string) => {
        await check(`attendance-first-${name}-${what}`);
        assert.deepEqual(await findOverflow(page), []);
      };
      await visit("/attendance/months");
      await page.evaluate("globalThis.presses = 0; addEventListener('pointerdown', () => presses++, true)");

      await button(page, new RegExp(`${t.imports}$`)).click();
      await page.locator("input[type=file]").setInputFiles(files);
      await button(page, t.start).click();
      await button(page, `${t.open} ${month}`).click();
      const banner = page.getByRole("region", { name: bannerNames });
      await banner.getByText("火车站 站前路1号").first().waitFor();
      await page.locator(".q-attendance-grid tbody strong, .q-attendance-cards strong").nth(5).waitFor();
      assert.equal(await page.locator(coloured).count(), 0, "nobody is coloured for an unknown place");
      await look("banner");
      const choose = (address: string, place: 0 | 1 | 2) =>
        banner
          .getByRole("radiogroup", { name: `${address} ${t.belongs}` })
          .getByText(t.places[place] ?? "")
          .click();
      await choose("南湖校区_14757", 1);
      await choose("北湖校区_20311", 2);
      await choose("MXH北湖(AA:BB:CC:00:11:22)", 2);
      await banner
        .getByRole("group")
        .getByRole("button", { name: t.places[0] ?? "" })
        .click();
      await look("chosen");
      await banner.getByRole("button", { name: keepNames }).click();
      await banner.waitFor({ state: "detached" });
      await page.locator(coloured).first().waitFor();
      assert.equal(await page.locator(".q-attendance-steps .q-attendance-good").count(), 3, "each sheet has everybody");
      await page.getByRole("tab", { name: problemNames }).waitFor();
      await look("done");
      // Choosing the files counts as a click too, although the page does not see it.
      const clicks = 1 + (await page.evaluate<number>("presses"));
      assert.ok(clicks < fewestClicks, `${clicks} clicks`);

      const { data } = (await attendance.get("unmatched", { month })).json;
      assert.deepEqual([data.addresses, data.people, data.results], [[], [], []]);
      const { campuses } = (await attendance.get("settings")).json.data;
      assert.deepEqual(campuses, [
        { campus: 1, keywords: ["黄家湖", "南湖校区"] },
        { campus: 2, keywords: ["墨轩湖", "北湖校区", "MXH北湖"] },
        { campus: 0, keywords: ["市民之家", "火车站"] },
      ]);
      const done = await app.pool`
        select action, count(*)::int from platform.audit
        where records = ${[month]} and action = 'analyse' group by action`;
      assert.deepEqual(done, [{ action: "analyse", count: 2 }], "after the import, and once after the choices");
    });
});

test("what rests on nothing is blank", async () => {
  const month = "2026-02";
  await attendance.send("month", [makeMonth({ month, people, seed: 5, generation: 2026 }).monthSheet]);
  await attendance.analyse(month);
  const { page, visit, load, check } = await open({ as: hr });
  await visit(`/attendance/months/${month}`);
  const figures = page.locator("tbody td.q-attendance-figure");
  await figures.first().waitFor();
  assert.deepEqual([...new Set(await figures.allInnerTexts())], [""]);
  assert.equal(await page.locator(".q-attendance-steps li:nth-child(2) .q-attendance-good").count(), 0);
  await check("attendance-first-blank");
  const before = "2025-12";
  await attendance.send("month", [makeMonth({ month: before, people, seed: 5, generation: 2026 }).monthSheet]);
  await attendance.analyse(before);
  await load(`/attendance/compare?month=${month}&with=${before}`);
  const sums = page.locator(".q-attendance-sums td.q-figures");
  await sums.first().waitFor();
  assert.deepEqual((await sums.allInnerTexts()).slice(0, 7), Array(7).fill(""), "copied figures follow");
  await check("attendance-first-compare");
});

test("a keyword fits its address, others of its place, and none of another", () => {
  const [gate, hall, other] = ["示例大学（南湖校区）_14757", "示例大学（南湖校区）食堂(AA:BB:CC:00:11:22)", "示例大学"];
  const place = (...choices: [string, { campus: 0 | 1 | 2; keyword?: string }][]) =>
    Object.fromEntries(
      [...placeAddresses([gate, hall, other], new Map(choices))].map(
        ([address, { campus, keyword, fault, isChosen }]) => [address, [campus, keyword, fault ?? isChosen]],
      ),
    );
  assert.deepEqual(place([gate, { campus: 1 }]), {
    [gate]: [1, "示例大学（南湖校区）", true],
    [hall]: [1, "示例大学（南湖校区）", false],
  });
  assert.deepEqual(place([gate, { campus: 1 }], [hall, { campus: 2 }]), {
    [gate]: [1, gate, true],
    [hall]: [2, "示例大学（南湖校区）食堂", true],
  });
  assert.deepEqual(place([gate, { campus: 1 }], [other, { campus: 0 }]), {
    [gate]: [1, "示例大学（南湖校区）", true],
    [hall]: [1, "示例大学（南湖校区）", false],
    [other]: [0, other, "clash"],
  });
  for (const keyword of ["", " ", "北湖"]) assert.equal(place([gate, { campus: 1, keyword }])[gate]?.[2], "outside");
  assert.equal(place(["门".repeat(70), { campus: 1 }])["门".repeat(70)]?.[1], "门".repeat(64));
});

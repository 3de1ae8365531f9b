import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { lineOf, someone } from "#test/attendance/plain-sheets.ts";
import { mapColumn, monthSheet, originalSheet } from "#test/attendance/workbooks.ts";
import { startConsole } from "#test/browser/console.ts";

const { app, open } = await startConsole({ settings: { ATTENDANCE_PERIOD_START: "26" } });
const month = "2026-05";
const range = { generation: 2026, start: "2026-04-26", end: "2026-05-25" } as const;
const hr = await app.signIn("platform", { userName: "hr" });
const { send, analyse } = await openAttendance(app, hr.token);

const names = ["安宁", "欧阳明远", "司徒清和", "陆未央"];
const people = names.map((name, index) => ({ ...someone, name, userId: `10000000000000000${index}` }));
const texts = ["休息\n(-)", "普通出勤:上班缺卡\n(-,18:05)", "年假04-28 08:30到04-28 17:30 1天\n(-)"];
const days = [...texts, ...Array.from({ length: 27 }, () => "普通出勤:正常\n(08:20,18:05)")];
const figures = { attendanceDay: "20" };
const lines = people.map((who) => ({ ...lineOf(0, figures, who), days }));
const columns = Object.entries({ "年假(天)": "1.5", "调休(小时)": "4", 加班总时长: "12小时30分钟" });
const summary = columns.reduce(
  (sheet, [heading, text]) => mapColumn(sheet, heading, () => text),
  monthSheet({ ...range, lines }),
);
const punches = people.flatMap((who) =>
  ["2026-04-27", "2026-05-06", "2026-05-25"].map((day) => {
    const times = { scheduled: `${day} 08:30`, time: `${day} 08:20` };
    return { ...who, day, ...times, result: "正常", address: "黄家湖校区_14757" };
  }),
);

test("days stand in the order of the period, and a person has the columns that no field takes", atLength, async () => {
  await send("month", [summary]);
  await send("original", [originalSheet({ ...range, lines: punches })]);
  await analyse(month);
  for (const { size, theme, language } of [
    { size: { width: 1366, height: 900 }, theme: "light", language: "zh" },
    { size: { width: 1366, height: 900 }, theme: "dark", language: "en" },
    { size: { width: 390, height: 844 }, theme: "dark", language: "zh" },
    { size: { width: 390, height: 844 }, theme: "light", language: "en" },
  ] as const) {
    const { page, visit, check } = await open({ as: hr, size, theme, language });
    const shown = `period-${size.width}-${theme}-${language}`;
    await visit(`/attendance/months/${month}`);
    await page
      .getByText(names[0] ?? "")
      .first()
      .waitFor();
    if (size.width > 390) {
      const heads = await page.locator("thead th").allInnerTexts();
      const numbers = heads.map((text) => /^\d+/.exec(text)?.[0]).filter((text) => text !== undefined);
      assert.deepEqual([numbers.length, ...numbers.slice(0, 6)], [30, "26", "27", "28", "29", "30", "1"]);
    }
    await check(`${shown}-month`);
    await visit(`/attendance/months/${month}?person=u-${people[0]?.userId}&day=27`);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2026-04-27").first().waitFor();
    await dialog.getByText("12小时30分钟").first().scrollIntoViewIfNeeded();
    await dialog.getByText(language === "zh" ? "1.5 天" : "1.5 days").waitFor();
    await check(`${shown}-extra`);
    await dialog.getByText("2026-04-27").first().scrollIntoViewIfNeeded();
    await check(`${shown}-person`);
    await page.context().close();
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { lineOf, someone } from "#test/attendance/plain-sheets.ts";
import { monthSheet, originalSheet, removeTitleRows, type Sheet } from "#test/attendance/workbooks.ts";

const app = await startTestApp({ services: ["attendance"], settings: { ATTENDANCE_PERIOD_START: "26" } });
const { token } = await app.signIn("platform");
const { get, put, send, analyse } = await openAttendance(app, token);

const month = "2026-05";
const [start, end] = ["2026-04-26", "2026-05-25"];
const generation = 2026;
const summary = (from = start, to = end, days = 30): Sheet =>
  monthSheet({
    generation,
    start: from,
    end: to,
    lines: [
      {
        ...lineOf(days, { attendanceDay: "22" }),
        days: ["休息\n(-)", "下班缺卡\n(08:20,-)", ...Array(days - 2).fill("正常")],
      },
    ],
  });
const punch = (day: string, time: string, result = "正常") => {
  return { ...someone, day, scheduled: `${day} 08:30`, time: `${day} ${time}`, result, address: "黄家湖校区" };
};
const lines = [punch("2026-04-27", "08:20"), punch("2026-04-30", "08:42", "迟到"), punch("2026-05-25", "08:20")];
const punches = (from = start, to = end): Sheet => originalSheet({ generation, start: from, end: to, lines });
const data = async (target: string, query = {}) => (await get(target, query)).json.data;

test("a file from the 26th to the 25th is one month, with each day in the column of its number", async () => {
  for (const [to, sheet] of [
    ["month", summary()],
    ["original", punches()],
  ] as const) {
    const answer = (await send(to, [sheet])).json.data;
    assert.deepEqual([answer.month, answer.skipped], [month, 0], answer.waring);
    assert.deepEqual(answer.covered.at(-1), { sheet: to, from: start, to: end });
    assert.doesNotMatch(answer.waring, /未覆盖|跨月/);
  }
  assert.doesNotMatch((await analyse(month)).waring, /未覆盖|跨月|未知/);
  const [row] = await data("downLoad", { month });
  assert.deepEqual(
    [row.attendanceDays, row.attendanceDay, row.lateOfRecond, row.recondOfcardShortageInHuangjiahu],
    [3, "22", "04-30 08:42 迟到12分钟", "04-27 下班缺卡"],
  );
  assert.deepEqual(
    [row.twentySixOfMonth, row.twentySevenOfMonth, row.thirtyOneOfMonth, row.oneOfMonth, row.twentyFiveOfMonth],
    ["休息；(-)", "下班缺卡；(08:20,-)", "", "正常", "正常"],
  );
  const title = await data("title", { month });
  assert.deepEqual(
    [title.id, title.twentySixOfMonth, title.thirtyOfMonth, title.thirtyOneOfMonth, title.oneOfMonth],
    [202605, "日", "四", "", "五"],
  );
  const [listed] = await data("months");
  assert.deepEqual([listed.days, listed.punches], [{ from: start, to: end }, 3]);
  const { figures, days } = await data("explain", { month, userId: someone.userId });
  const [entry] = figures.find(({ field }: { field: string }) => field === "recondOfcardShortageInHuangjiahu").entries;
  assert.deepEqual(
    [days, entry.day, entry.evidence[0].text],
    [{ from: start, to: end }, "2026-04-27", "27日 下班缺卡；(08:20,-)"],
  );
});

test("what belongs to two periods names them, and what belongs to another is refused", async () => {
  const calendar = (await send("month", [summary("2026-08-01", "2026-08-31", 31)])).json.data;
  assert.deepEqual(calendar.months, ["2026-08", "2026-09"]);
  assert.equal((await send("month", [summary()], { month: "2026-06" })).json.code, "10030");
  const june = (await send("original", [removeTitleRows(punches())], { month: "2026-06" })).json;
  assert.equal(june.code, "10030", june.message);
  // Without a title, the rows determine the month. A day of the previous calendar month belongs to `month` too, since
  // periods do not start on day 1.
  const untitled = (await send("original", [removeTitleRows(punches())])).json.data;
  assert.deepEqual([untitled.month, untitled.skipped], [month, 0]);
});

const headings = async (target: string, query = {}): Promise<unknown[]> => {
  const address = `${app.url}/attendance/month/${target}?${new URLSearchParams({ ...query, format: "xlsx" })}`;
  const response = await fetch(address, { headers: { admin_token: token } });
  const [first] = await Array.fromAsync(streamXlsxRows(Buffer.from(await response.arrayBuffer())));
  return [...(first?.values ?? [])];
};

test("the workbook has the days in their order, of a version too", async () => {
  await analyse(month);
  const { data: id } = (await put("lock", { month })).json;
  for (const [target, query] of [
    ["downLoad", { month }],
    [`versions/${id}`, {}],
  ] as const) {
    const days = (await headings(target, query)).filter((heading) => /^\d+ [一二三四五六日]$/.test(String(heading)));
    assert.deepEqual([days.length, days[0], days[5], days[29]], [30, "26 日", "1 五", "25 一"]);
  }
  await put("unlock", { month, reason: "改" });
});

test("a month that was locked keeps its days when the setting changes; one that never was begins anew, and is told", async () => {
  const open = "2026-07";
  await send("month", [summary("2026-06-26", "2026-07-25")]);
  const line = punch("2026-07-01", "08:20");
  await send("original", [originalSheet({ generation, start: "2026-06-26", end: "2026-07-25", lines: [line] })]);
  const other = await startTestApp({ services: ["attendance"], beside: app });
  assert.match(
    other.server.warnings.join("\n"),
    /imported with a different ATTENDANCE_PERIOD_START: 2026-07, 2026-08, 2026-09\./,
  );
  const calls = await openAttendance(other, token);
  const refused = (await calls.send("month", [summary("2026-05-01", "2026-05-31", 31)])).json;
  assert.equal(refused.code, "10007");
  assert.match(refused.message, /ATTENDANCE_PERIOD_START/);
  assert.deepEqual((await calls.get("title", { month })).json.data, await data("title", { month }));
  await calls.analyse(month);
  assert.equal((await calls.get("downLoad", { month })).json.data[0].twentySixOfMonth, "休息；(-)");
  const anew = (await calls.send("month", [summary("2026-07-01", "2026-07-31", 31)])).json.data;
  assert.match(anew.waring, /^2026-07 原按每月 26 日起算，现按每月 1 日起算/m);
  assert.deepEqual(anew.covered, [{ sheet: "month", from: "2026-07-01", to: "2026-07-31" }]);
  await calls.analyse(open);
  assert.equal((await calls.get("downLoad", { month: open })).json.data[0].oneOfMonth, "休息；(-)");
});

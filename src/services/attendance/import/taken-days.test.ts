import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import { startTestApp } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { type ImportName, openAttendance } from "#test/attendance/calls.ts";
import { someone } from "#test/attendance/plain-sheets.ts";
import {
  dailySheet,
  type Generation,
  mapColumn,
  monthSheet,
  originalSheet,
  removeTitleRows,
  type Sheet,
  writeBook,
} from "#test/attendance/workbooks.ts";

// Checks that the preview, the import's response and the stored data agree on the days that a file covers.

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, put, send, analyse } = await openAttendance(app, token);

const dayMs = 86_400_000;
const daysFrom = (start: string, end: string): string[] =>
  Array.from({ length: (Date.parse(end) - Date.parse(start)) / dayMs + 1 }, (_, index) =>
    new Date(Date.parse(start) + index * dayMs).toISOString().slice(0, 10),
  );

function sheetsOf(generation: Generation, days: readonly string[], filled: readonly string[]) {
  const range = { generation, start: days.at(0) ?? "", end: days.at(-1) ?? "" };
  const cells = days.map(() => (generation === 2020 ? "正常" : "普通出勤:正常\n(08:20,18:05)"));
  const punch = { ...someone, result: "正常", address: "黄家湖" };
  const slots = { 上班1: { time: "08:20", result: "正常" } };
  return {
    month: monthSheet({ ...range, lines: [{ ...someone, figures: { attendanceDay: days.length }, days: cells }] }),
    daily: dailySheet({ ...range, lines: filled.map((day) => ({ ...someone, day, shift: "普通出勤", slots })) }),
    original: originalSheet({
      ...range,
      lines: filled.map((day) => ({ ...punch, day, scheduled: `${day} 08:30`, time: `${day} 08:20` })),
    }),
  };
}

async function recognise(sheets: readonly Sheet[], fields: Record<string, string> = {}) {
  const file = `${app.dataDir}/recognised.xlsx`;
  await writeBook(file, sheets);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", await openAsBlob(file), "x.xlsx");
  return (await app.call("POST", "/attendance/month/recognise", { token, raw: form })).json.data;
}

interface Taken {
  readonly sheet: string;
  readonly from: string;
  readonly to: string;
}
const spell = (taken: readonly Taken[]): string[] =>
  taken.flatMap(({ sheet, from, to }) => daysFrom(from, to).map((day) => `${sheet} ${day}`)).toSorted();

async function stored(): Promise<Map<string, number>> {
  const spans = await app.pool<{ sheet: string; from: string; to: string; id: number }[]>`
    select sheet, first_day::text as "from", last_day::text as "to", import_id as id
    from attendance.span where sheet <> 'month' or import_id not in (select id from attendance.import where 'month' = any(stand_ins))`;
  return new Map(spans.flatMap((span) => spell([span]).map((day) => [day, span.id])));
}

describe("a file whose title crosses months", () => {
  const days = daysFrom("2025-03-28", "2025-04-02");
  const made = sheetsOf(2026, days, days);
  const months = ["2025-03", "2025-04"];

  test("goes into each of them at once, and says so before and after", async () => {
    const [asMonth, asOriginal] = (await recognise([made.month, made.daily, made.original])).imports;
    assert.deepEqual([asMonth.months, asOriginal.months], [months, months]);
    const { data } = (await send("month", [made.month, made.daily])).json;
    assert.deepEqual([data.month, data.months, data.employees, data.rows, data.skipped], ["2025-04", months, 1, 7, 0]);
    assert.deepEqual(spell(data.covered), spell(asMonth.takes));
    assert.match(data.waring, /^2025-03：月度汇总未覆盖 03-01 至 03-27/m);
    assert.equal(data.waring.match(/缺少原始记录/g)?.length, 1);
    const original = (await send("original", [made.original])).json.data;
    assert.deepEqual([original.employees, original.rows, original.skipped], [1, 6, 0]);
    for (const [month, attended] of [
      ["2025-03", 4],
      ["2025-04", 2],
    ] as const) {
      assert.equal((await analyse(month)).statu, 2);
      const [row] = (await get("downLoad", { month })).json.data;
      assert.deepEqual([row.attendanceDays, row.attendanceDay], [attended, "6"]);
    }
    const [again] = (await recognise([made.original])).imports;
    assert.deepEqual(
      spell(again.takes),
      spell(
        again.takes.flatMap((taken: Taken & { replaces: Taken[] }) =>
          taken.replaces.map((run) => ({ ...run, sheet: taken.sheet })),
        ),
      ),
    );
  });

  test("goes into the one that is sent, and leaves the other", async () => {
    const before = await stored();
    const fields = { month: "2025-04" };
    const [found] = (await recognise([made.original], fields)).imports;
    const { data } = (await send("original", [made.original], fields)).json;
    assert.deepEqual([data.months, data.rows, data.skipped], [["2025-04"], 2, 4]);
    assert.deepEqual(changed(before, await stored()), spell(found.takes));
    assert.equal((await send("original", [made.original], { month: "2025-05" })).json.code, "10030");
    assert.match(
      (await recognise([made.original], { month: "2025-05" })).waring,
      /2025-03-28 至 2025-04-02，不含所填的 2025-05/,
    );
  });

  const march = days.slice(0, 4);
  const refused: readonly [string, readonly Sheet[], string, RegExp][] = [
    ["with no row in one of them", [sheetsOf(2026, days, march).original], "10030", /原始记录没有 2025-04 的数据行/],
    [
      "with a bad row in each",
      [mapColumn(made.original, "打卡时间", (cell, row) => (row === 0 || row === 5 ? "25:99" : cell))],
      "10020",
      /./,
    ],
  ];
  for (const [name, sheets, code, says] of refused)
    test(`is refused whole ${name}`, async () => {
      const before = await stored();
      const { json } = await send("original", sheets);
      assert.equal(json.code, code);
      assert.match(json.message, says);
      if (code === "10020")
        assert.deepEqual(
          json.data.errors.map(({ row }: { row: number }) => row),
          [4, 9],
        );
      assert.deepEqual(await stored(), before);
    });

  test("is refused whole where one of them is locked", async () => {
    await send("month", [made.month]);
    await analyse("2025-03");
    assert.equal((await put("lock", { month: "2025-03" })).json.code, "0");
    const before = await stored();
    const { json } = await send("month", [made.month, made.daily]);
    assert.deepEqual([json.code, /2025-03 已锁定/.test(json.message)], ["10007", true]);
    assert.deepEqual(await stored(), before);
  });
});

const changed = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((day) => before.get(day) !== after.get(day)).toSorted();

const [first, length] = ["2026-03-25", 75];
const all = daysFrom(first, new Date(Date.parse(first) + (length - 1) * dayMs).toISOString().slice(0, 10));

const plan = fc.record({
  file: fc.constantFrom("month", "daily", "original"),
  generation: fc.constantFrom<Generation>(2020, 2026),
  at: fc.nat(length - 1),
  days: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.constantFrom(7, 30, 31, 45)),
  gaps: fc.uniqueArray(fc.nat(44), { maxLength: 20 }),
  isTitled: fc.boolean(),
  isMonthSent: fc.boolean(),
  whole: fc.boolean(),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

function makeFile({ file, generation, at, days: count, gaps, isTitled, isMonthSent, whole }: Plan) {
  const to: ImportName = file === "original" ? file : "month";
  const isSummaryAlone = file === "month" && !isTitled;
  const from = all.slice(at, at + count);
  const month = from[0]?.slice(0, 7) ?? "";
  // Without a title, the columns of a month sheet belong to one month.
  const days = isSummaryAlone ? from.filter((day) => day.startsWith(month)) : from;
  const filled = days.filter((_, index) => !gaps.includes(index));
  // A weekend label such as 六 recurs every week, so it identifies a day only if there is a title.
  const made = sheetsOf(isSummaryAlone ? 2020 : generation, days, filled);
  const sheets = (file === "month" ? [made.month, made.daily] : [made[file]]).map((sheet) =>
    isTitled ? sheet : removeTitleRows(sheet),
  );
  const fields = { ...(isMonthSent && { month }), ...(whole && { whole: "true" }) };
  const rowMonths = new Set(filled.map((day) => day.slice(0, 7)));
  const months = isMonthSent ? [month] : isTitled ? [...new Set(days.map((day) => day.slice(0, 7)))] : [...rowMonths];
  const isRefused = isTitled
    ? file !== "month" && months.some((each) => !rowMonths.has(each))
    : months.length !== 1 || (file === "month" ? !isMonthSent : !rowMonths.has(months[0] ?? ""));
  const takes = months.flatMap((each) => {
    const whole_ = daysFrom(`${each}-01`, `${each}-31`).filter((day) => day.startsWith(each));
    const own = (listed: readonly string[]) => listed.filter((day) => day.startsWith(each));
    const rows = own(filled);
    const run = rows.length > 0 ? daysFrom(rows[0] ?? "", rows.at(-1) ?? "") : [];
    const named = (sheet: string, listed: readonly string[]) => listed.map((day) => `${sheet} ${day}`);
    const untitled = (listed: readonly string[]) => (whole ? whole_ : listed);
    if (file === "original") return named("original", isTitled ? own(days) : untitled(run));
    const daily = rows.length === 0 ? [] : isTitled ? own(days) : untitled(run);
    if (file === "daily") return named("daily", daily);
    return [...named("month", isTitled ? own(days) : untitled(own(days))), ...named("daily", daily)];
  });
  return { to, sheets, fields, takes: isRefused ? null : takes.toSorted() };
}

test(
  "files in any order change their days and no others, and these are those that are told",
  { timeout: 240_000 },
  async () => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
    const numRuns = atLength.skip ? 15 : 120;
    await fc.assert(
      fc.asyncProperty(plan, async (planned) => {
        const { to, sheets, fields, takes } = makeFile(planned);
        const before = await stored();
        const { imports } = await recognise(sheets, fields);
        const found = imports.find(({ sheet }: { sheet: string }) => sheet === to);
        const { json } = await send(to, sheets, fields);
        const after = await stored();
        if (takes === null) {
          assert.ok(!found || found.takes.length === 0, "it says beforehand that it cannot");
          assert.ok(["10001", "10030"].includes(json.code), json.code);
          return assert.deepEqual(after, before);
        }
        assert.equal(json.code, "0", json.message);
        assert.deepEqual(spell(found.takes), takes);
        assert.deepEqual(changed(before, after), takes);
        assert.deepEqual(json.data.months, found.months);
        const covered = [...after.keys()].filter((day) => json.data.months.includes(day.split(" ")[1]?.slice(0, 7)));
        assert.deepEqual(spell(json.data.covered), covered.toSorted());
        const replaced = found.takes.flatMap((taken: Taken & { replaces: Taken[] }) =>
          taken.replaces.map((run) => ({ ...run, sheet: taken.sheet })),
        );
        assert.deepEqual(
          spell(replaced),
          takes.filter((day) => before.has(day)),
        );
      }),
      { numRuns, seed },
    );
  },
);

import assert from "node:assert/strict";
import { test } from "node:test";
import { pick } from "#test/pick.ts";
import fc from "fast-check";
import {
  daysOf,
  findOwner,
  joinRuns,
  listComputedDays,
  listDays,
  listImportsOf,
  monthOf,
  numberOf,
  readDay,
  subtract,
  takeOver,
  toCovered,
  toWireDays,
  warnOfCoverage,
  writeDay,
  writeRuns,
} from "./days.ts";
import type { DatedSheet, Span } from "./model.ts";

const month = "2026-05";
const dayOf = (day: number) => readDay(`${month}-01`) + day - 1;
const span = (importId: number, first: number, last: number, sheet: DatedSheet = "month"): Span => ({
  sheet,
  importId,
  firstDay: dayOf(first),
  lastDay: dayOf(last),
});
const compose = (spans: readonly Span[]) => spans.reduce<Span[]>(takeOver, []);

test("every day belongs to one month, whose period has each number of a day once at most", () => {
  assert.deepEqual(toWireDays(daysOf({ month, periodStart: 26 })), { from: "2026-04-26", to: "2026-05-25" });
  assert.deepEqual(toWireDays(daysOf({ month: "2024-03", periodStart: 28 })), { from: "2024-02-28", to: "2024-03-27" });
  assert.deepEqual(toWireDays(daysOf({ month: "2026-01", periodStart: 2 })), { from: "2025-12-02", to: "2026-01-01" });
  assert.deepEqual(toWireDays(daysOf({ month, periodStart: 1 })), { from: "2026-05-01", to: "2026-05-31" });
  const periods = fc.tuple(
    fc.date({ min: new Date("1970-03-01"), max: new Date("2999-12-31"), noInvalidDate: true }),
    fc.integer({ min: 1, max: 28 }),
  );
  fc.assert(
    fc.property(periods, ([instant, periodStart]) => {
      const period = { month: instant.toISOString().slice(0, 7), periodStart };
      const days = listDays(daysOf(period));
      assert.deepEqual([...new Set(days.map((day) => monthOf(writeDay(day), periodStart)))], [period.month]);
      assert.equal(new Set(days.map(numberOf)).size, days.length);
      const [first = 0, last = 0] = [days[0], days.at(-1)];
      assert.ok(monthOf(writeDay(first - 1), periodStart) < period.month);
      assert.ok(monthOf(writeDay(last + 1), periodStart) > period.month);
    }),
  );
});

test("each day is the last import's that covers it, and no day is two imports'", () => {
  const spans = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 31 })).map(([one, other]) => ({
      first: Math.min(one, other),
      last: Math.max(one, other),
    })),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(spans, (drawn) => {
      const composed = compose(drawn.map(({ first, last }, index) => span(index + 1, first, last)));
      for (let day = 1; day <= 31; day++) {
        const owner = drawn.findLastIndex(({ first, last }) => first <= day && day <= last) + 1;
        const holding = composed.filter(({ firstDay, lastDay }) => firstDay <= dayOf(day) && dayOf(day) <= lastDay);
        assert.deepEqual(pick(holding, "importId"), owner === 0 ? [] : [owner]);
        assert.equal(findOwner(composed, "month", dayOf(day)) ?? 0, owner);
      }
    }),
  );
});

test("runs that follow upon one another are one, and what others have is taken away", () => {
  const runs = [span(1, 1, 7), span(2, 8, 9), span(3, 20, 20)];
  assert.equal(writeRuns(runs), "05-01 至 05-09、05-20");
  assert.equal(writeRuns(runs, "en"), "05-01 to 05-09, 05-20");
  assert.equal(joinRuns(runs).length, 2);
  assert.equal(writeRuns(subtract([span(1, 1, 31)], runs)), "05-10 至 05-19、05-21 至 05-31");
  assert.deepEqual(subtract(runs, [span(4, 1, 31)]), []);
});

test("imports are in the order of their last days", () => {
  assert.deepEqual(listImportsOf(compose([span(1, 1, 31), span(2, 8, 14), span(3, 20, 31)]), "month"), [2, 1, 3]);
});

test("what is computed are the days that both sheets have", () => {
  const spans = [span(1, 1, 10), span(2, 8, 20, "original"), span(3, 1, 31, "daily")];
  assert.deepEqual([...listComputedDays(spans)], [8, 9, 10].map(dayOf));
  assert.deepEqual([...listComputedDays([span(1, 1, 31)])], []);
});

test("on the wire a sheet's days are from and to, whichever imports they are from", () => {
  assert.deepEqual(
    toCovered([span(1, 8, 14, "original"), span(1, 1, 7), span(2, 8, 31), span(3, 20, 21, "original")]),
    [
      { sheet: "month", from: "2026-05-01", to: "2026-05-31" },
      { sheet: "original", from: "2026-05-08", to: "2026-05-14" },
      { sheet: "original", from: "2026-05-20", to: "2026-05-21" },
    ],
  );
});

test("sheets and days that are missing are told, days to come are not", () => {
  const warn = (spans: Span[], today = 40) =>
    warnOfCoverage({ month, periodStart: 1 }, spans, dayOf(today)).map(({ zh }) => zh);
  assert.deepEqual(warn([span(1, 1, 31), span(2, 1, 31, "original")]), []);
  assert.deepEqual(warn([span(1, 1, 31)]), ["缺少原始记录：校区天数、迟到、早退均未计算"]);
  assert.deepEqual(warn([span(1, 1, 31, "original")]), ["缺少月度汇总，无法分析"]);
  assert.deepEqual(warn([span(1, 1, 7), span(2, 1, 7, "original")], 8), []);
  assert.deepEqual(warn([span(1, 1, 3), span(2, 1, 3, "original")], 1), []);
  const half = "：这些日期的校区天数、缺卡、迟到、早退未计算";
  assert.deepEqual(warn([span(1, 1, 7), span(1, 1, 3, "daily"), span(2, 5, 9, "original")], 8), [
    `月度汇总未覆盖 05-08 至 05-09${half}`,
    "每日统计未覆盖 05-04 至 05-09",
    `原始记录未覆盖 05-01 至 05-04${half}`,
  ]);
  assert.equal(warn([span(1, 1, 3), span(2, 4, 6, "original")], 1)[0], "月度汇总与原始记录没有共同的日期");
});

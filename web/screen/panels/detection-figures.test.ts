import assert from "node:assert/strict";
import { test } from "node:test";
import { shareOf, toDetectionFigures, toShares } from "#screen/panels/detection-figures.ts";

const row = (statisticsDate: string, peopleType: string, detectionCount: number, abnormalCount = 0) => ({
  id: 1,
  statisticsDate,
  peopleType,
  detectionCount,
  abnormalCount,
  updateTime: "2026-11-20 09:30:00",
});

test("the tests of days are lines by category, a day without one is none", () => {
  const rows = [row("2026-11-20", "学生", 30, 3), row("2026-11-20", "社区", 70), row("2026-11-18", "社区", 50, 5)];
  const figures = toDetectionFigures(rows, "其他");
  assert.deepEqual(figures, {
    days: ["2026-11-18", "2026-11-20"],
    series: [
      { name: "学生", values: [undefined, 30] },
      { name: "社区", values: [50, 70] },
    ],
    tested: 100,
    abnormal: 3,
  });
  assert.equal(shareOf(figures), 0.03);
  assert.deepEqual(toShares(rows, figures.days), [0.1, 0.03]);
});

test("more categories than can be told apart are one line together", () => {
  const rows = Array.from({ length: 9 }, (_, n) => row("2026-11-20", `人群${n}`, (n + 1) * 10));
  const { series } = toDetectionFigures(rows, "其他");
  assert.deepEqual(
    series.map(({ name, values }) => [name, values[0]]),
    [
      ["人群5", 60],
      ["人群6", 70],
      ["人群7", 80],
      ["人群8", 90],
      ["其他", 150],
    ],
  );
});

test("nothing tested is no share", () => {
  assert.deepEqual(toDetectionFigures([], "其他"), { days: [], series: [], tested: 0, abnormal: 0 });
  assert.equal(shareOf({ tested: 0, abnormal: 0 }), 0);
});

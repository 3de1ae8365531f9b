import assert from "node:assert/strict";
import { test } from "node:test";
import { pickDays, toTicks } from "#screen/blocks/scale.ts";

test("an axis has round whole figures and reaches over the greatest", () => {
  assert.deepEqual(toTicks(2310, 4), [0, 1000, 2000, 3000]);
  assert.deepEqual(toTicks(0, 4), [0, 1]);
  assert.deepEqual(toTicks(3, 4), [0, 1, 2, 3]);
  for (const most of [1, 7, 99, 1000, 1001, 123_456_789, 2 ** 53]) {
    const ticks = toTicks(most, 4);
    assert.ok(ticks.length <= 6 && (ticks.at(-1) ?? 0) >= most, `${most}: ${ticks.join(" ")}`);
    assert.ok(ticks.every(Number.isInteger));
  }
});

test("of many days some are named, the last one always", () => {
  const days = Array.from({ length: 30 }, (_, n) => `d${n}`);
  assert.deepEqual(
    pickDays(days, 4).map(({ day }) => day),
    ["d5", "d13", "d21", "d29"],
  );
  assert.deepEqual(pickDays(["a"], 4), [{ day: "a", place: 0 }]);
  assert.deepEqual(pickDays([], 4), []);
});

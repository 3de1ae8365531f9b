import assert from "node:assert/strict";
import { test } from "node:test";
import { readDay, writeDay, writeMinute } from "./days.ts";

test("days and minutes are written as the sheets write them, twice alike", () => {
  for (const _ of [1, 2]) {
    assert.equal(writeDay(Date.UTC(2026, 4, 31) / 86_400_000), "2026-05-31");
    assert.equal(writeMinute(Date.UTC(2026, 4, 31, 23, 59) / 60_000), "2026-05-31 23:59");
    assert.equal(writeMinute(-1), "1969-12-31 23:59");
  }
});

test("a day is read as it is written, and one that does not exist is none", () => {
  for (const day of ["1969-12-31", "2024-02-29", "2026-05-01"]) assert.equal(writeDay(readDay(day)), day);
  assert.ok(Number.isNaN(readDay("2026-05-32")));
});

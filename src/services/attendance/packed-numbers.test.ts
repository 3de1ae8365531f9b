import assert from "node:assert/strict";
import { test } from "node:test";
import { readNumbers, writeDay, writeMinute } from "./packed-numbers.ts";

test("numbers are read between commas, and nothing is null", () => {
  assert.deepEqual(readNumbers("4,20574,,29626590"), [4, 20574, null, 29626590]);
  assert.deepEqual(readNumbers("-12,0,"), [-12, 0, null]);
  assert.deepEqual(readNumbers(""), []);
});

test("days and minutes are written as the sheets write them, twice alike", () => {
  for (const _ of [1, 2]) {
    assert.equal(writeDay(Date.UTC(2026, 4, 31) / 86_400_000), "2026-05-31");
    assert.equal(writeMinute(Date.UTC(2026, 4, 31, 23, 59) / 60_000), "2026-05-31 23:59");
    assert.equal(writeMinute(-1), "1969-12-31 23:59");
    assert.equal(writeMinute(null), null);
  }
});

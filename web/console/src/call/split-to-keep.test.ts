import assert from "node:assert/strict";
import { test } from "node:test";
import { splitToKeep } from "#console/call/split-to-keep.ts";

const sizeOf = (batch: unknown): number => new Blob([JSON.stringify(batch)]).size;

test("every batch is below what a closing page may still send, and none is left out", () => {
  const people = Array.from({ length: 2000 }, (_, n) => ({ name: `员工${n}`, userId: "1".repeat(18) }));
  const batches = splitToKeep(people);
  assert.deepEqual(batches.flat(), people);
  assert.equal(batches.length, Math.ceil(sizeOf(people) / 60_000));
  for (const batch of batches) assert.ok(sizeOf(batch) < 61_000);
});

test("few are one batch", () => {
  assert.deepEqual(splitToKeep(["a", "b"]), [["a", "b"]]);
});

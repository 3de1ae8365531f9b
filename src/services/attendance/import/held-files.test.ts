import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { type HoldLimits, openHeldFiles } from "#services/attendance/import/held-files.ts";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";

const limits: HoldLimits = { forMs: 1000, mostFiles: 3, mostBytes: 100 };

function fileOf(bytes: number): ReceivedFile & { readonly shares: () => number } {
  let count = 1;
  const file: ReceivedFile = {
    path: "",
    originalName: "",
    bytes,
    sha256: Buffer.alloc(0),
    fields: {},
    share: () => {
      count++;
      return file;
    },
    end: async () => void count--,
  };
  return { ...file, shares: () => count };
}

test("a file is held for its owner, for its time, beyond which whoever is at it still has it", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const held = openHeldFiles(limits);
  const file = fileOf(1);
  const id = held.hold(file, "one");
  await file.end();
  assert.equal(held.find(id, "other"), undefined);
  const found = held.find(id, "one");
  mock.timers.tick(limits.forMs);
  assert.equal(held.find(id, "one"), undefined);
  assert.equal(file.shares(), 1);
  await found?.end();
  assert.equal(file.shares(), 0);
  mock.timers.reset();
});

test("the oldest make room for another file, which is held whatever its size", async () => {
  const held = openHeldFiles(limits);
  const ids = [40, 30, 20, 10, 60].map((bytes) => held.hold(fileOf(bytes), "one"));
  assert.deepEqual(
    ids.map((id) => held.find(id, "one")?.bytes),
    [undefined, undefined, 20, 10, 60],
  );
  const large = held.hold(fileOf(101), "one");
  assert.equal(held.find(large, "one")?.bytes, 101);
  assert.deepEqual(
    ids.map((id) => held.find(id, "one")),
    ids.map(() => undefined),
  );
  await held.clear();
  assert.equal(held.find(large, "one"), undefined);
});

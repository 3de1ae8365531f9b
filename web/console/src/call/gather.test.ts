import assert from "node:assert/strict";
import { test } from "node:test";
import { gather } from "./gather.ts";

function open() {
  const calls: (readonly number[])[] = [];
  const ask = gather(async (ids) => {
    calls.push(ids);
    if (ids.includes(13)) throw new Error("no");
    return new Map(ids.map((id) => [id, id * 2]));
  });
  return { calls, ask };
}

test("what is asked for together goes together, each id once", async () => {
  const { calls, ask } = open();
  assert.deepEqual(await Promise.all([ask(1), ask(2), ask(1)]), [2, 4, 2]);
  assert.equal(await ask(3), 6);
  assert.deepEqual(calls, [[1, 2], [3]]);
});

test("at most a hundred at once", async () => {
  const { calls, ask } = open();
  const ids = Array.from({ length: 250 }, (_, index) => 1000 + index);
  assert.deepEqual(
    await Promise.all(ids.map(ask)),
    ids.map((id) => id * 2),
  );
  assert.deepEqual(
    calls.map(({ length }) => length),
    [100, 100, 50],
  );
});

test("a failure is everybody's, and the next is asked anew", async () => {
  const { calls, ask } = open();
  const answers = await Promise.allSettled([ask(12), ask(13)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(await ask(12), 24);
  assert.equal(calls.length, 2);
});

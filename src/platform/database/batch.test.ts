import assert from "node:assert/strict";
import { test } from "node:test";
import { batch, type BatchOptions } from "./batch.ts";

function open(options?: BatchOptions<string>) {
  const batches: { items: readonly string[]; end: (error?: Error) => void }[] = [];
  let called = () => {};
  const add = batch<string, string>((items) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    batches.push({ items, end: (error) => (error ? reject(error) : resolve(items)) });
    called();
    return promise;
  }, options);
  const end = async (index: number, error?: Error): Promise<readonly string[]> => {
    while (batches.length <= index) await new Promise<void>((resolve) => (called = resolve));
    batches[index]?.end(error);
    return batches[index]?.items ?? [];
  };
  return { add, end, batches };
}

test("who comes while others are answered goes with the next, and never with what had begun", async () => {
  const { add, end, batches } = open();
  const first = add("1");
  const others = [add("1"), add("3")];
  assert.equal(batches.length, 1);
  assert.deepEqual(await end(0), ["1"]);
  assert.equal(await first, "1");
  assert.deepEqual(await end(1), ["1", "3"]);
  assert.deepEqual(await Promise.all(others), ["1", "3"]);
  const last = add("4");
  await end(2);
  assert.equal(await last, "4");
});

test("a failure is that of those who went together, and the next go", async () => {
  const { add, end } = open();
  const [first, second] = [add("1"), add("2")];
  await end(0, new Error("lost"));
  await assert.rejects(first, { message: "lost" });
  await end(1);
  assert.equal(await second, "2");
});

test("of a crowd no more than 200 go at once", async () => {
  const sizes: number[] = [];
  const add = batch<number, number>(async (items) => {
    sizes.push(items.length);
    return items;
  });
  const crowd = Array.from({ length: 500 }, (_, n) => n);
  assert.deepEqual(await Promise.all(crowd.map(add)), crowd);
  assert.deepEqual(sizes, [1, 200, 200, 99]);
});

const keyOf = (item: string): string => item.slice(0, 1);

test("two of one key do not go together, and keep their order", async () => {
  const { add, end } = open({ keyOf, awaitsRound: true });
  const answers = ["a1", "b1"].map(add);
  const first = end(0);
  await new Promise(setImmediate);
  answers.push(...["c1", "a2", "a3", "d1"].map(add));
  assert.deepEqual(await first, ["a1", "b1"]);
  assert.deepEqual(await end(1), ["c1", "a2", "d1"]);
  assert.deepEqual(await end(2), ["a3"]);
  assert.deepEqual(await Promise.all(answers), ["a1", "b1", "c1", "a2", "a3", "d1"]);
});

test("one that fails takes no other along where each is tried by itself", async () => {
  const { add, end } = open({ retriesSingly: true, awaitsRound: true });
  const [good, bad] = [add("a"), add("b")];
  const failed = assert.rejects(bad, /this one/);
  await end(0, new Error("one of them"));
  await end(1);
  await end(2, new Error("this one"));
  assert.equal(await good, "a");
  await failed;
});

test("what waits for a lock holds up nobody else, but for its own keys", async () => {
  const { add, end, batches } = open({ keyOf, lateMs: 1 });
  const held = add("a1");
  const [behind, other] = [add("a2"), add("b1")];
  assert.deepEqual(await end(1), ["b1"]);
  assert.equal(await other, "b1");
  assert.equal(batches.length, 2);
  await end(0);
  assert.equal(await held, "a1");
  assert.deepEqual(await end(2), ["a2"]);
  assert.equal(await behind, "a2");
});

test("what is heavy counts for more, and after many more are awaited", async () => {
  const options = { most: 4, keyOf: (item: string) => item, weightOf: (item: string) => item.length };
  const { add, end } = open({ ...options, pauseMs: ({ length }) => (length > 1 ? 1 : 0), awaitsRound: true });
  const answers = ["aaa", "bb", "c"].map(add);
  assert.deepEqual(await end(0), ["aaa", "bb"]);
  answers.push(add("d"));
  assert.deepEqual(await end(1), ["c", "d"]);
  await Promise.all(answers);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { keepRunning, type Running } from "./keeper.ts";

/** A PostgreSQL that ends when it is told to. */
function makeRunning(): Running & { fall(why: string): void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { ended: promise, fall: resolve, end: async () => resolve("code 0") };
}

/** Pauses that take no time and are remembered; the last lasts until the signal. */
function makePauses(most: number) {
  const taken: number[] = [];
  const all = Promise.withResolvers<void>();
  const pause = async (ms: number, signal: AbortSignal) => {
    taken.push(ms);
    if (taken.length < most) return;
    all.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  return { taken, all: all.promise, pause };
}

test("it is tried at once, then after longer and longer pauses, without end", async () => {
  const first = makeRunning();
  const lost: string[] = [];
  const { taken, all, pause } = makePauses(9);
  const kept = keepRunning({
    first,
    launch: () => Promise.reject(new Error("no")),
    onLost: (reason) => lost.push(reason),
    onBack: () => assert.fail("it is not back"),
    pause,
  });
  first.fall("signal 9");
  await all;
  await kept.end();
  assert.deepEqual(taken, [0, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  assert.deepEqual(lost, ["PostgreSQL ended by itself (signal 9)", ...Array<string>(8).fill("no")]);
});

test("one that ends as soon as it has started waits longer each time", async () => {
  const first = makeRunning();
  let back = 0;
  const { taken, all, pause } = makePauses(5);
  const kept = keepRunning({
    first,
    launch: async () => {
      const next = makeRunning();
      next.fall("code 1");
      return next;
    },
    onLost: () => {},
    onBack: () => back++,
    pause,
  });
  first.fall("code 1");
  await all;
  await kept.end();
  assert.deepEqual([taken, back], [[0, 500, 1000, 2000, 4000], 4]);
});

test("one that is stopped while it starts is ended", async () => {
  const [first, next] = [makeRunning(), makeRunning()];
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const kept = keepRunning({
    first,
    launch: async () => {
      begun.resolve();
      await held.promise;
      return next;
    },
    onLost: () => {},
    onBack: () => assert.fail("it is not wanted any more"),
  });
  first.fall("code 1");
  await begun.promise;
  const ending = kept.end();
  held.resolve();
  await ending;
  assert.equal(await next.ended, "code 0");
});

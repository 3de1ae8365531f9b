import assert from "node:assert/strict";
import { test } from "node:test";
import { keepRunning, type Running } from "./restart.ts";

function makeRunning(): Running & { fall(why: string): void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { ended: promise, fall: resolve, end: async () => resolve("code 0") };
}

test("it is tried at once and then, after a pause, again", async () => {
  const first = makeRunning();
  const lost: string[] = [];
  const back = Promise.withResolvers<void>();
  const kept = keepRunning({
    first,
    launch: async () => {
      if (lost.length === 1) throw new Error("no");
      return makeRunning();
    },
    onLost: (reason) => lost.push(reason),
    onBack: back.resolve,
  });
  first.fall("signal 9");
  await back.promise;
  await kept.end();
  assert.deepEqual(lost, ["PostgreSQL stopped unexpectedly (signal 9)", "no"]);
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

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openPool } from "#platform/database/index.ts";
import { createTestDatabase } from "#test/database.ts";
import { Admission } from "./admission.ts";

const { url } = await createTestDatabase();

function openAdmission({ free = 0 } = {}) {
  const state = { free, takes: false };
  const admission = new Admission(() => state.free);
  const answers: string[] = [];
  const ask = (...names: string[]): void => {
    for (const name of names) {
      admission.ask((mayBegin) => {
        answers.push(`${name} ${mayBegin ? "in" : "refused"}`);
        if (mayBegin && state.takes) state.free--;
      });
    }
  };
  return { state, admission, answers, ask };
}

test("a turn of the loop admits 64, in the order in which they came, while a connection is free", async () => {
  const { answers, ask } = openAdmission({ free: 2 });
  const names = Array.from({ length: 130 }, (_, index) => String(index));
  ask(...names);
  assert.deepEqual(
    answers,
    names.slice(0, 64).map((name) => `${name} in`),
  );
  await nextTurn();
  assert.equal(answers.length, 128);
  await nextTurn();
  assert.deepEqual(
    answers,
    names.map((name) => `${name} in`),
  );
});

test("nobody joins those who have waited for long, who are admitted when they can be", ({ mock }) => {
  mock.timers.enable({ apis: ["setInterval"] });
  const { state, admission, answers, ask } = openAdmission();
  ask("a");
  mock.timers.tick(500);
  ask("b");
  mock.timers.tick(100);
  ask("c", "d");
  assert.deepEqual(answers, ["c refused", "d refused"]);
  state.free = 3;
  admission.admitWaiting();
  assert.deepEqual(answers.slice(2), ["a in", "b in"]);
  ask("e");
  assert.equal(answers.at(-1), "e in");
});

test("in an overload no more wait than begin in the time that the first may have waited", ({ mock }) => {
  mock.timers.enable({ apis: ["setInterval"] });
  const { state, admission, answers, ask } = openAdmission();
  state.takes = true;
  const come = (count: number): void => ask(...Array.from({ length: count }, () => "one"));
  const passTenth = (): void => {
    state.free = 10;
    admission.admitWaiting();
    mock.timers.tick(100);
  };
  come(45);
  for (let tenth = 0; tenth < 6; tenth++) {
    passTenth();
    if (tenth < 5) come(12);
  }
  assert.deepEqual(answers, Array(60).fill("one in"), "it could have been a burst until now");
  come(10);
  assert.deepEqual(answers.slice(60), Array(4).fill("one refused"));
});

test("who waits while nothing moves is refused in the end, and others may wait then", ({ mock }) => {
  mock.timers.enable({ apis: ["setInterval"] });
  const { state, admission, answers, ask } = openAdmission();
  ask("a");
  mock.timers.tick(3100);
  assert.deepEqual(answers, ["a refused"]);
  ask("b");
  state.free = 1;
  admission.admitWaiting();
  assert.equal(answers.at(-1), "b in");
});

test("an event loop that stood still makes nobody late", () => {
  const { state, admission, answers, ask } = openAdmission();
  ask("a");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  ask("b");
  state.free = 2;
  admission.admitWaiting();
  assert.deepEqual(answers, ["a in", "b in"]);
});

test("work that has begun gets its connection before what has not", async () => {
  const pool = openPool(url, { connections: 1 });
  const held = await pool.reserve();
  const order: string[] = [];
  const beginning = pool.mayBegin().then((mayBegin) => order.push(`may begin: ${mayBegin}`));
  const work = async () => {
    const session = await pool.reserve();
    order.push("at work");
    session.release();
  };
  const atWork = work();
  held.release();
  await Promise.all([beginning, atWork]);
  assert.deepEqual(order, ["at work", "may begin: true"]);
  await pool.end();
});

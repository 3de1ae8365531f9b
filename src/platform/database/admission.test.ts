import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openPool } from "#platform/database/index.ts";
import { createTestDatabase } from "#test/database.ts";
import { Admission } from "./admission.ts";

const { url } = await createTestDatabase();

/** Connections and clock are the test's; `answers` has who was answered, in order. */
function openAdmission({ free = 0, patienceMs = 60_000 } = {}) {
  const state = { free, nowMs: 0 };
  const admission = new Admission(() => state.free, { standingMs: 200, patienceMs, now: () => state.nowMs });
  const answers: string[] = [];
  const ask = (...names: string[]): void => {
    for (const name of names) admission.ask((mayBegin) => answers.push(`${name} ${mayBegin ? "in" : "refused"}`));
  };
  return { state, admission, answers, ask };
}

test("each turn of the loop admits as many as there are connections, in the order in which they came", async () => {
  const { answers, ask } = openAdmission({ free: 2 });
  ask("a", "b", "c", "d", "e");
  assert.deepEqual(answers, ["a in", "b in"]);
  await nextTurn();
  assert.deepEqual(answers, ["a in", "b in", "c in", "d in"]);
  await nextTurn();
  assert.deepEqual(answers.at(-1), "e in");
});

test("nobody joins those who have waited for long, who are admitted when they can be", () => {
  const { state, admission, answers, ask } = openAdmission();
  ask("a");
  state.nowMs = 200;
  ask("b");
  state.nowMs = 201;
  ask("c", "d");
  assert.deepEqual(answers, ["c refused", "d refused"]);
  state.free = 3;
  admission.goOn();
  assert.deepEqual(answers.slice(2), ["a in", "b in"]);
  ask("e");
  assert.equal(answers.at(-1), "e in");
});

test("who waits while nothing moves is refused in the end, and others may wait then", async () => {
  const { state, admission, answers, ask } = openAdmission({ patienceMs: 1 });
  const refused = new Promise<boolean>((resolve) => admission.ask(resolve));
  assert.equal(await refused, false);
  state.nowMs = 5000;
  ask("a");
  state.free = 1;
  admission.goOn();
  assert.deepEqual(answers, ["a in"]);
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

test("where no connection can be made, work begins, and hears why", async () => {
  const pool = openPool("postgres://somebody@127.0.0.1:1/none", { connections: 1 });
  await Promise.allSettled([pool`select 1`, pool`select 2`]);
  assert.equal(await pool.mayBegin(), true);
  await pool.end();
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openPool } from "#platform/database/index.ts";
import { createTestDatabase } from "#test/database.ts";
import { Admission } from "./admission.ts";

const { url } = await createTestDatabase();

/** A line whose connections and clock are the test's; `answers` has who was answered, in order. */
function openLine({ free = 0, patienceMs = 60_000 } = {}) {
  const state = { free, nowMs: 0 };
  const admission = new Admission(() => state.free, { standingMs: 200, patienceMs, now: () => state.nowMs });
  const answers: string[] = [];
  const ask = (...names: string[]): void => {
    for (const name of names) admission.ask((isIn) => answers.push(`${name} ${isIn ? "in" : "refused"}`));
  };
  return { state, admission, answers, ask };
}

test("each turn of the loop lets in as many as there are connections, in the order in which they came", async () => {
  const { answers, ask } = openLine({ free: 2 });
  ask("a", "b", "c", "d", "e");
  assert.deepEqual(answers, ["a in", "b in"]);
  await nextTurn();
  assert.deepEqual(answers, ["a in", "b in", "c in", "d in"]);
  await nextTurn();
  assert.deepEqual(answers.at(-1), "e in");
});

test("nobody joins a line that stands, and who is in it is served when it moves", () => {
  const { state, admission, answers, ask } = openLine();
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

test("who is in a line where nothing moves is refused in the end, and it begins anew", async () => {
  const { state, admission, answers, ask } = openLine({ patienceMs: 1 });
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
  const letIn = pool.letIn().then((isIn) => order.push(`let in: ${isIn}`));
  const work = async () => {
    const session = await pool.reserve();
    order.push("at work");
    session.release();
  };
  const atWork = work();
  held.release();
  await Promise.all([letIn, atWork]);
  assert.deepEqual(order, ["at work", "let in: true"]);
  await pool.end();
});

test("where no connection can be made, the work is let in to hear why", async () => {
  const pool = openPool("postgres://somebody@127.0.0.1:1/none", { connections: 1 });
  await Promise.allSettled([pool`select 1`, pool`select 2`]);
  assert.equal(await pool.letIn(), true);
  await pool.end();
});

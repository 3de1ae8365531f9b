import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Caller, openAttendance, waitForAnalysis } from "#test/attendance/calls.ts";
import { makeMonth, type Sheet } from "#test/attendance/workbooks.ts";
import { atLength } from "#test/at-length.ts";
import { send } from "#test/call.ts";
import { awaitHeld, closeGate, gatedServer, openGate } from "./gate.ts";
import { createRandom, seed } from "./random.ts";
import { logIn, makeServerFolder, startServerProcess } from "./server.ts";

// Whenever the server is killed, a month is wholly old or wholly new, and the next start resumes a killed analysis.

const isLong = atLength.skip === false;
const month = "2026-05";
const youngPeople = isLong ? 500 : 100;
const old = makeMonth({ month, people: isLong ? 60 : 20, seed: 1, generation: 2026 });
const young = makeMonth({ month, people: youngPeople, seed: 2, generation: 2026 });

const dataDir = await makeServerFolder();
const start = () => startServerProcess(dataDir, {}, [], gatedServer);
let running = await start();
// Aborting the controller ends calls in flight, as when a client disconnects.
let client = new AbortController();
const call: Caller["call"] = (method, target, options) =>
  send(running.address, method, target, { ...options, signal: client.signal });
const service = await openAttendance({ call }, await logIn(running.address));

async function makeAnalysed({ monthSheet, originalSheet }: Record<"monthSheet" | "originalSheet", Sheet>, of = month) {
  await service.send("month", [monthSheet]);
  await service.send("original", [originalSheet]);
  assert.equal((await service.analyse(of)).statu, 2);
  return (await service.get("downLoad", { month: of })).json.data;
}

async function sendHeld(to: "month" | "original", sheet: Sheet): Promise<{ outcome: Promise<string> }> {
  await closeGate(dataDir);
  const outcome = service.send(to, [sheet]).then(
    () => "answered",
    () => "cut off",
  );
  await awaitHeld(running);
  return { outcome };
}

for (const place of ["middle", "end"])
  test(
    `kill -9 at the ${place} of an import leaves ${place === "middle" ? "the old month" : "the old month or the new one"}`,
    place === "middle" ? {} : atLength,
    async (t) => {
      t.diagnostic(`SEED=${seed}`);
      const rows = await makeAnalysed(old);
      const held = await sendHeld("original", young.originalSheet);
      if (place === "end") {
        await openGate(dataDir);
        await delay(createRandom(seed)() * 300);
      }
      await running.kill();
      const outcome = await held.outcome;
      await openGate(dataDir);
      running = await start();
      const found = (await service.get("months")).json.data[0] as { punches: number; statu: number };
      const isOld = found.punches === old.punchLines.length;
      assert.ok(isOld || found.punches === young.punchLines.length, `${found.punches} punches`);
      if (place === "middle") assert.deepEqual([outcome, isOld], ["cut off", true]);
      if (outcome === "answered") assert.equal(isOld, false, "what was acknowledged is there");
      assert.equal(found.statu, isOld ? 2 : 0);
      if (isOld) assert.deepEqual((await service.get("downLoad", { month })).json.data, rows);
      t.diagnostic(`${place}: ${outcome}, the ${isOld ? "old" : "new"} month`);
    },
  );

test("a stop in the middle of an import waits for it, though its client has gone", async () => {
  await service.send("month", [young.monthSheet]);
  const { outcome } = await sendHeld("original", young.originalSheet);
  client.abort();
  client = new AbortController();
  assert.equal(await outcome, "cut off");
  running.child.kill("SIGTERM");
  await openGate(dataDir);
  assert.equal((await running.ended).code, 0);
  running = await start();
  const [latest] = (await service.get("imports", { pageSize: 1 })).json.data.list;
  assert.deepEqual([latest.outcome, latest.rows], ["done", young.punchLines.length]);
});

test("kill -9 in the middle of an analysis: the next process finishes it, with the same rows", atLength, async (t) => {
  const expected = await makeAnalysed(young);
  await service.get("analyse");
  let seen = { done: 0, total: 1, statu: 1 };
  const asked = performance.now();
  while (seen.done === 0 && performance.now() - asked < 60_000)
    seen = (await service.get("queryAnalyseStatu")).json.data;
  t.diagnostic(`killed at ${seen.done} of ${seen.total}`);
  await running.kill();
  running = await start();
  const { statu, done, total } = await waitForAnalysis(service.get, month);
  assert.deepEqual([statu, done, total], [2, youngPeople, youngPeople]);
  assert.deepEqual((await service.get("downLoad", { month })).json.data, expected);
});

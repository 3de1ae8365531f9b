import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer, CallOptions } from "#test/app.ts";
import { type Attendance, type Caller, openAttendance, waitForAnalysis } from "#test/attendance/calls.ts";
import { makeMonth, type Sheet } from "#test/attendance/workbooks.ts";
import { atLength } from "#test/at-length.ts";
import { awaitHeld, closeGate, gatedServer, openGate } from "./gate.ts";
import { createRandom } from "./random.ts";
import { awaitNoProcessOf, operatorPassword, type RunningServer, startServerProcess } from "./server.ts";

// A month is wholly old or wholly new whenever the server is killed, and an analysis that was killed finishes by itself.

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const month = "2026-05";
const youngPeople = 500;
const old = makeMonth({ month, people: 60, seed: 1, generation: 2026 });
const young = makeMonth({ month, people: youngPeople, seed: 2, generation: 2026 });

const dataDir = await mkdtemp(path.join(tmpdir(), "quintet-crash-attendance-"));
let running: RunningServer | undefined;
after(async () => {
  await running?.kill();
  await awaitNoProcessOf(dataDir, 10_000);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

// Ends the calls under way, as a client does that goes.
let client = new AbortController();

function toCaller({ address }: RunningServer): Caller {
  return {
    async call(method, target, { token, query = {}, raw, body }: CallOptions = {}): Promise<Answer> {
      const url = new URL(address + target);
      for (const [key, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(key, String(value));
      const headers = {
        ...(token === undefined ? {} : { admin_token: token }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      };
      const response = await fetch(url, {
        method,
        headers,
        signal: client.signal,
        ...(raw !== undefined ? { body: raw as never } : body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
    },
  };
}

async function start(): Promise<Attendance> {
  running = await startServerProcess(dataDir, {}, [], gatedServer);
  const caller = toCaller(running);
  const login = await caller.call("POST", "/platform/login", {
    body: { userName: "operator", password: operatorPassword },
  });
  return openAttendance(caller, login.json.data.token);
}

async function kill(): Promise<void> {
  await running?.kill();
}

const readMonth = async ({ get }: Attendance) =>
  (await get("months")).json.data[0] as { punches: number; statu: number };

/** Sends a sheet, which comes to a stand among its rows. */
async function sendHeld(service: Attendance, to: "month" | "original", sheet: Sheet) {
  assert.ok(running);
  await closeGate(dataDir);
  const sent = service.send(to, [sheet]).then(
    () => "answered",
    () => "cut off",
  );
  await awaitHeld(running);
  return { sent };
}

test("kill -9 in the middle of an import leaves the old month; near its end the old one or the new one", async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  let service = await start();
  await service.send("month", [old.monthSheet]);
  for (const place of ["middle", "end"]) {
    await service.send("original", [old.originalSheet]);
    assert.equal((await service.analyse(month)).statu, 2);
    const rows = (await service.get("downLoad")).text;
    const { sent } = await sendHeld(service, "original", young.originalSheet);
    if (place === "end") {
      await openGate(dataDir);
      await delay(random() * 300);
    }
    await kill();
    const outcome = await sent;
    await openGate(dataDir);
    service = await start();
    const found = await readMonth(service);
    const isOld = found.punches === old.punchLines.length;
    assert.ok(isOld || found.punches === young.punchLines.length, `${found.punches} punches`);
    if (place === "middle") assert.deepEqual([outcome, isOld], ["cut off", true]);
    if (outcome === "answered") assert.equal(isOld, false, "what was acknowledged is there");
    assert.equal(found.statu, isOld ? 2 : 0);
    if (isOld) assert.equal((await service.get("downLoad")).text, rows);
    t.diagnostic(`${place}: ${outcome}, the ${isOld ? "old" : "new"} month`);
  }
  await kill();
});

test("a stop in the middle of an import waits for it, though its client has gone", async () => {
  let service = await start();
  await service.send("month", [young.monthSheet]);
  const { sent } = await sendHeld(service, "original", young.originalSheet);
  client.abort();
  client = new AbortController();
  assert.equal(await sent, "cut off");
  running?.child.kill("SIGTERM");
  await openGate(dataDir);
  assert.equal((await running?.ended)?.code, 0);
  service = await start();
  const [latest] = (await service.get("imports", { pageSize: 1 })).json.data.list;
  assert.deepEqual([latest.outcome, latest.rows], ["done", young.punchLines.length]);
  await kill();
});

test("kill -9 in the middle of an analysis: the next process finishes it, with the same rows", atLength, async (t) => {
  let service = await start();
  await service.send("month", [young.monthSheet]);
  await service.send("original", [young.originalSheet]);
  assert.equal((await service.analyse(month)).statu, 2);
  const expected = (await service.get("downLoad")).text;
  await service.get("analyse");
  let seen = { done: 0, total: 1, statu: 1 };
  const asked = performance.now();
  while (seen.done === 0 && performance.now() - asked < 60_000)
    seen = (await service.get("queryAnalyseStatu")).json.data;
  await kill();
  t.diagnostic(`killed at ${seen.done} of ${seen.total}`);
  const started = performance.now();
  service = await start();
  const { statu, done, total } = await waitForAnalysis(service.get, month);
  t.diagnostic(`finished ${Math.round(performance.now() - started)} ms after the new start`);
  assert.deepEqual([statu, done, total], [2, youngPeople, youngPeople]);
  assert.equal((await service.get("downLoad")).text, expected);
  await kill();
});

test("kill -9 while a week is added leaves the days of before, or these and the week", atLength, async (t) => {
  const weekly = "2026-06";
  const made = makeMonth({ month: weekly, people: 500, seed: 3, generation: 2026 });
  const [first, second] = [made.cut(1, 7), made.cut(8, 14)];
  const random = createRandom(seed + 1);
  let service = await start();
  await service.send("month", [first.monthSheet]);
  await service.send("original", [first.originalSheet]);
  for (const [to, sheet] of [
    ["month", second.monthSheet],
    ["original", second.originalSheet],
  ] as const) {
    const { sent } = await sendHeld(service, to, sheet);
    await openGate(dataDir);
    await delay(random() * 100);
    await kill();
    const outcome = await sent;
    service = await start();
    const isAdded = await isCovered(service, weekly, to);
    if (outcome === "answered") assert.ok(isAdded, "what was acknowledged is there");
    t.diagnostic(`${to}: ${outcome}, the week is ${isAdded ? "there" : "not there"}`);
    if (!isAdded) await service.send(to, [sheet]);
  }
  assert.equal((await service.analyse(weekly)).statu, 2);
  const rows = (await service.get("downLoad", { month: weekly })).json.data;
  const whole = made.cut(1, 14);
  await service.send("month", [whole.monthSheet]);
  await service.send("original", [whole.originalSheet]);
  assert.equal((await service.analyse(weekly)).statu, 2);
  assert.deepEqual(rows, (await service.get("downLoad", { month: weekly })).json.data);
  await kill();
});

const isCovered = async ({ get }: Attendance, of: string, sheet: string): Promise<boolean> =>
  (await get("queryAnalyseStatu", { month: of })).json.data.covered.some(
    (run: { sheet: string; to: string }) => run.sheet === sheet && run.to === `${of}-14`,
  );

test("kill -9 in a lock, an unlock and a match leaves each done or not at all", atLength, async (t) => {
  const random = createRandom(seed + 2);
  let service = await start();
  await service.send("month", [young.monthSheet]);
  await service.send("original", [young.originalSheet]);
  assert.equal((await service.analyse(month)).statu, 2);
  const rows = (await service.get("downLoad", { month })).json.data;
  const read = async () => {
    const { locked, statu } = (await service.get("months")).json.data.find(
      (each: { month: string }) => each.month === month,
    );
    return { locked, statu, versions: (await service.get("versions", { month })).json.data as { id: number }[] };
  };
  const killIn = async (target: string, body: object): Promise<string> => {
    const sent = service.put(target, { month, ...body }).then(
      ({ json }) => json.code,
      () => "cut off",
    );
    await delay(random() * 60);
    await kill();
    const outcome = await sent;
    service = await start();
    t.diagnostic(`${target}: ${outcome}`);
    return outcome;
  };
  const locked = await killIn("lock", { note: "定稿" });
  const { locked: at, versions } = await read();
  assert.equal(versions.length, at === null ? 0 : 1);
  if (locked === "0") assert.notEqual(at, null);
  if (at === null) assert.equal((await service.put("lock", { month })).json.code, "0");
  const [version] = (await read()).versions;
  assert.deepEqual((await service.get(`versions/${version?.id}`)).json.data, rows);
  const unlocked = await killIn("unlock", { reason: "补卡" });
  const after = await read();
  if (unlocked === "0") assert.equal(after.locked, null);
  if (after.locked !== null) assert.equal((await service.put("unlock", { month, reason: "补卡" })).json.code, "0");
  const [someone] = young.employees;
  const person = { name: someone?.name, userId: someone?.userId, workNum: someone?.workNumber };
  const matched = await killIn("match", { sheet: "original", person, userId: "" });
  const { settled } = (await service.get("unmatched", { month })).json.data;
  // Settled, and so to be analysed again; or neither.
  assert.equal((await read()).statu, settled.length === 1 ? 0 : 2);
  if (matched === "0") assert.equal(settled.length, 1);
  await kill();
});

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { addJob } from "#platform/jobs/runner.ts";
import type { Pool } from "#platform/database/index.ts";
import { encrypt } from "#services/push-relay/cipher.ts";
import { operatorPassword } from "#test/crash/server.ts";
import { type Receiver, startReceiver } from "#test/relay/receiver.ts";
import { sampleReport } from "#test/sample-report.ts";

// Everybody at work at once, through servers that come and go: as a proxy does, they ask a server that is in the
// rotation, and go on to the next where one refuses to take anything more.

export interface Load {
  /** The servers that are asked, by their addresses; others may take their place at any time. */
  readonly rotation: Set<string>;
  /** Lets so much be done with the servers that there are: so many calls of each kind. */
  pass(calls: number): Promise<void>;
  /** Ends it, and holds what was acknowledged against what is there. @throws naming what does not hold. */
  judge(): Promise<Tally>;
}

export interface Tally {
  readonly calls: number;
  /** Answers of servers that had retired, after which the next was asked. */
  readonly refusals: number;
  readonly reports: number;
  readonly events: number;
  readonly changesHeard: number;
  readonly streams: number;
  readonly jobs: number;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly code: string | number; readonly data: unknown };
}

interface State {
  readonly pool: Pool;
  readonly pauseMs: number;
  readonly rotation: Set<string>;
  readonly ended: AbortController;
  readonly failures: string[];
  readonly counts: { calls: number; refusals: number; changesHeard: number; streams: number; jobs: number };
  readonly reports: string[];
  readonly done: Map<string, number>;
  events: number;
  turn: number;
  token: string;
}

const settleMs = 30_000;
const keys = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };
const schoolCode = "1000000001";

/** @param pauseMs after each call of a kind */
export async function startLoad(pool: Pool, first: string, pauseMs: number): Promise<Load> {
  const receiver = await startReceiver();
  const state: State = {
    pool,
    pauseMs,
    rotation: new Set([first]),
    ended: new AbortController(),
    failures: [],
    counts: { calls: 0, refusals: 0, changesHeard: 0, streams: 0, jobs: 0 },
    reports: [],
    done: new Map(),
    events: 0,
    turn: 0,
    token: "",
  };
  await prepare(state, receiver);
  const work: Readonly<Record<string, () => Promise<unknown>>> = {
    report: () => report(state),
    list: () => call(state, "GET", "/reporting/informationReporting/list?pageSize=5"),
    push: () => push(state),
    change: () => change(state),
    job: () => addHousekeeping(state),
  };
  const running = [...Object.entries(work).map(([name, one]) => repeat(state, name, one)), follow(state)];
  return {
    rotation: state.rotation,
    async pass(calls) {
      const until = new Map(Object.keys(work).map((name) => [name, (state.done.get(name) ?? 0) + calls]));
      while ([...until].some(([name, count]) => (state.done.get(name) ?? 0) < count) && state.failures.length === 0)
        await delay(pauseMs);
    },
    async judge() {
      state.ended.abort();
      await Promise.all(running);
      try {
        return await judge(state, receiver);
      } finally {
        await receiver.stop();
      }
    },
  };
}

const addHousekeeping = async (state: State): Promise<void> => {
  await addJob(state.pool, "platform-housekeeping", { n: state.counts.jobs++ });
  await delay(2 * state.pauseMs);
};

async function prepare(state: State, receiver: Receiver): Promise<void> {
  const login = await call(state, "POST", "/platform/login", { userName: "operator", password: operatorPassword });
  state.token = (login.data as { token: string }).token;
  await call(state, "POST", "/wx/push/campusApp/save", { ...keys, schoolCode, name: "示例校园" });
  await call(state, "POST", "/wx/push/addPushProject", new URLSearchParams({ url: receiver.url, project: "rolling" }));
}

async function repeat(state: State, name: string, work: () => Promise<unknown>): Promise<void> {
  while (!state.ended.signal.aborted) {
    await work().catch((error: unknown) => state.failures.push(`${name}: ${String(error)}`));
    state.done.set(name, (state.done.get(name) ?? 0) + 1);
    await delay(state.pauseMs);
  }
}

/** One after the other of those in the rotation. */
function next({ rotation, turn }: State): string {
  const addresses = [...rotation];
  return addresses[turn % addresses.length] ?? assert.fail("no server is in the rotation");
}

/** Calls until a server takes it. @throws on any other refusal, and when a connection is lost. */
async function call(state: State, method: string, path: string, body?: object): Promise<Answer["body"]> {
  for (;;) {
    state.turn++;
    const address = next(state);
    const response = await fetch(address + path, {
      method,
      headers: {
        ...(state.token && { admin_token: state.token }),
        ...(body && !(body instanceof URLSearchParams) && { "content-type": "application/json" }),
      },
      ...(body && { body: body instanceof URLSearchParams ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    state.counts.calls++;
    if (response.status === 200) return JSON.parse(text) as Answer["body"];
    const retired = response.status === 503 && !(await isBeside(address));
    if (!retired) throw new Error(`${method} ${path} of ${address}: ${response.status} ${text}`);
    assert.deepEqual([response.headers.get("retry-after"), response.headers.get("connection")], ["2", "close"]);
    state.counts.refusals++;
  }
}

/** Whether the server may run beside the database, as it says itself. */
async function isBeside(address: string): Promise<boolean> {
  const { parts } = (await (await fetch(`${address}/readyz`)).json()) as { parts: { beside: boolean } };
  return parts.beside;
}

async function report(state: State): Promise<void> {
  const entryName = `升级演练${state.done.get("report") ?? 0}`;
  const { code } = await call(state, "POST", "/reporting/informationReporting/add", sampleReport({ entryName }));
  assert.equal(code, "0");
  state.reports.push(entryName);
}

async function push(state: State): Promise<void> {
  const n = state.events + 1;
  const data = { card_number: "subject", name: "测试员", n };
  const body = {
    app_key: keys.appKey,
    school_code: schoolCode,
    event: "updateUser",
    raw_data: encrypt(JSON.stringify(data), keys),
  };
  const { code } = await call(state, "POST", "/wx/wxc/receive", body);
  assert.equal(code, 0);
  state.events = n;
}

async function change(state: State): Promise<void> {
  const value = (state.done.get("change") ?? 0) % 100;
  await call(state, "PUT", "/disease-command/consumptionCategoryStatistics/update", { id: 1, value });
}

/** Follows the changes, at another server whenever the stream has ended. */
async function follow(state: State): Promise<void> {
  const { signal } = state.ended;
  while (!signal.aborted) {
    const address = next(state);
    try {
      const answer = await fetch(`${address}/disease-command/changes`, { signal });
      if (answer.status === 200) state.counts.streams++;
      else if (await isBeside(address)) state.failures.push(`a stream: ${answer.status}`);
      for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? [])
        if (chunk.includes("data: ")) state.counts.changesHeard++;
    } catch (error) {
      if (!signal.aborted) state.failures.push(`a stream: ${String(error)}`);
    }
    await delay(state.pauseMs);
  }
}

async function judge(state: State, { pushes }: Receiver): Promise<Tally> {
  const { pool, failures, reports, events, counts } = state;
  assert.deepEqual(failures, []);
  const rows = await pool<{ name: string }[]>`select entry_name as name from reporting.report order by id`;
  assert.deepEqual(
    rows.map(({ name }) => name),
    reports,
  );
  await settle("pushes", async () => pushes.length >= events);
  assert.deepEqual(
    pushes.map(({ json }) => json.data.n),
    Array.from({ length: events }, (_, index) => index + 1),
  );
  const countJobs = async () =>
    (await pool<[{ left: number }]>`select count(*) as left from graphile_worker.jobs`)[0].left;
  await settle("jobs", async () => (await countJobs()) === 0);
  return { ...counts, reports: reports.length, events };
}

async function settle(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + settleMs;
  while (!(await isDone())) {
    assert.ok(performance.now() < endMs, `${what} are left after ${settleMs} ms`);
    await delay(20);
  }
}

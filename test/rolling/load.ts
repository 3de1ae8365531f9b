import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { addJob } from "#platform/jobs/runner.ts";
import type { Pool } from "#platform/database/index.ts";
import { encrypt } from "#services/push-relay/cipher.ts";
import { type Answer, type CallOptions, send } from "#test/call.ts";
import { logIn } from "#test/crash/server.ts";
import { register } from "#test/relay/feed.ts";
import { type Receiver, startReceiver } from "#test/relay/receiver.ts";
import { sampleReport } from "#test/sample-report.ts";
import { until } from "#test/until.ts";

// Everybody at work at once, through servers that come and go: as a proxy does, they ask a server that is in the
// rotation, and go on to the next where one refuses to take anything more.

const keys = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };
const schoolCode = "1000000001";
/** After each call of a kind. */
const pauseMs = 100;

class Load {
  /** The servers that are asked, by their addresses; others may take their place at any time. */
  readonly rotation: Set<string>;
  readonly #receiver: Receiver;
  readonly #ended = new AbortController();
  readonly #failures: string[] = [];
  /** Refusals are answers of servers that had retired, after which the next was asked. */
  readonly #counts = { calls: 0, refusals: 0, changesHeard: 0, streams: 0, jobs: 0 };
  readonly #reports: string[] = [];
  readonly #done = new Map<string, number>();
  readonly #running: Promise<void>[];
  #events = 0;
  #turn = 0;

  constructor(pool: Pool, receiver: Receiver, { address, token }: { address: string; token: string }) {
    this.#receiver = receiver;
    this.rotation = new Set([address]);
    const value = () => (this.#done.get("change") ?? 0) % 100;
    const change = "/disease-command/consumptionCategoryStatistics/update";
    const work: Readonly<Record<string, () => Promise<unknown>>> = {
      report: () => this.#report(),
      list: () => this.#call("GET", "/reporting/informationReporting/list", { token, query: { pageSize: 5 } }),
      push: () => this.#push(),
      change: () => this.#call("PUT", change, { token, body: { id: 1, value: value() } }),
      job: () => addJob(pool, "platform-housekeeping", { n: this.#counts.jobs++ }).then(() => delay(2 * pauseMs)),
    };
    this.#running = [...Object.entries(work).map(([name, one]) => this.#repeat(name, one)), this.#follow()];
  }

  /** Lets so much be done with the servers that there are: so many calls of each kind. */
  async pass(calls: number): Promise<void> {
    const wanted = ["report", "list", "push", "change", "job"].map(
      (name) => [name, (this.#done.get(name) ?? 0) + calls] as const,
    );
    const isDone = () => wanted.every(([name, count]) => (this.#done.get(name) ?? 0) >= count);
    await until("everybody works", () => isDone() || this.#failures.length > 0, { everyMs: pauseMs });
  }

  /** Ends it, and holds what was acknowledged against what is there. @throws naming what does not hold. */
  async judge(pool: Pool) {
    this.#ended.abort();
    await Promise.all(this.#running);
    assert.deepEqual(this.#failures, []);
    const rows = await pool<{ name: string }[]>`select entry_name as name from reporting.report order by id`;
    const names = rows.map(({ name }) => name);
    assert.deepEqual(names, this.#reports);
    const { pushes } = this.#receiver;
    await until("all pushes arrive", () => pushes.length >= this.#events, { withinMs: 30_000 });
    await this.#receiver.stop();
    assert.deepEqual(
      pushes.map(({ json }) => json.data.n),
      Array.from({ length: this.#events }, (_, index) => index + 1),
    );
    const listJobs = () => pool`select from graphile_worker.jobs`;
    await until("no job is left", async () => (await listJobs()).length === 0, { withinMs: 30_000 });
    return { ...this.#counts, reports: names.length, events: this.#events };
  }

  async #repeat(name: string, work: () => Promise<unknown>): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await work().catch((error: unknown) => this.#failures.push(`${name}: ${String(error)}`));
      this.#done.set(name, (this.#done.get(name) ?? 0) + 1);
      await delay(pauseMs);
    }
  }

  /** One after the other of those in the rotation. */
  #next(): string {
    const addresses = [...this.rotation];
    return addresses[this.#turn++ % addresses.length] ?? assert.fail("no server is in the rotation");
  }

  /** Calls until a server takes it. @throws on any other refusal, and when a connection is lost. */
  async #call(method: string, path: string, options: CallOptions): Promise<Answer["json"]> {
    for (;;) {
      const address = this.#next();
      const { status, json, text, headers } = await send(address, method, path, options);
      this.#counts.calls++;
      if (status === 200) return json;
      const isRetired = status === 503 && !(await isBeside(address));
      if (!isRetired) throw new Error(`${method} ${path} of ${address}: ${status} ${text}`);
      assert.deepEqual([headers.get("retry-after"), headers.get("connection")], ["2", "close"]);
      this.#counts.refusals++;
    }
  }

  async #report(): Promise<void> {
    const entryName = `升级演练${this.#done.get("report") ?? 0}`;
    const body = sampleReport({ entryName });
    const { code } = await this.#call("POST", "/reporting/informationReporting/add", { body });
    assert.equal(code, "0");
    this.#reports.push(entryName);
  }

  async #push(): Promise<void> {
    const n = this.#events + 1;
    const raw_data = encrypt(JSON.stringify({ card_number: "subject", name: "测试员", n }), keys);
    const body = { app_key: keys.appKey, school_code: schoolCode, event: "updateUser", raw_data };
    const { code } = await this.#call("POST", "/wx/wxc/receive", { body });
    assert.equal(code, 0);
    this.#events = n;
  }

  /** Follows the changes, at another server whenever the stream has ended. */
  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const address = this.#next();
      try {
        const answer = await fetch(`${address}/disease-command/changes`, { signal });
        if (answer.status === 200) this.#counts.streams++;
        else if (await isBeside(address)) this.#failures.push(`a stream: ${answer.status}`);
        for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? [])
          if (chunk.includes("data: ")) this.#counts.changesHeard++;
      } catch (error) {
        if (!signal.aborted) this.#failures.push(`a stream: ${String(error)}`);
      }
      await delay(pauseMs);
    }
  }
}

export type { Load };

/** Has everybody work at the server, whose pushes go to a receiver. */
export async function startLoad(pool: Pool, address: string): Promise<Load> {
  const receiver = await startReceiver();
  await register(address, [{ name: "rolling", url: receiver.url }]);
  return new Load(pool, receiver, { address, token: await logIn(address) });
}

/** Whether the server may run beside the database, as it says itself. */
const isBeside = async (address: string): Promise<boolean> => (await send(address, "GET", "/readyz")).json.parts.beside;

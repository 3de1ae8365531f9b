import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { openPool, type Pool } from "#platform/database/index.ts";
import { readRunningUrl } from "#platform/embedded-postgres/index.ts";
import { awaitNoProcessOf, type RunningServer, startServerProcess } from "#test/crash/server.ts";
import { register } from "#test/relay/feed.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { calmMs } from "./fault.ts";
import { awaitEvents, countReports, openEventBook } from "./keeping.ts";
import { type Load, type Observation, startLoad } from "./load.ts";

// One server as its users start it, with the database that it brings along, under load while something happens to it.

export interface StageOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** A disk of its own of so many MB; only root can mount one. */
  readonly diskMegabytes?: number;
  readonly writers?: number;
}

export interface Stage {
  readonly dataDir: string;
  /** The folder, or the disk, on which the server's is. */
  readonly folder: string;
  readonly load: Load;
  readonly pool: Pool;
  server(): RunningServer;
  /** Starts the server that has ended again. */
  restart(): Promise<void>;
  /** Waits until the server is ready, and two writes were acknowledged since; how long it took, in ms. */
  awaitBack(): Promise<number>;
}

/** What came of it. */
export interface Outcome {
  readonly seen: Observation;
  readonly reports: number;
  readonly events: number;
}

const services = ["reporting", "push-relay"];
const relaySettings = {
  LOG_LEVEL: "warn",
  PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
  PUSH_RETRY_SECONDS: "0.5,1,1,1,1,1",
  PUSH_TIMEOUT_SECONDS: "2",
  PUSH_LEASE_SECONDS: "5",
};
const arriveMs = 60_000;
/** A minute, on a machine with much else to do. */
const backLimitMs = 60_000;

/** Plays on a server under load. @throws when something that was acknowledged is not there, or comes in another order. */
export async function play(options: StageOptions, act: (stage: Stage) => Promise<void>): Promise<Outcome> {
  const folder = await openFolder(options.diskMegabytes);
  const dataDir = path.join(folder.path, "data");
  await mkdir(dataDir);
  const closers: (() => Promise<unknown>)[] = [folder.close];
  try {
    const start = () => startServerProcess(dataDir, { ...relaySettings, ...options.settings }, services);
    let server = await start();
    closers.push(async () => {
      await server.kill();
      await awaitNoProcessOf(dataDir, 15_000);
    });
    const book = openEventBook();
    const receiver = await startReceiver(book.arrive);
    closers.push(() => receiver.stop());
    const feed = await register(server.address, [{ name: "receiver", url: receiver.url }]);
    const pool = openPool(await readRunningUrl(dataDir), { connections: 2 });
    closers.push(() => pool.end({ timeoutMs: 1000 }));
    const load = startLoad({ servers: [() => server.address], feed, writers: options.writers ?? 4 });
    closers.push(() => load.stop(1000));
    await act({
      dataDir,
      folder: folder.path,
      load,
      pool,
      server: () => server,
      restart: async () => void (server = await start()),
      awaitBack: () => awaitBack(() => server, load),
    });
    const seen = load.observed();
    await load.stop();
    const kept = {
      ...(await countReports(pool, load.ledger)),
      missing: await awaitEvents(book, load.ledger, arriveMs),
    };
    const { outOfOrder } = book.counts();
    const said = server.output().out.slice(-4000);
    assert.deepEqual({ ...kept, outOfOrder }, { lost: 0, doubled: 0, missing: 0, outOfOrder: 0 }, said);
    const events = [...load.ledger.events.values()].reduce((sum, n) => sum + n, 0);
    assert.ok(load.ledger.reports.size > 0 && events > 0, "nothing was written");
    return { seen, reports: load.ledger.reports.size, events };
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** Plays the same again and again. @returns what was seen, and the longest of what `once` answered */
export async function playRounds(
  options: StageOptions,
  rounds: number,
  once: (stage: Stage) => Promise<number>,
): Promise<{ outcome: Outcome; slowestMs: number }> {
  let slowestMs = 0;
  const outcome = await play(options, async (stage) => {
    for (let round = 0; round < rounds; round++) {
      await delay(calmMs);
      slowestMs = Math.max(slowestMs, await once(stage));
    }
  });
  return { outcome, slowestMs };
}

/** The failures that clients saw must be of these. */
export function assertOnly({ failures }: Observation, allowed: readonly string[]): void {
  const others = Object.keys(failures).filter((failure) => !allowed.includes(failure));
  assert.deepEqual(others, [], JSON.stringify(failures));
}

async function awaitBack(server: () => RunningServer, load: Load): Promise<number> {
  const startedMs = performance.now();
  const before = load.ledger.reports.size;
  for (;;) {
    const isReady = await fetch(`${server().address}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    const tookMs = performance.now() - startedMs;
    if (isReady && load.ledger.reports.size >= before + 2) return Math.round(tookMs);
    assert.ok(tookMs < backLimitMs, `it is not back after ${backLimitMs} ms`);
    await delay(20);
  }
}

async function openFolder(diskMegabytes?: number): Promise<{ path: string; close(): Promise<void> }> {
  const run = promisify(execFile);
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-faults-"));
  if (diskMegabytes !== undefined)
    await run("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m,mode=0777`, "tmpfs", folder]);
  return {
    path: folder,
    async close() {
      if (diskMegabytes !== undefined) await run("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

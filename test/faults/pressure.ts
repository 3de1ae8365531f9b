import assert from "node:assert/strict";
import { appendFile, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beginUpload, headOf, openSocket, type SlowClient, trickle } from "#test/attack/slow.ts";
import type { RunningServer } from "#test/crash/server.ts";
import { calmMs, describe, type Fault, unavailable, whole } from "./fault.ts";
import { assertOnly, play, playRounds } from "./stage.ts";

// Too much of something, or too little.

/** Statements that stand still, as behind somebody's ALTER TABLE, take every connection of the pool. */
export const exhaustedPool: Fault = {
  name: "pool exhausted",
  whole,
  async run({ forMs, clients }) {
    let backMs = 0;
    const outcome = await play({ settings: { DATABASE_POOL: "4" }, writers: Math.min(clients, 32) }, async (stage) => {
      await delay(calmMs);
      const session = await stage.pool.reserve();
      await session.script("begin; lock table reporting.report in access exclusive mode");
      const endMs = performance.now() + forMs;
      while (performance.now() < endMs) {
        const { ms, status } = await probe(stage.server(), "/livez");
        assert.ok(status === 200 && ms < 1000, `/livez: ${status} after ${ms} ms`);
        await delay(100);
      }
      await session.script("commit");
      session.release();
      backMs = await stage.awaitBack();
    });
    assertOnly(outcome.seen, unavailable);
    return describe(outcome, `; back ${backMs} ms after the lock was given up`);
  },
};

async function probe({ address }: RunningServer, target: string): Promise<{ ms: number; status: number }> {
  const startedMs = performance.now();
  const { status } = await fetch(address + target, { signal: AbortSignal.timeout(10_000) });
  return { status, ms: performance.now() - startedMs };
}

export const fullDisk: Fault = {
  name: "disk full",
  whole,
  findObstacle: () => (process.getuid?.() === 0 ? undefined : "only root can mount a disk"),
  async run({ rounds, forMs }) {
    const options = { diskMegabytes: 500, settings: { DISK_RESERVE_MB: "64" } };
    const { outcome, slowestMs: backMs } = await playRounds(options, rounds, async (stage) => {
      const filling = path.join(stage.folder, "somebody-elses-file");
      const endMs = performance.now() + forMs;
      // Whatever is given up is taken, too.
      while (performance.now() < endMs) {
        await fill(filling);
        await delay(100);
      }
      await rm(filling);
      return stage.awaitBack();
    });
    assertOnly(outcome.seen, unavailable);
    return describe(outcome, `; back ${backMs} ms after there was room at the latest`);
  },
};

/** Leaves not a byte. */
async function fill(file: string): Promise<void> {
  for (let piece = 16 * 1024 * 1024; piece >= 512; piece /= 2)
    while (
      await appendFile(file, Buffer.alloc(piece)).then(
        () => true,
        () => false,
      )
    );
}

export const slowLoris: Fault = {
  name: "slow-loris",
  whole,
  async run({ clients, forMs }) {
    let cut = 0;
    const outcome = await play({ settings: { IDLE_SECONDS: "5" } }, async ({ server }) => {
      const beginnings = [
        "GET /livez HTTP/1.1\r\nhost: x\r\nx-slow: ",
        headOf("POST", "/platform/login", { "content-type": "application/json", "content-length": 100_000 }),
        beginUpload("/reporting/file/fileUpDown"),
      ];
      const slow = await open(server(), clients, (n) => beginnings[n % beginnings.length] ?? "");
      for (const client of slow) void trickle(client, "a", 500).then(() => cut++);
      await delay(forMs);
      const inTime = cut;
      for (const { socket } of slow) socket.destroy();
      cut = inTime;
    });
    assertOnly(outcome.seen, []);
    return describe(outcome, `; ${cut} of ${clients} cut off within ${forMs / 1000} s`);
  },
};

export const idleConnections: Fault = {
  name: "10,000 idle connections",
  whole: { ...whole, clients: 10_000 },
  async run({ clients, forMs }) {
    let told = "";
    // From nine tenths on, idle ones are closed.
    const settings = { MAX_CONNECTIONS: String(Math.ceil(clients * 1.2)) };
    const outcome = await play({ settings }, async (stage) => {
      const before = await readMemory(stage.server());
      // Each has had an answer: a connection that never asks is closed as a slow one.
      const idle = await open(stage.server(), clients, () => "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
      const held = await readMemory(stage.server());
      await delay(forMs);
      const open1 = idle.filter(({ socket }) => !socket.destroyed && socket.readable).length;
      for (const { socket } of idle) socket.destroy();
      told = `; ${open1} of ${clients} still open after ${forMs / 1000} s; memory ${before} MiB before, ${held} MiB with them`;
    });
    assertOnly(outcome.seen, []);
    return describe(outcome, told);
  },
};

/** A few at a time: the system's queue of connections that nobody has taken yet is short. */
async function open(server: RunningServer, count: number, textOf: (n: number) => string): Promise<SlowClient[]> {
  const clients: SlowClient[] = [];
  while (clients.length < count) {
    const some = Array.from({ length: Math.min(100, count - clients.length) }, (_, n) =>
      openSocket(server.address, textOf(clients.length + n)),
    );
    clients.push(...(await Promise.all(some)));
  }
  return clients;
}

/** Of the server's process, as Linux tells it, in MiB. */
async function readMemory({ child }: RunningServer): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024);
}

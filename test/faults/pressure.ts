import assert from "node:assert/strict";
import { appendFile, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSocket, readMemory, type SlowClient, slowBeginning, trickle } from "#test/attack/slow.ts";
import { send } from "#test/call.ts";
import type { RunningServer } from "#test/crash/server.ts";
import { assertOnly, unavailable } from "./scene.ts";
import { calmMs, describe, type Fault, play, playRounds, whole } from "./stage.ts";

// Too much of something, or too little.

/** Statements that stand still, as behind somebody's ALTER TABLE, take every connection of the pool. */
export const exhaustedPool: Fault = {
  name: "pool exhausted",
  async run({ forMs, clients } = whole) {
    let backMs = 0;
    const outcome = await play({ settings: { DATABASE_POOL: "4" }, writers: Math.min(clients, 32) }, async (stage) => {
      await delay(calmMs);
      const session = await stage.pool.reserve();
      await session.script("begin; lock table reporting.report in access exclusive mode");
      const endMs = performance.now() + forMs;
      while (performance.now() < endMs) {
        const { status } = await send(stage.server().address, "GET", "/livez", { signal: AbortSignal.timeout(1000) });
        assert.equal(status, 200, "/livez");
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

export const fullDisk: Fault = {
  name: "disk full",
  findObstacle: () => (process.getuid?.() === 0 ? undefined : "only root can mount a disk"),
  async run({ rounds, forMs } = whole) {
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
  async run({ clients, forMs } = whole) {
    let cut = 0;
    const outcome = await play({ settings: { IDLE_SECONDS: "5" } }, async ({ server }) => {
      const slow = await open(server(), clients, slowBeginning);
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
  async run({ clients, forMs } = { ...whole, clients: 10_000 }) {
    let told = "";
    // From nine tenths on, idle ones are closed.
    const settings = { MAX_CONNECTIONS: String(Math.ceil(clients * 1.2)) };
    const outcome = await play({ settings }, async (stage) => {
      const before = await readMemory(stage.server().child, "VmRSS");
      // Each has had an answer: a connection that never asks is closed as a slow one.
      const idle = await open(stage.server(), clients, () => "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
      const held = await readMemory(stage.server().child, "VmRSS");
      await delay(forMs);
      const open1 = idle.filter(({ socket }) => !socket.destroyed && socket.readable).length;
      for (const { socket } of idle) socket.destroy();
      told = `; ${open1} of ${clients} still open after ${forMs / 1000} s; memory ${before} before, ${held} with them`;
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

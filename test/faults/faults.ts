import { appendFile, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSocket, readMemory, type SlowClient } from "#test/attack/slow.ts";
import { assertOnly, unavailable } from "./scene.ts";
import { calmMs, describe, type Fault, forMs, play } from "./stage.ts";

const fills = 5;

const fullDisk: Fault = {
  name: "disk full",
  findObstacle: () => (process.getuid?.() === 0 ? undefined : "only root can mount a disk"),
  async run() {
    let backMs = 0;
    const options = { diskMegabytes: 500, settings: { DISK_RESERVE_MB: "64" } };
    const outcome = await play(options, async ({ folder, awaitBack }) => {
      const filling = path.join(folder, "somebody-elses-file");
      for (let round = 0; round < fills; round++) {
        await delay(calmMs);
        const endMs = performance.now() + forMs;
        while (performance.now() < endMs) {
          await fill(filling);
          await delay(100);
        }
        await rm(filling);
        backMs = Math.max(backMs, await awaitBack());
      }
    });
    assertOnly(outcome.seen, unavailable);
    return describe(outcome, `; back ${backMs} ms after there was room at the latest`);
  },
};

async function fill(file: string): Promise<void> {
  for (let piece = 16 * 1024 * 1024; piece >= 512; piece /= 2)
    while (
      await appendFile(file, Buffer.alloc(piece)).then(
        () => true,
        () => false,
      )
    );
}

const clients = 10_000;

const idleConnections: Fault = {
  name: "10,000 idle connections",
  async run() {
    let told = "";
    // The limit exceeds the number of clients, since the server closes idle connections from 90 % of the limit on.
    const settings = { MAX_CONNECTIONS: String(Math.ceil(clients * 1.2)) };
    const outcome = await play({ settings }, async ({ server }) => {
      const { address, child } = server;
      const before = await readMemory(child);
      const idle: SlowClient[] = [];
      // Connections are opened in batches, since the system's accept queue is short. Each connection sends a request,
      // since the server closes a connection that sends none.
      const ask = () => openSocket(address, "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
      while (idle.length < clients) idle.push(...(await Promise.all(Array.from({ length: 100 }, ask))));
      const held = await readMemory(child);
      await delay(forMs);
      const left = idle.filter(({ socket }) => !socket.destroyed && socket.readable).length;
      for (const { socket } of idle) socket.destroy();
      told = `; ${left} of ${clients} still open after ${forMs / 1000} s; memory ${before} before, ${held} with them`;
    });
    assertOnly(outcome.seen, []);
    return describe(outcome, told);
  },
};

/** Tests cover the other faults of docs/figures.md. */
export const faults: readonly Fault[] = [fullDisk, idleConnections];

import assert from "node:assert/strict";
import { appendFile, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { send } from "#test/call.ts";
import { assertOnly, unavailable } from "./scene.ts";
import { calmMs, describe, type Fault, forMs, play, playRounds } from "./stage.ts";

// Too much of something, or too little.

/** Statements that stand still, as behind somebody's ALTER TABLE, take every connection of the pool. */
export const exhaustedPool: Fault = {
  name: "pool exhausted",
  async run() {
    let backMs = 0;
    const outcome = await play({ settings: { DATABASE_POOL: "4" }, writers: 32 }, async (stage) => {
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
  async run() {
    const options = { diskMegabytes: 500, settings: { DISK_RESERVE_MB: "64" } };
    const { outcome, slowestMs: backMs } = await playRounds(options, async (stage) => {
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

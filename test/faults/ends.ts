import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { readPostmaster } from "#test/crash/server.ts";
import { calmMs, describe, type Fault, unavailable, whole } from "./fault.ts";
import { assertOnly, play, type Stage } from "./stage.ts";

// Processes that end.

/** A server that is not there takes no connection; one that was killed breaks off those that it had. */
const gone = ["refused", "lost", "not taken"];

export const killedServer: Fault = {
  name: "kill -9 of the server",
  whole,
  async run({ rounds }) {
    let slowestMs = 0;
    const outcome = await play({}, async (stage) => {
      for (let round = 0; round < rounds; round++) {
        await delay(calmMs);
        await stage.server().kill();
        await stage.restart();
        slowestMs = Math.max(slowestMs, stage.server().startMs, await stage.awaitBack());
      }
    });
    assertOnly(outcome.seen, [...gone, ...unavailable]);
    return describe(outcome, `; ${rounds} times, ready again ${slowestMs} ms after its start at the latest`);
  },
};

export const killedPostgres: Fault = {
  name: "kill -9 of PostgreSQL",
  whole,
  async run({ rounds }) {
    let slowestMs = 0;
    const outcome = await play({}, async (stage) => {
      for (let round = 0; round < rounds; round++) {
        await delay(calmMs);
        process.kill(await readPostmaster(stage.dataDir), "SIGKILL");
        slowestMs = Math.max(slowestMs, await stage.awaitBack());
      }
    });
    assertOnly(outcome.seen, unavailable);
    return describe(outcome, `; ${rounds} times, back after ${slowestMs} ms at the latest`);
  },
};

export const stoppedUnderLoad: Fault = {
  name: "stop under load",
  whole,
  async run({ rounds }) {
    let slowestMs = 0;
    const outcome = await play({}, async (stage) => {
      for (let round = 0; round < rounds; round++) {
        await delay(calmMs);
        slowestMs = Math.max(slowestMs, await stop(stage));
        await stage.restart();
        await stage.awaitBack();
      }
    });
    // Nobody is told of anything that broke: what was taken is answered, and else the connection is closed or refused.
    assertOnly(outcome.seen, gone);
    return describe(outcome, `; ${rounds} times, ended after ${slowestMs} ms at the latest`);
  },
};

async function stop({ server }: Stage): Promise<number> {
  const startedMs = performance.now();
  const { child, ended, output } = server();
  child.kill("SIGTERM");
  assert.deepEqual(await ended, { code: 0, signal: null }, output().err);
  return Math.round(performance.now() - startedMs);
}

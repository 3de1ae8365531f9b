import assert from "node:assert/strict";
import { readPostmaster } from "#test/crash/server.ts";
import { describe, type Fault, unavailable, whole } from "./fault.ts";
import { assertOnly, playRounds, type Stage } from "./stage.ts";

// Processes that end.

/** A server that is not there takes no connection; one that was killed breaks off those that it had. */
const gone = ["refused", "lost", "not taken"];

export const killedServer: Fault = {
  name: "kill -9 of the server",
  whole,
  async run({ rounds }) {
    const { outcome, slowestMs } = await playRounds({}, rounds, async (stage) => {
      await stage.server().kill();
      await stage.restart();
      return Math.max(stage.server().startMs, await stage.awaitBack());
    });
    assertOnly(outcome.seen, [...gone, ...unavailable]);
    return describe(outcome, `; ${rounds} times, ready again ${slowestMs} ms after its start at the latest`);
  },
};

export const killedPostgres: Fault = {
  name: "kill -9 of PostgreSQL",
  whole,
  async run({ rounds }) {
    const { outcome, slowestMs } = await playRounds({}, rounds, async (stage) => {
      process.kill(await readPostmaster(stage.dataDir), "SIGKILL");
      return stage.awaitBack();
    });
    assertOnly(outcome.seen, unavailable);
    return describe(outcome, `; ${rounds} times, back after ${slowestMs} ms at the latest`);
  },
};

export const stoppedUnderLoad: Fault = {
  name: "stop under load",
  whole,
  async run({ rounds }) {
    const { outcome, slowestMs } = await playRounds({}, rounds, async (stage) => {
      const stoppedMs = await stop(stage);
      await stage.restart();
      await stage.awaitBack();
      return stoppedMs;
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

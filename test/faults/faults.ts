import assert from "node:assert/strict";
import { killPostgres } from "#test/crash/server.ts";
import { heldBodies, idleConnections, slowLoris, slowTexts, unreadAnswers } from "./attacks.ts";
import { exhaustedPool, fullDisk } from "./pressure.ts";
import { assertOnly, unavailable } from "./scene.ts";
import { describe, type Fault, playRounds, rounds } from "./stage.ts";
import { jumpingClock, lostStore } from "./surroundings.ts";

/** A server that is not there takes no connection; one that was killed breaks off those that it had. */
const gone = ["refused", "lost", "not taken"];

const killedServer: Fault = {
  name: "kill -9 of the server",
  async run() {
    const { outcome, slowestMs } = await playRounds({}, async (stage) => {
      await stage.server().kill();
      await stage.restart();
      return Math.max(stage.server().startMs, await stage.awaitBack());
    });
    assertOnly(outcome.seen, [...gone, ...unavailable]);
    return describe(outcome, `; ${rounds} times, ready again ${slowestMs} ms after its start at the latest`);
  },
};

const killedPostgres: Fault = {
  name: "kill -9 of PostgreSQL",
  async run() {
    const { outcome, slowestMs } = await playRounds({}, async (stage) => {
      const startedMs = performance.now();
      await killPostgres(stage.dataDir);
      await stage.awaitBack();
      return Math.round(performance.now() - startedMs);
    });
    assertOnly(outcome.seen, unavailable);
    return describe(outcome, `; ${rounds} times, back after ${slowestMs} ms at the latest`);
  },
};

const stoppedUnderLoad: Fault = {
  name: "stop under load",
  async run() {
    const { outcome, slowestMs } = await playRounds({}, async (stage) => {
      const startedMs = performance.now();
      const { child, ended, output } = stage.server();
      child.kill("SIGTERM");
      assert.deepEqual(await ended, { code: 0, signal: null }, output().err);
      const stoppedMs = Math.round(performance.now() - startedMs);
      await stage.restart();
      await stage.awaitBack();
      return stoppedMs;
    });
    // Nobody is told of anything that broke: what was taken is answered, and else the connection is closed or refused.
    assertOnly(outcome.seen, gone);
    return describe(outcome, `; ${rounds} times, ended after ${slowestMs} ms at the latest`);
  },
};

/** All of them, as docs/faults.md lists them. */
export const faults: readonly Fault[] = [
  killedServer,
  killedPostgres,
  stoppedUnderLoad,
  exhaustedPool,
  fullDisk,
  jumpingClock,
  lostStore,
  slowTexts,
  unreadAnswers,
  heldBodies,
  slowLoris,
  idleConnections,
];

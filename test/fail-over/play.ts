import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { makeServerFolder, openEnding, startServerProcess } from "#test/crash/server.ts";
import { findPostgres, query, signalAll } from "#test/embedded-postgres/server.ts";
import {
  assertOnly,
  awaitBackgroundWork,
  backMs,
  judge,
  nothingWrong,
  openScene,
  relaySettings,
  unavailable,
} from "#test/faults/scene.ts";
import { startFront } from "#test/front.ts";
import { type NetworkPostgres, startNetworkPostgres, startStreamingStandby } from "#test/network-postgres.ts";
import { until } from "#test/until.ts";

// Two servers, through a proxy, on a primary that is lost while they are written to, and a standby that takes its place.

export interface FailOverOptions {
  /** How the primary goes: its process ends, or it stands still and closes nothing. */
  readonly loss: "killed" | "silent";
  /** Of writing before the loss, and after the first write that follows it. */
  readonly calmMs: number;
  readonly say: (line: string) => void;
}

/** Beside the switch itself. */
const mostMoreMs = 10_000;
const cutOffMs = 500;
// What tests run on waits for no disk, and by itself for nobody else.
const durable = ["synchronous_commit=on"];

/** Plays it, and checks what came of it. @throws naming what does not hold. */
export async function playFailOver({ loss, calmMs, say }: FailOverOptions): Promise<void> {
  await using ending = openEnding();
  const primary = await startNetworkPostgres(ending, { settings: durable });
  const standby = await startStreamingStandby(ending, primary, durable);
  const urlOf = ({ host }: NetworkPostgres) => `postgres://quintet_server@${host}:5432/quintet`;
  const proxy = await startFront(urlOf(primary));
  ending.after(() => proxy.stop());
  const folder = await makeServerFolder(ending);
  const settings = { DATABASE_URL: proxy.url, ...relaySettings, PUSH_POLL_MS: "100" };
  const start = async () => {
    const server = await startServerProcess(folder, settings, ["reporting", "push-relay", "disease-command"]);
    ending.after(() => server.kill());
    return server;
  };
  // The first migrates.
  const fleet = [await start(), await start()];
  await waitForStandby(primary);
  const servers = fleet.map((server) => () => server.address);
  const scene = await openScene(ending, { servers, url: proxy.url, writers: 6 });
  await delay(calmMs);

  assert.equal(scene.book.counts().repeated, 0, "pushed again without a cause");
  scene.load.observe();
  const fromMs = performance.now();
  // What is acknowledged now without the standby is lost for certain.
  await primary.cutOffStandbys();
  await delay(cutOffMs);
  if (loss === "killed") await primary.crash();
  else {
    signalAll(await findPostgres(primary.dataDir), "SIGSTOP");
    ending.after(() => primary.crash());
  }
  await query(standby.localUrl, "select pg_promote()");
  proxy.lead(urlOf(standby));
  const switchMs = performance.now() - fromMs;
  await scene.load.goesOn(backMs);
  await awaitBackgroundWork(scene.pool, fleet);
  const backAfterMs = performance.now() - fromMs;
  await delay(calmMs);

  const seen = scene.load.observed();
  await scene.load.stop();
  const { repeated, ...kept } = await judge(scene);
  const { reports, events } = scene.load.ledger;
  const said = `${loss}: promoted after ${switchMs.toFixed(0)} ms, everything went on ${backAfterMs.toFixed(0)} ms after the loss; ${reports.size} reports, people with events ${events.size}, ${repeated} pushed again, ${JSON.stringify(seen)}`;
  say(said);
  assert.deepEqual(kept, nothingWrong, said);
  assertOnly(seen, unavailable, said);
  assert.ok(seen.longestWaitMs < switchMs + mostMoreMs, said);
}

/** From now on a commit of the primary waits until the standby has it. */
async function waitForStandby({ localUrl }: NetworkPostgres): Promise<void> {
  await query(localUrl, "alter system set synchronous_standby_names = '*'", "select pg_reload_conf()");
  const isSynchronous = "select from pg_stat_replication where sync_state = 'sync'";
  await until("the standby is waited for", async () => (await query(localUrl, isSynchronous)).length > 0);
}

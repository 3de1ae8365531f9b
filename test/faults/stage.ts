import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "#platform/database/index.ts";
import { readRunningUrl } from "#platform/embedded-postgres/index.ts";
import {
  isReady,
  makeServerFolder,
  openDisk,
  openEnding,
  type RunningServer,
  startServerProcess,
} from "#test/crash/server.ts";
import { countLeft } from "#test/property/drive.ts";
import { until } from "#test/until.ts";
import type { Observation } from "./load.ts";
import { backMs, judge, nothingWrong, openScene, relaySettings, type Scene } from "./scene.ts";

// One server as its users start it, with the database that it brings along, under load while something happens to it.

export interface StageOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly services?: readonly string[];
  /** A disk of its own of so many MB; only root can mount one. */
  readonly diskMegabytes?: number;
  readonly writers?: number;
  /** Afterwards no statement runs, and no file is on its way. */
  readonly leavesNothing?: boolean;
}

export interface Stage extends Scene {
  readonly dataDir: string;
  /** The folder, or the disk, on which the server's is. */
  readonly folder: string;
  server(): RunningServer;
  /** Starts the server that has ended again. */
  restart(): Promise<void>;
  /** Waits until the server is ready and takes writes; how long it took, in ms. */
  awaitBack(): Promise<number>;
}

/** What came of it. */
export interface Outcome {
  readonly seen: Observation;
  readonly reports: number;
  readonly events: number;
}

/** What happens to a server, and what its clients may see of it. */
export interface Fault {
  readonly name: string;
  /** Why it cannot be played here. */
  findObstacle?(): string | undefined;
  /** @returns what is to be told of it */
  run(): Promise<string>;
}

export const rounds = 5;
export const clients = 1000;
export const forMs = 10_000;

/** Before what happens, and between. */
export const calmMs = 500;

/** Plays on a server under load. @throws when something that was acknowledged is not there, or comes in another order. */
export async function play(options: StageOptions, act: (stage: Stage) => Promise<void>): Promise<Outcome> {
  await using ending = openEnding();
  const { diskMegabytes, services = ["reporting", "push-relay"] } = options;
  const folder =
    diskMegabytes === undefined ? await makeServerFolder(ending) : (await openDisk(ending, diskMegabytes)).folder;
  const dataDir = path.join(folder, "data");
  await mkdir(dataDir);
  const settings = { LOG_LEVEL: "warn", ...relaySettings, ...options.settings };
  const start = () => startServerProcess(dataDir, settings, services);
  let server = await start();
  ending.after(() => server.kill());
  const url = await readRunningUrl(dataDir);
  const scene = await openScene(ending, { servers: [() => server.address], url, writers: options.writers });
  const { load } = scene;
  await act({
    ...scene,
    dataDir,
    folder,
    server: () => server,
    restart: async () => void (server = await start()),
    async awaitBack() {
      const startedMs = performance.now();
      await until("the server is ready", () => isReady(server.address), { withinMs: backMs });
      await load.goesOn(backMs);
      return Math.round(performance.now() - startedMs);
    },
  });
  const seen = load.observed();
  await load.stop();
  const { repeated: _, ...kept } = await judge(scene);
  if (options.leavesNothing) await until("nothing is left", () => hasNothingLeft(scene.pool, dataDir));
  assert.deepEqual(kept, nothingWrong, server.output().out.slice(-4000));
  const events = [...load.ledger.events.values()].reduce((sum, n) => sum + n, 0);
  assert.ok(load.ledger.reports.size > 0 && events > 0, "nothing was written");
  return { seen, reports: load.ledger.reports.size, events };
}

async function hasNothingLeft(pool: Pool, dataDir: string): Promise<boolean> {
  const { statements, arriving } = await countLeft({ pool, dataDir });
  return statements + arriving === 0;
}

/** Plays the same again and again. @returns what was seen, and the longest of what `once` answered */
export async function playRounds(
  options: StageOptions,
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

export const describe = ({ seen, reports, events }: Outcome, more = ""): string =>
  `${reports} reports and ${events} events kept; longest without a success ${(seen.longestGapMs / 1000).toFixed(1)} s; ${JSON.stringify(seen.failures)}${more}`;

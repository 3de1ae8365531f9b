import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { readRunningUrl } from "#platform/embedded-postgres/index.ts";
import {
  isReady,
  makeServerFolder,
  openDisk,
  openEnding,
  type RunningServer,
  startServerProcess,
} from "#test/crash/server.ts";
import { until } from "#test/until.ts";
import type { Observation } from "./load.ts";
import { backMs, judge, nothingWrong, openScene, relaySettings } from "./scene.ts";

export interface StageOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** The size in MB of a disk for the server's folder alone; only root can mount one. */
  readonly diskMegabytes?: number;
}

export interface Stage {
  readonly server: RunningServer;
  readonly folder: string;
  awaitBack(): Promise<number>;
}

export interface Outcome {
  readonly seen: Observation;
  readonly reports: number;
  readonly events: number;
}

export interface Fault {
  readonly name: string;
  findObstacle?(): string | undefined;
  run(): Promise<string>;
}

export const forMs = 10_000;

export const calmMs = 500;

export async function play(options: StageOptions, act: (stage: Stage) => Promise<void>): Promise<Outcome> {
  await using ending = openEnding();
  const { diskMegabytes } = options;
  const folder =
    diskMegabytes === undefined ? await makeServerFolder(ending) : (await openDisk(ending, diskMegabytes)).folder;
  const dataDir = path.join(folder, "data");
  await mkdir(dataDir);
  const settings = { LOG_LEVEL: "warn", ...relaySettings, ...options.settings };
  const server = await startServerProcess(dataDir, settings, ["reporting", "push-relay"]);
  ending.after(() => server.kill());
  const { address } = server;
  const scene = await openScene(ending, { servers: [() => address], url: await readRunningUrl(dataDir) });
  const { load } = scene;
  await act({
    server,
    folder,
    async awaitBack() {
      const startedMs = performance.now();
      await until("the server is ready", () => isReady(address), { withinMs: backMs });
      await load.goesOn(backMs);
      return Math.round(performance.now() - startedMs);
    },
  });
  const seen = load.observed();
  await load.stop();
  const { repeated: _, ...kept } = await judge(scene);
  assert.deepEqual(kept, nothingWrong, server.output().out.slice(-4000));
  const events = [...load.ledger.events.values()].reduce((sum, n) => sum + n, 0);
  assert.ok(load.ledger.reports.size > 0 && events > 0, "nothing was written");
  return { seen, reports: load.ledger.reports.size, events };
}

export const describe = ({ seen, reports, events }: Outcome, more = ""): string =>
  `${reports} reports and ${events} events kept; longest without a success ${(seen.longestGapMs / 1000).toFixed(1)} s; ${JSON.stringify(seen.failures)}${more}`;

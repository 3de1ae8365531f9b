import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { openPool } from "#platform/database/index.ts";
import { readRunningUrl } from "#platform/embedded-postgres/index.ts";
import { send } from "#test/call.ts";
import { createRandom } from "#test/crash/random.ts";
import { logIn, openDisk, openEnding, startServerProcess } from "#test/crash/server.ts";
import { cardSettings } from "#test/property/cards.ts";
import { countLeft } from "#test/property/drive.ts";
import { until } from "#test/until.ts";
import { fillForStreams } from "./fill.ts";
import { readMemory } from "./slow.ts";
import { startWatch, type Watched } from "./watch.ts";
import { type Target, type Wave, waves } from "./waves.ts";

// An attack that stands: wave after wave on a server as its users start it, while others use it.

export interface AttackPlan {
  readonly seed: number;
  /** Of each wave. */
  readonly waveMs: number;
  readonly clients: number;
  /** Rows behind each streamed answer. */
  readonly rows: number;
  readonly say: (line: string) => void;
  readonly limits: Limits;
}

/** What is asked of the server throughout. */
interface Limits {
  readonly readyMs: number;
  readonly listP99Ms: number;
  /** After the last wave everything must be as before within this time. */
  readonly calmMs: number;
}

const diskMegabytes = 900;

export async function attack({ seed, waveMs, clients, rows, say, limits }: AttackPlan): Promise<void> {
  await using ending = openEnding();
  // Where no disk can be mounted, the quota bounds the room.
  const { folder, isDisk } = await openDisk(ending, diskMegabytes);
  const dataDir = path.join(folder, "data");
  await mkdir(dataDir);
  const settings = { ...cardSettings, UPLOAD_QUOTA_GB: "1", DISK_RESERVE_MB: "128", IDLE_SECONDS: "5" };
  const server = await startServerProcess(dataDir, settings);
  ending.after(() => server.kill());
  const { address, child } = server;
  const pool = openPool(await readRunningUrl(dataDir), { connections: 4 });
  ending.after(() => pool.end());
  say(isDisk ? `a disk of ${diskMegabytes} MB` : "a folder, since no disk can be mounted");
  await fillForStreams(pool, rows);
  const token = await logIn(address);
  const target: Target = { address, dataDir, pool, token, random: createRandom(seed), waveMs, clients };
  for (const wave of waves) {
    const watch = startWatch({ address, list: "/disease-command/detectionStatistics/list", token });
    const startedMs = performance.now();
    const did = await wave.run(target);
    const watched = await watch.stop();
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const said = `${wave.name}: ${did} in ${seconds} s; ${describe(watched)}`;
    say(said);
    judge(wave, watched, limits, said);
  }
  say(`at most ${await readMemory(child, "VmHWM")} of memory`);
  await awaitCalm(target, limits);
  assert.equal(child.exitCode, null, `the server has ended: ${server.output().err}`);
}

const describe = ({ readiness, slowestReadyMs, listStatuses, listP99Ms }: Watched): string =>
  `ready ${JSON.stringify(readiness)}, at the slowest ${slowestReadyMs.toFixed(0)} ms; list ${JSON.stringify(listStatuses)}, p99 ${listP99Ms.toFixed(0)} ms`;

function judge({ othersMayGet = [] }: Wave, watched: Watched, { readyMs, listP99Ms }: Limits, said: string): void {
  const statuses = Object.keys({ ...watched.readiness, ...watched.listStatuses });
  const others = statuses.filter((status) => status !== "200" && !othersMayGet.includes(status));
  assert.deepEqual(others, [], said);
  assert.ok(watched.slowestReadyMs < readyMs, said);
  assert.ok(watched.listP99Ms < listP99Ms, said);
}

/** Waits until nothing of the attack is left: no file that arrives, no statement, no upload that nobody holds. */
async function awaitCalm({ address, token, dataDir, pool }: Target, { calmMs }: Limits): Promise<void> {
  let left: object = {};
  const isCalm = async (): Promise<boolean> => {
    const [row] = await pool`select count(*)::int as leaving from platform.upload where remove_at is not null`;
    left = { ...(await countLeft({ pool, dataDir })), ...row };
    return Object.values(left).every((count) => count === 0);
  };
  await until("nothing is left", isCalm, { withinMs: calmMs, everyMs: 100 }).catch(async () => {
    const jobs =
      await pool`select task_identifier, attempts, last_error, locked_by, locked_at, run_at, now() from graphile_worker.jobs`;
    assert.fail(`left over: ${JSON.stringify({ left, jobs })}`);
  });
  for (const url of ["/readyz", "/platform/health", "/reporting/informationReporting/list"])
    assert.equal((await send(address, "GET", url, { token })).status, 200, url);
}

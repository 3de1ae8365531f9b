import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { openPool } from "#platform/database/index.ts";
import { readRunningUrl } from "#platform/embedded-postgres/index.ts";
import { createRandom } from "#test/crash/random.ts";
import { awaitNoProcessOf, operatorPassword, startServerProcess } from "#test/crash/server.ts";
import { cardSettings } from "#test/property/cards.ts";
import { fillForStreams } from "./fill.ts";
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
export interface Limits {
  readonly readyMs: number;
  readonly listP99Ms: number;
  /** After the last wave everything must be as before within this time. */
  readonly calmMs: number;
}

const run = promisify(execFile);
const diskMegabytes = 900;

/** A small disk for the server, where one may be mounted; else a folder, whose room the quota bounds. */
async function openFolder(): Promise<{ folder: string; isDisk: boolean; close(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-attack-"));
  const isDisk = await run("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m,mode=0777`, "tmpfs", folder]).then(
    () => true,
    () => false,
  );
  return {
    folder,
    isDisk,
    async close() {
      if (isDisk) await run("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

export async function attack(plan: AttackPlan): Promise<void> {
  const place = await openFolder();
  const dataDir = path.join(place.folder, "data");
  await mkdir(dataDir);
  const settings = { ...cardSettings, UPLOAD_QUOTA_GB: "1", DISK_RESERVE_MB: "128", IDLE_SECONDS: "5" };
  const server = await startServerProcess(dataDir, settings);
  try {
    const pool = openPool(await readRunningUrl(dataDir), { connections: 4 });
    plan.say(place.isDisk ? `a disk of ${diskMegabytes} MB` : "a folder, since no disk can be mounted");
    try {
      await fillForStreams(pool, plan.rows);
      const token = await login(server.address);
      const target: Target = {
        address: server.address,
        dataDir,
        pool,
        token,
        random: createRandom(plan.seed),
        waveMs: plan.waveMs,
        clients: plan.clients,
      };
      for (const wave of waves) {
        const watch = startWatch({ address: server.address, list: "/disease-command/detectionStatistics/list", token });
        const did = await wave.run(target);
        const watched = await watch.stop();
        plan.say(`${wave.name}: ${did}; ${describe(watched)}`);
        judge(wave, watched, plan.limits);
      }
      plan.say(`at most ${await readMostMemory(server.child.pid)} of memory`);
      await awaitCalm({ address: server.address, token, dataDir, pool }, plan.limits);
    } finally {
      await pool.end();
    }
    assert.equal(server.child.exitCode, null, `the server has ended: ${server.output().err}`);
  } finally {
    await server.kill();
    await awaitNoProcessOf(dataDir, 15_000);
    await place.close();
  }
}

async function login(address: string): Promise<string> {
  const body = new URLSearchParams({ userName: "operator", password: operatorPassword });
  const response = await fetch(`${address}/platform/login`, { method: "POST", body });
  return ((await response.json()) as { data: { token: string } }).data.token;
}

const describe = ({ readiness, slowestReadyMs, listStatuses, listP99Ms }: Watched): string =>
  `ready ${JSON.stringify(readiness)}, at the slowest ${slowestReadyMs.toFixed(0)} ms; list ${JSON.stringify(listStatuses)}, p99 ${listP99Ms.toFixed(0)} ms`;

function judge({ name, othersMayGet = [] }: Wave, watched: Watched, { readyMs, listP99Ms }: Limits): void {
  const said = `${name}: ${describe(watched)}`;
  const statuses = Object.keys({ ...watched.readiness, ...watched.listStatuses });
  assert.deepEqual(
    statuses.filter((status) => status !== "200" && !othersMayGet.includes(status)),
    [],
    said,
  );
  assert.ok(watched.slowestReadyMs < readyMs, said);
  assert.ok(watched.listP99Ms < listP99Ms, said);
}

/** As Linux tells it. */
async function readMostMemory(pid: number | undefined): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return /VmHWM:\s+(\d+ kB)/.exec(status)?.[1] ?? "an unknown amount";
}

interface Calm {
  readonly address: string;
  readonly token: string;
  readonly dataDir: string;
  readonly pool: Target["pool"];
}

/** Waits until nothing of the attack is left: no file that arrives, no statement, no upload that nobody holds. */
async function awaitCalm({ address, token, dataDir, pool }: Calm, { calmMs }: Limits): Promise<void> {
  const endMs = performance.now() + calmMs;
  for (;;) {
    const arriving = (await readdir(path.join(dataDir, "files", "arriving"))).length;
    const [row] = await pool<{ busy: number; leaving: number }[]>`
      select (select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and state <> 'idle' and backend_type = 'client backend') as busy,
        (select count(*)::int from platform.upload where remove_at is not null) as leaving`;
    const left = { arriving, ...row };
    if (Object.values(left).every((count) => count === 0)) break;
    if (performance.now() > endMs) {
      const jobs =
        await pool`select task_identifier, attempts, last_error, locked_by, locked_at, run_at, now() from graphile_worker.jobs`;
      assert.fail(`left over: ${JSON.stringify({ left, jobs })}`);
    }
    await wait(100);
  }
  for (const url of ["/readyz", "/platform/health", "/reporting/informationReporting/list"]) {
    const response = await fetch(address + url, { headers: { admin_token: token } });
    assert.equal(response.status, 200, url);
  }
}

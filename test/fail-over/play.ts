import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { findPostgres, makeFolder, query } from "#test/embedded-postgres/server.ts";
import { type RunningServer, startServerProcess } from "#test/crash/server.ts";
import { startFront } from "#test/front.ts";
import { type NetworkPostgres, startNetworkPostgres, startStreamingStandby } from "#test/network-postgres.ts";
import { followChanges } from "./follow-changes.ts";
import { startPushing } from "./pushing.ts";
import { startReporting } from "./reporting.ts";

// Two servers, through a proxy, on a primary that is lost while they are written to, and a standby that takes its place.

/** How the primary goes: its process ends, or it stands still and closes nothing. */
export type Loss = "killed" | "silent";

export interface FailOverOptions {
  readonly loss: Loss;
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
export async function playFailOver(t: TestContext, { loss, calmMs, say }: FailOverOptions): Promise<void> {
  const primary = await startNetworkPostgres(t, { settings: durable });
  const standby = await startStreamingStandby(t, primary, durable);
  const urlOf = ({ host }: NetworkPostgres) => `postgres://quintet_server@${host}:5432/quintet`;
  const proxy = await startFront(urlOf(primary));
  t.after(() => proxy.stop());
  const fleet = await startFleet(t, proxy.url);
  const addresses = fleet.map(({ address }) => address);
  await waitForStandby(primary);

  const reporting = await startReporting(addresses);
  const pushing = await startPushing(t, addresses);
  const following = await Promise.all(addresses.map(followChanges));
  t.after(() => following.forEach(({ leave }) => leave()));
  await delay(calmMs);

  const fromMs = Date.now();
  // What is acknowledged now without the standby is lost for certain.
  await primary.cutOffStandbys();
  await delay(cutOffMs);
  const bury = await lose(primary, loss);
  await query(standby.localUrl, "select pg_promote()");
  proxy.lead(urlOf(standby));
  const switchMs = Date.now() - fromMs;
  await reporting.goesOn();
  await Promise.all(following.map(({ hears }) => hears(() => tellChange(standby))));
  await runJob(standby);
  say(`${loss}: promoted after ${switchMs} ms, everything went on ${Date.now() - fromMs} ms after the loss`);
  await delay(calmMs);

  const { acknowledged, outageMs, slowestMs } = await reporting.stop();
  await judgeReports(standby, acknowledged);
  const events = await pushing.stop({ fromMs, toMs: Date.now() });
  say(
    `${acknowledged.size} reports, no writer without one for longer than ${outageMs} ms, no answer slower than ${slowestMs} ms`,
  );
  say(`${events} events, each at its receiver and in order`);
  assert.ok(outageMs < switchMs + mostMoreMs, `requests failed for ${outageMs} ms`);
  await bury();
}

async function startFleet(t: TestContext, url: string): Promise<RunningServer[]> {
  const folder = await makeFolder(t);
  const settings = {
    DATABASE_URL: url,
    PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
    PUSH_RETRY_SECONDS: "0.2,0.4,0.8,1,1,1,1,1,1,1,1,1",
    PUSH_TIMEOUT_SECONDS: "1",
    PUSH_LEASE_SECONDS: "3",
    PUSH_POLL_MS: "100",
  };
  const start = () => startServerProcess(folder, settings, ["reporting", "push-relay", "disease-command"]);
  // The first migrates.
  const fleet = [await start()];
  t.after(() => Promise.all(fleet.map((server) => server.kill())));
  fleet.push(await start());
  return fleet;
}

/** From now on a commit of the primary waits until the standby has it. */
async function waitForStandby({ localUrl }: NetworkPostgres): Promise<void> {
  await query(localUrl, "alter system set synchronous_standby_names = '*'");
  await query(localUrl, "select pg_reload_conf()");
  while ((await query(localUrl, "select from pg_stat_replication where sync_state = 'sync'")).length === 0);
}

/** @returns what ends the processes that are left of it. */
async function lose(primary: NetworkPostgres, loss: Loss): Promise<() => Promise<void>> {
  if (loss === "killed") {
    await primary.crash();
    return async () => {};
  }
  for (const id of await findPostgres(primary.dataDir)) process.kill(id, "SIGSTOP");
  return primary.crash;
}

const tellChange = ({ localUrl }: NetworkPostgres) =>
  query(localUrl, "select pg_notify('disease_command', 'broadcast')");

async function runJob({ localUrl }: NetworkPostgres): Promise<void> {
  const [job] = await query(localUrl, "select id from graphile_worker.add_job('platform-housekeeping')");
  while ((await query(localUrl, `select from graphile_worker.jobs where id = ${String(job?.["id"])}`)).length > 0)
    await delay(50);
}

/** Each report that was acknowledged is there, by its number, once. */
async function judgeReports({ localUrl }: NetworkPostgres, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const rows = await query(
    localUrl,
    "select name, min(id)::int as id, count(*)::int as count from reporting.report group by name",
  );
  const stored = new Map(rows.map(({ name, id, count }) => [name as string, { id, count }]));
  const lost = [...acknowledged].filter(([name, id]) => stored.get(name)?.id !== id);
  assert.deepEqual(lost, [], "acknowledged and lost");
  assert.deepEqual(
    rows.filter(({ count }) => count !== 1),
    [],
    "sent again and there twice",
  );
}

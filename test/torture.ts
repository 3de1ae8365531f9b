// `npm run torture` runs property, crash, attack and edge tests, each for a fixed share of TORTURE_SECONDS; long tests
// of the relay, money, sealing and backups; mutated workbooks and months imported in parts; the console walk by
// restricted accounts; recurring jobs; repeated builds; faults of a server under load (docs/figures.md); and the long
// form of every test of `npm test`. An argument selects tests by name: `npm run torture -- sealed`. The first line
// names the seed; with SEED set to that number, a run uses the same random choices.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { startJobs } from "#platform/jobs/runner.ts";
import type { Book } from "#test/crash/load.ts";
import { createRandom, seed } from "#test/crash/random.ts";
import { createTestDatabase } from "#test/database.ts";
import { torment as tormentSealing } from "#test/data-keys/torment.ts";
import { torment as tormentBackups } from "#test/backup/torment.ts";
import { torment as tormentMoney } from "#test/money/torment.ts";
import { torment as tormentRelay } from "#test/relay/torment.ts";
import { playRound } from "#test/crash/rounds.ts";
import { walkAll } from "#test/browser/rights-walk.ts";
import { makeServerFolder, openEnding, startServerProcess } from "#test/crash/server.ts";
import { startTestApp } from "#test/app.ts";
import { findHolds } from "#test/attack/loop.ts";
import { fuzzEdge } from "#test/edge/fuzz.ts";
import { needsPgBouncer } from "#test/fail-over/pgbouncer.ts";
import { startThroughPgBouncer } from "#test/fail-over/through-pgbouncer.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { cutMonths } from "#test/attendance/cut-months.ts";
import { fuzzWorkbooks } from "#test/attendance/fuzz.ts";
import { faults } from "#test/faults/faults.ts";
import { describeFindings, drive } from "#test/property/drive.ts";
import { startDrivenApp } from "#test/property/driven-app.ts";

const [, own = "", word] = process.argv;
if (word !== undefined) {
  const { status } = spawnSync(process.execPath, [`--test-name-pattern=${word}`, own], { stdio: "inherit" });
  process.exit(status ?? 1);
}

const fullMs = Number(process.env["TORTURE_SECONDS"] ?? 600) * 1000;
// A round reads all reports twice, so a folder gets no further round once it has ten thousand reports.
const mostReports = 10_000;
const payables = Number(process.env["TORTURE_PAYABLES"] ?? 1_000_000);
const relayEvents = Number(process.env["TORTURE_EVENTS"] ?? 200_000);
const orders = Number(process.env["TORTURE_ORDERS"] ?? 2000);

const say = (line: string): void => console.log(line);
say(`SEED=${seed} TORTURE_SECONDS=${fullMs / 1000}`);

async function driveFor(ms: number, driven: Awaited<ReturnType<typeof startDrivenApp>>): Promise<void> {
  const { requests, byOperation, findings } = await drive({ ...driven, seed, seconds: ms / 1000 });
  say(`${requests} requests to ${byOperation.size} operations`);
  assert.equal(findings.length, 0, `SEED=${seed}${describeFindings(findings)}`);
}

test("every operation keeps its contract whatever it is sent, for long", async (t) =>
  driveFor(fullMs / 2, await startDrivenApp(t)));

test("every operation keeps its contract through PgBouncer", needsPgBouncer, async (t) =>
  driveFor(fullMs / 5, await startThroughPgBouncer(t)),
);

test("kill -9 again and again loses nothing that was acknowledged", async () => {
  const random = createRandom(seed);
  const endMs = performance.now() + fullMs / 2;
  let rounds = 0;
  while (performance.now() < endMs) rounds += await torment(random, endMs);
  say(`${rounds} rounds`);
});

test("no text holds the loop for 100 ms, for long", async (t) => {
  const { app } = await startDrivenApp(t);
  const asked = { app, random: createRandom(seed), forMs: fullMs / 2 };
  const { requests, slowestMs, hardestMs, held } = await findHolds(asked);
  say(
    `${requests} requests, highest CPU time ${slowestMs.toFixed(0)} ms on the event loop, ${hardestMs.toFixed(0)} ms in the process`,
  );
  assert.deepEqual(held, [], `SEED=${seed}`);
});

const openEdge = async () => {
  const app = await startTestApp();
  return { url: app.url, logged: app.logged, callers: [await app.signIn("platform"), await app.signIn("platform")] };
};

test("whatever comes for a request is refused or answered, for long", async () => {
  const length = { random: createRandom(seed), least: 1000, forMs: fullMs / 4 };
  const { shots, answers, faults: found } = await fuzzEdge(await openEdge(), length);
  say(`${shots} connections, ${answers} answers`);
  assert.deepEqual(found, [], `SEED=${seed}`);
});

test("thirty thousand mutated workbooks are read or refused", async () => {
  const { read, refused, slowestMs } = await fuzzWorkbooks({ seed, rounds: 30_000 });
  say(`${read} read, ${refused} refused, slowest ${slowestMs.toFixed(0)} ms`);
  assert.ok(read > 0 && refused > 0);
});

test("a hundred months in pieces are what they are whole", async () => {
  const app = await startTestApp({ services: ["attendance"] });
  const attendance = await openAttendance(app, (await app.signIn("platform")).token);
  await cutMonths({ attendance, seed, rounds: 100 });
});

test("whatever is killed, every sound project has every event, in order", async () => {
  await tormentRelay({ seed, subjects: 2000, eventsEach: 10, chosen: 0, outages: 3, sealed: seed % 2 === 0, say });
});

test("whatever is killed, each of fifty projects has what it has chosen, in order: relay, chosen", async () => {
  await tormentRelay({
    seed,
    subjects: 2000,
    eventsEach: relayEvents / 2000,
    chosen: 44,
    outages: 3,
    calmMs: 10_000,
    sealed: false,
    say,
  });
});

test("a server that is written to is backed up, restored and moved", async () => {
  await tormentBackups({ random: createRandom(seed), writers: 8, say });
});

for (const approval of ["one", "two"] as const)
  test(`students pay while servers are killed, and all books agree to the fen: money, ${approval}`, async () => {
    const database = await createTestDatabase();
    const length = { orders: orders / 2, killEveryMs: 10_000, limitSeconds: 20, timeoutMs: 1000 };
    await tormentMoney({ seed, approval, ...length, database, say });
  });

test("a million payables are sealed while they are read and written, and the command is killed", async () => {
  await tormentSealing({ seed, payables, kills: 3, say });
});

test("what one may not is not offered: nothing that somebody of few rights presses is refused", async () => {
  assert.deepEqual(await walkAll(say), {});
});

test("every test that has a long form plays it: console, pages and screen at every width, kills, versions", () => {
  const env = { ...process.env, AT_LENGTH: "1", SEED: String(seed) };
  const { status } = spawnSync(process.execPath, ["test/main.ts", ".test.ts"], { env, stdio: "inherit" });
  assert.equal(status, 0);
});

test("of three processes on one database, one adds what comes back by the clock, each time", async () => {
  const { url, closers } = await createTestDatabase();
  const runs: number[] = [];
  const recur = async () => void runs.push(Math.floor(Date.now() / 60_000));
  const options = { url, recurring: [{ task: "recur", pattern: "* * * * *" }], concurrency: 2 };
  const log = pino({ level: "silent" });
  for (let process = 0; process < 3; process++) {
    const runner = await startJobs({ ...options, tasks: { recur }, log });
    closers.push(() => runner.stop());
  }
  while (runs.length < 3) await delay(1000);
  // If the task ran twice for the last minute, the second run would appear within five seconds.
  await delay(5000);
  assert.deepEqual(runs, [runs[0], (runs[0] ?? 0) + 1, (runs[0] ?? 0) + 2]);
});

for (const application of ["console", "pages"] as const)
  test(`two builds of the ${application} are the same to the byte`, async (t) => {
    // scripts/build-web.js builds in production mode too.
    process.env["NODE_ENV"] = "production";
    t.after(() => delete process.env["NODE_ENV"]);
    const { bundle } = (await import(new URL("../web/bundle.ts", import.meta.url).href)) as {
      bundle(application: string, folder: string): Promise<void>;
    };
    const digest = async (): Promise<string> => {
      const folder = await mkdtemp(path.join(tmpdir(), "quintet-build-"));
      t.after(() => rm(folder, { recursive: true, force: true }));
      await bundle(application, folder);
      const hash = createHash("sha256");
      const names = await Array.fromAsync(glob("**/*.*", { cwd: folder }));
      for (const name of names.toSorted()) hash.update(name).update(await readFile(path.join(folder, name)));
      return hash.digest("hex");
    };
    assert.equal(await digest(), await digest());
  });

for (const fault of faults)
  test(fault.name, { skip: fault.findObstacle?.() ?? false }, async () => say(`${fault.name}: ${await fault.run()}`));

async function torment(random: () => number, endMs: number): Promise<number> {
  await using ending = openEnding();
  const dataDir = await makeServerFolder(ending);
  const book: Book = new Map();
  const start = () => startServerProcess(dataDir);
  let server = await start();
  ending.after(() => server.kill());
  let rounds = 0;
  while (performance.now() < endMs && book.size < mostReports)
    server = await playRound({ server, start, book, random, say: (line) => say(`round ${++rounds}: ${line}`) });
  return rounds;
}

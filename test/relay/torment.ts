import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openPool, type Pool } from "#platform/database/index.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { createRandom } from "#test/crash/random.ts";
import { type RunningServer, startServerProcess } from "#test/crash/server.ts";
import { until } from "#test/until.ts";
import { type ChosenProject, leaseMs, readOn, startChosen, toData } from "./chosen.ts";
import { type Feed, register } from "./feed.ts";
import { judge } from "./ledger.ts";
import { type ProjectName, projectNames, soundProjects, startReceivers } from "./torment-receivers.ts";

// By default four processes deliver from one PostgreSQL to receivers with six behaviours and to selective projects.
// Processes are killed and the database is cut off while the campus platform keeps pushing.

export interface TormentOptions {
  readonly seed: number;
  readonly subjects: number;
  readonly eventsEach: number;
  readonly chosen: number;
  readonly processes?: number;
  readonly outages: number;
  /** The minimum pause between disturbances in milliseconds; starting a process occupies a core for a second. */
  readonly calmMs?: number;
  readonly sealed: boolean;
  readonly say: (line: string) => void;
}

const feeders = 64;
/** The share of replaced processes that shut down gracefully, after which nothing may be repeated. */
const stopShare = 0.3;
const drainMs = 180_000;
const drainMsADelivery = 1;
const readersEach = 2;
/** A process stores the outcomes after at most this many deliveries of one lane (one project and one person). */
const mostRun = 8;

const settings = {
  PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
  PUSH_RETRY_SECONDS: "0.2,0.4,0.8,1,1,1,1,1,1,1,1,1",
  // The test cannot detect that a lease expired, so leases must outlast delays on a busy machine.
  PUSH_TIMEOUT_SECONDS: "5",
  PUSH_LEASE_SECONDS: "15",
  // All receivers are in this process, which must answer all deliveries in flight within the timeout.
  PUSH_CONCURRENCY: "2",
  PUSH_PULL_SECONDS: String(leaseMs / 1000),
  PUSH_POLL_MS: "100",
  DATABASE_POOL: "8",
};

export async function torment(options: TormentOptions): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-relay-"));
  const random = createRandom(options.seed);
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  try {
    const database = await openDatabase(folder, closers);
    const receivers = await startReceivers(random);
    closers.push(() => Promise.all(projectNames.map((name) => receivers[name].receiver.stop())));
    const fleet = await startFleet(folder, database.url, closers, options);
    const chosen = await startChosen(options.chosen, random);
    closers.push(chosen.stop);
    const tempers = projectNames.map((name) => ({ name, url: receivers[name].receiver.url }));
    const campus = await register(fleet.any(random).address, [...tempers, ...chosen.projects]);
    const drained = new AbortController();
    closers.push(async () => drained.abort());
    const address = () => fleet.any(random).address;
    const reading = chosen.projects
      .filter(({ more }) => more["pull"])
      .flatMap((project) => Array.from({ length: readersEach }, () => project))
      .map((project) => readOn({ project, address, random, over: drained.signal }));

    const uncertain = new Map<string, Set<string>>();
    const over = new AbortController();
    const end = () => over.abort();
    await Promise.all([
      feed({ push: campus, fleet, random, over: over.signal, ...options }).finally(end),
      disturb({ fleet, database, uncertain, random, over: over.signal, ...options }).catch((error: unknown) => {
        end();
        throw error;
      }),
    ]);
    options.say(
      `all events pushed after ${seconds()} s; ${fleet.count("killed")} processes killed, ${fleet.count("stopped")} stopped, PostgreSQL cut off ${options.outages} times`,
    );
    const names = [...soundProjects, ...chosen.projects.map(({ name }) => name)];
    await drain(database.pool(), names, options.subjects * options.eventsEach * names.length);
    drained.abort();
    await Promise.all(reading);
    options.say(`all events delivered to the sound and the selective projects after ${seconds()} s`);

    const subjects = listSubjects(options.subjects);
    await addUnanswered(database.pool(), uncertain);
    const ofProject = (name: string) => uncertain.get(name) ?? new Set<string>();
    for (const name of soundProjects) {
      const all = Array.from({ length: options.eventsEach }, (_, index) => index + 1);
      const expectation = { subjects, expects: () => all, uncertain: ofProject(name) };
      options.say(`${name}: ${JSON.stringify(judge(name, receivers[name].arrivals, expectation))}`);
    }
    for (const project of chosen.projects)
      await judgeChosen(database.pool(), project, { ...options, uncertain: ofProject(project.name) });
    await judgeStored(database.pool(), options);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

const listSubjects = (count: number): string[] => Array.from({ length: count }, (_, index) => `subject-${index}`);

interface CutDatabase {
  readonly url: string;
  pool(): Pool;
  cutOff(): Promise<void>;
}

async function openDatabase(folder: string, closers: (() => Promise<unknown>)[]): Promise<CutDatabase> {
  const dataDir = path.join(folder, "database");
  const start = () => startEmbeddedPostgres({ dataDir, maxConnections: 100 });
  let server = await start();
  let pool = openPool(server.url, { connections: 2 });
  closers.push(async () => {
    await pool.end({ timeoutMs: 1000 });
    await server.stop();
  });
  const { url } = server;
  return {
    url,
    pool: () => pool,
    async cutOff() {
      await pool.end({ timeoutMs: 0 });
      await server.stop();
      server = await start();
      assert.equal(server.url, url);
      pool = openPool(url, { connections: 2 });
    },
  };
}

interface Fleet {
  any(random: () => number): RunningServer;
  replaceOne(random: () => number, how: "killed" | "stopped", afterEnd?: () => Promise<void>): Promise<void>;
  count(how: "killed" | "stopped"): number;
}

async function startFleet(
  folder: string,
  url: string,
  closers: (() => Promise<unknown>)[],
  { sealed, processes = 4 }: TormentOptions,
): Promise<Fleet> {
  const key = sealed ? { DATA_KEY: randomBytes(32).toString("base64") } : {};
  const start = () =>
    startServerProcess(folder, { ...settings, ...key, DATABASE_URL: url, RATE_LIMIT_LOGIN: "1000" }, ["push-relay"]);
  // The first server starts alone, since it migrates the database.
  const servers = [await start()];
  closers.push(() => Promise.all(servers.map((server) => server.kill())));
  servers.push(...(await Promise.all(Array.from({ length: processes - 1 }, start))));
  const counts = { killed: 0, stopped: 0 };
  return {
    any: (random) => servers[Math.floor(random() * servers.length)] ?? servers[0] ?? assert.fail(),
    async replaceOne(random, how, afterEnd) {
      const place = Math.floor(random() * servers.length);
      const server = servers[place] ?? assert.fail();
      counts[how]++;
      await (how === "killed" ? server.kill() : stop(server));
      await afterEnd?.();
      servers[place] = await start();
    },
    count: (how) => counts[how],
  };
}

async function stop({ child, ended, output }: RunningServer): Promise<void> {
  child.kill("SIGTERM");
  assert.deepEqual(await ended, { code: 0, signal: null }, output().err);
}

interface Feeding extends TormentOptions {
  readonly push: Feed;
  readonly fleet: Fleet;
  readonly random: () => number;
  readonly over: AbortSignal;
}

/** Pushes each subject's events in sequence, and repeats each until it is accepted, as the campus platform does. */
async function feed({ push, fleet, random, over, subjects: count, eventsEach }: Feeding): Promise<void> {
  const rounds = Array.from({ length: eventsEach }, (_, index) => index + 1);
  const subjects = listSubjects(count);
  const feedPart = async (part: readonly string[]) => {
    for (const n of rounds)
      for (const card_number of part)
        while (!over.aborted && !(await push(fleet.any(random).address, toData(card_number, n)))) await delay(50);
  };
  await Promise.all(
    Array.from({ length: feeders }, (_, feeder) =>
      feedPart(subjects.filter((_s, index) => index % feeders === feeder)),
    ),
  );
}

/** By project, the ids of events whose outcome may be lost. */
type Uncertain = Map<string, Set<string>>;

interface Chaos extends TormentOptions {
  readonly fleet: Fleet;
  readonly database: CutDatabase;
  readonly uncertain: Uncertain;
  readonly random: () => number;
  readonly over: AbortSignal;
}

async function disturb(chaos: Chaos): Promise<void> {
  const { fleet, database, uncertain, random, over, outages, calmMs = 2500 } = chaos;
  for (let round = 1; !over.aborted; round++) {
    await delay(calmMs * (1 + random()), undefined, { signal: over }).catch(() => undefined);
    if (round <= outages) {
      const from = new Date();
      await addPending(database.pool(), uncertain, "any");
      await database.cutOff();
      await addReceived(database.pool(), uncertain, from);
    } else if (random() < stopShare) await fleet.replaceOne(random, "stopped");
    else await fleet.replaceOne(random, "killed", () => addPending(database.pool(), uncertain, "claimed"));
  }
}

/**
 * Adds the events that a process may have sent without storing the outcome. "claimed" adds the next events of each
 * claimed lane (one project and one person). "any", for use before an outage, adds the next events of every lane, since
 * an outage also loses the latest claims and lets other claims expire.
 */
async function addPending(pool: Pool, uncertain: Uncertain, which: "claimed" | "any"): Promise<void> {
  const rows = await pool<Named[]>`
    select name, event.public_id as id
    from push_relay.queue as head join push_relay.project on project.id = head.project_id
    cross join lateral (
      select event_id from push_relay.queue
      where project_id = head.project_id and subject_id = head.subject_id order by seq limit ${mostRun}) as sent
    join push_relay.event on event.id = sent.event_id
    where head.head and not pull and (${which === "any"} or head.leased_until > now())`;
  addAll(uncertain, rows);
}

async function addReceived(pool: Pool, uncertain: Uncertain, from: Date): Promise<void> {
  const rows = await pool<Named[]>`
    select name, event.public_id as id
    from push_relay.delivery join push_relay.project on project.id = project_id
    join push_relay.event on event.id = event_id where delivery.created_at > ${from}::timestamptz - interval '5 s'`;
  addAll(uncertain, rows);
}

interface Named {
  readonly name: string;
  readonly id: string;
}

function addAll(uncertain: Uncertain, rows: readonly Named[]): void {
  for (const { name, id } of rows) uncertain.getOrInsertComputed(name, () => new Set()).add(id);
}

const drain = (pool: Pool, names: readonly string[], deliveries: number): Promise<unknown> =>
  until(
    "nothing is left to come",
    async () => {
      const left = await pool`
        select from push_relay.queue join push_relay.project on project.id = project_id where name = any (${names}) limit 1`;
      return left.length === 0;
    },
    { withinMs: drainMs + deliveries * drainMsADelivery, everyMs: 100 },
  );

async function judgeChosen(
  pool: Pool,
  { name, arrivals, unheard, faults, expects }: ChosenProject,
  { subjects: count, eventsEach, uncertain, say }: TormentOptions & { readonly uncertain: ReadonlySet<string> },
): Promise<void> {
  assert.deepEqual(faults.slice(0, 10), [], `${name}: not what it has chosen`);
  const subjects = listSubjects(count);
  const own = (subject: string) => expects(subject, eventsEach);
  say(
    `${name}: ${JSON.stringify(judge(name, arrivals, { subjects, expects: own, uncertain: uncertain.union(unheard) }))}`,
  );
  const delivered = await pool.value<number>`
    select count(*)::int as count from push_relay.delivery join push_relay.project on project.id = project_id
    where name = ${name} and status = 'delivered'`;
  const sum = subjects.reduce((total, subject) => total + own(subject).length, 0);
  assert.equal(delivered, sum, `${name}: delivered`);
}

async function addUnanswered(pool: Pool, uncertain: Uncertain): Promise<void> {
  const rows = await pool<Named[]>`
    select name, event.public_id as id from push_relay.attempt
    join push_relay.delivery on delivery.id = delivery_id
    join push_relay.event on event.id = event_id join push_relay.project on project.id = project_id
    where attempt.status_code is null`;
  addAll(uncertain, rows);
}

async function judgeStored(pool: Pool, { subjects, eventsEach, sealed, say }: TormentOptions): Promise<void> {
  const [stored] = await pool<{ events: number; sealed: number }[]>`
    select count(*) as events, count(*) filter (where data like 'sealed:%') as sealed
    from push_relay.event where whole_id is null`;
  const events = subjects * eventsEach;
  assert.deepEqual(stored, { events, sealed: sealed ? events : 0 }, "events stored");
  const rows = await pool<
    { name: ProjectName; statu: number; all: number; delivered: number; queued: number; dead: number }[]
  >`
    select name, statu, count(*) as all, count(*) filter (where status = 'delivered') as delivered,
      count(queue.delivery_id) as queued, count(dead.delivery_id) as dead
    from push_relay.delivery join push_relay.project on project.id = delivery.project_id
    left join push_relay.queue on queue.delivery_id = delivery.id
    left join push_relay.dead on dead.delivery_id = delivery.id
    where name = any (${[...projectNames]}) group by name, statu`;
  for (const row of rows) {
    say(JSON.stringify(row));
    assert.equal(row.delivered + row.queued + row.dead, row.all, `${row.name}: something is nowhere`);
    const isSound = soundProjects.some((name) => name === row.name);
    assert.equal(row.delivered, isSound ? subjects * eventsEach : 0, `${row.name}: delivered`);
    assert.equal(row.statu, row.name === "gone" ? 1 : 0, `${row.name}: statu`);
  }
}

// Measures how fast the relay pushes a full queue to a local receiver, compared with undici posting the same bodies
// from memory, and with two alternatives that keep neither sequence nor history: a BullMQ worker on Redis, and
// graphile-worker with a job per delivery. Afterwards it measures a backlog (by default 200,000 deliveries), and nine
// healthy projects while a tenth hangs. Rounds alternate. With SEALED=1 it only compares the relay with and without a
// data key, pushing to one project and to ten.
// `node bench/relay.ts [deliveries a round] [rounds] [backlog]`
import { randomBytes } from "node:crypto";
import { makeWorkerUtils } from "graphile-worker";
import { loadKeyring } from "#platform/sealing/settings.ts";
import { start } from "./child.ts";
import { openGround } from "./ground.ts";
import { median } from "./measure.ts";
import {
  body,
  countArrivals,
  fillQueue,
  installBullmq,
  perSecond,
  replaceProjects,
  sealBody,
  startRedis,
} from "./relay-ground.ts";

// A process needs about a second to warm up, which would be most of a round of thirty thousand deliveries.
const deliveries = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 3);
const backlog = Number(process.argv[4] ?? 200_000);
const concurrency = "16";
const subjects = 2000;

const ground = await openGround();
const { pool } = ground;
const receiver = await start("./relay-receiver.ts");
const isSealed = process.env["SEALED"] !== undefined;
const redis = isSealed ? undefined : await startRedis();
const bullmq = redis && (await installBullmq());

const engineSettings = {
  DATABASE_URL: ground.url,
  PUSH_ALLOWED_NETWORKS: "127.0.0.0/8",
  PUSH_CONCURRENCY: concurrency,
};

interface Stored {
  readonly body: string;
  readonly settings: Readonly<Record<string, string>>;
}

const plain: Stored = { body, settings: {} };

async function runRelay(count: number, subjectCount: number, stored = plain) {
  await replaceProjects(pool, [`${receiver.first}/`]);
  await fillQueue(pool, count, subjectCount, stored.body);
  const engine = await start("./relay-engine.ts", [], { ...engineSettings, ...stored.settings });
  const counted = await countArrivals(receiver.child, count, () => engine.child.send("go"));
  await engine.end();
  return counted;
}

async function runFloor(): Promise<number> {
  const floor = await start("./relay-floor.ts", [receiver.first, String(deliveries), concurrency, body]);
  const counted = await countArrivals(receiver.child, deliveries, () => floor.child.send("go"));
  await floor.end();
  return perSecond(counted);
}

async function runGraphile(): Promise<number> {
  const utils = await makeWorkerUtils({ connectionString: ground.url });
  const job = { identifier: "deliver", payload: { body }, maxAttempts: 8 };
  for (let added = 0; added < deliveries; added += 5000)
    await utils.addJobs(Array.from({ length: Math.min(5000, deliveries - added) }, () => job));
  await utils.release();
  await pool.script("vacuum analyze");
  const worker = await start("./relay-peer-graphile.ts", [ground.url, receiver.first, concurrency]);
  const counted = await countArrivals(receiver.child, deliveries, () => worker.child.send("go"));
  await worker.end();
  await pool`delete from graphile_worker._private_jobs`;
  return perSecond(counted);
}

async function runBullmq(): Promise<number> {
  if (!redis || !bullmq) return Number.NaN;
  const args = [bullmq.folder, String(redis.port), receiver.first, concurrency, String(deliveries), body];
  const worker = await start("./relay-peer-bullmq.ts", args);
  const filled = new Promise((resolve) => worker.child.once("message", resolve));
  worker.child.send("fill");
  await filled;
  const counted = await countArrivals(receiver.child, deliveries, () => worker.child.send("go"));
  await worker.end();
  return perSecond(counted);
}

async function runTen(tenth: "healthy" | "hanging", stored = plain): Promise<number> {
  const urls = Array.from({ length: 9 }, (_, index) => `${receiver.first}/${index}`);
  await replaceProjects(pool, [...urls, `${receiver.first}/${tenth === "healthy" ? "tenth" : "hang"}`]);
  const events = Math.round(deliveries / 10);
  await fillQueue(pool, events, subjects, stored.body);
  const engine = await start("./relay-engine.ts", [], { ...engineSettings, ...stored.settings });
  const count = events * (tenth === "healthy" ? 10 : 9);
  const counted = await countArrivals(receiver.child, count, () => engine.child.send("go"));
  await engine.end();
  return perSecond(counted);
}

const say = (name: string, ratio: number, asked: string) =>
  console.log(`  ${name} ${ratio.toFixed(2)} (target: ${asked})`);

async function compareSealed(): Promise<void> {
  const DATA_KEY = randomBytes(32).toString("base64");
  const sealed = { body: sealBody(await loadKeyring({ DATA_KEY })), settings: { DATA_KEY } };
  const runs = {
    "one project": async (stored: Stored) => perSecond(await runRelay(deliveries, subjects, stored)),
    "one project, each push about a different person": async (stored: Stored) =>
      perSecond(await runRelay(deliveries, deliveries, stored)),
    "ten projects": (stored: Stored) => runTen("healthy", stored),
  };
  for (const [name, run] of Object.entries(runs)) {
    const [without, beside]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      without.push(await run(plain));
      beside.push(await run(sealed));
    }
    console.log(`${name}: without a key ${median(without).toFixed(0)}/s, with one ${median(beside).toFixed(0)}/s`);
    say("of the relay without a key", median(beside.map((value, round) => value / (without[round] ?? 1))), "0.90");
  }
  await receiver.end();
  await ground.end();
  process.exit();
}

if (isSealed) await compareSealed();

const relay: number[] = [];
/**
 * In these runs each delivery is about a different person, as on one day. The other runs repeat persons, like a backlog
 * of several weeks.
 */
const apart: number[] = [];
const peers: Record<"floor" | "bullmq" | "graphile", number[]> = { floor: [], bullmq: [], graphile: [] };
if (!redis || !bullmq) console.log("BullMQ is left out: redis-server is missing, or BullMQ cannot be installed");
for (let round = 0; round < rounds; round++) {
  peers.floor.push(await runFloor());
  relay.push(perSecond(await runRelay(deliveries, subjects)));
  apart.push(perSecond(await runRelay(deliveries, deliveries)));
  peers.bullmq.push(await runBullmq());
  peers.graphile.push(await runGraphile());
}
const ratioTo = (peer: readonly number[], own = relay) => median(own.map((value, round) => value / (peer[round] ?? 1)));
console.log(
  `deliver: relay ${median(relay).toFixed(0)}/s, undici from memory ${median(peers.floor).toFixed(0)}/s, BullMQ ${median(peers.bullmq).toFixed(0)}/s, graphile-worker ${median(peers.graphile).toFixed(0)}/s`,
);
say("of undici", ratioTo(peers.floor), "0.50");
say("of undici, each push about a different person", ratioTo(peers.floor, apart), "0.50");
if (redis && bullmq) say("of BullMQ", ratioTo(peers.bullmq), "1.00");
say("of graphile-worker", ratioTo(peers.graphile), "1.00");
await bullmq?.end();
await redis?.end();

for (const subjectCount of [2000, 100_000]) {
  const { marks, firstMs, count, lastMs } = await runRelay(backlog, subjectCount);
  const [first, beforeLast] = [marks[0], marks.findLast((mark) => mark.count <= count - 10_000)];
  const [firstTook, lastTook] = [(first?.ms ?? 0) - firstMs, lastMs - (beforeLast?.ms ?? 0)];
  console.log(
    `backlog of ${count} about ${subjectCount} subjects: ${(count / ((lastMs - firstMs) / 1000)).toFixed(0)}/s; first 10,000 in ${firstTook.toFixed(0)} ms, last in ${lastTook.toFixed(0)} ms`,
  );
  say("speed of the last 10,000 relative to the first", firstTook / lastTook, "0.80");
}

const ten: Record<"healthy" | "hanging", number[]> = { healthy: [], hanging: [] };
for (let round = 0; round < rounds; round++)
  for (const tenth of ["healthy", "hanging"] as const) ten[tenth].push(await runTen(tenth));
console.log(
  `ten projects: ten healthy ${median(ten.healthy).toFixed(0)}/s, nine beside one that never answers ${median(ten.hanging).toFixed(0)}/s`,
);
say("of ten healthy", median(ten.hanging.map((value, round) => value / (ten.healthy[round] ?? 1))), "0.90");
await receiver.end();
await ground.end();

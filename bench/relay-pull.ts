// Measures a full queue pulled over HTTP by one reader in acknowledged batches of 500, compared with the same queue
// pushed to a local receiver; then a thousand idle readers of a thousand projects in long polls. Rounds alternate.
// `node bench/relay-pull.ts [deliveries a round] [rounds]`
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { hashToken } from "#platform/accounts/session.ts";
import { start } from "./child.ts";
import { findPostmaster, readCpuMs, readPostgresCpuMs } from "./cpu.ts";
import { openGround } from "./ground.ts";
import { median } from "./measure.ts";
import { countArrivals, fillQueue, perSecond, replaceProjects } from "./relay-ground.ts";

const deliveries = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 3);
const readers = 1000;
const idleMs = 10_000;

const ground = await openGround();
const { pool } = ground;
const receiver = await start("./relay-receiver.ts");
const settings = {
  DATABASE_URL: ground.url,
  DATA_DIR: ground.settings.DATA_DIR,
  PORT: "0",
  LOG_LEVEL: "error",
  PUSH_ALLOWED_NETWORKS: "127.0.0.0/8",
  MAX_CONNECTIONS: String(readers * 3),
};

const keyOf = (id: number): string => `qr_${id}_${"k".repeat(43)}`;

async function addPulled(count: number): Promise<number[]> {
  await replaceProjects(
    pool,
    Array.from({ length: count }, (_, index) => `${receiver.first}/${index}`),
  );
  const ids = await pool.values<number>`
    update push_relay.project set pull = true where deleted_at is null returning id`;
  await pool`delete from push_relay.project_key`;
  for (const id of ids)
    await pool`insert into push_relay.project_key (project_id, hash) values (${id}, ${hashToken(keyOf(id))})`;
  return ids;
}

interface Answer {
  readonly data: { readonly cursor: string | null; readonly events: readonly { readonly id: string }[] };
}

async function ask(client: Pool, id: number, query: string, body?: object): Promise<Answer> {
  const path = `/wx/push/pull${query}`;
  const headers = { authorization: `Bearer ${keyOf(id)}`, "content-type": "application/json" };
  const method = body ? "PUT" : "GET";
  const answer = await client.request({ path, method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (answer.statusCode !== 200) throw new Error(await answer.body.text());
  return (await answer.body.json()) as Answer;
}

async function runPull(subjects: number): Promise<number> {
  const [id = 0] = await addPulled(1);
  await fillQueue(pool, deliveries, subjects);
  const server = await start("./http-quintet.ts", [], { ...settings, BENCH_SERVICE: "push-relay" });
  const client = new Pool(server.first, { connections: 1 });
  await ask(client, id, "?limit=1");
  const startedMs = performance.now();
  let count = 0;
  for (;;) {
    const { cursor, events } = (await ask(client, id, "?limit=500")).data;
    if (cursor === null) break;
    count += events.length;
    await ask(client, id, "", { cursor });
  }
  const tookMs = performance.now() - startedMs;
  await client.close();
  await server.end();
  return count / (tookMs / 1000);
}

async function runPush(subjects: number): Promise<number> {
  await replaceProjects(pool, [`${receiver.first}/`]);
  await fillQueue(pool, deliveries, subjects);
  const engine = await start("./relay-engine.ts", [], settings);
  const counted = await countArrivals(receiver.child, deliveries, () => engine.child.send("go"));
  await engine.end();
  return perSecond(counted);
}

async function runWaiting(count: number): Promise<number> {
  const ids = await addPulled(count || 1);
  await fillQueue(pool, 1, 1);
  await pool`truncate push_relay.queue`;
  const server = await start("./http-quintet.ts", [], { ...settings, BENCH_SERVICE: "push-relay" });
  const postmaster = await findPostmaster(pool);
  const client = new Pool(server.first, { connections: readers });
  const waiting = count === 0 ? [] : ids.map((id) => ask(client, id, "?wait=30"));
  await delay(5000);
  const read = () => readCpuMs(server.child.pid ?? 0) + readPostgresCpuMs(postmaster);
  const before = read();
  await delay(idleMs);
  const share = (read() - before) / idleMs;
  await Promise.all(waiting);
  await client.close();
  await server.end();
  return share;
}

for (const subjects of [2000, deliveries]) {
  const results: Record<"pull" | "push", number[]> = { pull: [], push: [] };
  for (let round = 0; round < rounds; round++) {
    results.push.push(await runPush(subjects));
    results.pull.push(await runPull(subjects));
  }
  console.log(
    `pull, ${deliveries} about ${subjects} subjects: one reader ${median(results.pull).toFixed(0)}/s (target: 20000), pushed ${median(results.push).toFixed(0)}/s`,
  );
}
const [none, many] = [await runWaiting(0), await runWaiting(readers)];
console.log(
  `${readers} waiting readers take ${(100 * (many - none)).toFixed(1)} % of a processor (target: 0); without them ${(100 * none).toFixed(1)} %`,
);
await receiver.end();
await ground.end();

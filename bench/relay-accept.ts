// Measures accepting the campus platform's pushes over HTTP for no, one and six projects, compared with the baseline of
// node:http and one committed INSERT a request. Projects are paused, so that only accepting is measured. Rounds
// alternate. With SEALED=1 a Quintet with a data key, on its own database, is measured as well. Then pushes of forty
// fields are measured for six projects that choose all fields or ten of them: first accepting alone, then accepting and
// delivering.
// `node bench/relay-accept.ts [seconds a round] [rounds]`
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { wholeSelection } from "#services/push-relay/selection-contract.ts";
import { start } from "./child.ts";
import { findPostmaster, readCpuMs, readPostgresCpuMs } from "./cpu.ts";
import { type Ground, openGround } from "./ground.ts";
import { countPerSecond, median, type Shot } from "./measure.ts";
import { addCampusApp, makePushes } from "./relay-ground.ts";

const roundMs = Number(process.argv[2] ?? 4) * 1000;
const rounds = Number(process.argv[3] ?? 7);
const connections = 16;
const poolSize = 10;
const headers = { "content-type": "application/json" };

interface Contender {
  readonly end: () => Promise<void>;
  readonly shoot: () => Shot;
  readonly pid: number;
}

interface Round {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly totalUs: number;
}

async function startContender(file: string, path: string, env: NodeJS.ProcessEnv): Promise<Contender> {
  const { child, end, first: address } = await start(file, [], env);
  const nextBody = makePushes();
  const shoot = (): Shot => ({ url: address + path, method: "POST", headers, body: nextBody() });
  return { end, shoot, pid: child.pid ?? 0 };
}

async function runRound({ shoot, pid }: Contender, finish?: () => Promise<void>): Promise<Round> {
  const read = () => [readCpuMs(pid), readPostgresCpuMs(postmaster)] as const;
  const before = read();
  const startedMs = performance.now();
  const pushes = ((await countPerSecond(shoot, connections, roundMs)) * roundMs) / 1000;
  await finish?.();
  const perSecond = pushes / ((performance.now() - startedMs) / 1000);
  const after = read();
  const usOf = (place: 0 | 1) => (1000 * (after[place] - before[place])) / pushes;
  return { perSecond, nodeUs: usOf(0), totalUs: usOf(0) + usOf(1) };
}

const databaseOf = ({ url }: Ground) => ({ DATABASE_URL: url, DATABASE_POOL: String(poolSize) });

async function startQuintet(own: Ground, env: NodeJS.ProcessEnv = {}): Promise<Contender> {
  await addCampusApp(own.pool);
  const { DATA_DIR } = own.settings;
  const settings = {
    ...databaseOf(own),
    PORT: "0",
    DATA_DIR,
    BENCH_SERVICE: "push-relay",
    PUSH_ALLOWED_NETWORKS: "127.0.0.0/8",
    ...env,
  };
  return startContender("./http-quintet.ts", "/wx/wxc/receive", settings);
}

async function addProjects(pool: Ground["pool"], projects: number): Promise<void> {
  const [row] = await pool<{ count: number }[]>`select count(*) as count from push_relay.project`;
  for (let index = row?.count ?? 0; index < projects; index++)
    await pool`
      insert into push_relay.project (url, name, secret, paused)
      values ('http://receiver.invalid/', ${String(index)}, 'whsec_bench', true)`;
}

async function choose(pool: Ground["pool"], isChosen: boolean): Promise<void> {
  const fields = { updateUser: Array.from({ length: 10 }, (_, index) => `field_${index}`) };
  const selection = isChosen ? JSON.stringify({ ...wholeSelection, fields }) : null;
  await pool`update push_relay.project set selection = ${selection}::jsonb, revision = revision + 1`;
}

const ground = await openGround();
const postmaster = await findPostmaster(ground.pool);
const sealedGround = process.env["SEALED"] === undefined ? undefined : await openGround();
const grounds = [ground, ...(sealedGround ? [sealedGround] : [])];
const first = await startQuintet(ground);
const contenders: Record<string, Contender> = {
  quintet: first,
  ...(sealedGround && { sealed: await startQuintet(sealedGround, { DATA_KEY: randomBytes(32).toString("base64") }) }),
  floor: await startContender("./relay-accept-floor.ts", "/", databaseOf(ground)),
};

const medianOf = (own: readonly Round[], of: keyof Round) => median(own.map((round) => round[of])).toFixed(0);
const ratio = (own: readonly Round[], to: readonly Round[], of: keyof Round = "perSecond") =>
  median(own.map((round, index) => round[of] / (to[index]?.[of] ?? 1))).toFixed(2);

for (const projects of [0, 1, 6]) {
  for (const { pool } of grounds) await addProjects(pool, projects);
  for (const { shoot } of Object.values(contenders)) await countPerSecond(shoot, connections, 1500);
  const results: Record<string, Round[]> = {};
  for (let round = 0; round < rounds; round++) {
    // The sequence of the contenders alternates, since each inherits the pending writes of the one before.
    const inTurn = round % 2 === 0 ? Object.entries(contenders) : Object.entries(contenders).toReversed();
    for (const [name, contender] of inTurn) (results[name] ??= []).push(await runRound(contender));
  }
  const { quintet = [], floor = [], sealed } = results;
  console.log(
    `accept, ${projects} projects: Quintet ${medianOf(quintet, "perSecond")}/s, baseline ${medianOf(floor, "perSecond")}/s: ${ratio(quintet, floor)} (target: 0.60)`,
  );
  if (sealed)
    console.log(
      `  with a key ${medianOf(sealed, "perSecond")}/s: ${ratio(sealed, quintet)} (target: 0.90); node ${medianOf(quintet, "nodeUs")} and ${medianOf(sealed, "nodeUs")} µs a push`,
    );
}
const nextWide = makePushes(34);
const wide: Contender = { ...first, shoot: () => ({ ...first.shoot(), body: nextWide() }) };

async function compareChosen(work: "accept" | "accept and deliver", finish?: () => Promise<void>): Promise<void> {
  const [all, ten]: [Round[], Round[]] = [[], []];
  for (let round = -1; round < rounds; round++)
    for (const own of round % 2 === 0 ? [all, ten] : [ten, all]) {
      await choose(ground.pool, own === ten);
      const measured = await runRound(wide, finish);
      if (round >= 0) own.push(measured);
    }
  console.log(
    `${work}, 40 fields, 6 projects: ten chosen ${medianOf(ten, "perSecond")}/s, all ${medianOf(all, "perSecond")}/s: ${ratio(ten, all)} (target: 1.00); node and PostgreSQL ${medianOf(ten, "totalUs")} and ${medianOf(all, "totalUs")} µs a push: ${ratio(ten, all, "totalUs")}`,
  );
}

await compareChosen("accept");
await ground.pool`truncate push_relay.queue`;
const receiver = await start("./relay-receiver.ts");
await ground.pool`update push_relay.project set url = ${`${receiver.first}/`}, paused = false`;
await compareChosen("accept and deliver", async () => {
  while ((await ground.pool`select from push_relay.queue limit 1`).length > 0) await delay(20);
});
await receiver.end();
for (const { end } of Object.values(contenders)) await end();
for (const own of grounds) await own.end();

// Pushes of the campus platform taken over HTTP, beside the least server that loses none: node:http and one committed
// INSERT a request. The projects are paused, so that receiving alone is measured. Rounds alternate. With SEALED=1 Quintet
// with a data key, on a database of its own, has its rounds as well.
// `node bench/relay-accept.ts [seconds a round] [rounds]`
import { randomBytes } from "node:crypto";
import { start } from "./child.ts";
import { readCpuMs } from "./cpu.ts";
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

/** One round: answers a second, and what one costs the server's process, in µs. */
interface Round {
  readonly perSecond: number;
  readonly nodeUs: number;
}

async function startContender(file: string, path: string, env: NodeJS.ProcessEnv): Promise<Contender> {
  const { child, end, first: address } = await start(file, [], env);
  const nextBody = makePushes();
  const shoot = (): Shot => ({ url: address + path, method: "POST", headers, body: nextBody() });
  return { end, shoot, pid: child.pid ?? 0 };
}

async function runRound({ shoot, pid }: Contender): Promise<Round> {
  const before = readCpuMs(pid);
  const perSecond = await countPerSecond(shoot, connections, roundMs);
  return { perSecond, nodeUs: (1000 * (readCpuMs(pid) - before)) / ((perSecond * roundMs) / 1000) };
}

const databaseOf = ({ url }: Ground) => ({ DATABASE_URL: url, DATABASE_POOL: String(poolSize) });

async function startQuintet(own: Ground, env: NodeJS.ProcessEnv = {}): Promise<Contender> {
  await addCampusApp(own.pool);
  const { DATA_DIR } = own.settings;
  const settings = { ...databaseOf(own), PORT: "0", DATA_DIR, BENCH_SERVICE: "push-relay", ...env };
  return startContender("./http-quintet.ts", "/wx/wxc/receive", settings);
}

async function addProjects(pool: Ground["pool"], projects: number): Promise<void> {
  const [row] = await pool<{ count: number }[]>`select count(*) as count from push_relay.project`;
  for (let index = row?.count ?? 0; index < projects; index++)
    await pool`
      insert into push_relay.project (url, name, secret, paused)
      values ('http://receiver.invalid/', ${String(index)}, 'whsec_bench', true)`;
}

const ground = await openGround();
const sealedGround = process.env["SEALED"] === undefined ? undefined : await openGround();
const grounds = [ground, ...(sealedGround ? [sealedGround] : [])];
const contenders: Record<string, Contender> = {
  quintet: await startQuintet(ground),
  ...(sealedGround && { sealed: await startQuintet(sealedGround, { DATA_KEY: randomBytes(32).toString("base64") }) }),
  floor: await startContender("./relay-accept-floor.ts", "/", databaseOf(ground)),
};

for (const projects of [0, 1, 6]) {
  for (const { pool } of grounds) await addProjects(pool, projects);
  for (const { shoot } of Object.values(contenders)) await countPerSecond(shoot, connections, 1500);
  const results: Record<string, Round[]> = {};
  for (let round = 0; round < rounds; round++) {
    // What one leaves to be written is paid for by the next.
    const inTurn = round % 2 === 0 ? Object.entries(contenders) : Object.entries(contenders).toReversed();
    for (const [name, contender] of inTurn) (results[name] ??= []).push(await runRound(contender));
  }
  const { quintet = [], floor = [], sealed } = results;
  const medianOf = (own: readonly Round[], of: keyof Round) => median(own.map((round) => round[of])).toFixed(0);
  const ratio = (own: readonly Round[], to: readonly Round[]) =>
    median(own.map(({ perSecond }, round) => perSecond / (to[round]?.perSecond ?? 1))).toFixed(2);
  console.log(
    `accept, ${projects} projects: Quintet ${medianOf(quintet, "perSecond")}/s, floor ${medianOf(floor, "perSecond")}/s: ${ratio(quintet, floor)} (asked: 0.60)`,
  );
  if (sealed)
    console.log(
      `  with a key ${medianOf(sealed, "perSecond")}/s: ${ratio(sealed, quintet)} (asked: 0.90); node ${medianOf(quintet, "nodeUs")} and ${medianOf(sealed, "nodeUs")} µs a push`,
    );
}
for (const { end } of Object.values(contenders)) await end();
for (const own of grounds) await own.end();

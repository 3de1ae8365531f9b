// Pushes of the campus platform taken over HTTP, beside the least server that loses none: node:http and one committed
// INSERT a request. The projects are paused, so that receiving alone is measured. Rounds alternate.
// `node bench/relay-accept.ts [seconds a round] [rounds]`
import { start } from "./child.ts";
import { openGround } from "./ground.ts";
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
}

async function startContender(file: string, path: string, env: NodeJS.ProcessEnv): Promise<Contender> {
  const { end, first: address } = await start(file, [], env);
  const nextBody = makePushes();
  return { end, shoot: () => ({ url: address + path, method: "POST", headers, body: nextBody() }) };
}

const ground = await openGround();
await addCampusApp(ground.pool);
const database = { DATABASE_URL: ground.url, DATABASE_POOL: String(poolSize) };
const quintet = await startContender("./http-quintet.ts", "/wx/wxc/receive", {
  ...database,
  PORT: "0",
  DATA_DIR: ground.settings.DATA_DIR,
  BENCH_SERVICE: "push-relay",
});
const floor = await startContender("./relay-accept-floor.ts", "/", database);

for (const projects of [0, 1, 6]) {
  const [row] = await ground.pool<{ count: number }[]>`select count(*) as count from push_relay.project`;
  for (let index = row?.count ?? 0; index < projects; index++)
    await ground.pool`
      insert into push_relay.project (url, name, secret, paused)
      values ('http://receiver.invalid/', ${String(index)}, 'whsec_bench', true)`;
  for (const { shoot } of [quintet, floor]) await countPerSecond(shoot, connections, 1500);
  const results: { quintet: number[]; floor: number[] } = { quintet: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    results.quintet.push(await countPerSecond(quintet.shoot, connections, roundMs));
    results.floor.push(await countPerSecond(floor.shoot, connections, roundMs));
  }
  const ratio = median(results.quintet.map((value, round) => value / (results.floor[round] ?? 1)));
  console.log(
    `accept, ${projects} projects: Quintet ${median(results.quintet).toFixed(0)}/s, floor ${median(results.floor).toFixed(0)}/s: ${ratio.toFixed(2)} (asked: 0.60)`,
  );
}
for (const { end } of [quintet, floor]) await end();
await ground.end();

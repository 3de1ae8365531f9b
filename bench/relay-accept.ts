// Pushes of the campus platform taken over HTTP, beside the least server that loses none: node:http and one committed
// INSERT a request. The projects are paused, so that receiving alone is measured. Rounds alternate.
// `node bench/relay-accept.ts [seconds a round] [rounds]`
import { encrypt } from "#services/push-relay/cipher.ts";
import { start } from "./child.ts";
import { openGround } from "./ground.ts";
import { countPerSecond, median, type Shot } from "./measure.ts";

const roundMs = Number(process.argv[2] ?? 4) * 1000;
const rounds = Number(process.argv[3] ?? 7);
const connections = 16;
const poolSize = 10;
const subjects = 2000;
const pushes = 20_000;
const keys = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };
const headers = { "content-type": "application/json" };

/** One body after another, no two in succession about one person and none the repeat of its subject's last. */
function makeBodies(): () => string {
  const bodies = Array.from({ length: pushes }, (_, index) => {
    const data = {
      card_number: String(10_000_000 + (index % subjects)),
      name: "测试员",
      identity_type: 1,
      organization: [2, 222, 496],
      grade: `${2000 + Math.floor(index / subjects)}级`,
      college: "虚构信息学院",
    };
    const raw_data = encrypt(JSON.stringify(data), keys);
    const { appKey: app_key, appSecret: app_secret } = keys;
    return JSON.stringify({ app_key, app_secret, school_code: "1000000001", event: "updateUser", raw_data });
  });
  let next = 0;
  return () => bodies[next++ % pushes] ?? "";
}

interface Contender {
  readonly end: () => Promise<void>;
  readonly shoot: () => Shot;
}

async function startContender(file: string, path: string, env: NodeJS.ProcessEnv): Promise<Contender> {
  const { end, first: address } = await start(file, [], env);
  const nextBody = makeBodies();
  return { end, shoot: () => ({ url: address + path, method: "POST", headers, body: nextBody() }) };
}

const ground = await openGround();
await ground.pool`
  insert into push_relay.campus_app (app_key, app_secret, school_code, name)
  values (${keys.appKey}, ${keys.appSecret}, '1000000001', 'bench')`;
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

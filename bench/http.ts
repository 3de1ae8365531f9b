// Reads and a submission over HTTP, beside two servers without a framework on node:http and node-postgres:
// the floor runs the very statements that the operation runs, the single one the statement that a client would think of.
// Rounds take turns. `node bench/http.ts [seconds a round] [rounds]`
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { buildApp } from "#quintet/app.ts";
import { openPlatform } from "#quintet/serve.ts";
import { openPool } from "#platform/database/index.ts";
import { ensureFirstOperator } from "#platform/operators/index.ts";
import { fillCity, fillPayables, fillReports, type Ground, openGround, operatorPassword, silent } from "./ground.ts";
import { countPerSecond, median, type Shot } from "./measure.ts";
import type { FloorOptions, Statement } from "./http-floor.ts";

const roundMs = Number(process.argv[2] ?? 4) * 1000;
const rounds = Number(process.argv[3] ?? 7);
const connections = 16;
const poolSize = 10;
const reports = 20_000;
const toilets = 2000;
const payables = 200_000;
const card = "S00077777";
const services = ["reporting", "tuition-payment", "disease-command"] as const;

const submission = {
  name: "张三",
  phone: "555 0100 0001",
  company: "虚构科技有限公司",
  customerName: "示例大学",
  entryName: "智慧教室建设项目",
  projectAmount: "120万元",
  tenderTime: "2027-03-01 09:30:00",
  content: "演示数据",
  trade: "教育",
  licensing: "是",
  bProduct: ["交换机", "服务器"],
};

interface Operation {
  readonly name: string;
  readonly path: string;
  readonly method: "GET" | "POST";
  readonly body?: string;
  /** The student who asks, instead of an administrator. */
  readonly card?: string;
  readonly single: Statement;
}

const operations: readonly Operation[] = [
  {
    name: "list page",
    path: "/reporting/informationReporting/list",
    method: "GET",
    single: {
      text: "select * from reporting.report where not deleted order by created_at desc, id desc limit 10",
      values: [],
    },
  },
  {
    name: "submission",
    path: "/reporting/informationReporting/add",
    method: "POST",
    body: JSON.stringify(submission),
    single: {
      text: `insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, content, trade, licensing, b_product)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
      values: [
        "张三",
        "555 0100 0001",
        "虚构科技有限公司",
        "示例大学",
        "智慧教室建设项目",
        "120万元",
        "2027-03-01T01:30:00Z",
        "演示数据",
        "教育",
        "是",
        '{"交换机","服务器"}',
      ],
    },
  },
  {
    name: "theme",
    path: "/disease-command/theme/currentItem",
    method: "GET",
    single: { text: "select id, name, enabled from disease_command.theme where enabled", values: [] },
  },
  {
    name: `map of ${toilets} toilets`,
    path: "/disease-command/toilet/list/mini",
    method: "GET",
    single: {
      text: "select id, name, longitude_latitude, third_open_flag from disease_command.toilet where open order by sort, id",
      values: [],
    },
  },
  {
    name: "overview",
    path: "/disease-command/overview",
    method: "GET",
    // Nobody would think of one statement; this is its largest part.
    single: {
      text: "select id, name, longitude_latitude, third_open_flag from disease_command.toilet where open order by sort, id",
      values: [],
    },
  },
  {
    name: "student's payable",
    path: "/tuitionpayment/payableinfo/payableInfo",
    method: "GET",
    card,
    single: {
      text: "select * from tuition_payment.payable where student_no = $1 order by years limit 1",
      values: [card],
    },
  },
];

const headersOf = ({ card: cardNumber }: Operation, token: string): Record<string, string> => ({
  ...(cardNumber === undefined ? { admin_token: token } : { card_number: cardNumber }),
  "content-type": "application/json",
});

/** The statements of one call of each operation, as the operation itself sends them. */
async function recordStatements(ground: Ground): Promise<{ token: string; byOperation: Statement[][] }> {
  let recording: Statement[] = [];
  const pool = openPool(ground.url, {
    connections: 1,
    onStatement: (text, values) => recording.push({ text, values: [...values] as string[] }),
  });
  const platform = await openPlatform(ground.settings, pool, silent);
  await ensureFirstOperator({ pool, settings: ground.settings, dataDir: ground.settings.DATA_DIR, isTerminal: false });
  const { server } = await buildApp(platform, {
    services,
    jobs: { isRunning: () => true },
    listHealth: async () => [],
  });
  const login = await server.inject({
    method: "POST",
    url: "/platform/login",
    payload: { userName: "operator", password: operatorPassword },
  });
  const { token } = login.json<{ data: { token: string } }>().data;
  const byOperation: Statement[][] = [];
  for (const operation of operations) {
    const { method, path, body } = operation;
    recording = [];
    const answer = await server.inject({
      method,
      url: path,
      headers: headersOf(operation, token),
      ...(body ? { payload: body } : {}),
    });
    if (answer.statusCode !== 200) throw new Error(answer.body);
    byOperation.push(recording);
  }
  await server.close();
  await pool.end();
  return { token, byOperation };
}

interface Contender {
  readonly child: ChildProcess;
  readonly address: string;
}

async function startContender(file: string, env: NodeJS.ProcessEnv, options?: FloorOptions): Promise<Contender> {
  const child = fork(new URL(file, import.meta.url), [], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  if (options) child.send(options);
  const [address] = (await once(child, "message")) as [string];
  return { child, address };
}

async function stopContender({ child }: Contender): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "exit");
}

const ground = await openGround();
await fillReports(ground.pool, reports);
await fillCity(ground.pool, toilets);
await fillPayables(ground.pool, payables);
const { token, byOperation } = await recordStatements(ground);
const environment = {
  PORT: "0",
  DATA_DIR: ground.settings.DATA_DIR,
  DATABASE_URL: ground.url,
  DATABASE_POOL: String(poolSize),
  RATE_LIMIT_OPEN: "1000000000",
  STUDENT_IDENTITY: "header",
  BENCH_SERVICE: services.join(","),
};

for (const [index, operation] of operations.entries()) {
  const statements = byOperation[index] ?? [];
  // All new for each operation: one that has served others is slower by a twentieth, whichever of the three it is.
  const quintet = await startContender("./http-quintet.ts", environment);
  const floor = await startContender("./http-floor.ts", {}, { url: ground.url, connections: poolSize, statements });
  const single = await startContender(
    "./http-floor.ts",
    {},
    { url: ground.url, connections: poolSize, statements: [operation.single] },
  );
  const shotAt = ({ address }: Contender): Shot => ({
    url: address + operation.path,
    method: operation.method,
    headers: headersOf(operation, token),
    ...(operation.body ? { body: operation.body } : {}),
  });
  const contenders = { quintet, floor, single };
  const results: Record<keyof typeof contenders, number[]> = { quintet: [], floor: [], single: [] };
  for (const contender of Object.values(contenders)) await countPerSecond(shotAt(contender), connections, 3000);
  for (let round = 0; round < rounds; round++) {
    for (const name of ["quintet", "floor", "single"] as const)
      results[name].push(await countPerSecond(shotAt(contenders[name]), connections, roundMs));
  }
  await stopContender(quintet);
  await stopContender(floor);
  await stopContender(single);
  const ratios = (peer: "floor" | "single") =>
    median(results.quintet.map((value, round) => value / (results[peer][round] ?? 1)));
  console.log(
    `${operation.name}: ${statements.length} statements; Quintet ${median(results.quintet).toFixed(0)}/s, floor ${median(results.floor).toFixed(0)}/s, single statement ${median(results.single).toFixed(0)}/s`,
  );
  console.log(
    `  of the floor ${ratios("floor").toFixed(2)} (asked: 0.80), of the single statement ${ratios("single").toFixed(2)}`,
  );
}
await ground.end();

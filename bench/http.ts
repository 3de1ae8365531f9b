// Measures reads and a submission over HTTP, compared with two minimal servers on node:http and node-postgres: `floor`
// runs the operation's exact statements, `single` the one statement that a simple implementation would run. Rounds
// alternate.
// `node bench/http.ts [seconds a round] [rounds] [operations, separated by commas]`. Environment variables add
// contenders: BEFORE=<folder> another checkout on its own database; SEALED=1 this checkout with a data key on a fully
// encrypted database; TRACED=1 this checkout sampling all traces, and again sampling 5 % of them.
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ensureFirstOperator } from "#platform/accounts/operators/index.ts";
import { openPool } from "#platform/database/index.ts";
import { sealAll } from "#platform/data-keys/sealing.ts";
import { loadKeyring } from "#platform/sealing/settings.ts";
import { buildApp, sealedColumns } from "#quintet/app.ts";
import { openPlatform } from "#quintet/serve.ts";
import { findPostmaster, readCpuMs, readPostgresCpuMs } from "./cpu.ts";
import * as ownGround from "./ground.ts";
import { type Ground, operatorPassword, silent } from "./ground.ts";
import type { FloorOptions, Statement } from "./http-floor.ts";
import { countPerSecond, median, shoot, type Shot } from "./measure.ts";

const roundMs = Number(process.argv[2] ?? 4) * 1000;
const rounds = Number(process.argv[3] ?? 7);
const chosen = process.argv[4]?.split(",");
const before = process.env["BEFORE"];
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
    name: `${toilets} toilets nearby`,
    path: "/disease-command/toilet/nearby",
    method: "GET",
    single: {
      text: `select id, name, address, longitude_latitude, barrier_free_stalls, third_restrooms, men_stalls, women_stalls,
        common_stalls, third_open_flag from disease_command.toilet where open order by sort, id`,
      values: [],
    },
  },
  {
    name: "overview",
    path: "/disease-command/overview",
    method: "GET",
    // One statement is not enough for this operation, so `single` is the largest of the operation's statements.
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
    listParts: async () => [],
    listSettings: () => [],
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
  readonly postmaster: string;
  readonly token: string;
}

interface Start {
  readonly ground: Ground;
  readonly token: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly options?: FloorOptions;
}

async function startContender(file: string | URL, { ground, token, env, options }: Start): Promise<Contender> {
  const child = fork(new URL(file, import.meta.url), [], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  if (options) child.send(options);
  const [address] = (await once(child, "message")) as [string];
  return { child, address, postmaster: await findPostmaster(ground.pool), token };
}

async function stopContender({ child }: Contender): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "exit");
}

async function openFilled(by: typeof ownGround): Promise<Ground> {
  const made = await by.openGround();
  await by.fillReports(made.pool, reports);
  await by.fillCity(made.pool, toilets);
  await by.fillPayables(made.pool, payables);
  return made;
}

async function openBefore(folder: string): Promise<{ ground: Ground; token: string; file: URL }> {
  const at = (name: string) => pathToFileURL(path.resolve(folder, "bench", name));
  const made = await openFilled((await import(at("ground.ts").href)) as typeof ownGround);
  const file = at("http-quintet.ts");
  return { ground: made, token: await signInAt(file, made, environmentOf(made)), file };
}

async function openSealed(): Promise<{ ground: Ground; token: string; env: NodeJS.ProcessEnv }> {
  const made = await openFilled(ownGround);
  const DATA_KEY = randomBytes(32).toString("base64");
  const env = { ...environmentOf(made), DATA_KEY };
  const own = await signInAt("./http-quintet.ts", made, env);
  const pool = openPool(made.url, { connections: 1, keys: await loadKeyring({ DATA_KEY }) });
  await sealAll(pool, sealedColumns, { say() {} });
  await pool.end();
  return { ground: made, token: own, env };
}

async function signInAt(file: string | URL, made: Ground, env: NodeJS.ProcessEnv): Promise<string> {
  const contender = await startContender(file, { ground: made, token: "", env });
  const login = await shoot({
    url: `${contender.address}/platform/login`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ userName: "operator", password: operatorPassword }),
  });
  await stopContender(contender);
  return (JSON.parse(login) as { data: { token: string } }).data.token;
}

const environmentOf = (of: Ground): NodeJS.ProcessEnv => ({
  PORT: "0",
  DATA_DIR: of.settings.DATA_DIR,
  DATABASE_URL: of.url,
  DATABASE_POOL: String(poolSize),
  OPERATOR_PASSWORD: operatorPassword,
  RATE_LIMIT_OPEN: "1000000000",
  STUDENT_IDENTITY: "header",
  BENCH_SERVICE: services.join(","),
});

interface Round {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
}

async function runRound({ child, postmaster }: Contender, shot: Shot, durationMs: number): Promise<Round> {
  const read = () => [readCpuMs(child.pid ?? 0), readPostgresCpuMs(postmaster)] as const;
  const [node, postgres] = read();
  const started = performance.now();
  const perSecond = await countPerSecond(shot, connections, durationMs);
  const answers = (perSecond * (performance.now() - started)) / 1000;
  const [nodeAfter, postgresAfter] = read();
  return {
    perSecond,
    nodeUs: ((nodeAfter - node) * 1000) / answers,
    postgresUs: ((postgresAfter - postgres) * 1000) / answers,
  };
}

/**
 * A trace collector that accepts everything. It runs in this process, so that its CPU time is not counted as the
 * server's.
 */
async function startSink() {
  const sink = createServer((request, response) => {
    request.resume().once("end", () => response.setHeader("content-type", "application/json").end("{}"));
  });
  await once(sink.listen(0, "127.0.0.1"), "listening");
  const endpoint = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
  const close = () => sink.close().closeAllConnections();
  return { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, close };
}

const startTraced = async (traces: NodeJS.ProcessEnv): Promise<Record<string, Contender>> => {
  const start = (more: NodeJS.ProcessEnv) =>
    startContender("./http-quintet.ts", { ground, token, env: { ...environmentOf(ground), ...traces, ...more } });
  return {
    traced: await start({}),
    twentieth: await start({ OTEL_TRACES_SAMPLER_ARG: "0.05" }),
  };
};

const sink = process.env["TRACED"] === undefined ? undefined : await startSink();
const ground = await openFilled(ownGround);
const { token, byOperation } = await recordStatements(ground);
const past = before === undefined ? undefined : await openBefore(before);
const sealed = process.env["SEALED"] === undefined ? undefined : await openSealed();

for (const [index, operation] of operations.entries()) {
  if (chosen && !chosen.includes(operation.name)) continue;
  const statements = byOperation[index] ?? [];
  const floorOf = (listed: readonly Statement[]) =>
    startContender("./http-floor.ts", {
      ground,
      token,
      options: { url: ground.url, connections: poolSize, statements: listed },
    });
  // Each operation gets fresh servers, since a server that has served other operations is about 5 % slower.
  const contenders: Record<string, Contender> = {
    ...(past && { before: await startContender(past.file, { ...past, env: environmentOf(past.ground) }) }),
    quintet: await startContender("./http-quintet.ts", { ground, token, env: environmentOf(ground) }),
    ...(sealed && { sealed: await startContender("./http-quintet.ts", sealed) }),
    ...(sink && (await startTraced(sink.environment))),
    floor: await floorOf(statements),
    single: await floorOf([operation.single]),
  };
  const shotAt = ({ address, token: own }: Contender): Shot => ({
    url: address + operation.path,
    method: operation.method,
    headers: headersOf(operation, own),
    ...(operation.body ? { body: operation.body } : {}),
  });
  const results: Record<string, Round[]> = {};
  for (const contender of Object.values(contenders)) await countPerSecond(shotAt(contender), connections, 3000);
  for (let round = 0; round < rounds; round++) {
    for (const [name, contender] of Object.entries(contenders))
      (results[name] ??= []).push(await runRound(contender, shotAt(contender), roundMs));
  }
  for (const contender of Object.values(contenders)) await stopContender(contender);
  console.log(`${operation.name}: ${statements.length} statements`);
  for (const [name, list] of Object.entries(results)) {
    const of = (peer: string) =>
      median(list.map(({ perSecond }, round) => perSecond / (results[peer]?.[round]?.perSecond ?? 1))).toFixed(2);
    const figure = (field: keyof Round) => median(list.map((round) => round[field])).toFixed(0);
    console.log(
      `  ${name.padEnd(9)} ${figure("perSecond").padStart(6)}/s  node ${figure("nodeUs")} µs, PostgreSQL ${figure("postgresUs")} µs; of the floor ${of("floor")}, of the single statement ${of("single")}, of quintet ${of("quintet")}`,
    );
  }
}
sink?.close();
await past?.ground.end();
await sealed?.ground.end();
await ground.end();

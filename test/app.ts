import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { pino } from "pino";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import { passwordCosts } from "#platform/accounts/phc.ts";
import type { Pool } from "#platform/database/index.ts";
import { contracts, listSetup, serviceNames } from "#quintet/app.ts";
import { readSettings } from "#quintet/settings.ts";
import { type RunningServer, startServer } from "#quintet/serve.ts";
import { compileAnswerCheck } from "#test/answers.ts";
import { type Answer, type CallOptions, send } from "#test/call.ts";
import { createTestDatabase, type TestDatabase } from "#test/database.ts";

export { type Answer, type CallOptions, getData } from "#test/call.ts";

// Tests run the production set-up: real HTTP on a free port, a real database, real files.

export interface TestApp {
  readonly url: string;
  readonly pool: Pool;
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly logged: Record<string, unknown>[];
  readonly server: RunningServer;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Creates an administrator of the service, or an operator if the service has no accounts, and signs in. */
  signIn(service: string, options?: { isSuper?: boolean; services?: string[]; userName?: string }): Promise<SignedIn>;
}

export interface SignedIn {
  readonly id: number;
  readonly account: string;
  readonly userName: string;
  readonly password: string;
  readonly token: string;
}

// At production cost, hashing would take 30 ms for each app and each of two thousand logins. A hash contains its cost
// parameters, so a cheap hash can be verified at any cost setting.
const fullCosts = { ...passwordCosts };
const useLowCosts = () => Object.assign(passwordCosts, { memory: 8, passes: 1 });
useLowCosts();

export function useFullPasswordCosts(t: TestContext): void {
  Object.assign(passwordCosts, fullCosts);
  t.after(useLowCosts);
}

export const testPassword = "correct-horse-9";
const setupIds = listSetup(serviceNames).map(({ id }) => id);
const check = compileAnswerCheck(contracts);

const ofOperator = {
  service: "platform",
  userName: "operator",
  name: "",
  isSuper: true,
  enabled: true,
  services: null,
};

export interface TestAppOptions {
  readonly settings?: Record<string, string>;
  readonly services?: readonly string[];
  /** Another app, whose database this one shares as a second process would. */
  readonly beside?: Pick<TestApp, "database">;
}

export async function startTestApp({
  settings = {},
  services = serviceNames,
  beside,
}: TestAppOptions = {}): Promise<TestApp> {
  const database = beside?.database ?? (await createTestDatabase());
  const { url: databaseUrl, pool, closers } = database;
  // The operator is inserted directly. A server that creates it from OPERATOR_PASSWORD would load the library that
  // checks a password's strength, in every test process.
  if (!beside && settings["OPERATOR_PASSWORD"] === undefined)
    await insertAccount(pool, { ...ofOperator, passwordHash: await hashPassword("operator-of-tests-1") });
  // All setup items are set aside, since open ones would appear in the health of every app.
  if (!beside)
    await pool`insert into platform.setup_aside (item) select unnest(${setupIds}::text[]) on conflict do nothing`;
  const dataDir = await mkdtemp(path.join(tmpdir(), "quintet-app-"));
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const environment = {
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: "8",
    STUDENT_IDENTITY: "header",
    SECOND_FACTOR: "off",
    RATE_LIMIT_OPEN: "1000000",
    RATE_LIMIT_LOGIN: "1000000",
    ...settings,
  };
  const server = await startServer(readSettings(environment), { services, log, isTerminal: false });
  closers.push(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const call: TestApp["call"] = async (method, target, options) => {
    const answer = await send(server.address, method, target, options);
    const isJson = answer.text !== "" && answer.headers.get("content-type")?.startsWith("application/json");
    const faults = isJson ? check(method, target, answer) : [];
    assert.deepEqual(
      faults,
      [],
      `${method} ${target} is answered otherwise than its contract says: ${answer.text.slice(0, 500)}`,
    );
    return answer;
  };
  return {
    url: server.address,
    pool,
    database,
    dataDir,
    logged,
    server,
    call,
    signIn: (service, options) => signIn(pool, call, service, options),
  };
}

export const loginPaths: Readonly<Partial<Record<string, string>>> = {
  platform: "/platform/login",
  reporting: "/reporting/user/login",
  "tuition-payment": "/tuitionpayment/admininfo/login",
  "disease-command": "/disease-command/adminInfo/login",
};

let names = 0;

async function signIn(
  pool: Pool,
  call: TestApp["call"],
  service: string,
  options: { isSuper?: boolean; services?: string[]; userName?: string } = {},
): Promise<SignedIn> {
  const loginPath = loginPaths[service];
  const owner = loginPath === undefined ? "platform" : service;
  const runs = owner === service ? null : [service];
  const { isSuper = owner === "platform", services = runs, userName = `${service}-${++names}` } = options;
  const passwordHash = await hashPassword(testPassword);
  const id = await insertAccount(pool, {
    service: owner,
    userName,
    name: userName,
    passwordHash,
    isSuper,
    enabled: true,
    services,
  });
  const answer = await call("POST", loginPath ?? "/platform/login", { body: { userName, password: testPassword } });
  if (answer.status !== 200) throw new Error(`cannot sign in: ${answer.text}`);
  return { id, account: owner, userName, password: testPassword, token: answer.json.data.token };
}

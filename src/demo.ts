import { existsSync } from "node:fs";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { deleteAccounts, findForLogin } from "#platform/accounts/account-store.ts";
import { createOperator, loadRightsDemo, makePassword } from "#platform/accounts/operators/index.ts";
import { addSeed } from "#platform/accounts/second-factor/keep.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Envelope } from "#platform/contract/envelope.ts";
import { inTransaction, type Pool } from "#platform/database/index.ts";
import { toLink } from "#platform/process/links.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { DemoTools, ServiceModule } from "#platform/process/service.ts";
import { makeOwnKey, ownKeyFile } from "#platform/sealing/settings.ts";
import { buildApp, modules, serviceNames } from "./app.ts";
import { listDemoPerson } from "./demo-sign-on.ts";
import { openDatabase } from "./open-database.ts";
import { openPlatform } from "./serve.ts";
import type { Settings } from "./settings.ts";

type How = "again" | "once";

const userPrefix = "demo-";
const listed: readonly ServiceModule[] = modules;

/**
 * Loads fictitious data through the interface of every service, as an operator who exists only meanwhile.
 * @param how "once": only when it has not been loaded before, and for a server that goes on with it.
 */
export async function loadDemo(settings: Settings, say: DemoTools["say"], how: How = "again"): Promise<void> {
  const database = await openDatabase(settings, "server");
  try {
    const platform = await openPlatform(toLoading(settings), database.pool, pino({ level: "silent" }));
    await withOperator(database.pool, (credentials) => loadInto(platform, credentials, say, how));
    await listDemoPerson(platform, say);
    await showSecondFactor(database.pool, say);
  } finally {
    await database.close();
  }
}

const guardName = "guard";

/** An operator with a one-time code, to try the second step with: whose phone it is, is whoever reads this. */
async function showSecondFactor(pool: Pool, say: DemoTools["say"]): Promise<void> {
  if (await findForLogin(pool, "platform", guardName)) return;
  const password = makePassword();
  const id = await createOperator(pool, serviceNames, { userName: guardName, password, name: "两步验证" });
  const { secret } = await inTransaction(pool, (tx) => addSeed(tx, { id, userName: guardName }));
  say(
    `second factor: the operator ${guardName}, password ${password}, has one-time codes; add the secret ${secret} to an app`,
  );
}

interface Credentials {
  readonly userName: string;
  readonly password: string;
}

async function withOperator(pool: Pool, work: (credentials: Credentials) => Promise<void>): Promise<void> {
  const credentials = { userName: `${userPrefix}${Date.now()}`, password: makePassword() };
  const id = await createOperator(pool, serviceNames, credentials);
  try {
    await work(credentials);
  } finally {
    await deleteAccounts(pool, [id]);
  }
}

/** Has the services load what they have, in a server that nobody else reaches. */
async function loadInto(platform: Platform, credentials: Credentials, say: DemoTools["say"], how: How): Promise<void> {
  const { server, services } = await buildApp(platform, {
    services: serviceNames,
    jobs: { isRunning: () => false },
    listHealth: async () => [],
    listSettings: () => [],
  });
  const tools = { say, db: platform.pool, ...(await signIn(server, platform.settings.BASE_PATH, credentials)) };
  if (how === "once" && (await isLoaded(tools))) say("loaded already");
  else {
    for (const { demo } of listed) await demo?.load(tools, platform);
    await loadRightsDemo(tools, serviceNames, toAddress(platform.settings));
  }
  if (how === "once") for (const { demo } of listed) await demo?.wake?.(tools);
  say("what was changed, before and after, is on the console's page Audit log");
  await server.close();
  for (const { settle } of services) await settle?.();
}

/** Where the server is that will go on with it, as far as its settings say. */
const toAddress = ({ PUBLIC_URL, PORT, BASE_PATH }: Platform["settings"]): string =>
  toLink({ PUBLIC_URL: PUBLIC_URL ?? `http://127.0.0.1:${PORT}`, BASE_PATH }, "");

type Sent = Readonly<{ payload?: object | Buffer; headers?: Readonly<Record<string, string>> }>;

/** The interface as the operator sees it. */
async function signIn(
  server: FastifyInstance,
  basePath: string,
  credentials: Credentials,
): Promise<Pick<DemoTools, "call" | "upload">> {
  const inject = async (method: Endpoint["method"], path: string, sent: Sent): Promise<unknown> => {
    const answer = await server.inject({ method, url: basePath + path, ...sent });
    const { success = answer.statusCode === 200, message, data } = answer.json<Partial<Envelope>>();
    if (!success) throw new Error(`${method} ${path}: ${message}`);
    return data;
  };
  const { token } = (await inject("POST", "/platform/login", { payload: credentials })) as { token: string };
  const own = { admin_token: token };
  return {
    call: (method, path, body, headers) =>
      inject(method, path, {
        ...(body === undefined ? {} : { payload: body as object }),
        headers: { ...headers, ...own },
      }),
    upload: async (path, fileName, bytes, fields) => {
      const { payload, headers } = await toForm(fileName, bytes, fields);
      return inject("POST", path, { payload, headers: { ...headers, ...own } });
    },
  };
}

/** The settings of the process that loads the demonstration: it may call as often as it likes. */
const toLoading = (given: Settings): Settings => ({
  ...given,
  RATE_LIMIT_OPEN: 1_000_000,
  RATE_LIMIT_LOGIN: 1_000_000,
  STATUS_STYLE: "real",
  PASSWORD_LOGIN_ONLY: [],
  SECOND_FACTOR: "off",
  GIVEN_PASSWORD: "keep",
  ...Object.assign({}, ...listed.map(({ demo }) => demo?.settingsToLoad?.(given))),
});

/**
 * Gives a demonstration a data key of its own, where none is set and its database is yet to be made: beside one that is
 * there, a server may run without a key.
 */
export async function makeDemoKey(settings: Settings, say: DemoTools["say"]): Promise<void> {
  const { DATABASE_URL, DATA_KEY, DATA_KEY_FILE, DATA_KEY_COMMAND, DATA_KEY_OLD, DATA_DIR } = settings;
  if ([DATABASE_URL, DATA_KEY, DATA_KEY_FILE, DATA_KEY_COMMAND, DATA_KEY_OLD].some((text) => text !== undefined))
    return;
  if (!existsSync(ownKeyFile(DATA_DIR)) && existsSync(path.join(DATA_DIR, "postgres"))) return;
  await makeOwnKey(DATA_DIR);
  say(
    `identity cards, phone numbers and secrets are sealed by the key in ${ownKeyFile(DATA_DIR)}; yours would be DATA_KEY`,
  );
  say("what is known of one person: npm run quintet -- person show --phone '555 0100 0001'");
}

/** The settings of a server that runs with the demonstration. */
export const toDemoSettings = (given: Settings): Settings => ({
  ...given,
  // Its passwords are shown to whoever looks around in it.
  GIVEN_PASSWORD: "keep",
  ...Object.assign({}, ...listed.map(({ demo }) => demo?.settingsToServe?.(given))),
});

/** The audit log remembers who wrote to the services, though their account is gone. */
async function isLoaded({ call }: DemoTools): Promise<boolean> {
  for (const service of serviceNames) {
    const lines = await call("GET", `/platform/audit?service=${service}&userName=${userPrefix}&pageSize=1`);
    if ((lines as { totalCount: number }).totalCount > 0) return true;
  }
  return false;
}

/** The multipart body that a browser would send. */
async function toForm(
  fileName: string,
  bytes: Buffer,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ payload: Buffer; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([new Uint8Array(bytes)]), fileName);
  const response = new Response(form);
  return {
    payload: Buffer.from(await response.arrayBuffer()),
    headers: { "content-type": response.headers.get("content-type") ?? "" },
  };
}

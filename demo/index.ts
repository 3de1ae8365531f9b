import { existsSync } from "node:fs";
import path from "node:path";
import { pino } from "pino";
import { deleteAccounts, findForLogin } from "#platform/accounts/account-store.ts";
import { createOperator, makePassword } from "#platform/accounts/operators/index.ts";
import { addSeed } from "#platform/accounts/second-factor/codes.ts";
import { inTransaction, type Pool } from "#platform/database/index.ts";
import { toLink } from "#platform/process/links.ts";
import type { Platform } from "#platform/process/platform.ts";
import { makeKeyFile, ownKeyFile } from "#platform/sealing/settings.ts";
import { buildApp, serviceNames } from "#quintet/app.ts";
import { openDatabase } from "#quintet/open-database.ts";
import { openPlatform } from "#quintet/serve.ts";
import type { Settings } from "#quintet/settings.ts";
import { attendanceDemo } from "./attendance.ts";
import { diseaseCommandDemo } from "./disease-command.ts";
import { loadInstitution } from "./institution.ts";
import { loadReader, loadScript } from "./operators.ts";
import { pushRelayDemo } from "./push-relay.ts";
import { reportingDemo } from "./reporting.ts";
import { listDemoPerson, openDemoSignOn } from "./sign-on.ts";
import { type Demonstration, type DemoTools, signIn } from "./tools.ts";
import { tuitionPaymentDemo } from "./tuition-payment.ts";

type How = "again" | "once";

const userPrefix = "demo-";
const demonstrations: readonly Demonstration[] = [
  reportingDemo,
  attendanceDemo,
  pushRelayDemo,
  tuitionPaymentDemo,
  diseaseCommandDemo,
];

/**
 * Loads fictitious data through the API of every service, as a temporary operator.
 * @param how "again" always loads the data. "once" is for a server that keeps running: the data is loaded unless an
 * earlier run has loaded it, and background work is started
 */
export async function loadDemo(settings: Settings, say: DemoTools["say"], how: How = "again"): Promise<void> {
  const database = await openDatabase(settings, "server");
  try {
    const platform = await openPlatform(toLoading(settings), database.pool, pino({ level: "silent" }));
    const credentials = { userName: `${userPrefix}${Date.now()}`, password: makePassword() };
    const id = await createOperator(database.pool, serviceNames, credentials);
    try {
      await loadInto(platform, credentials, say, how);
    } finally {
      await deleteAccounts(database.pool, [id]);
    }
    await listDemoPerson(platform, say);
    await showSecondFactor(database.pool, say);
  } finally {
    await database.close();
  }
}

const guardName = "guard";

/**
 * Creates an operator who signs in with a password and a one-time code, so that visitors can try the second step, and
 * prints the password and the secret. Does nothing if the operator exists.
 */
async function showSecondFactor(pool: Pool, say: DemoTools["say"]): Promise<void> {
  if (await findForLogin(pool, "platform", guardName)) return;
  const password = makePassword();
  const id = await createOperator(pool, serviceNames, { userName: guardName, password, name: "两步验证" });
  const { secret } = await inTransaction(pool, (tx) => addSeed(tx, id));
  say(
    `second factor: the operator ${guardName} (password ${password}) signs in with one-time codes; add the secret ${secret} to an authenticator app`,
  );
}

async function loadInto(
  platform: Platform,
  credentials: { readonly userName: string; readonly password: string },
  say: DemoTools["say"],
  how: How,
): Promise<void> {
  const { server, services } = await buildApp(platform, {
    services: serviceNames,
    jobs: { isRunning: () => false },
    listParts: async () => [],
    listSettings: () => [],
  });
  const tools = { say, db: platform.pool, ...(await signIn(server, platform.settings.BASE_PATH, credentials)) };
  if (how === "once" && (await isLoaded(tools))) say("the data has already been loaded");
  else {
    for (const demonstration of demonstrations) await demonstration.load(tools, platform);
    await loadInstitution(tools);
    await loadReader(tools, serviceNames);
    const { PUBLIC_URL, PORT, BASE_PATH } = platform.settings;
    await loadScript(tools, toLink({ PUBLIC_URL: PUBLIC_URL ?? `http://127.0.0.1:${PORT}`, BASE_PATH }, ""));
  }
  if (how === "once") for (const demonstration of demonstrations) await demonstration.wake?.(tools);
  say("the console's Audit log page shows every change with old and new values");
  await server.close();
  for (const { settle } of services) await settle?.();
}

const toLoading = (given: Settings): Settings => ({
  ...given,
  RATE_LIMIT_OPEN: 1_000_000,
  RATE_LIMIT_LOGIN: 1_000_000,
  STATUS_STYLE: "real",
  PASSWORD_LOGIN_ONLY: [],
  SECOND_FACTOR: "off",
  GIVEN_PASSWORD: "keep",
  ...Object.assign({}, ...demonstrations.map((demonstration) => demonstration.settingsToLoad?.(given))),
});

export async function prepareDemo(given: Settings, say: DemoTools["say"]): Promise<Settings> {
  const settings = await openDemoSignOn({
    ...given,
    // The demo prints its passwords for all visitors, so nobody is asked to choose a new one.
    GIVEN_PASSWORD: "keep",
    ...Object.assign({}, ...demonstrations.map((demonstration) => demonstration.settingsToServe?.(given))),
  });
  await makeDemoKey(settings, say);
  return settings;
}

/** Makes a key only for a new database, since an existing database may have been filled without a key. */
async function makeDemoKey(settings: Settings, say: DemoTools["say"]): Promise<void> {
  const { DATABASE_URL, DATA_KEY, DATA_KEY_FILE, DATA_KEY_OLD, DATA_DIR } = settings;
  if ([DATABASE_URL, DATA_KEY, DATA_KEY_FILE, DATA_KEY_OLD].some((text) => text !== undefined)) return;
  if (!existsSync(ownKeyFile(DATA_DIR)) && existsSync(path.join(DATA_DIR, "postgres"))) return;
  await makeKeyFile(ownKeyFile(DATA_DIR));
  say(
    `identity cards, phone numbers and secrets are encrypted with the key in ${ownKeyFile(DATA_DIR)}; in production, set DATA_KEY`,
  );
  say("to show all data stored about a person: echo '555 0100 0001' | npm run quintet -- person show --phone");
}

/**
 * Whether an earlier run has loaded the data. The operator of that run is deleted, but the audit log still shows the
 * operator's writes.
 */
async function isLoaded({ call }: DemoTools): Promise<boolean> {
  for (const service of serviceNames) {
    const lines = await call("GET", `/platform/audit?service=${service}&userName=${userPrefix}&pageSize=1`);
    if ((lines as { totalCount: number }).totalCount > 0) return true;
  }
  return false;
}

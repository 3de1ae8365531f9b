import { pino } from "pino";
import { deleteAccounts } from "#platform/accounts/account-store.ts";
import { createOperator, makePassword } from "#platform/accounts/operators/index.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Envelope } from "#platform/contract/envelope.ts";
import type { Settings } from "#platform/process/config.ts";
import { serviceNames } from "#platform/process/config.ts";
import type { DemoTools } from "#platform/process/service.ts";
import { buildApp, modules } from "./app.ts";
import { openDatabase, openPlatform } from "./serve.ts";

const userPrefix = "demo-";

/**
 * Loads fictitious data through the interface of every service, as an operator who exists only meanwhile.
 * @param how "once": only when it has not been loaded before, and for a server that goes on with it.
 */
export async function loadDemo(
  settings: Settings,
  say: (line: string) => void,
  how: "again" | "once" = "again",
): Promise<void> {
  const database = await openDatabase(settings, "server");
  const { pool } = database;
  const unlimited = {
    ...settings,
    RATE_LIMIT_OPEN: 1_000_000,
    RATE_LIMIT_LOGIN: 1_000_000,
    STATUS_STYLE: "real" as const,
    // Its students are as fictitious as their cards.
    STUDENT_IDENTITY: "header" as const,
    // The relay's receiver runs in this process, which delivers to it and to nobody else, a running server not being
    // allowed to: so it looks more often than the server does. What the server gets hold of is tried again after seconds.
    PUSH_ALLOWED_NETWORKS: [...settings.PUSH_ALLOWED_NETWORKS, "127.0.0.1/32"],
    PUSH_POLL_MS: 20,
  };
  const userName = `${userPrefix}${Date.now()}`;
  const password = makePassword();
  const operatorId = await createOperator(pool, { userName, password });
  try {
    const platform = await openPlatform(unlimited, pool, pino({ level: "silent" }));
    const { server, services } = await buildApp(platform, {
      services: serviceNames,
      jobs: { isRunning: () => false },
      listHealth: async () => [],
    });
    const tools: DemoTools = {
      say,
      db: pool,
      call: (method, path, body, card) =>
        inject(method, path, {
          ...(body === undefined ? {} : { payload: body as object }),
          ...(card === undefined ? {} : { headers: { card_number: card } }),
        }),
      upload: async (path, fileName, bytes, fields) => inject("POST", path, await toForm(fileName, bytes, fields)),
    };
    let token = "";
    const inject = async (
      method: Endpoint["method"],
      path: string,
      sent: { payload?: object; headers?: Record<string, string> },
    ): Promise<unknown> => {
      const answer = await server.inject({
        method,
        url: settings.BASE_PATH + path,
        ...sent,
        headers: { ...sent.headers, admin_token: token },
      });
      const { success = answer.statusCode === 200, message, data } = answer.json<Partial<Envelope>>();
      if (!success) throw new Error(`${method} ${path}: ${message}`);
      return data;
    };
    ({ token } = (await inject("POST", "/platform/login", { payload: { userName, password } })) as { token: string });
    if (how === "once" && (await isLoaded(tools))) say("loaded already");
    else for (const { demo } of modules) await demo?.(tools, platform);
    if (how === "once") for (const { wakeDemo } of modules) await wakeDemo?.(tools);
    await server.close();
    for (const { settle } of services) await settle?.();
  } finally {
    await deleteAccounts(pool, [operatorId]);
    await database.close();
  }
}

/** The settings of a server that runs with the demonstration. */
export const toDemoSettings = (given: Settings): Settings => ({
  ...given,
  // Its students are as fictitious as their cards.
  STUDENT_IDENTITY: given.STUDENT_IDENTITY ?? "demo",
  // A project of its own is received on this machine.
  PUSH_ALLOWED_NETWORKS: [...given.PUSH_ALLOWED_NETWORKS, "127.0.0.1/32"],
});

/** The audit log remembers who judged reports, though their account is gone. */
async function isLoaded({ call }: DemoTools): Promise<boolean> {
  const lines = await call("GET", `/platform/audit?service=reporting&userName=${userPrefix}&pageSize=1`);
  return (lines as { totalCount: number }).totalCount > 0;
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

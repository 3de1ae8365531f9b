#!/usr/bin/env node
// The command line, and the only file that does anything when it is loaded.
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import { Command, InvalidArgumentError } from "commander";
import { pino } from "pino";
import packageFile from "../package.json" with { type: "json" };
import { contracts } from "./app.ts";
import { loadDemo } from "./demo.ts";
import {
  describeSettings,
  listOpenServices,
  readEnvironment,
  readSettings,
  type ServiceName,
  serviceNames,
  type Settings,
  SettingsError,
} from "#platform/config.ts";
import type { Pool } from "#platform/database.ts";
import { gatherLines } from "#platform/gathered-lines.ts";
import { describeApi } from "#platform/openapi/index.ts";
import { createOperator, setOperatorPassword } from "#platform/operators/index.ts";
import { Problem } from "#platform/problem.ts";
import { openDatabase, startServer } from "./serve.ts";

const { version } = packageFile;

/** Exit codes: 0 done, 1 failed, 2 wrong call or setting. */
const exitCodes = { failed: 1, wrongCall: 2 } as const;
// Docker, systemd and people wait ten seconds before they kill.
const stopTimeoutMs = 9_000;

const program = new Command("quintet")
  .description("One self-hosted platform of five services for a university and its city")
  .version(version);
program
  .configureOutput({ writeErr: (text) => void process.stderr.write(text) })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : exitCodes.wrongCall));

program
  .command("serve")
  .description("start the server: all services, or those that are named")
  .argument("[service...]", `out of ${serviceNames.join(", ")}`, (name: string, chosen: ServiceName[] | undefined) => [
    ...(chosen ?? []),
    toServiceName(name),
  ])
  .option("--demo", "load fictitious data, once, to look around in")
  .action(async (services: ServiceName[], { demo = false }: { demo?: boolean }) => {
    const settings = await serve(services.length > 0 ? services : serviceNames);
    if (demo) await loadDemo(settings, (line) => console.log(`demo: ${line}`), "once");
  });

program
  .command("migrate")
  .description("bring the database up to date, and end")
  .action(() => withDatabase(async () => console.log("The database is up to date.")));

const operator = program.command("operator").description("the accounts that run the platform");
operator
  .command("create")
  .description("make an operator; the password is read from the terminal, or from standard input")
  .argument("<userName>")
  .option("--services <names>", "services they run, separated by commas; left out: all", toServiceNames)
  .action((userName: string, { services }: { services?: ServiceName[] }) =>
    withDatabase(async (pool) => {
      await createOperator(pool, { userName, password: await readPassword(), ...(services ? { services } : {}) });
      console.log(`The operator ${userName} can log in.`);
    }),
  );
operator
  .command("password")
  .description("set an operator's password, and sign them out everywhere")
  .argument("<userName>")
  .action((userName: string) =>
    withDatabase(async (pool) => {
      await setOperatorPassword(pool, { userName, password: await readPassword() });
      console.log(`The operator ${userName} has the new password.`);
    }),
  );

program
  .command("demo")
  .description("load fictitious data through the interface's own rules, for every service that exists")
  .action(() => loadDemo(loadSettings(), (line) => console.log(line)));

program
  .command("config")
  .description("show every setting with its value; secrets as set or not set")
  .action(() => {
    for (const { key, value, description } of describeSettings(loadSettings()))
      console.log(`${key}=${value}\n    ${description}`);
  });

program
  .command("openapi")
  .description("print the OpenAPI document, or write it to a file")
  .option("--out <file>", "the file to write")
  .action(async ({ out }: { out?: string }) => {
    const text = `${JSON.stringify(describeApi(contracts, { title: "Quintet", version, basePath: "" }), null, 2)}\n`;
    if (out) await writeFile(out, text);
    else process.stdout.write(text);
  });

function toServiceName(name: string): ServiceName {
  if (!serviceNames.some((known) => known === name))
    throw new InvalidArgumentError(`It is none of ${serviceNames.join(", ")}.`);
  return name as ServiceName;
}

function toServiceNames(list: string): ServiceName[] {
  return list.split(",").map((name) => toServiceName(name.trim()));
}

function loadSettings(): Settings {
  return readSettings(readEnvironment());
}

async function withDatabase(work: (pool: Pool) => Promise<void>): Promise<void> {
  const database = await openDatabase(loadSettings(), "server");
  try {
    await work(database.pool);
  } finally {
    await database.close();
  }
}

async function readPassword(): Promise<string> {
  const terminal = isatty(0);
  const lines = createInterface({ input: process.stdin, ...(terminal ? { output: process.stderr } : {}) });
  if (terminal) process.stderr.write("Password (shown as you type): ");
  for await (const line of lines) {
    lines.close();
    return line;
  }
  throw new Error("No password came on standard input.");
}

async function serve(services: readonly ServiceName[]): Promise<Settings> {
  const settings = loadSettings();
  const destination = gatherLines(pino.destination());
  const log = pino({ level: settings.LOG_LEVEL }, destination);
  const server = await startServer(settings, { services, log, isTerminal: isatty(1) });
  const end = (why: string, code: number) => {
    log.info({ why }, "stopping");
    setTimeout(() => process.exit(exitCodes.failed), stopTimeoutMs).unref();
    void server.stop().then(() => {
      destination.flushSync();
      process.exit(code);
    });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => end(signal, 0));
  // At once: without its PostgreSQL nothing can be finished, and the job runner's way of trying to ends in stack traces.
  void server.lost.then((reason) => {
    log.fatal({ why: reason }, "stopping");
    destination.flushSync();
    process.stderr.write(`${reason}\n`);
    process.exit(exitCodes.failed);
  });
  announce(settings, server, services);
  return settings;
}

type Started = Awaited<ReturnType<typeof startServer>>;

function announce(
  settings: Settings,
  { address, console: consoleAddress, database, firstOperator, warnings }: Started,
  services: readonly ServiceName[],
): void {
  const lines = [
    `Quintet runs at     ${address}/`,
    `  services          ${contracts
      .map(({ name }) => name)
      .filter((name) => services.some((wanted) => wanted === name))
      .join(", ")}`,
    `  console           ${consoleAddress ?? "not built (npm run console)"}`,
    `  API reference     ${address}/docs`,
    `  database          ${database}`,
    `  data              ${settings.DATA_DIR}`,
  ];
  lines.push(...warnings.map((warning) => `  WARNING           ${warning}`));
  const open = listOpenServices(settings);
  if (open.length > 0)
    lines.push(`  OPEN TO ANYONE    operations without a documented header of ${open.join(", ")} (UNDOCUMENTED_AUTH)`);
  if (firstOperator.kind === "show")
    lines.push(
      `  operator          ${firstOperator.userName}`,
      `  password          ${firstOperator.password}   (shown this once)`,
    );
  if (firstOperator.kind === "written")
    lines.push(`  operator          ${firstOperator.userName}, password in ${firstOperator.file}`);
  console.log(lines.join("\n"));
}

function explainFailure(error: unknown): { text: string; code: number } {
  if (error instanceof SettingsError)
    return {
      text: `Wrong settings:\n${error.problems.map((problem) => `  ${problem}`).join("\n")}`,
      code: exitCodes.wrongCall,
    };
  if (error instanceof Problem) return { text: error.message, code: exitCodes.failed };
  return { text: error instanceof Error ? error.message : String(error), code: exitCodes.failed };
}

try {
  await program.parseAsync();
} catch (error) {
  const { text, code } = explainFailure(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}

#!/usr/bin/env node
// The command line, and the only file that does anything when it is loaded.
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import { Command, InvalidArgumentError } from "commander";
import { pino } from "pino";
import {
  createOperator,
  resetOperatorFactors,
  setOperatorPassword,
  unlockOperator,
} from "#platform/accounts/operators/index.ts";
import type { Pool } from "#platform/database/index.ts";
import { describeApi } from "#platform/openapi/index.ts";
import { SettingsError } from "#platform/contract/setting-types.ts";
import { readEnvironment } from "#platform/process/config.ts";
import { batchLines } from "./batched-log.ts";
import { openLineFile } from "#platform/process/line-file.ts";
import type { Person } from "#platform/process/person.ts";
import packageFile from "../package.json" with { type: "json" };
import { describeStart } from "./announce.ts";
import { contracts, serviceNames } from "./app.ts";
import { runErase, runShow } from "./persons.ts";
import { withDatabase } from "./open-database.ts";
import { startServer } from "./serve.ts";
import { describeSettings, readSettings, type Settings } from "./settings.ts";
import { addImport } from "./old-systems/command.ts";
import { runBackup, runRestore, runRetention, runSeal, runVerify } from "./upkeep.ts";

const { version } = packageFile;

/** Exit codes: 0 done, 1 failed, 2 wrong call or setting. */
const exitCodes = { failed: 1, wrongCall: 2 } as const;
// Docker, systemd and people wait ten seconds before they kill.
const stopTimeoutMs = 9_000;

const say = (line: string): void => console.log(line);

const program = new Command("quintet")
  .description("One self-hosted platform of five services for a university and its city")
  .version(version);
program
  .configureOutput({ writeErr: (text) => void process.stderr.write(text) })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : exitCodes.wrongCall));

program
  .command("serve")
  .description("start the server: all services, or those that are named")
  .argument("[service...]", `out of ${serviceNames.join(", ")}`, (name: string, chosen: string[] | undefined) => [
    ...(chosen ?? []),
    toServiceName(name),
  ])
  .option("--demo", "load fictitious data, once, to look around in")
  .action(async (services: string[], { demo = false }: { demo?: boolean }) => {
    const chosen = services.length > 0 ? services : serviceNames;
    if (!demo) return serve(loadSettings(), chosen);
    const tell = (line: string): void => say(`demo: ${line}`);
    const { prepareDemo, loadDemo } = await import("#demo/index.ts");
    const settings = await prepareDemo(loadSettings(), tell);
    await serve(settings, chosen);
    await loadDemo(settings, tell, "once");
  });

program
  .command("migrate")
  .description("bring the database up to date, and end")
  .action(() => work(async () => console.log("The database is up to date.")));

program
  .command("backup")
  .description("back up the database and the uploaded files, beside a running server too")
  .argument("<folder>", "where backups lie; this one becomes a folder of its own there")
  .option("--keep <n>", "remove all backups there but the newest n", toCount)
  .action((to: string, { keep }: { keep?: number }) => runBackup(loadSettings(), { to, keep, say }));
const fromBackup = (command: Command) =>
  command
    .argument("<folder>", "a backup, or where backups lie: then the newest")
    .option("--any-key", "take a backup whose key is lost: whoever could write there may have changed it");
fromBackup(program.command("restore"))
  .description(
    "restore a backup into an empty database: the embedded one of an empty DATA_DIR, or that of DATABASE_URL",
  )
  .action((from: string, { anyKey }: { anyKey?: boolean }) => runRestore(loadSettings(), { from, anyKey, say }));
fromBackup(program.command("verify"))
  .description("hold a backup against its checksums, restore it aside, and hold its books against its rows")
  .option("--aside <folder>", "a folder with room for the whole database; left out, the system's for temporary files")
  .action(async (from: string, { anyKey, aside }: { anyKey?: boolean; aside?: string }) => {
    if (!(await runVerify(loadSettings(), { from, anyKey, aside, say }))) process.exitCode = exitCodes.failed;
  });

program
  .command("seal")
  .description("seal what DATA_KEY has not sealed yet, while the server runs; again, when it was cut off")
  .option("--open", "open everything that DATA_KEY_OLD has sealed, to do without a key")
  .action(async ({ open }: { open?: boolean }) => {
    if (!(await runSeal(loadSettings(), { open, say }))) process.exitCode = exitCodes.failed;
  });

program
  .command("retention")
  .description("remove now what the settings …_KEEP_…DAYS let go, as a server does by itself four times a day")
  .option("--dry", "only say what would be removed")
  .action(({ dry }: { dry?: boolean }) => runRetention(loadSettings(), { dry, say }));

const person = program
  .command("person")
  .description(
    "what the services have about one person, by what is read: a line each from the terminal, or from standard input",
  );
const byPerson = (command: Command) =>
  command
    .option("--card", "read an identity card, or a student or campus number; first")
    .option("--phone", "read a phone number; behind a card")
    .option("--user", "read an account, or UserId in attendance; last");
type Asked = Readonly<Partial<Record<keyof Person, true>>>;
// Of what is an argument, whoever lists the processes learns, and the shell remembers it.
const readPerson = (asked: Asked): Promise<Person> =>
  readLines((["card", "phone", "user"] as const).filter((name) => asked[name]));
byPerson(person.command("show").description("print it as JSON")).action(async (asked: Asked) =>
  runShow(loadSettings(), await readPerson(asked), say),
);
byPerson(person.command("erase").description("erase it, or what it says of the person where the record must stay"))
  .option("--yes", "without asking")
  .action(async ({ yes = false, ...asked }: Asked & { yes?: boolean }) => {
    if (!(await runErase(loadSettings(), await readPerson(asked), { yes, say }))) process.exitCode = exitCodes.failed;
  });

const operator = program.command("operator").description("the accounts that run the platform");
operator
  .command("create")
  .description("make an operator; the password is read from the terminal, or from standard input")
  .argument("<userName>")
  .option("--services <names>", "services they run, separated by commas; left out: all", (list: string) =>
    list.split(",").map((name) => toServiceName(name.trim())),
  )
  .action((userName: string, { services }: { services?: string[] }) =>
    work(async (pool) => {
      const password = await readPassword();
      await createOperator(pool, serviceNames, { userName, password, ...(services ? { services } : {}) });
      console.log(`The operator ${userName} can log in.`);
    }),
  );
operator
  .command("password")
  .description("set an operator's password, and sign them out everywhere")
  .argument("<userName>")
  .action((userName: string) =>
    work(async (pool) => {
      await setOperatorPassword(pool, { userName, password: await readPassword() });
      console.log(`The operator ${userName} has the new password.`);
    }),
  );

operator
  .command("unlock")
  .description("let an operator log in whose name failed logins have locked")
  .argument("<userName>")
  .argument("[address]", "an address from which the failed logins of others will not lock them out any more")
  .action((userName: string, address: string | undefined) =>
    work(async (pool) => {
      await unlockOperator(pool, { userName, address });
      console.log(`The operator ${userName} can log in${address === undefined ? "" : ` from ${address}`}.`);
    }),
  );

operator
  .command("reset-factors")
  .description("take away an operator's second factors, whose phone is lost, and sign them out everywhere")
  .argument("<userName>")
  .action((userName: string) =>
    work(async (pool) => {
      await resetOperatorFactors(pool, userName);
      console.log(`The operator ${userName} logs in with the password alone, and can set up another second factor.`);
    }),
  );

addImport(program, {
  loadSettings: () => loadSettings(),
  readPassword: () => readPassword(),
  toServiceName,
  say,
  fail: () => (process.exitCode = exitCodes.failed),
});

program
  .command("demo")
  .description("load fictitious data through the interface's own rules, for every service that exists")
  .action(async () => (await import("#demo/index.ts")).loadDemo(loadSettings(), say));

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

function toServiceName(name: string): string {
  if (!serviceNames.includes(name)) throw new InvalidArgumentError(`It is none of ${serviceNames.join(", ")}.`);
  return name;
}

function toCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("It is no number from 1 to 9999.");
  return Number(text);
}

const loadSettings = (): Settings => readSettings(readEnvironment());

/** Works with the database; what it warns of is told on standard error. */
function work(what: (pool: Pool) => Promise<void>): Promise<void> {
  const say = (line: unknown) => void (typeof line === "string" && process.stderr.write(`${line}\n`));
  return withDatabase(loadSettings(), what, { warn: say, error: say });
}

const readPassword = async (): Promise<string> => (await readLines(["password"])).password;

/** A line for each name, from the terminal, where it is asked for, or from standard input. */
async function readLines<Name extends string>(names: readonly Name[]): Promise<Record<Name, string>> {
  const terminal = isatty(0);
  const lines = createInterface({ input: process.stdin, ...(terminal ? { output: process.stderr } : {}) });
  const given = lines[Symbol.asyncIterator]();
  const read = {} as Record<Name, string>;
  for (const name of names) {
    if (terminal) process.stderr.write(`The ${name} (shown as you type): `);
    const line = await given.next();
    if (line.done) throw new Error(`No ${name} came on standard input.`);
    read[name] = line.value;
  }
  lines.close();
  return read;
}

async function serve(settings: Settings, services: readonly string[]): Promise<void> {
  const destination = batchLines(openLineFile(1));
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
  console.log(describeStart(settings, server, services).join("\n"));
}

try {
  await program.parseAsync();
} catch (error) {
  const isOfSettings = error instanceof SettingsError;
  const text = isOfSettings
    ? `Wrong settings:\n${error.problems.map((problem) => `  ${problem}`).join("\n")}`
    : error instanceof Error
      ? error.message
      : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = isOfSettings ? exitCodes.wrongCall : exitCodes.failed;
}

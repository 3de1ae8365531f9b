#!/usr/bin/env node
// The command line: defines the commands and runs the one that was given.
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

const exitCodes = { failed: 1, wrongCall: 2 } as const;
// By default, Docker kills a process ten seconds after asking it to stop.
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
  .description("start the server with all services, or only some")
  .argument(
    "[service...]",
    `services to start, out of ${serviceNames.join(", ")} (default: all)`,
    (name: string, chosen: string[] | undefined) => [...(chosen ?? []), toServiceName(name)],
  )
  .option("--demo", "load fictitious data once")
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
  .description("apply new migrations to the database")
  .action(() => work(async () => console.log("The database is up to date.")));

program
  .command("backup")
  .description("back up the database and the uploaded files; a server may be running")
  .argument("<folder>", "folder of all backups; the new backup becomes a subfolder")
  .option("--keep <n>", "keep only the newest n backups in the folder", toCount)
  .action((to: string, { keep }: { keep?: number }) => runBackup(loadSettings(), { to, keep, say }));
const fromBackup = (command: Command) =>
  command
    .argument("<folder>", "a backup, or the folder of all backups, whose newest backup is then used")
    .option("--any-key", "accept a backup whose key is lost, without verifying that it is unchanged");
fromBackup(program.command("restore"))
  .description("restore a backup into an empty database, embedded in DATA_DIR or at DATABASE_URL")
  .action((from: string, { anyKey }: { anyKey?: boolean }) => runRestore(loadSettings(), { from, anyKey, say }));
fromBackup(program.command("verify"))
  .description("check a backup: its checksums, a trial restore, and its totals")
  .option("--aside <folder>", "folder with space for the whole database (default: the temporary folder)")
  .action(async (from: string, { anyKey, aside }: { anyKey?: boolean; aside?: string }) => {
    if (!(await runVerify(loadSettings(), { from, anyKey, aside, say }))) process.exitCode = exitCodes.failed;
  });

program
  .command("seal")
  .description(
    "encrypt personal data and secrets with DATA_KEY; servers may be running, and an interrupted run can be repeated",
  )
  .option("--open", "decrypt everything that was encrypted with DATA_KEY_OLD")
  .action(async ({ open }: { open?: boolean }) => {
    if (!(await runSeal(loadSettings(), { open, say }))) process.exitCode = exitCodes.failed;
  });

program
  .command("retention")
  .description("delete records that are older than the …_KEEP_…DAYS settings allow; servers do this four times a day")
  .option("--dry", "only count the records that would be deleted")
  .action(({ dry }: { dry?: boolean }) => runRetention(loadSettings(), { dry, say }));

const person = program
  .command("person")
  .description("show or erase the data stored about a person, who is identified on the terminal or standard input");
const byPerson = (command: Command) =>
  command
    .option("--card", "read an identity card, student or campus number (first line)")
    .option("--phone", "read a phone number (after the card)")
    .option("--user", "read a user name, or UserId in attendance (last line)");
type Asked = Readonly<Partial<Record<keyof Person, true>>>;
// Personal data is read from the input instead of arguments, since process lists and shell histories show arguments.
const readPerson = (asked: Asked): Promise<Person> =>
  readLines((["card", "phone", "user"] as const).filter((name) => asked[name]));
byPerson(person.command("show").description("print the person's data as JSON")).action(async (asked: Asked) =>
  runShow(loadSettings(), await readPerson(asked), say),
);
byPerson(
  person
    .command("erase")
    .description("erase the person's data; records that must be kept lose the name or are reported with the reason"),
)
  .option("--yes", "do not ask for confirmation")
  .action(async ({ yes = false, ...asked }: Asked & { yes?: boolean }) => {
    if (!(await runErase(loadSettings(), await readPerson(asked), { yes, say }))) process.exitCode = exitCodes.failed;
  });

const operator = program.command("operator").description("manage the operators' accounts");
operator
  .command("create")
  .description("create an operator; the password is read from the terminal or standard input")
  .argument("<userName>")
  .option(
    "--services <names>",
    "services that the operator manages, separated by commas (default: all)",
    (list: string) => list.split(",").map((name) => toServiceName(name.trim())),
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
  .description("set an operator's password and end their sessions")
  .argument("<userName>")
  .action((userName: string) =>
    work(async (pool) => {
      await setOperatorPassword(pool, { userName, password: await readPassword() });
      console.log(`The password of the operator ${userName} was set, and their sessions were ended.`);
    }),
  );

operator
  .command("unlock")
  .description("unlock an operator after failed logins")
  .argument("<userName>")
  .argument("[address]", "address from which the operator can log in even if logins from other addresses fail")
  .action((userName: string, address: string | undefined) =>
    work(async (pool) => {
      await unlockOperator(pool, { userName, address });
      console.log(`The operator ${userName} can log in${address === undefined ? "" : ` from ${address}`}.`);
    }),
  );

operator
  .command("reset-factors")
  .description("remove an operator's second factors, for example after a lost phone, and end their sessions")
  .argument("<userName>")
  .action((userName: string) =>
    work(async (pool) => {
      await resetOperatorFactors(pool, userName);
      console.log(`The operator ${userName} can now log in with the password alone and set up a new second factor.`);
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
  .description("load fictitious data for every service")
  .action(async () => (await import("#demo/index.ts")).loadDemo(loadSettings(), say));

program
  .command("settings")
  .description("list every setting with its default and meaning")
  .argument("[word]", "list only settings whose name contains this word, such as backup")
  .action((word = "") => {
    for (const { key, standard, secret, description } of describeSettings(readSettings({})))
      if (key.includes(word.toUpperCase())) say(`${key}=${secret ? "(secret)" : standard}\n    ${description}`);
  });

program
  .command("config")
  .description("show every setting with its current value; secrets only as set or not set")
  .action(() => {
    for (const { key, value, description } of describeSettings(loadSettings()))
      say(`${key}=${value}\n    ${description}`);
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
  if (!serviceNames.includes(name))
    throw new InvalidArgumentError(`The known services are ${serviceNames.join(", ")}.`);
  return name;
}

function toCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("Use a whole number from 1 to 9999.");
  return Number(text);
}

const loadSettings = (): Settings => readSettings(readEnvironment());

function work(what: (pool: Pool) => Promise<void>): Promise<void> {
  const say = (line: unknown) => void (typeof line === "string" && process.stderr.write(`${line}\n`));
  return withDatabase(loadSettings(), what, { warn: say, error: say });
}

const readPassword = async (): Promise<string> => (await readLines(["password"])).password;

async function readLines<Name extends string>(names: readonly Name[]): Promise<Record<Name, string>> {
  const terminal = isatty(0);
  const lines = createInterface({ input: process.stdin, ...(terminal ? { output: process.stderr } : {}) });
  const given = lines[Symbol.asyncIterator]();
  const read = {} as Record<Name, string>;
  for (const name of names) {
    if (terminal) process.stderr.write(`The ${name} (shown as you type): `);
    const line = await given.next();
    if (line.done) throw new Error(`Standard input ended before the line with the ${name}.`);
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
    ? `Invalid settings:\n${error.problems.map((problem) => `  ${problem}`).join("\n")}\nRun "quintet settings" to list all settings with their meaning.`
    : error instanceof Error
      ? error.message
      : String(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = isOfSettings ? exitCodes.wrongCall : exitCodes.failed;
}

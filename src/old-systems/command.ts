import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { contracts } from "#quintet/app.ts";
import type { Settings } from "#quintet/settings.ts";
import { runImport } from "#quintet/upkeep.ts";
import type { Step } from "./bringing.ts";
import type { OldTables } from "./old-tables.ts";

interface Surroundings {
  readonly loadSettings: () => Settings;
  readonly readPassword: () => Promise<string>;
  readonly say: (line: string) => void;
  readonly toServiceName: (name: string) => string;
  readonly fail: () => void;
}

interface OldPlace {
  readonly dump?: string;
  readonly from?: string;
  readonly passwordFile?: string;
  readonly tlsCa?: string;
  readonly withoutTls?: boolean;
}

export function addImport(
  program: Command,
  { loadSettings, readPassword, toServiceName, say, fail }: Surroundings,
): void {
  const old = program.command("import").description("import data from the services' old systems");
  const addStep = (name: string, description: string): Command =>
    old
      .command(name)
      .description(description)
      .option("--dump <file>", "dump file written by mysqldump, mariadb-dump or Navicat; may be gzipped (.gz)")
      .option("--from <address>", "read the old database instead of a dump, such as mysql://user@host:3306/database")
      .option("--password-file <file>", "file with the password for --from (default: standard input)")
      .option("--tls-ca <file>", "certificate of the authority that signed the server certificate of --from")
      .option("--without-tls", "connect to --from without encryption (the default on the same machine)");

  async function withOld(given: OldPlace, work: (tables: OldTables) => Promise<boolean>): Promise<void> {
    const tables = await openOld(given, readPassword);
    try {
      if (!(await work(tables))) fail();
    } finally {
      await tables.close();
    }
  }

  addStep("plan", "match the tables of an old database to records and write a map file; no data is imported")
    .requiredOption("--map <file>", "map file to create, such as map.yaml; it must not exist yet")
    .action(async ({ map, ...place }: OldPlace & { map: string }) => {
      const { runPlan } = await import("./plan.ts");
      await withOld(place, (tables) => runPlan(contracts, { old: tables, map, say }));
    });

  const addBring = (step: Step, description: string): Command =>
    addStep(step, description).option("--report <file>", "workbook to write the findings to", `import-${step}.xlsx`);
  const bring = (step: Step) => async (given: BringGiven) => {
    const { map, report, ...place } = given;
    const settings = loadSettings();
    await withOld(place, (tables) => runImport(settings, { step, old: tables, map, report, say }));
  };
  const mapOption = ["--map <file>", 'map file created by "import plan", after you have reviewed it'] as const;
  addBring("check", 'report what "import run" would refuse, change or merge; nothing is stored')
    .requiredOption(...mapOption)
    .action(bring("check"));
  addBring(
    "run",
    "import the old database, each service completely or not at all; services already imported are skipped",
  )
    .requiredOption(...mapOption)
    .action(bring("run"));
  addBring(
    "again",
    "import rows added or changed since the last import; records also changed here are reported and kept",
  )
    .requiredOption(...mapOption)
    .action(bring("again"));
  addBring(
    "compare",
    "compare imported records and files with the old database, or the answers of two running services; nothing is stored",
  )
    .option(...mapOption)
    .option(
      "--old <address>",
      "address of the old service, to compare two running services, such as https://old.example.edu",
    )
    .option("--new <address>", "address of the new service; the results of all documented read operations are compared")
    .option("--service <name>", "service whose read operations are compared", toServiceName)
    .option("--old-token-file <file>", "file with an administrator's token for the old service (default: OLD_TOKEN)")
    .option("--new-token-file <file>", "file with an administrator's token for the new service (default: NEW_TOKEN)")
    .action(async (given: Partial<BringGiven> & SidesGiven) => {
      const { map, report = "", old: oldBase, new: newBase, service } = given;
      if (map !== undefined) return bring("compare")({ ...given, map, report });
      if (oldBase === undefined || newBase === undefined || service === undefined)
        throw new Error("Specify the old database and --map, or --old, --new and --service.");
      const { compareSides } = await import("./side-by-side.ts");
      const there = { base: oldBase, token: await readToken("OLD_TOKEN", given.oldTokenFile) };
      const here = { base: newBase, token: await readToken("NEW_TOKEN", given.newTokenFile) };
      if (!(await compareSides(contracts, { service, there, here, say }))) fail();
    });
}

interface BringGiven extends OldPlace {
  readonly map: string;
  readonly report: string;
}

interface SidesGiven {
  readonly service?: string;
  readonly old?: string;
  readonly new?: string;
  readonly oldTokenFile?: string;
  readonly newTokenFile?: string;
}

const readToken = async (name: string, file: string | undefined): Promise<string> =>
  (file === undefined ? (process.env[name] ?? "") : await readFile(file, "utf8")).trim();

async function openOld(given: OldPlace, readPassword: () => Promise<string>): Promise<OldTables> {
  const { dump, from, passwordFile, tlsCa, withoutTls } = given;
  if ((dump === undefined) === (from === undefined))
    throw new Error("Specify the old database with either --dump or --from.");
  if (dump !== undefined) return (await import("./dump.ts")).openDump(dump);
  const { openMysql, readAddress } = await import("./mysql.ts");
  const address = readAddress(from ?? "");
  const password = passwordFile === undefined ? await readPassword() : await readFile(passwordFile, "utf8");
  return openMysql({ address, password: password.replace(/\r?\n$/, ""), ca: tlsCa, withoutTls });
}

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
  const old = program.command("import").description("come from the old systems of the services");
  const addStep = (name: string, description: string): Command =>
    old
      .command(name)
      .description(description)
      .option("--dump <file>", "what mysqldump, mariadb-dump or Navicat wrote; packed when it ends in .gz")
      .option("--from <address>", "in place of a dump the database itself, such as mysql://user@host:3306/database")
      .option("--password-file <file>", "has the password of --from; left out, it is read from standard input")
      .option("--tls-ca <file>", "the certificate of whoever signed that of --from")
      .option("--without-tls", "read --from without encryption, as is done on the same machine in any case");

  async function withOld(given: OldPlace, work: (tables: OldTables) => Promise<boolean>): Promise<void> {
    const tables = await openOld(given, readPassword);
    try {
      if (!(await work(tables))) fail();
    } finally {
      await tables.close();
    }
  }

  addStep("plan", "find out which tables of an old database hold whose records; nothing is stored")
    .requiredOption("--map <file>", "the file to write, such as map.yaml; it must not be there yet")
    .action(async ({ map, ...place }: OldPlace & { map: string }) => {
      const { runPlan } = await import("./plan.ts");
      await withOld(place, (tables) => runPlan(contracts, { old: tables, map, say }));
    });

  const addBring = (step: Step, description: string): Command =>
    addStep(step, description).option("--report <file>", "the workbook of what was found", `import-${step}.xlsx`);
  const bring = (step: Step) => async (given: BringGiven) => {
    const { map, report, ...place } = given;
    const settings = loadSettings();
    await withOld(place, (tables) => runImport(settings, { step, old: tables, map, report, say }));
  };
  const mapOption = ["--map <file>", "the file that plan began, and somebody has looked through"] as const;
  addBring("check", "say what run would refuse, change or merge; nothing is stored")
    .requiredOption(...mapOption)
    .action(bring("check"));
  addBring("run", "bring the old database over, each service whole or not at all; what is done is passed over")
    .requiredOption(...mapOption)
    .action(bring("run"));
  addBring("again", "bring what is new or has changed since; what was changed here is told, and stays")
    .requiredOption(...mapOption)
    .action(bring("again"));
  addBring(
    "compare",
    "hold what is here against the old database and every file, or the reads of both services; nothing is stored",
  )
    .option(...mapOption)
    .option("--old <address>", "in place of a database: where the old service is, such as https://old.example.edu")
    .option("--new <address>", "where this one is; what both answer to the documented reads is compared")
    .option("--service <name>", "whose reads", toServiceName)
    .option("--old-token-file <file>", "has an administrator's token there; left out, OLD_TOKEN is it")
    .option("--new-token-file <file>", "has an administrator's token here; left out, NEW_TOKEN is it")
    .action(async (given: Partial<BringGiven> & SidesGiven) => {
      const { map, report = "", old: oldBase, new: newBase, service } = given;
      if (map !== undefined) return bring("compare")({ ...given, map, report });
      if (oldBase === undefined || newBase === undefined || service === undefined)
        throw new Error("Name the old database and --map; or --old, --new and --service.");
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
  if ((dump === undefined) === (from === undefined)) throw new Error("Name the old database: by --dump or by --from.");
  if (dump !== undefined) return (await import("./dump.ts")).openDump(dump);
  const { openMysql, readAddress } = await import("./mysql.ts");
  const address = readAddress(from ?? "");
  const password = passwordFile === undefined ? await readPassword() : await readFile(passwordFile, "utf8");
  return openMysql({ address, password: password.replace(/\r?\n$/, ""), ca: tlsCa, withoutTls });
}

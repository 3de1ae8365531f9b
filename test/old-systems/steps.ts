import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import { readXlsx } from "hucre";
import { openLocalFiles } from "#platform/files/file-store.ts";
import { contracts, modules } from "#quintet/app.ts";
import { type Step, runBring } from "#quintet/old-systems/bringing.ts";
import { addImport } from "#quintet/old-systems/command.ts";
import { openDump } from "#quintet/old-systems/dump.ts";
import type { OldTables } from "#quintet/old-systems/old-tables.ts";
import { runPlan } from "#quintet/old-systems/plan.ts";
import { readSettings } from "#quintet/settings.ts";
import type { TestApp } from "#test/app.ts";
import { type OldDatabase, writeOldDatabase } from "./old-database.ts";
import { type Fault, oldAddress, type OldOptions, type OldService } from "./old-services.ts";

export interface Prepared extends OldDatabase {
  readonly map: string;
}

/** @param toTables opens the source; the default opens the dump */
export async function prepare(
  folder: string,
  service: OldService,
  options: OldOptions,
  toTables: (old: OldDatabase) => OldTables | Promise<OldTables> = ({ dump }) => openDump(dump),
): Promise<Prepared> {
  const old = await writeOldDatabase(path.join(folder, service), service, options);
  const map = `${old.dump}.yaml`;
  await rm(map, { force: true });
  const tables = await toTables(old);
  await runPlan(contracts, { old: tables, map, say: () => {} });
  await tables.close();
  const place = JSON.stringify({ [service]: { folder: old.folder, address: oldAddress } });
  await writeFile(map, (await readFile(map, "utf8")).replace("uploads: {}", `uploads: ${place}`));
  return { ...old, map };
}

export async function bring(
  app: TestApp,
  step: Step,
  { dump, map }: Pick<Prepared, "dump" | "map">,
  old = openDump(dump),
) {
  const said: string[] = [];
  const report = `${map}.xlsx`;
  const settings = readSettings({ DATA_DIR: app.dataDir, STUDENT_IDENTITY: "header" });
  const place = { pool: app.pool, files: openLocalFiles(path.join(app.dataDir, "files")), settings };
  const isSettled = await runBring(modules, place, { step, old, map, report, say: (line) => said.push(line) });
  return { isSettled, said, found: await readFindings(report) };
}

/** Runs the `import` command in this process. Returns its output and whether it failed; errors are thrown. */
export async function playCommand(...args: readonly string[]) {
  const said: string[] = [];
  let hasFailed = false;
  const program = new Command();
  addImport(program, {
    loadSettings: () => readSettings({}),
    readPassword: async () => "",
    say: (line) => said.push(line),
    toServiceName: (name) => name,
    fail: () => (hasFailed = true),
  });
  await program.parseAsync(["import", ...args], { from: "user" });
  return { said, hasFailed };
}

export async function readFindings(report: string): Promise<Fault[]> {
  const [sheet] = (await readXlsx(await readFile(report))).sheets;
  return (sheet?.rows ?? []).slice(1).map(([record, , key, field, , rule]): Fault => {
    return [String(record).replace(/^.*\./, ""), String(key), String(rule), String(field)];
  });
}

export const sorted = (faults: readonly Fault[]) => faults.map((fault) => fault.join(" | ")).toSorted();

import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { type Db, inTransaction, type Pool, setLimits, sql } from "#platform/database/index.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import { storingLock } from "#platform/files/upload.ts";
import type { OldFinding } from "#platform/process/old-row.ts";
import type { ServiceModule } from "#platform/process/service.ts";
import type { Settings } from "#platform/process/config.ts";
import { compareRecord, compareUploads } from "./comparing.ts";
import { judge, moveIds, store } from "./judging.ts";
import { type OldMap, readMap } from "./map.ts";
import type { OldTables } from "./old-tables.ts";
import { listRecords } from "./records.ts";
import { openReport } from "./report.ts";
import { stage, type Staged } from "./staging.ts";
import { type Source, stagedTable, type Tell } from "./source.ts";
import { openUploads } from "./uploads.ts";

/**
 * "run" imports services for the first time, and "again" imports what has changed since the last import. "check" and
 * "compare" store nothing.
 */
export type Step = "check" | "run" | "again" | "compare";

export interface BringOptions {
  readonly step: Step;
  readonly old: OldTables;
  readonly map: string;
  readonly report: string;
  readonly say: (line: string) => void;
}

interface Place {
  readonly pool: Pool;
  readonly files: FileStore;
  readonly settings: Settings;
}

class Undone extends Error {}

/**
 * Runs the step for each service in the map, each in its own transaction. Returns true if all records of the map are
 * supported, no row was refused, no finding needs a decision and the comparison shows no differences.
 * @throws {Error} if the map or the old database cannot be read, or if "again" or "compare" finds a service that has
 * not been imported; services imported before the error stay imported
 */
export async function runBring(
  modules: readonly ServiceModule[],
  place: Place,
  { step, old, map: mapFile, report: reportFile, say }: BringOptions,
): Promise<boolean> {
  const records = listRecords(modules.map(({ contract }) => contract)).map(({ name }) => name);
  const brought = modules.flatMap(({ contract, oldRecords = [] }) =>
    oldRecords.map(({ name }) => `${contract.name}.${name}`),
  );
  const map = await readMap(mapFile, new Set([...records, ...brought]));
  const left = Object.keys(map.records).filter((name) => !brought.includes(name));
  for (const name of left) say(`${name} was skipped: importing these records is not supported.`);
  const report = openReport();
  let differences = 0;
  for (const module of modules) {
    const sources = listSources(module, map);
    if (sources.length === 0) continue;
    const bring = new Bringing({ module, map, sources, step, old, say, tell: report.tell, place });
    differences += await bring.run();
  }
  const found = await report.write(reportFile);
  say(
    `Findings: ${Object.entries(found.counts)
      .map(([rule, count]) => `${count} ${rule}`)
      .join(", ")}; see ${reportFile}`,
  );
  return left.length === 0 && found.open === 0 && differences === 0;
}

const listSources = ({ contract: { name: service }, oldRecords = [] }: ServiceModule, map: OldMap): Source[] =>
  oldRecords.flatMap((record) => {
    const name = `${service}.${record.name}`;
    const mapped = map.records[name];
    return mapped ? [{ name, service, record, mapped }] : [];
  });

interface Bring {
  readonly module: ServiceModule;
  readonly map: OldMap;
  readonly sources: readonly Source[];
  readonly step: Step;
  readonly old: OldTables;
  readonly say: (line: string) => void;
  readonly tell: Tell;
  readonly place: Place;
}

interface Told {
  readonly key: string;
  readonly finding: OldFinding;
}

const fateNames: Readonly<Record<string, string>> = {
  same: "unchanged",
  kept: "changed in Quintet",
  lost: "deleted in Quintet",
};

class Bringing {
  readonly #given: Bring;
  readonly #service: string;

  constructor(given: Bring) {
    this.#given = given;
    this.#service = given.module.contract.name;
  }

  async run(): Promise<number> {
    const { step, place, say } = this.#given;
    const isDone = (await place.pool.count`select from platform.old_service where service = ${this.#service}`) > 0;
    if (step === "run" && isDone) {
      say(`${this.#service} was skipped: it has already been imported. Use "import again" for later changes.`);
      return 0;
    }
    if ((step === "again" || step === "compare") && !isDone)
      throw new Error(`${this.#service} has not been imported yet: use "import run" first.`);
    let differences = 0;
    const isKept = step === "run" || step === "again";
    try {
      await inTransaction(place.pool, async (tx) => {
        await prepare(tx);
        differences = await this.#work(tx);
        if (!isKept) throw new Undone();
        await tx`insert into platform.old_service (service) values (${this.#service}) on conflict do nothing`;
      });
    } catch (error) {
      if (!(error instanceof Undone)) throw error;
    }
    return differences;
  }

  async #work(tx: Db): Promise<number> {
    const { step, map, sources, old } = this.#given;
    const told = new Map<Source, Told[]>(sources.map((source) => [source, []]));
    const tell: Tell = (source, key, finding) => void told.get(source)?.push({ key, finding });
    const spool = path.join(this.#given.place.settings.DATA_DIR, "old-files");
    const uploads = await this.#openUploads(tx, spool, tell);
    const staged = await stage(tx, { old, map, sources, isAgain: step === "again", uploads, tell });
    await rm(spool, { recursive: true, force: true });
    let differences = 0;
    for (const source of sources) {
      const found = staged.get(source);
      if (!found) continue;
      await judge(tx, source, { ...found, gap: map.gap, tell });
      await this.#passOn(tx, source, told.get(source) ?? [], found.refused);
      if (step === "compare") {
        differences += await compareRecord(tx, source, { read: found.read, zone: map.zone, say: this.#given.say });
        continue;
      }
      await store(tx, source);
      await this.#tell(tx, source, found);
      if (step !== "check") await moveIds(tx, source, map.gap);
    }
    const place = map.uploads[this.#service];
    if (step === "compare" && place)
      differences += await compareUploads(tx, { ...place, service: this.#service }, this.#given);
    if (uploads && (step === "run" || step === "again")) await uploads.store(tx);
    return differences;
  }

  /**
   * Reports what was found in the rows. Rows that are unchanged since an earlier import are left out, since that import
   * reported them.
   */
  async #passOn(tx: Db, source: Source, found: readonly Told[], refused: ReadonlySet<string>): Promise<void> {
    const keys = found.flatMap(({ key, finding }) => (finding.rule === "refused" || refused.has(key) ? [] : [key]));
    const same = new Set(
      await tx.values<string>`
        select old_id::text from ${sql.raw(stagedTable(source))} where fate = 'same' and old_id = any(${keys}::bigint[])`,
    );
    for (const { key, finding } of found)
      if (finding.rule === "refused" || !same.has(key)) this.#given.tell(source, key, finding);
  }

  async #openUploads(tx: Db, spool: string, tell: Tell) {
    const { map, module, step, place } = this.#given;
    const found = map.uploads[this.#service];
    if (!found || !module.toFileReference) return undefined;
    const isKept = step === "run" || step === "again";
    if (isKept) await mkdir(spool, { recursive: true, mode: 0o700 });
    return openUploads(tx, {
      ...found,
      service: this.#service,
      tell,
      ...(isKept && { copies: { files: place.files, spool } }),
      toReference: (upload) => module.toFileReference?.(place.settings, upload) ?? upload,
    });
  }

  async #tell(tx: Db, source: Source, { read, unsent }: Staged): Promise<void> {
    const rows = await tx.query<{ fate: string; count: number }>(
      `select fate, count(*) as count from ${stagedTable(source)} group by fate order by fate`,
      [],
    );
    const staged = rows.reduce((sum, { count }) => sum + count, 0);
    const counts = new Map(rows.map(({ fate, count }) => [fate, count]));
    if (unsent > 0) counts.set("same", (counts.get("same") ?? 0) + unsent);
    counts.set("refused", read - unsent - staged);
    const fates = [...counts].map(([fate, count]) => `${count} ${fateNames[fate] ?? fate}`);
    this.#given.say(`${source.name}: ${read} read; ${fates.join(", ")}`);
  }
}

/**
 * Sets the transaction's limits and time zone, and waits until no other import runs and no orphaned files are being
 * deleted. Reading a dump takes longer than the usual limits. Times are compared as text, so they must be in one zone.
 */
async function prepare(tx: Db): Promise<void> {
  await setLimits(
    tx,
    { statement_timeout: 0, lock_timeout: 900_000, idle_in_transaction_session_timeout: 0 },
    "transaction",
  );
  await tx.script("set local timezone = 'UTC'");
  await tx.script("select pg_advisory_xact_lock(hashtextextended('old systems', 0))");
  await tx.script(`select pg_advisory_xact_lock_shared(${storingLock})`);
}

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { type CommandProcess, startCommand } from "#test/crash/server.ts";
import { oldUser, startMariadb, withMariadb } from "#test/old-systems/mariadb.ts";
import type { OldOptions, OldService } from "#test/old-systems/old-services.ts";
import { prepare, type Prepared, readFindings, sorted } from "#test/old-systems/steps.ts";
import { until } from "#test/until.ts";
import type { Step } from "./bringing.ts";
import { openMysql, readAddress } from "./mysql.ts";

const seed = Number(process.env["OLD_SEED"] ?? 20261127);
const total = Number(process.env["OLD_ROWS"] ?? 1_000_000);
const files = Number(process.env["OLD_FILES"] ?? 50_000);
const withinMs = 3_600_000;
const counts: Readonly<Record<OldService, number>> = {
  reporting: total * 0.2,
  "tuition-payment": total * 0.5,
  attendance: total * 0.3,
  "push-relay": 0,
  "disease-command": 0,
};

const toOptions = (service: OldService): OldOptions => ({
  seed,
  count: counts[service],
  ...(service === "reporting" && { files }),
});

/**
 * The moment at which a run is killed: a number is the share of the rows that have been copied, and a text is the table
 * that the run is about to write.
 */
type Moment = number | string;
const kills: readonly (readonly [OldService, Moment])[] = [
  ["reporting", 0.3],
  ["reporting", "platform.old_row"],
  ["reporting", "platform.upload"],
  ["tuition-payment", 0.9],
  ["attendance", "attendance.result"],
];
const cut: OldService = "tuition-payment";

const options = { skip: atLength.skip || withMariadb.skip };
test("a million rows of five services come out of a MariaDB, killed five times on the way", options, async () => {
  const app = await startTestApp();
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-million-"));
  after(() => rm(folder, { recursive: true }));
  const mariadb = await startMariadb();
  await writeFile(path.join(folder, "password"), oldUser.password);
  const services = new Map<OldService, Prepared>();
  for (const service of Object.keys(counts) as OldService[])
    services.set(
      service,
      await prepare(folder, service, toOptions(service), async ({ dump }) => {
        await mariadb.load(service, dump);
        await rm(dump);
        return openMysql({ address: readAddress(mariadb.address(service)), password: oldUser.password });
      }),
    );
  assert.match(await readFile(get("reporting").map, "utf8"), /reporting\.reports:\n {4}table: "tb_report"/);

  for (const [service, { map, faults }] of services) {
    await play("check", service);
    assert.deepEqual(sorted(await readFindings(`${map}.xlsx`)), sorted(faults), service);
    assert.equal(await countBrought(service), 0);
  }
  for (const [service] of services) {
    for (const [, moment] of kills.filter(([of]) => of === service)) {
      const command = start("run", service);
      const release = await reach(moment, service, command);
      command.child.kill("SIGKILL");
      await command.ended;
      await release();
      assert.equal(await countBrought(service), 0, `${service}, ${moment}`);
    }
    if (service === cut) {
      const command = start("run", service);
      await reach(0.5, service, command);
      await mariadb.query(`kill user ${oldUser.user}`);
      assert.equal((await command.ended).code, 1);
      assert.match(command.output().err, /^Table \w+ of the old database cannot be read: /);
    }
    // The old system stays in use. Rows that it writes after the start of a step are imported by the next step.
    const running = play("run", service, async (command) => {
      if (service !== "reporting") return;
      await reach(0.1, service, command);
      await mariadb.query(
        `update tb_report set entry_name = 'meanwhile' where id % ${Math.ceil(counts.reporting / 1000)} = 7`,
        service,
      );
    });
    for (const { record, read, fates } of await running) {
      const { refused, ...brought } = fates;
      assert.equal(refused, countRefused(service, record), record);
      assert.equal((brought["new"] ?? 0) + (brought["merged"] ?? 0) + refused, read, record);
    }
  }
  const changed = new Map<string, number>();
  for (const round of [1, 2])
    for (const [service] of services)
      for (const { record, read, fates } of await play("again", service)) {
        if (round === 1) changed.set(record, fates["changed"] ?? 0);
        assert.equal(
          (fates["unchanged"] ?? 0) + (round === 1 ? (fates["changed"] ?? 0) : 0) + (fates["refused"] ?? 0),
          read,
          record,
        );
      }
  console.log(`changed meanwhile: ${changed.get("reports")}`);
  assert.ok((changed.get("reports") ?? 0) > 900);
  const nothing =
    "0 missing, 0 changed in the old system, 0 changed in Quintet, 0 deleted in Quintet, 0 deleted in the old system";
  for (const [service] of services) {
    const lines = (await say("compare", service)).trim().split("\n").slice(0, -1);
    const differing = lines.filter((line) => !line.endsWith(nothing) && !/: \d+ files, 0 differ$/.test(line));
    assert.deepEqual(differing, []);
  }
  const copied = await app.pool.count`select from platform.old_file where service = 'reporting'`;
  assert.ok(copied > files - get("reporting").faults.length, String(copied));

  function get(service: OldService): Prepared {
    return services.get(service) ?? assert.fail(service);
  }

  function start(step: Step, service: OldService): CommandProcess {
    const { map } = get(service);
    const from = ["--from", mariadb.address(service), "--password-file", path.join(folder, "password")];
    const settings = { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir, STUDENT_IDENTITY: "header" };
    return startCommand(["import", step, ...from, "--map", map, "--report", `${map}.xlsx`], settings);
  }

  async function say(
    step: Step,
    service: OldService,
    meanwhile?: (command: CommandProcess) => Promise<void>,
  ): Promise<string> {
    const since = Date.now();
    const command = start(step, service);
    let memory = "";
    const status = `/proc/${command.child.pid}/status`;
    const watch = setInterval(() => {
      if (existsSync(status)) memory = /VmHWM:\s+(.*)/.exec(readFileSync(status, "utf8"))?.[1] ?? memory;
    }, 200);
    await meanwhile?.(command);
    await command.ended;
    clearInterval(watch);
    console.log(`${step} ${service}: ${((Date.now() - since) / 1000).toFixed(1)} s, ${memory}`);
    assert.equal(command.output().err, "");
    return command.output().out;
  }

  async function play(...given: Parameters<typeof say>) {
    const lines = (await say(...given)).matchAll(/^[\w-]+\.(\w+): (\d+) read; (.*)$/gm);
    return [...lines].map(([, record = "", read, fates = ""]) => ({
      record,
      read: Number(read),
      fates: Object.fromEntries(
        fates.split(", ").map((fate) => [fate.replace(/^\d+ /, ""), Number.parseInt(fate, 10)]),
      ),
    }));
  }

  function countRefused(service: OldService, record: string): number {
    return get(service).faults.filter(([of, , rule]) => of === record && rule === "refused").length;
  }

  function countBrought(service: OldService): Promise<number> {
    return app.pool.count`select from platform.old_row where record like ${`${service}.%`} limit 1`;
  }

  /**
   * Waits until the run has reached the moment. If the moment is a table, a lock stops the run before it writes there;
   * the returned function releases the lock.
   */
  async function reach(moment: Moment, service: OldService, { child, output }: CommandProcess) {
    const held = typeof moment === "string" ? await app.pool.reserve() : undefined;
    const letGo = async (): Promise<void> => {
      await held?.script("rollback").catch(() => {});
      held?.release();
    };
    // The run may take longer to reach the table than an idle transaction may last.
    await held?.script(`begin; set local idle_in_transaction_session_timeout = 0;
      lock table ${moment} in access exclusive mode`);
    const isThere = (): Promise<number> =>
      typeof moment === "number"
        ? app.pool
            .count`select from pg_stat_progress_copy where tuples_processed > ${Math.round(moment * counts[service])}`
        : app.pool.count`select from pg_locks where not granted and relation = ${moment}::regclass`;
    const question = async () => {
      assert.equal(child.exitCode, null, output().err);
      return (await isThere()) > 0;
    };
    try {
      await until(`${service} is at ${moment}`, question, { withinMs });
    } catch (error) {
      await letGo();
      throw error;
    }
    return letGo;
  }
});

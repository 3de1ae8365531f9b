import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { type CommandProcess, startCommand } from "#test/crash/server.ts";
import { oldUser, startMariadb, withMariadb } from "#test/old-systems/mariadb.ts";
import { prepare, readFindings, sorted } from "#test/old-systems/steps.ts";
import { until } from "#test/until.ts";
import type { Step } from "./bringing.ts";
import { openMysql, readAddress } from "./mysql.ts";

const seed = Number(process.env["OLD_SEED"] ?? 20261127);
const count = Number(process.env["OLD_ROWS"] ?? 1_000_000);
const files = Number(process.env["OLD_FILES"] ?? 50_000);
const withinMs = 1_800_000;
const moments = [
  "COPY %",
  'copy "raw_reports"%',
  "create temporary table%",
  "%analyze%",
  "insert into reporting.report%",
];

const options = { skip: atLength.skip || withMariadb.skip };
test(
  "a million rows and fifty thousand files come out of a MariaDB, killed five times on the way",
  options,
  async () => {
    const app = await startTestApp({ services: ["reporting"] });
    const folder = await mkdtemp(path.join(tmpdir(), "quintet-million-"));
    after(() => rm(folder, { recursive: true }));
    const mariadb = await startMariadb();
    const time = (what: string, since: number): void =>
      console.log(`${what}: ${((Date.now() - since) / 1000).toFixed(1)} s`);

    let since = Date.now();
    const old = await prepare(folder, "reporting", { seed, count, files }, async ({ dump }) => {
      await mariadb.load("old", dump);
      time("written and loaded", since);
      return openMysql({ address: readAddress(mariadb.address("old")), password: oldUser.password });
    });
    assert.match(await readFile(old.map, "utf8"), /reporting\.reports:\n {4}table: "tb_report"/);
    await writeFile(path.join(folder, "password"), oldUser.password);
    const settings = { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir, STUDENT_IDENTITY: "header" };
    const from = ["--from", mariadb.address("old"), "--password-file", path.join(folder, "password")];
    const start = (step: Step): CommandProcess =>
      startCommand(["import", step, ...from, "--map", old.map, "--report", `${old.map}.xlsx`], settings);
    const play = async (step: Step): Promise<string> => {
      since = Date.now();
      const command = start(step);
      await command.ended;
      time(step, since);
      assert.equal(command.output().err, "");
      return command.output().out;
    };

    await play("check");
    assert.deepEqual(sorted(await readFindings(`${old.map}.xlsx`)), sorted(old.faults));
    assert.equal(await app.pool.count`select from reporting.report limit 1`, 0);

    for (const moment of moments) {
      const command = start("run");
      await untilActive(moment, command);
      command.child.kill("SIGKILL");
      await command.ended;
      assert.equal(await app.pool.count`select from platform.old_row limit 1`, 0);
    }
    const cut = start("run");
    await untilActive('copy "raw_reports"%', cut);
    await mariadb.query(`kill user ${oldUser.user}`);
    assert.equal((await cut.ended).code, 1);
    assert.match(cut.output().err, /^The old database cannot be read, at the table tb_report: /);

    // The old system stays in use, so the next step must import what it writes meanwhile.
    const running = play("run");
    await until("it reads", async () => (await countActive('copy "raw_reports"%')) > 0, { withinMs });
    await mariadb.query(
      `update tb_report set entry_name = 'meanwhile' where id % ${Math.ceil(count / 1000)} = 7`,
      "old",
    );
    assert.match(await running, new RegExp(`reports: read ${count + 1}; new ${count - 3}, left 4`));

    assert.match(await play("again"), new RegExp(`reports: read ${count + 1}; changed \\d+, same \\d+, left 4`));
    assert.match(await play("again"), new RegExp(`reports: read ${count + 1}; same ${count - 3}, left 4`));
    const compared = await play("compare");
    assert.match(
      compared,
      new RegExp(`the same ${count - 3}, left behind 4, missing here 0, changed there 0, changed here 0`),
    );
    const [, copied = ""] = /reporting: (\d+) files, 0 differ/.exec(compared) ?? assert.fail(compared);
    assert.ok(Number(copied) > files - old.faults.length, copied);

    async function countActive(statement: string): Promise<number> {
      return app.pool.count`
      select from pg_stat_activity where state = 'active' and query ilike ${statement} and pid <> pg_backend_pid()`;
    }

    async function untilActive(statement: string, { child, output }: CommandProcess): Promise<void> {
      const isActive = async () => {
        assert.equal(child.exitCode, null, output().err);
        return (await countActive(statement)) > 0;
      };
      await until(statement, isActive, { withinMs });
    }
  },
);

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { oldUser, startMariadb, withMariadb } from "#test/old-systems/mariadb.ts";
import type { OldDatabase } from "#test/old-systems/old-database.ts";
import { bring, playCommand, prepare, sorted } from "#test/old-systems/steps.ts";
import type { Step } from "./bringing.ts";
import { openDump } from "./dump.ts";
import { openMysql, readAddress } from "./mysql.ts";
import {
  type Block,
  digestOf,
  idsInBlock,
  type OldReader,
  type OldTable,
  type OldTables,
  type OldValue,
} from "./old-tables.ts";

const folder = await mkdtemp(path.join(tmpdir(), "quintet-mysql-"));
after(() => rm(folder, { recursive: true }));
const seed = Number(process.env["OLD_SEED"] ?? 20261127);
const count = 1200;
const place = (name: string): string => path.join(folder, name);
const mariadb = await startMariadb();

const open = async (database: string): Promise<OldTables> => {
  const old = await openMysql({ address: readAddress(mariadb.address(database)), password: oldUser.password });
  after(() => old.close());
  return old;
};

async function readAll(old: OldTables) {
  const tables: OldTable[] = [];
  const rows: OldValue[][] = [];
  await old.read({ table: (table) => tables.push(table), row: (_, values) => rows.push([...values]) });
  return { tables, rows };
}

const refusedAddresses: Readonly<Record<string, RegExp>> = {
  "mysql://reader:secret@db.example/old": /must not contain the password/,
  "mysql://reader@db.example": /must be an address such as/,
  "mysql://db.example/old": /must be an address such as/,
  "postgres://reader@db.example/old": /must be an address such as/,
  "db.example": /must be an address such as/,
};
test("an address that is none, or that shows the password, is refused", () => {
  for (const [address, says] of Object.entries(refusedAddresses)) assert.throws(() => readAddress(address), says);
  assert.deepEqual(readAddress("mysql://a%40b@[::1]:3307/%E6%97%A7"), {
    host: "::1",
    port: 3307,
    user: "a@b",
    database: "旧",
  });
});

test("a refusal is told without the password, and where TLS is missing what to do", withMariadb, async () => {
  const address = readAddress(mariadb.address("mysql"));
  await assert.rejects(openMysql({ address, password: "wrong-secret" }), (error: Error) => {
    assert.match(error.message, /^The old database cannot be read: Access denied for user/);
    return !error.message.includes("wrong-secret");
  });
  await writeFile(place("ca.pem"), "");
  const encrypted = { password: oldUser.password, ca: place("ca.pem") };
  await assert.rejects(openMysql({ ...encrypted, address }), /needs the server's host name/);
  const byName = { ...address, host: "localhost" };
  await assert.rejects(
    openMysql({ ...encrypted, address: byName }),
    /does not support secure connection; see --tls-ca and --without-tls\.$/,
  );
});

test("the command reads the password from a file, and wants one source", withMariadb, async () => {
  await mariadb.query("create database empty");
  await writeFile(place("password"), `${oldUser.password}\n`);
  const run = (...args: string[]) => playCommand("plan", "--map", place("none.yaml"), ...args);
  await assert.rejects(run(), { message: "Specify the old database with either --dump or --from." });
  await assert.rejects(run("--from", mariadb.address("empty"), "--password-file", place("password")), {
    message: "The user in --from has no table that it can read in the old database.",
  });
});

const oddTable = `create table odd (id bigint unsigned primary key, twice varchar(50) character set latin1, flag tinyint(1), bits bit(1),
  day date, at datetime(3), stamp timestamp null, amount decimal(12,4), size double, \`two words\` text, note json);
  insert into odd values (9007199254740993, convert(binary '武汉' using latin1), 1, b'1', '0000-00-00', '2022-01-01 10:00:00.5',
  '2022-01-01 10:00:00', 1.5, 1.0, 'it''s\\n\\\\ -- ', '{"a": 1}'), (18446744073709551615, null, null, b'0', null, null, null, null, 1e20, '😀', null)`;
test("rows are those of a dump, value by value, and the server's digests are ours", withMariadb, async () => {
  await mariadb.query("create database odd character set utf8mb4");
  await mariadb.query(`set time_zone = '+08:00'; ${oddTable}`, "odd");
  await mariadb.dump("odd", place("odd.sql"));
  const old = await open("odd");
  await mariadb.query("insert into odd (id) values (1); update odd set flag = 0", "odd");
  // The reader sees the database as it was when the reader was opened, without the insertion and the update above.
  const { tables, rows } = await readAll(old);
  assert.deepEqual({ tables, rows }, await readAll(openDump(place("odd.sql"))));
  assert.deepEqual(rows[0]?.slice(0, 4), ["9007199254740993", "æ­¦æ±‰", "1", "\u0001"]);
  assert.equal(rows[0]?.[6], "2022-01-01 02:00:00", "a timestamp is told in UTC");
  const blocks: Block[] = [];
  const { columns = [] } = tables[0] ?? {};
  await old.readBlocks?.({ table: "odd", key: "id", columns }, (block) => blocks.push(block));
  assert.deepEqual(
    blocks,
    rows.map((row) => [
      String(BigInt(row[0] ?? "") / BigInt(idsInBlock)),
      "1",
      String(Number.parseInt(digestOf(row).slice(-12), 16)),
    ]),
  );
});

test(
  "a connection that is lost in the middle is told with the table, and not taken for the end",
  withMariadb,
  async () => {
    await mariadb.query("create database big");
    await mariadb.query("create table big select seq as id, repeat('x', 2000) as text from seq_1_to_20000", "big");
    const old = await open("big");
    let isKilled = false;
    const kill = async (): Promise<void> => {
      if (isKilled) return;
      isKilled = true;
      const id = await mariadb.query(
        `select id from information_schema.processlist where user = '${oldUser.user}' and db = 'big'`,
      );
      await mariadb.query(`kill ${id}`);
    };
    const reading = old.read({ table: () => {}, row: () => {}, settle: kill });
    await assert.rejects(reading, /^Error: Table big of the old database cannot be read: /);
    await assert.rejects(
      readAll(old),
      /^Error: .* of the old database cannot be read/,
      "it does not wait for an answer",
    );
  },
);

test("what is changed there comes by again, which reads that alone", withMariadb, async () => {
  const app = await startTestApp();
  const load = async ({ dump }: OldDatabase) => {
    await mariadb.load("reporting", dump);
    return open("reporting");
  };
  const byDump = await prepare(place("dump"), "reporting", { seed, count });
  const old = await prepare(place("server"), "reporting", { seed, count }, load);
  assert.equal(
    await readFile(old.map, "utf8"),
    (await readFile(byDump.map, "utf8")).replaceAll(place("dump"), place("server")),
  );
  const step = async (name: Step) => {
    const tables = await open("reporting");
    let rows = 0;
    const counting: OldTables = {
      ...tables,
      read: (reader, only) => {
        const row: OldReader["row"] = (...given) => {
          rows++;
          reader.row(...given);
        };
        return tables.read({ ...reader, row }, only);
      },
      readBlocks: (...given) => tables.readBlocks?.(...given) ?? assert.fail(),
    };
    return { ...(await bring(app, name, old, counting)), rows };
  };
  assert.deepEqual(sorted((await step("check")).found), sorted(old.faults));
  await step("run");
  const same = await step("again");
  // Only the blocks of the four refused reports and the block of administrators are read again.
  assert.ok(same.rows <= 5 * idsInBlock, String(same.rows));
  assert.match(same.said.join("\n"), new RegExp(`reports: ${count + 1} read; ${count - 3} unchanged, 4 refused`));
  await mariadb.query(
    "update tb_report set trade = 'new' where id in (2, 5); delete from tb_report where id = 6; insert into tb_report select * from tb_report where id = 7",
    "reporting",
  );
  await mariadb.query(`update tb_report set id = ${count + 5} where id = 7 limit 1`, "reporting");
  await app.pool`update reporting.report set ps = 'ours' where id = 5`;
  const changed = await step("again");
  assert.ok(changed.rows > same.rows && changed.rows <= same.rows + 2 * idsInBlock, String(changed.rows));
  assert.match(
    changed.said.join("\n"),
    /reports: \d+ read; 1 changed, 1 changed in Quintet, 1 new, \d+ unchanged, 4 refused/,
  );
  assert.ok(sorted(changed.found).includes("reports | 6 | decide | id"), "what was deleted there is told");
  const compared = await step("compare");
  assert.match(
    compared.said.join("\n"),
    /reports: .* 0 missing, 0 changed in the old system, 1 changed in Quintet, 0 deleted in Quintet, 1 deleted in the old system/,
  );
});

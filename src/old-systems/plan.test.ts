import assert from "node:assert/strict";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { atLength } from "#test/at-length.ts";
import { playCommand } from "#test/old-systems/steps.ts";
import { contracts } from "#quintet/app.ts";
import { openDump, readDump } from "./dump.ts";
import type { OldTable, OldValue } from "./old-tables.ts";
import { runPlan } from "./plan.ts";

const sha256 = "9ec9750e709431dad22365cabc5c625482e574c74adaebba7dd02f1129e4ce1d";
const bcrypt = `$2a$10$${"x".repeat(53)}`;
const content = String.raw`'it''s; \'x\' \\ -- no comment /* nor this */\n'`;

const table = (name: string, columns: string, ...rows: string[]): string =>
  `-- Table structure for table \`${name}\`\n--\n/*!40101 SET x = 1; */;\nCREATE TABLE \`${name}\` (\n${columns
    .split(" ")
    .map((column) => `  \`${column}\` varchar(255) DEFAULT NULL COMMENT 'a;b',\n`)
    .join(
      "",
    )}  PRIMARY KEY (\`id\`)\n) ENGINE=InnoDB;\n${rows.length > 0 ? `INSERT INTO \`${name}\` VALUES ${rows.join(",\n")};\n` : ""}`;

const head = "-- MySQL dump 10.13  Distrib 8.0.36\n--\n-- Host: db's; Database: old\n";
const end = "\n-- Dump completed on 2026-11-20 20:00:00\n";
const routine =
  "DELIMITER ;;\nCREATE PROCEDURE p() BEGIN INSERT INTO sys_log VALUES (new_id, now()); SELECT 1; END ;;\nDELIMITER ;\n";
const tables = [
  table(
    "sys_user",
    "user_id username password salt email status create_time",
    `(9007199254740993,'admin','${sha256}','s',NULL,1,'2016-11-11 11:11:11')`,
    `(2,'Admin','${bcrypt}','','a@example.com',1,'0000-00-00 00:00:00'),(3,'b','secret-of-b','','',0,NULL)`,
  ),
  table(
    "tb_report",
    "id name phone wx_phone company customer_name entry_name project_amount tender_time content trade licensing",
    `(1,'某','13800000000',NULL,'c','d','e','1.50','2022-01-01 00:00:00',${content},'t','l')`,
  ),
  table("push", "id url project statu", "(1,'http://192.0.2.1/','p',0)"),
  table(
    "payable_info",
    "id student_no student_name grade years college_name real_pay_amount paid",
    "(1,_binary 'a',0x41,-1e3,1.50,'','',b'1')",
  ),
  table("emergency_team", "id team_name leader leader_phone duty"),
  table(
    "attendance_month",
    "id user_id work_name work_num id_card department group_of_check attendance_day rest_day one_of_month two_of_month",
  ),
  table("sys_log", "id operation method params ip", "(1,'o','m','p','192.0.2.1')"),
];
const whole = head + tables.join("") + routine + end;

const folder = await mkdtemp(path.join(tmpdir(), "quintet-old-"));
after(() => rm(folder, { recursive: true }));
const place = (name: string): string => path.join(folder, name);

async function plan(name: string, bytes: string | Buffer): Promise<string> {
  await writeFile(place(name), bytes);
  const map = place(`${name}.yaml`);
  await runPlan(contracts, { old: openDump(place(name)), map, say: () => {} });
  return readFile(map, "utf8");
}

test("tables are found by their columns, whoever wrote the dump", async () => {
  const map = await plan("old.sql", whole);
  const found = [...map.matchAll(/^ {2}([\w.-]+):\n {4}table: "(\w+)"\n {4}rows: (\d+)$/gm)].map(([, ...of]) => of);
  assert.deepEqual(found.toSorted(), [
    ["attendance.monthlyRows", "attendance_month", "0"],
    ["disease-command.teams", "emergency_team", "0"],
    ["push-relay.projects", "push", "1"],
    ["reporting.administrators", "sys_user", "3"],
    ["reporting.reports", "tb_report", "1"],
    ["tuition-payment.payables", "payable_info", "1"],
  ]);
  assert.match(map, /^ {6}salt: "salt"\n {6}id: "user_id"\n {6}time: "create_time"\n {4}unplaced: \["email"\]$/m);
  assert.match(map, /^ {4}passwords: \{"password":\{"sha256":1,"bcrypt":1,"unknown":1\}\}$/m);
  assert.match(map, /^ {4}values: \{month: ""\} # no matching column/m);
  assert.match(map, /^unplaced:\n {2}"sys_log": 1\n$/m);
  for (const value of ["secret-of-b", sha256, "13800000000"])
    assert.ok(!map.includes(value), "values stay in the dump");

  const rowByRow = tables.join("").replaceAll("),(", ");\nINSERT INTO `sys_user` VALUES (");
  assert.equal(await plan("navicat.sql", rowByRow), map);
  assert.equal(await plan("packed.sql.gz", gzipSync(whole)), map);
  assert.equal(await plan("powershell.sql", Buffer.from(`\ufeff${whole}`, "utf16le")), map);
});

test("values are read as they were, wherever a piece of the text ends", async () => {
  const rows = async (size: number): Promise<unknown[]> => {
    const read: unknown[] = [];
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.slice(at * size, (at + 1) * size),
    );
    const take = ({ name }: OldTable, values: readonly OldValue[]) => void read.push([name, ...values]);
    await readDump(ReadableStream.from([...pieces, "\n\n\n"]), { table: () => {}, row: take });
    return read;
  };
  const all = await rows(whole.length);
  assert.deepEqual(all[0], ["sys_user", "9007199254740993", "admin", sha256, "s", null, "1", "2016-11-11 11:11:11"]);
  assert.equal((all[3] as string[])[10], "it's; 'x' \\ -- no comment /* nor this */\n");
  assert.deepEqual(all[5], ["payable_info", "1", "a", "0x41", "-1e3", "1.50", "", "", "1"]);
  assert.equal(all.length, 7);
  for (const size of [1, 2, 7, 64]) assert.deepEqual(await rows(size), all);
});

test("a dump is read as it comes, and not held: 3 GB at length", async () => {
  const rows = 1000;
  const statement = `INSERT INTO push VALUES ${`(1,'${"x".repeat(1000)}','',0),`.repeat(rows).slice(0, -1)};\n`;
  const statements = atLength.skip ? 20 : 3000;
  let read = 0;
  async function* write() {
    yield tables[2] ?? "";
    for (let written = 0; written < statements; written++) {
      assert.ok(written * rows - read <= rows, "only the last statement is still to be read");
      yield statement;
    }
    yield "\n\n\n";
  }
  await readDump(write(), { table: () => {}, row: () => void read++ });
  assert.equal(read, statements * rows + 1);
});

const refused: Readonly<Record<string, readonly [bytes: string | Buffer, says: RegExp]>> = {
  "cut in a text.sql": [whole.slice(0, whole.indexOf("no comment")), /table tb_report: the file is truncated/],
  "cut between two tables.sql": [head + tables.slice(0, 2).join(""), /table tb_report: the file is truncated/],
  "cut while packed.sql.gz": [gzipSync(whole).subarray(0, -40), /unexpected end of file/],
  "no gzip.sql.gz": ["plain", /incorrect header/],
  "another file.sql": [Buffer.from("%PDF-1.4\n"), /truncated/],
  "nothing.sql": ["", /contains no tables/],
  "two databases.sql": [tables[0] + tables.join(""), /table sys_user: the table occurs twice: dump one database/],
  "a function.sql": [
    `${tables[2]}INSERT INTO push VALUES (2, now(), 'secret', 0);`,
    /table push: a row has a value other than/,
  ],
  "a selection.sql": [`${tables[2]}INSERT INTO push SELECT * FROM secret;`, /table push: an INSERT after this table/],
  "too few.sql": [`${tables[2]}INSERT INTO push VALUES (2,'secret');`, /table push: a row has 2 values for 4 columns/],
};
test("a dump that cannot be read whole is refused, and no map is written", async () => {
  for (const [name, [bytes, says]] of Object.entries(refused)) {
    const error = await plan(name, bytes).then(
      () => assert.fail(`${name} was taken`),
      (error: Error) => error,
    );
    assert.match(error.message, says, name);
    assert.ok(!error.message.includes("secret"));
    await assert.rejects(access(place(`${name}.yaml`)), name);
  }
});

test("the command says what has no place by its exit code, and overwrites no map", async () => {
  const other = "CREATE TABLE `主题(新)` (\n`id` int,\n`theme name` text,\n`Enable` bit(1)\n);\n";
  const rows = "INSERT INTO `old`.`主题(新)` (`Enable`, `theme name`, id) VALUES\n(b'1', 'a', 1);";
  await writeFile(place("all.sql"), other + rows);
  await writeFile(place("some.sql"), tables.join(""));
  const run = (dump: string) => playCommand("plan", "--dump", place(dump), "--map", place(`${dump}.map`));
  assert.equal((await run("all.sql")).hasFailed, false);
  assert.match(
    await readFile(place("all.sql.map"), "utf8"),
    /table: "主题\(新\)"\n {4}rows: 1\n[^]*themeName: "theme name"/,
  );
  const { said, hasFailed } = await run("some.sql");
  assert.equal(hasFailed, true);
  assert.match(said.join("\n"), /^6 of 7 tables .*\nTables without a match: 1; columns without a match: 1\.$/);
  const kept = await readFile(place("some.sql.map"), "utf8");
  await writeFile(place("some.sql"), table("themes", "id theme_name enable"));
  await assert.rejects(run("some.sql"), /some\.sql\.map already exists/);
  assert.equal(await readFile(place("some.sql.map"), "utf8"), kept);
});

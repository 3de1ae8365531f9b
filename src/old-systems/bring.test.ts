import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { openLocalFiles } from "#platform/files/file-store.ts";
import { removeOrphanFiles } from "#platform/files/upload.ts";
import { loginPaths, startTestApp } from "#test/app.ts";
import { contracts } from "#quintet/app.ts";
import { oldAccounts } from "#test/old-systems/old-accounts.ts";
import { codeTwice, longId, type OldOptions, type OldService } from "#test/old-systems/old-services.ts";
import { startCommand } from "#test/crash/server.ts";
import { countWaiting } from "#test/meeting.ts";
import { until } from "#test/until.ts";
import { bring as bringTo, prepare as prepareIn, type Prepared, sorted } from "#test/old-systems/steps.ts";
import type { Step } from "./bringing.ts";
import { openDump } from "./dump.ts";
import { runPlan } from "./plan.ts";

const seed = Number(process.env["OLD_SEED"] ?? 20261127);
const count = Number(process.env["OLD_ROWS"] ?? 500);
const services: readonly OldService[] = ["reporting", "tuition-payment", "push-relay", "disease-command"];

const app = await startTestApp();
const folder = await mkdtemp(path.join(tmpdir(), "quintet-old-"));
after(() => rm(folder, { recursive: true }));

const prepare = (service: OldService, options: OldOptions) => prepareIn(folder, service, options);
const bring = (step: Step, old: Pick<Prepared, "dump" | "map">, on = app) => bringTo(on, step, old);

// The run may take longer to reach the table than an idle transaction may last.
const holdRows = `begin; set local idle_in_transaction_session_timeout = 0;
  lock table platform.old_row in share row exclusive mode`;
const untilWaiting = (pool: typeof app.pool) => until("it waits", async () => (await countWaiting(pool)) > 0);

const countRows = () => app.pool.value<number>`
  select (select count(*) from reporting.report) + (select count(*) from tuition_payment.payable) +
    (select count(*) from platform.old_row) + (select count(*) from platform.upload)`;

test("check finds what was planted and nothing else, and stores nothing", async () => {
  for (const service of services) {
    const old = await prepare(service, { seed, count });
    const { isSettled, found } = await bring("check", old);
    assert.deepEqual(sorted(found), sorted(old.faults), `${service}, seed ${seed}`);
    assert.equal(isSettled, false);
  }
  assert.equal(await countRows(), 0);
});

test("run brings the rest with its ids, files and decisions, once; compare finds no difference", async () => {
  for (const service of services) {
    const old = await prepare(service, { seed, count });
    const map = await readFile(old.map, "utf8");
    await writeFile(old.map, map.replace("disease-command.monthSummaries:", "$&\n    zone: Europe/Paris"));
    await bring("run", old);
    const { said } = await bring("run", old);
    assert.match(said[0] ?? "", /has already been imported/);
    const compared = await bring("compare", old);
    assert.ok(
      compared.said
        .filter((line) => / missing, /.test(line))
        .every((line) =>
          line.endsWith(
            "0 missing, 0 changed in the old system, 0 changed in Quintet, 0 deleted in Quintet, 0 deleted in the old system",
          ),
        ),
      compared.said.join("\n"),
    );
    assert.ok(
      !compared.said.some((line) => /the totals differ|the file is missing/.test(line)),
      compared.said.join("\n"),
    );
  }
  const [ids] = await app.pool<{ most: number; next: number }[]>`
    select max(id) as most, nextval('reporting.report_id_seq') as next from reporting.report`;
  assert.ok(ids && ids.next > ids.most && ids.next >= count + 1000, "new ids lie above the old ones, by the gap");
  const [third] = await app.pool<{ content: string; bFile: string[]; at: string; changed: string }[]>`
    select content, b_file as "bFile", to_char(created_at at time zone 'UTC', 'HH24:MI') as at,
      to_char(updated_at at time zone 'UTC', 'HH24:MI') as changed from reporting.report where id = 3`;
  assert.equal(third?.at, "23:30", "a timestamp of such a dump is in UTC");
  assert.equal(third.changed, "15:30", "a datetime is of the map's zone");
  const published = await app.pool.values<string>`
    select to_char(published_at at time zone 'UTC', 'HH24:MI') from disease_command.month_summary`;
  assert.deepEqual(published, ["22:30", "22:30"], "or of its table's");
  const images = await app.pool.count`select distinct images from disease_command.month_summary`;
  assert.equal(images, 1, "a file that two rows name is copied once");
  const { token } = await app.signIn("reporting");
  const address = /\/reporting\/file\/\w+\.png/;
  for (const text of [third.content, third.bFile[0] ?? ""]) {
    const answer = await app.call("GET", address.exec(text)?.[0] ?? assert.fail(text), { token });
    assert.equal(answer.status, 200);
  }
  const moved = await fetch(`${app.url}/upload/%E5%9B%BE%202.png`, { redirect: "manual" });
  assert.match(`${moved.status} ${moved.headers.get("location")}`, /^301 \/[\w-]+\/file\/\w+\.png$/);
  const names = await app.pool.values<string>`
    select original_name from platform.upload where service = 'reporting' order by 1`;
  assert.deepEqual(names, ["1.png", "图 2.png"], "a file keeps its name, not how its address spells it");
  assert.equal((await fetch(`${app.url}/upload/none.png`)).status, 404);
  const [told] = await app.pool<{ twice: boolean; long: boolean }[]>`
    select bool_or(company = '武汉大学') as twice, bool_or(id > ${count} and id < 9007199254740991) as long from reporting.report`;
  assert.deepEqual(told, { twice: true, long: true }, `${codeTwice("武汉大学")}, ${longId}`);
  const [money] = await app.pool<{ decided: number; paid: number; wrong: number; posted: number }[]>`
    select (select count(*) from tuition_payment.adjustment where kind = 'decision' and evidence = 'old system') as decided,
      count(*) filter (where paid_by = 'decision' and id % 3 = 0) as paid,
      count(*) filter (where (paid_by is not null) <> (id % 3 = 0)) as wrong,
      (select count(*) from tuition_payment.ledger) as posted
    from tuition_payment.payable`;
  assert.ok(money && money.decided > 0);
  assert.deepEqual(money, { decided: money.paid, paid: money.paid, wrong: 0, posted: 0 });
});

test("every kind of account logs in with its old password, and its hash is renewed", async () => {
  for (const service of services.filter((name) => name in loginPaths)) {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const login = (userName: string, password: string, isOldPages = false) =>
      app.call(
        "POST",
        loginPaths[service] ?? "",
        isOldPages
          ? { raw: new URLSearchParams({ userName, password }).toString(), headers }
          : { body: { userName, password } },
      );
    for (const { userName, password } of oldAccounts) {
      assert.equal((await login(userName, `${password}x`)).status, 401, userName);
      const first = await Promise.all([login(userName, password, true), login(userName, password, true)]);
      assert.deepEqual(
        first.map(({ status }) => status),
        [200, 200],
        `${service} ${userName}`,
      );
      assert.equal((await login(userName, password)).status, 200, `${service} ${userName}, renewed`);
    }
    for (const name of ["unknown", "Shiro2"]) assert.equal((await login(name, "{noop}secret")).status, 401);
  }
  const hashes = await app.pool.values<string | null>`
    select left(password_hash, 9) from platform.account where service = 'reporting' and user_name = any(${oldAccounts.map(({ userName }) => userName)})`;
  assert.deepEqual(hashes.filter((hash) => hash?.startsWith("$argon2id")).length, oldAccounts.length);
});

test("again brings what has changed, and leaves what was changed here", async () => {
  const old = await prepare("reporting", { seed, count, changed: 3 });
  await app.pool`update reporting.report set ps = 'ours' where id = 3`;
  await app.pool`update reporting.report set ps = 'ours' where id = 5`;
  const { found } = await bring("again", old);
  const kept = found.filter(([record, key]) => record === "reports" && Number(key) < 6);
  assert.deepEqual(sorted(kept), sorted([["reports", "3", "decide", "id"]]));
  const names = await app.pool<{ id: number; name: string }[]>`
    select id, entry_name as name from reporting.report where id between 2 and 5 order by id`;
  assert.deepEqual(
    names.map(({ name }) => name),
    ["改名", "项目 3", "改名", "项目 5"],
  );
  const money = await prepare("tuition-payment", { seed, count, changed: 3 });
  await app.pool`
    insert into tuition_payment.adjustment (payable_id, kind, item_names, item_fen, evidence, made_by)
    values (4, 'waiver', '{学费}', '{100}', 'a letter', 'bursar')`;
  const { said } = await bring("again", money);
  assert.match(said.join("\n"), /payables: \d+ read; 2 changed, 1 changed in Quintet, /);
  assert.equal(
    await app.pool.count`select from tuition_payment.adjustment where undone_at is null and payable_id = 3`,
    1,
  );
});

const broken: Readonly<Record<string, readonly [from: string | RegExp, to: string, says: RegExp]>> = {
  "no YAML": [/^zone.*/m, "zone: [", /is not a valid map file/],
  "no zone": [/^zone.*/m, 'zone: "Mars"', /time zone/],
  "no such record": ["reporting.reports:", "reporting.report:", /unknown record reporting\.report;/],
  "no id": [/\n {6}id: "id"/, "", /has no column for id/],
  "no such table": ['table: "tb_report"', 'table: "tb_none"', /has no table tb_none/],
  "no such column": ['trade: "trade"', 'trade: "none"', /tb_report has no column none/],
  "a table twice": ['table: "sys_user"', 'table: "tb_report"', /is assigned to two records/],
};
test("a map that is wrong and a dump that was cut off are refused, and again waits for run", async () => {
  const other = await startTestApp({ services: ["reporting"] });
  const old = await prepare("reporting", { seed, count: 100 });
  const map = await readFile(old.map, "utf8");
  await assert.rejects(bring("again", old, other), /reporting has not been imported yet/);
  for (const [what, [from, to, says]] of Object.entries(broken)) {
    await writeFile(old.map, map.replace(from, to));
    await assert.rejects(bring("run", old, other), says, what);
  }
  await writeFile(old.map, map);
  const dump = await readFile(old.dump);
  await writeFile(old.dump, dump.subarray(0, -100));
  await assert.rejects(bring("run", old, other), /at table sys_user: the file is truncated/);
  assert.equal(await other.pool.count`select from platform.old_row`, 0);
});

test("again refuses a new row of a record that was deleted here, and brings the others", async () => {
  const other = await startTestApp({ services: ["disease-command"] });
  const [dump, map] = [path.join(folder, "teams.sql"), path.join(folder, "teams.yaml")];
  const writeDump = (members: string) =>
    writeFile(
      dump,
      `CREATE TABLE \`team\` (\n \`id\` int,\n \`name\` text);\nINSERT INTO \`team\` VALUES (1,'甲'),(2,'乙');
      CREATE TABLE \`member\` (\n \`id\` int,\n \`team\` int,\n \`name\` text);\nINSERT INTO \`member\` VALUES ${members};\n`,
    );
  await writeFile(
    map,
    `{zone: Asia/Shanghai, gap: 10, records: {disease-command.teams: {table: team, columns: {id: id, teamName: name}},
      disease-command.members: {table: member, columns: {id: id, teamId: team, name: name}}}}`,
  );
  await writeDump("(1,1,'a')");
  assert.deepEqual((await bring("run", { dump, map }, other)).found, []);
  await other.pool`delete from disease_command.emergency_team where id = 1`;
  await writeDump("(1,1,'a'),(2,1,'b'),(3,2,'c')");
  const { found } = await bring("again", { dump, map }, other);
  assert.deepEqual(found, [["members", "2", "refused", "team_id"]]);
  const names = await other.pool.values<string>`select name from disease_command.emergency_team_member`;
  assert.deepEqual(names, ["c"]);
});

test("of two addresses of which one begins like the other, each leads to its own file", async () => {
  const other = await startTestApp({ services: ["disease-command"] });
  const [dump, map, uploads] = ["plans.sql", "plans.yaml", "plans"].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(uploads);
  for (const name of ["a.doc", "a.docx"]) await writeFile(path.join(uploads, name), name);
  await writeFile(
    dump,
    `CREATE TABLE \`plan\` (\n \`id\` int,\n \`title\` text,\n \`at\` datetime,\n \`content\` text);
    INSERT INTO \`plan\` VALUES (1,'t','2026-01-01 08:00:00','/up/a.doc /up/a.docx /up/a.doc.old');\n`,
  );
  await writeFile(
    map,
    `{zone: Asia/Shanghai, gap: 10, uploads: {disease-command: {folder: ${uploads}, address: /up/}}, records: {
      disease-command.plans: {table: plan, columns: {id: id, title: title, startTime: at, content: content}}}}`,
  );
  await bring("run", { dump, map }, other);
  const content = await other.pool.value<string>`select content from disease_command.event_plan`;
  assert.match(
    content,
    /^\/disease-command\/file\/\w{32}\.txt \/disease-command\/file\/\w{32}\.txt \/up\/a\.doc\.old$/,
  );
});

test("a new student's payable comes under the identity card alone, as an import takes it", async () => {
  const other = await startTestApp({ services: ["tuition-payment"], settings: { STUDENT_IDENTITY: "header" } });
  const [dump, map] = [path.join(folder, "cards.sql"), path.join(folder, "cards.yaml")];
  const cards = ["'99000020080101001x'", "'99000020080101001X'", "'none'", "NULL"];
  await writeFile(
    dump,
    `CREATE TABLE \`payable\` (\n \`id\` int,\n \`student_no\` text,\n \`id_card\` text,\n \`student_name\` text,
 \`grade\` text,\n \`years\` text,\n \`real_pay_amount\` text,\n \`pay_item_detail\` text);
    INSERT INTO \`payable\` VALUES ${cards.map((card, at) => `(${at + 1},'',${card},'新生','2026','2026','100','学费:100')`).join(",")},
      (5,'2026010001','none','老生','2025','2026','100','学费:100'),
      (6,'','E12345678','新生','2026','2026','100','学费:100'),
      (7,'2026010002','E12345678','新生','2026','2026','100','学费:100');\n`,
  );
  const tables = openDump(dump);
  await runPlan(contracts, { old: tables, map, say: () => {} });
  const { found } = await bring("run", { dump, map }, other);
  assert.deepEqual(sorted(found), [
    "payables | 2 | refused | case when student_no is null then id_card end, years",
    "payables | 3 | changed | idCard",
    "payables | 3 | refused | studentNo",
    "payables | 4 | refused | studentNo",
    "payables | 5 | changed | idCard",
    "payables | 6 | refused | id_card",
  ]);
  const headers = { card_number: "99000020080101001X" };
  const { json } = await other.call("GET", "/tuitionpayment/payableinfo/payableInfo", { headers });
  assert.deepEqual([json.data.id, json.data.studentNo, json.data.studentName], [1, null, "新生"]);
});

test("files that it has stored stay while their rows are not committed, however long that takes", async () => {
  const other = await startTestApp({ services: ["reporting"] });
  const old = await prepare("reporting", { seed, count });
  const held = await other.pool.reserve();
  await held.script(holdRows);
  const brought = bring("run", old, other);
  await untilWaiting(other.pool);
  const place = path.join(other.dataDir, "files");
  const stored = (await readdir(place, { recursive: true })).filter((name) => name.endsWith(".png"));
  assert.ok(stored.length > 0);
  const before = new Date(Date.now() - 2 * 3_600_000);
  for (const name of stored) await utimes(path.join(place, name), before, before);
  await removeOrphanFiles(other.pool, openLocalFiles(place));
  await held.script("rollback");
  held.release();
  await brought;
  const { said } = await bring("compare", old, other);
  assert.match(said.join("\n"), /reporting: \d+ files, 0 differ/);
});

test("whatever the command was doing when it was killed, nothing of the service is there, and it goes on", async () => {
  const other = await startTestApp({ services: ["reporting"] });
  const old = await prepare("reporting", { seed, count });
  const report = path.join(folder, "killed.xlsx");
  const args = ["import", "run", "--dump", old.dump, "--map", old.map, "--report", report];
  const settings = { DATABASE_URL: other.database.url, DATA_DIR: other.dataDir, STUDENT_IDENTITY: "header" };
  // The lock stops the command between its first and its second write.
  const held = await other.pool.reserve();
  await held.script(holdRows);
  const command = startCommand(args, settings);
  await untilWaiting(other.pool);
  command.child.kill("SIGKILL");
  await command.ended;
  await held.script("rollback");
  held.release();
  assert.equal(await other.pool.count`select from reporting.report`, 0);
  assert.equal(await other.pool.count`select from platform.old_service`, 0);
  const second = startCommand(args, settings);
  assert.equal((await second.ended).code, 1, "somebody has to decide");
  assert.match(second.output().out, /reports: \d+ read; \d+ new, 4 refused\n/);
});

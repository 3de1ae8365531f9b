import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { inTransaction } from "#platform/database/index.ts";
import { exportColumns } from "#services/attendance/answers/export.ts";
import { standardSettings } from "#services/attendance/model.ts";
import { dayFields, summaryRow } from "#services/attendance/record-contract.ts";
import { startTestApp } from "#test/app.ts";
import { openAttendance, waitForAnalysis } from "#test/attendance/calls.ts";
import { makeMonth, type Sheet } from "#test/attendance/workbooks.ts";
import { meetWaiting } from "#test/meeting.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, sendBytes, analyse } = await openAttendance(app, token);

const may = makeMonth({ month: "2026-05", people: 260, seed: 3, generation: 2026 });
const november = makeMonth({ month: "2020-11", people: 40, seed: 8, generation: 2020 });

type Row = Record<string, string | number>;
const download = async (query: Record<string, string | number> = {}): Promise<Row[]> =>
  (await get("downLoad", { month: "2026-05", ...query })).json.data;

test("before anything is imported", async () => {
  const now = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 7);
  const nothing = { statu: 0, total: 0, done: 0, waring: "", covered: [], locked: null, differing: 0 };
  const { days, ...status } = (await get("queryAnalyseStatu")).json.data;
  assert.deepEqual(status, { month: now, ...nothing });
  assert.equal(days.from, `${now}-01`);
  assert.equal((await get("title")).json.data.id, Number(now.replace("-", "")));
  for (const target of ["analyse", "downLoad", "unmatched", "differences"])
    assert.equal((await get(target)).json.code, "10005");
  assert.deepEqual((await get("months")).json.data, []);
  const te = await get("te");
  assert.deepEqual([te.status, te.text], [200, ""]);
});

test("an analysis in parts, from import to download", async () => {
  const book = [may.monthSheet, may.dailySheet, may.originalSheet];
  await send("month", book);
  await send("original", book);
  await send("work", [may.identitySheet]);
  assert.equal((await get("downLoad")).json.code, "10005");
  const started = (await get("analyse")).json.data;
  assert.deepEqual([started.month, started.statu, started.total, started.done], ["2026-05", 1, 260, 0]);
  assert.deepEqual(await analyse("2026-05"), {
    month: "2026-05",
    statu: 2,
    total: 260,
    done: 260,
    waring: (await get("queryAnalyseStatu")).json.data.waring,
    days: { from: "2026-05-01", to: "2026-05-31" },
    covered: ["month", "daily", "original"].map((sheet) => ({ sheet, from: "2026-05-01", to: "2026-05-31" })),
    locked: null,
    differing: 0,
  });
  const rows = await download();
  assert.equal(rows.length, 260);
  assert.deepEqual(Object.keys(rows[0] ?? {}), Object.keys(summaryRow.shape));
  for (const row of rows) assert.equal(summaryRow.safeParse(row).success, true);
  const keys = rows.map(({ department, workNum, workName }) => [department, workNum, workName]);
  const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a.join("\0")), Buffer.from(b.join("\0"))));
  assert.deepEqual(keys, sorted);
  const cards = new Map(may.identityLines.map(({ userId, idCard }) => [userId, idCard]));
  for (const row of rows) assert.equal(row["idCard"], cards.get(String(row["userId"])) ?? "");
});

test("asked again while it runs, it is the same run", async () => {
  await send("month", [november.monthSheet]);
  await send("original", [november.originalSheet]);
  const runs = async () => Number((await app.pool`select last_value from attendance.run`)[0]?.["last_value"]);
  const before = await runs();
  const answers = await Promise.all([1, 2, 3, 4].map(() => get("analyse", { month: "2020-11" })));
  assert.ok(answers.every(({ json }) => json.code === "0"));
  const after = await runs();
  assert.ok(after - before <= 4);
  assert.equal((await analyse("2020-11")).statu, 2);
  assert.equal((await get("queryAnalyseStatu")).json.data.month, "2020-11");
});

describe("the download", () => {
  test("has filters and pages", async () => {
    const all = await download();
    const { department, groupOfCheck } = all[100] ?? {};
    const part = String(all[7]?.["workName"]).slice(1);
    const inDepartment = all.filter((row) => row["department"] === department);
    const inGroup = all.filter((row) => row["groupOfCheck"] === groupOfCheck);
    const named = all.filter((row) => String(row["workName"]).includes(part));
    assert.deepEqual(await download({ department: String(department) }), inDepartment);
    assert.deepEqual(await download({ groupOfCheck: String(groupOfCheck) }), inGroup);
    assert.deepEqual(await download({ name: part }), named);
    assert.deepEqual(await download({ name: "%" }), []);
    const page = (await get("downLoad", { month: "2026-05", curPage: 3, pageSize: 100 })).json.data;
    assert.deepEqual(
      { ...page, list: page.list.length },
      { totalCount: 260, pageSize: 100, totalPage: 3, currPage: 3, list: 60 },
    );
    assert.deepEqual(page.list, all.slice(200));
    assert.equal((await get("downLoad", { curPage: 0 })).json.code, "10001");
  });

  test("as a workbook has the same rows, ids as text", async () => {
    const response = await fetch(`${app.url}/attendance/month/downLoad?month=2026-05&format=xlsx`, {
      headers: { admin_token: token },
    });
    assert.match(response.headers.get("content-disposition") ?? "", /attendance-2026-05\.xlsx/);
    const [heading = [], ...rows] = await Array.fromAsync(
      streamXlsxRows(Buffer.from(await response.arrayBuffer())),
      ({ values }) => values,
    );
    assert.deepEqual(heading.slice(0, 6), ["姓名", "考勤组", "部门", "工号", "UserId", "身份证号"]);
    assert.deepEqual(heading.slice(-2), ["30 六", "31 日"]);
    assert.ok(heading.includes("迟到20-30分钟次数"));
    const all = await download();
    assert.deepEqual(
      rows.map((row) => [row[heading.indexOf("UserId")], row[heading.indexOf("出勤合计天数")]]),
      all.map(({ userId, attendanceDays }) => [userId, attendanceDays]),
    );
    assert.equal(heading.length, 46 + 31);
  });

  test("read page by page is one line of the audit log, and no export", async () => {
    const { userName, token: reader } = await app.signIn("platform");
    const readPage = (curPage: number) => {
      const query = { month: "2026-05", curPage, pageSize: 100 };
      return app.call("GET", "/attendance/month/downLoad", { token: reader, query });
    };
    const list = async () => {
      const lines = await app.pool`
        select action, records from platform.audit where user_name = ${userName} and action <> 'login' order by id`;
      return lines.map(({ action, records }) => `${action} ${records}`);
    };
    // Reading that starts in the middle writes one audit entry, not one for each page.
    for (const curPage of [2, 3]) assert.equal((await readPage(curPage)).status, 200);
    assert.deepEqual(await list(), ["readMonth 2026-05"]);
    for (const curPage of [1, 2, 3]) await readPage(curPage);
    assert.deepEqual(await list(), ["readMonth 2026-05", "readMonth 2026-05"]);
  });

  test("reading by pages is audited again if the last audit entry is more than an hour old", async () => {
    const { userName, token: reader } = await app.signIn("platform");
    await app.pool`
      insert into platform.audit (at, service, account_id, user_name, action, outcome, records, address)
      select now() - interval '61 minutes', 'attendance', id, user_name, 'readMonth', 'done', '{2026-05}', ''
      from platform.account where user_name = ${userName}`;
    const query = { month: "2026-05", curPage: 3, pageSize: 100 };
    for (let time = 1; time <= 2; time++)
      assert.equal((await app.call("GET", "/attendance/month/downLoad", { token: reader, query })).status, 200);
    const [row] = await app.pool`
      select count(*)::int as lines from platform.audit where user_name = ${userName} and action = 'readMonth'`;
    assert.equal(row?.["lines"], 2);
  });
});

test("the title has the weekdays of the month", async () => {
  const { data } = (await get("title", { month: "2026-02" })).json;
  assert.deepEqual(Object.keys(data), ["id", "userId", "workName", ...dayFields]);
  assert.deepEqual(
    [data.id, data.userId, data.workName, data.oneOfMonth, data.twentyEightOfMonth, data.twentyNineOfMonth],
    [202602, "UserId", "姓名", "日", "六", ""],
  );
});

test("an explanation adds up to the row", async () => {
  const rows = await download();
  for (const row of rows.slice(0, 10)) {
    const { data } = (await get("explain", { month: "2026-05", userId: row["userId"] })).json;
    assert.deepEqual(data.row, row);
    for (const { field, value } of data.figures) assert.equal(value, String(row[field]), field);
  }
  assert.equal((await get("explain", { month: "2026-05" })).json.code, "10001");
  assert.equal((await get("explain", { month: "2026-05", userId: "nobody" })).json.code, "10005");
});

test("people whom another sheet lacks, and results that no rule knows", async () => {
  const strange: Sheet = {
    ...november.originalSheet,
    rows: [...november.originalSheet.rows].map((row, index) =>
      row.map((cell) => (cell === "正常" && index < 12 ? "神秘" : cell)),
    ),
  };
  const imported = (await send("original", [strange])).json.data;
  assert.match(imported.waring, /神秘/);
  await send("work", [{ ...may.identitySheet, rows: [["陌生人", "99999", "", "110101199001011237"]] }], {
    month: "2020-11",
  });
  const { data } = (await get("unmatched", { month: "2020-11" })).json;
  assert.equal(data.month, "2020-11");
  const found = data.people.find(({ workName }: { workName: string }) => workName === "陌生人");
  assert.deepEqual([found?.sheet, found?.lackedBy], ["员工信息", "月度汇总"]);
  const [unknown] = data.results;
  assert.deepEqual([unknown.sheet, unknown.result, unknown.examples.length], ["原始记录", "神秘", 3]);
});

test("two months side by side", async () => {
  await analyse("2020-11");
  const { data } = (await get("compare", { month: "2026-05", with: "2020-11" })).json;
  const [one, other] = [await download(), await download({ month: "2020-11" })];
  assert.deepEqual(data.filter((pair: { month: unknown }) => pair.month).length, one.length);
  assert.deepEqual(data.filter((pair: { with: unknown }) => pair.with).length, other.length);
  for (const { month, with: second, userId } of data)
    for (const row of [month, second]) if (row) assert.equal(row.userId, userId);
  const figures = exportColumns.filter(({ type }) => type === "number").map(({ field }) => field);
  type Row = Readonly<Record<string, unknown>> | null;
  const differing = (pair: { month: Row; with: Row }) =>
    figures.some((field) => pair.month?.[field] !== pair.with?.[field]);
  const changed = (await get("compare", { month: "2026-05", with: "2026-05", changed: "true" })).json.data;
  assert.deepEqual(changed, []);
  const differ = (await get("compare", { month: "2026-05", with: "2020-11", changed: "true" })).json.data;
  assert.deepEqual(differ, data.filter(differing));
  assert.equal((await get("compare", { month: "2026-05" })).json.code, "10001");
  assert.equal((await get("compare", { month: "2026-05", with: "2001-01" })).json.code, "10005");
});

test("settings change analyses to come, and a preview says how", async () => {
  const before = (await get("settings")).json.data;
  assert.deepEqual(before, standardSettings);
  const body = { month: "2026-05", bucketEdges: [1, 2] };
  const preview = (await app.call("POST", "/attendance/month/settings/preview", { token, body })).json.data;
  assert.ok(preview.changed > 0 && preview.rows.length === Math.min(100, preview.changed));
  assert.deepEqual((await get("settings")).json.data, before);
  const rows = await download();
  const change = async (body: unknown) => (await app.call("PUT", "/attendance/month/settings", { token, body })).json;
  assert.equal((await change({ bucketEdges: [1, 2] })).data, "1");
  assert.deepEqual(await download(), rows, "what was analysed stays as it was");
  const [explained] = rows;
  const { data } = (await get("explain", { month: "2026-05", userId: explained?.["userId"] })).json;
  assert.deepEqual([data.row, data.bucketEdges], [explained, [20, 30]]);
  assert.equal((await analyse("2026-05")).statu, 2);
  const changed = (await download()).filter((row, index) => JSON.stringify(row) !== JSON.stringify(rows[index]));
  assert.equal(changed.length, preview.changed);
  for (const bucketEdges of [[30, 20], [20]]) assert.equal((await change({ bucketEdges })).code, "10001");
  for (const campuses of [[], [{ campus: 3, keywords: [] }]]) assert.equal((await change({ campuses })).code, "10001");
});

test("an analysis of which no job is left has failed, and can be started again", async () => {
  const lost = 900_001;
  const alive = 900_002;
  await app.pool`select graphile_worker.add_job('attendance-part', '{}', run_at => now() + interval '1 day', job_key => ${`attendance-part-${alive}-3`})`;
  await app.pool`select graphile_worker.add_job('attendance-part', '{}', run_at => now() + interval '1 day', job_key => ${`attendance-part-${lost}-3`})`;
  await app.pool`update graphile_worker._private_jobs set attempts = max_attempts where key = ${`attendance-part-${lost}-3`}`;
  // A recurring task marks runs that have no jobs as failed. It may start at any time, so the jobs are created before
  // the runs.
  await app.pool`update attendance.month set statu = 1, run = ${alive} where month = '2026-05'`;
  await app.pool`update attendance.month set statu = 1, run = ${lost} where month = '2020-11'`;
  const statuOf = async (month: string) => (await get("queryAnalyseStatu", { month })).json.data;
  await app.pool`select graphile_worker.add_job('attendance-watch')`;
  const failed = await waitForAnalysis(get, "2020-11");
  assert.deepEqual([failed.statu, failed.waring.split("\n")[0]], [3, "分析失败，请重新分析"]);
  assert.equal((await statuOf("2026-05")).statu, 1);
  await app.pool`update attendance.month set statu = 0, run = null where month = '2026-05'`;
  for (const month of ["2020-11", "2026-05"]) assert.equal((await analyse(month)).statu, 2);
});

test("what a part has stored is undone when the month has another run by then", async () => {
  const month = "2020-11";
  const [before] = await app.pool`update attendance.month set statu = 1 where month = ${month} returning run`;
  await app.pool`delete from attendance.result where month = ${month}`;
  await app.pool`update attendance.part set done = false where month = ${month}`;
  const job = { month, run: before?.["run"], part: 0 };
  await inTransaction(app.pool, async (tx) => {
    await tx`select from attendance.month where month = ${month} for no key update`;
    await app.pool`select graphile_worker.add_job('attendance-part', ${JSON.stringify(job)}::json, job_key => 'overtaken', max_attempts => 1)`;
    await meetWaiting(app.pool, 1);
    await tx`update attendance.month set statu = 0, run = null where month = ${month}`;
  });
  for (let left = 1; left > 0;) {
    const rows = await app.pool`select attempts, last_error from graphile_worker.jobs where key = 'overtaken'`;
    assert.ok(rows.every(({ last_error }) => last_error === null));
    left = rows.length;
  }
  assert.equal((await app.pool`select from attendance.result where month = ${month}`).length, 0);
  assert.equal((await analyse(month)).statu, 2);
});

test("templates can be sent back, and change nothing while nothing is filled in", async () => {
  const present = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 7);
  for (const sheet of ["month", "original", "work"] as const) {
    const response = await fetch(`${app.url}/attendance/month/template/${sheet}`, { headers: { admin_token: token } });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const sendBack = async (fields: Record<string, string>) =>
      (await sendBytes(sheet, "template.xlsx", bytes, { month: present, ...fields })).json;
    assert.equal((await sendBack({})).code, "10030");
    const { code, message } = await sendBack({ allowEmpty: "true" });
    assert.equal(code, "0", message);
  }
});

test("without a token a service left open answers what is documented, identity cards masked", async () => {
  const settings = { UNDOCUMENTED_AUTH: "open:attendance" };
  const open = await startTestApp({ services: ["attendance"], beside: app, settings });
  const rows = (await open.call("GET", "/attendance/month/downLoad", { query: { month: "2026-05" } })).json
    .data as Row[];
  const known = rows.filter((row) => row["idCard"] !== "");
  assert.ok(known.length > 0);
  for (const row of known) assert.match(String(row["idCard"]), /^.{4}\*{12}.{2}$/);
});

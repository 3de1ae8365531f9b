import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import http from "node:http";
import { describe, test } from "node:test";
import { buildArchive } from "#test/archive-fixture.ts";
import { startTestApp } from "#test/app.ts";
import { pick } from "#test/pick.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { makeSpecimens } from "#test/attendance/mutations.ts";
import { makeMonth, type FictitiousMonth, type Sheet, writeBook } from "#test/attendance/workbooks.ts";
import { releaseMonths, reserveMonth } from "./import-store.ts";
import { until } from "#test/until.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, sendBytes } = await openAttendance(app, token);

const make = (month: string, people: number, seed: number): FictitiousMonth =>
  makeMonth({ month, people, seed, generation: seed % 2 === 0 ? 2020 : 2026 });
const findMonth = async (month: string) =>
  (await get("months")).json.data.find((row: { month: string }) => row.month === month);
const imports = async () => (await get("imports", { pageSize: 1000 })).json.data.list;

async function storedRows(): Promise<number> {
  const [row] = await app.pool`
    select (select count(*) from attendance.punch) + (select count(*) from attendance.employee) + (select count(*) from attendance.daily) + (select count(*) from attendance.identity) as rows`;
  return Number(row?.["rows"]);
}

describe("an import", () => {
  test("takes its own sheets out of a workbook that has all four", async () => {
    const made = make("2026-05", 30, 1);
    const book = [made.clockTimesSheet, made.originalSheet, made.monthSheet, made.dailySheet];
    const asMonth = (await send("month", book)).json;
    const { code, data: taken } = asMonth;
    assert.deepEqual([code, taken.month, taken.employees, taken.skipped], ["0", "2026-05", 30, 0]);
    assert.equal(asMonth.data.rows, 30 + made.dailyLines.filter(({ day }) => day !== "总计").length);
    assert.deepEqual(Object.keys(asMonth.data), [
      "waring",
      "month",
      "employees",
      "rows",
      "skipped",
      "months",
      "covered",
    ]);
    const asOriginal = (await send("original", book)).json;
    assert.deepEqual([asOriginal.data.month, asOriginal.data.rows], ["2026-05", made.punchLines.length]);
    const asWork = (await send("work", [made.identitySheet], { month: "2026-05" })).json;
    assert.deepEqual([asWork.data.month, asWork.data.rows], ["2026-05", made.identityLines.length]);
    const { employees, punches, identities, statu } = await findMonth("2026-05");
    const counts = [30, made.punchLines.length, made.identityLines.length, 0];
    assert.deepEqual([employees, punches, identities, statu], counts);
  });

  test("again replaces the month, and the rows of the old one go", async () => {
    const [first, second] = [make("2026-06", 12, 2), make("2026-06", 20, 4)];
    const before = await storedRows();
    await send("original", [first.originalSheet]);
    await send("original", [second.originalSheet]);
    assert.equal((await findMonth("2026-06"))?.punches, second.punchLines.length);
    const [latest] = await imports();
    assert.deepEqual([latest?.phase, latest?.outcome], ["done", "done"]);
    assert.deepEqual([latest?.rows, latest?.bytesRead], [second.punchLines.length, latest?.bytesTotal]);
    await app.pool`select graphile_worker.add_job('attendance-sweep')`;
    await until("the old rows are gone", async () => (await storedRows()) === before + second.punchLines.length);
  });

  test("without a month in the file needs the form field", async () => {
    const { monthSheet } = make("2026-07", 3, 3);
    const untitled: Sheet = { ...monthSheet, head: monthSheet.head.slice(2) };
    assert.equal((await send("month", [untitled])).json.code, "10001");
    assert.equal((await send("month", [untitled], { month: "2026-13" })).json.code, "10001");
    assert.equal((await send("month", [untitled], { month: "2026-07" })).json.data.month, "2026-07");
  });

  test("of identity cards without a month joins the month that was imported last", async () => {
    await send("month", [make("2026-04", 3, 3).monthSheet]);
    assert.equal((await send("work", [make("2026-04", 3, 3).identitySheet])).json.data.month, "2026-04");
  });

  test("of rows at fault stores nothing and names them", async () => {
    const made = make("2026-08", 5, 5);
    const rows = [...made.originalSheet.rows].map((row) => [...row]);
    const dayColumn = made.originalSheet.head.at(-1)?.indexOf("考勤日期") ?? -1;
    (rows[2] ?? [])[dayColumn] = "26-02-30 星期一";
    const before = await storedRows();
    const { json, status } = await send("original", [{ ...made.originalSheet, rows }]);
    assert.deepEqual([status, json.code, json.data.errors.length], [400, "10020", 1]);
    const [error] = json.data.errors;
    assert.deepEqual([error.row, error.field], [made.originalSheet.head.length + 3, "考勤日期"]);
    assert.equal(await findMonth("2026-08"), undefined);
    const [latest] = await imports();
    assert.deepEqual([latest?.outcome, latest?.errors.length, latest?.phase], ["failed", 1, "done"]);
    assert.equal(await storedRows(), before);
  });

  const bad: [string, string, Uint8Array | string, string][] = [
    ["no workbook", "x.xlsx", "%PDF-1.7 nothing", "10030"],
    ["the wrong sheet", "x.csv", "姓名,身高\n甲,1\n", "10030"],
    ["an empty file", "x.xlsx", "", "10030"],
    ["half a workbook", "x.xlsx", Buffer.from("504b0304140000000800", "hex"), "10030"],
  ];
  for (const [name, fileName, bytes, code] of bad) {
    test(`of ${name} is ${code}`, async () => {
      const { json } = await sendBytes("month", fileName, bytes);
      assert.equal(json.code, code);
      assert.equal(JSON.stringify(json).includes("/tmp"), false);
    });
  }

  test("of results with characters that cannot be stored tells them without these", async () => {
    const [, shared] = await makeSpecimens();
    const entries = (shared?.entries ?? []).map(({ name, content }) => ({
      name,
      content: Buffer.from(content.toString().replaceAll(/(<t[^>]*>)正常(<\/t>)/g, "$1怪&#0;结&#55296;果$2")),
    }));
    const { json } = await sendBytes("month", "x.xlsx", buildArchive(entries));
    assert.equal(json.code, "0", json.message);
    assert.match(JSON.stringify(json.data), /“怪结\ufffd果”/);
    assert.equal((await get("unmatched", { month: "2026-05" })).json.code, "0");
  });

  test("leaves no file behind", async () => {
    assert.deepEqual(await readdir(`${app.dataDir}/files/arriving`), []);
  });

  test("is in the audit log", async () => {
    const lines =
      await app.pool`select action, outcome, records from platform.audit where service = 'attendance' and action like 'import%' order by id limit 3`;
    const done = ["importMonth done 2026-05", "importOriginal done 2026-05", "importWork done 2026-05"];
    assert.deepEqual(pick(lines, "action", "outcome", "records"), done);
  });
});

test("imports of one month at once leave exactly one of them", async () => {
  const made = [3, 5, 7, 9].map((people) => make("2026-09", people * 10, people));
  const answers = await Promise.all(made.map(({ originalSheet }) => send("original", [originalSheet])));
  for (const { json } of answers) assert.equal(json.code, "0");
  const [row] = await app.pool`
      select rows as told, (select count(*) from attendance.punch where punch.import_id = import.id) as stored
      from attendance.span join attendance.import on id = import_id where span.month = '2026-09'`;
  assert.equal(row?.["told"], row?.["stored"]);
  assert.ok(made.some(({ punchLines }) => punchLines.length === row?.["stored"]));
});

async function beginUpload(people: number) {
  const made = make("2026-11", people, 1);
  const file = `${app.dataDir}/by-hand.xlsx`;
  await writeBook(file, [made.originalSheet]);
  const body = Buffer.concat([
    Buffer.from(`--x\r\ncontent-disposition: form-data; name="file"; filename="x.xlsx"\r\n\r\n`),
    await readFile(file),
    Buffer.from(`\r\n--x--\r\n`),
  ]);
  const request = http.request(`${app.url}/attendance/original/importOriginal`, {
    method: "POST",
    headers: { admin_token: token, "content-type": "multipart/form-data; boundary=x", "content-length": body.length },
  });
  request.on("error", () => undefined);
  return { request, body, made };
}

test("an import that its client leaves before the last byte ends with it; after it, it is finished", async () => {
  const before = (await imports()).length;
  const arrivals = async () => (await readdir(`${app.dataDir}/files/arriving`)).length;
  const left = await beginUpload(40);
  left.request.write(left.body.subarray(0, -1));
  await until("the file arrives", async () => (await arrivals()) > 0);
  left.request.destroy();
  await until("the file is gone", async () => (await arrivals()) === 0);
  assert.deepEqual([(await imports()).length, await findMonth("2026-11")], [before, undefined]);
  const whole = await beginUpload(400);
  whole.request.end(whole.body);
  await until("the import begins", async () => (await imports()).length !== before);
  whole.request.destroy();
  await until("the import ends", async () => (await imports())[0]?.endTime !== null);
  assert.equal((await findMonth("2026-11"))?.punches, whole.made.punchLines.length);
});

test("imports are listed by month and by sheet, page by page", async () => {
  const { monthSheet, originalSheet } = make("2025-11", 3, 3);
  for (const [sheet, content] of [
    ["month", monthSheet],
    ["original", originalSheet],
    ["month", monthSheet],
  ] as const)
    await send(sheet, [content]);
  const list = async (query: Readonly<Record<string, string | number>>) => {
    const { totalCount, list: rows } = (await get("imports", query)).json.data;
    return [totalCount, rows.map(({ sheet, month }: { sheet: string; month: string }) => `${month} ${sheet}`)];
  };
  const [month, original] = ["2025-11 month", "2025-11 original"];
  assert.deepEqual(await list({ month: "2025-11" }), [3, [month, original, month]]);
  assert.deepEqual(await list({ month: "2025-11", sheet: "original" }), [1, [original]]);
  assert.deepEqual(await list({ month: "2025-11", sheet: "", pageSize: 1, curPage: 2 }), [3, [original]]);
  assert.deepEqual(await list({ month: "2024-01" }), [0, []]);
  for (const query of [{ month: "2025-13" }, { month: "11" }, { sheet: "daily" }])
    assert.equal((await get("imports", query)).json.code, "10001");
});

test("an import whose process is gone counts as interrupted", async () => {
  const [row] =
    await app.pool`insert into attendance.import (sheet, file_name, bytes_total, alive_at) values ('month', 'x', 1, now() - interval '1 minute') returning id`;
  assert.equal((await get(`imports/${row?.["id"]}`)).json.data.outcome, "interrupted");
});

test("an import that stood still until its rows were removed gives itself up", async () => {
  const made = make("2026-12", 20, 1);
  await send("original", [make("2026-12", 10, 3).originalSheet]);
  const before = await findMonth("2026-12");
  const other = await app.pool.reserve();
  await reserveMonth(other, "2026-12");
  const sent = send("original", [made.originalSheet]);
  const isReading = async () => pick(await imports(), "phase", "endTime").includes("reading null");
  await until("the import reads", isReading);
  const [running] = await imports();
  const { data } = (await get(`imports/${running?.id}`)).json;
  assert.deepEqual([data.phase, data.outcome, data.endTime], ["reading", null, null], "it is seen while it runs");
  await app.pool`update attendance.import set holds_rows = false where ended_at is null`;
  await releaseMonths(other);
  other.release();
  assert.equal((await sent).json.code, "10020");
  assert.deepEqual(await findMonth("2026-12"), before);
  const [latest] = await app.pool<{ id: number; outcome: string }[]>`
    select id, outcome from attendance.import order by id desc limit 1`;
  assert.equal(latest?.outcome, "failed");
  const id = latest.id;
  const holdsRows = async () =>
    (await app.pool`select from attendance.import where id = ${id} and holds_rows`).length > 0;
  await until("its rows are gone", async () => !(await holdsRows()));
  assert.equal((await app.pool`select from attendance.punch where import_id = ${id}`).length, 0);
});

import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { describe, test } from "node:test";
import { buildArchive, buildWorkbook, wrapRows } from "#test/archive-fixture.ts";
import { type Cell, writeWorkbook } from "#platform/workbooks/index.ts";
import { startTestApp } from "#test/app.ts";
import { type Body, upload } from "#test/disease-command.ts";
import { meetAtLock } from "#test/meeting.ts";
import { pick } from "#test/pick.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command${path}`, { token, body, query })).json;

const detectionHeadings = ["日期", "人群类别", "检测人数", "异常人数"];
const feverHeadings = ["医院名称", "发热门诊人数", "流行病学史人数"];
const toBook = (headings: readonly string[], rows: readonly (readonly Cell[])[]): Promise<Buffer> =>
  buffer(writeWorkbook({ sheetName: "s", columns: headings.map((header) => ({ header })), rows: [rows] }));
const sendDetection = async (rows: readonly (readonly Cell[])[]) =>
  (await upload(app, "/detectionStatistics/saveByExcel", token, await toBook(detectionHeadings, rows), "d.xlsx")).json;
const sendFever = async (day: string, rows: readonly (readonly Cell[])[], to = app) => {
  const book = await toBook(feverHeadings, rows);
  return (await upload(to, `/feverClinicOfHospitalStatistics/saveByExcel/${day}`, token, book, "f.xlsx")).json;
};
const countDetections = async () => (await call("GET", "/detectionStatistics/list")).data.totalCount;

describe("detection", () => {
  test("comes out of a workbook, with dates as text and as dates, columns in any order", async () => {
    const headings = ["异常人数", "日期", "surplus", "检测人数", " 人群 类别"];
    const cells = (texts: readonly (string | number)[]) =>
      texts
        .map((text) => (typeof text === "number" ? `<c><v>${text}</v></c>` : `<c t="str"><v>${text}</v></c>`))
        .join("");
    // The cell has a date style, so 46328 is 2 November 2026.
    const date = '<c s="1"><v>46328</v></c>';
    const rows = [
      cells(headings),
      cells([3, "2026-11-01", "x", 100, "医务"]),
      `${cells(["4"])}${date}${cells(["x", "200", "学生"])}`,
    ];
    const styles = '<styleSheet><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';
    const sheet = wrapRows(rows.map((row) => `<row>${row}</row>`).join(""));
    const book = buildArchive(buildWorkbook(sheet, { "xl/styles.xml": styles }));
    const sent = (await upload(app, "/detectionStatistics/saveByExcel", token, book)).json;
    assert.equal(sent.data, "2", JSON.stringify(sent));
    const { list } = (await call("GET", "/detectionStatistics/list")).data;
    assert.deepEqual(
      list.map(({ id: _id, updateTime: _time, ...row }: Body) => row),
      [
        { statisticsDate: "2026-11-02", peopleType: "学生", detectionCount: 200, abnormalCount: 4 },
        { statisticsDate: "2026-11-01", peopleType: "医务", detectionCount: 100, abnormalCount: 3 },
      ],
    );
  });

  test("of 500 rows one is wrong, and none is stored", async () => {
    const before = await countDetections();
    const rows: Cell[][] = Array.from({ length: 500 }, (_, n) => ["2026-09-01", `人群${n}`, n, 0]);
    rows[321] = ["2026-02-30", "人群321", 1.5, -1];
    const { code, data } = await sendDetection(rows);
    assert.equal(code, "10020");
    const places = data.errors.map(({ row, field }: Body) => `${row} ${field}`);
    assert.deepEqual(places, ["323 日期", "323 检测人数", "323 异常人数"]);
    assert.deepEqual(pick(data.errors, "message").slice(0, 2), ["应为 yyyy-MM-dd 格式的有效日期", "应为整数"]);
    assert.equal(await countDetections(), before);
    rows[321] = ["2026-09-01", "人群321", 1, 1];
    assert.equal((await sendDetection(rows)).data, "500");
  });

  test("hits what is there already, and what stands twice in the sheet", async () => {
    const driver = { statisticsDate: "2026-08-01", peopleType: "司机", detectionCount: 1, abnormalCount: 0 };
    assert.equal((await call("POST", "/detectionStatistics/save", driver)).code, "0");
    const before = await countDetections();
    const people = ["教师", "司机", "教师"];
    const { code, data } = await sendDetection(people.map((peopleType, n) => ["2026-08-01", peopleType, n, 0]));
    const rows = data.errors.map(({ row }: Body) => row);
    assert.deepEqual([code, rows], ["10020", [3, 4]]);
    assert.equal(await countDetections(), before);
  });

  test("a file that is no such workbook", async () => {
    const send = async (bytes: Uint8Array | string) =>
      (await upload(app, "/detectionStatistics/saveByExcel", token, bytes)).json;
    for (const bytes of ["", "PK\u0003\u0004 broken", "日期,人群类别\n", "\0\0", "<html>"])
      assert.equal((await send(bytes)).code, "10030", bytes);
    assert.match((await send("日期,人群类别\n2026-01-01,a\n")).message, /检测人数、异常人数/);
    assert.equal((await send(`${detectionHeadings.join(",")}\n`)).code, "10020");
    assert.equal((await call("POST", "/detectionStatistics/saveByExcel", {})).code, "10030");
  });
});

describe("fever clinics", () => {
  const list = async (query = {}) =>
    (await call("GET", "/feverClinicOfHospitalStatistics/list", undefined, query)).data;
  const last = async () => (await call("GET", "/feverClinicOfHospitalStatistics/lastData")).data;
  const save = async (datas: unknown) => call("POST", "/feverClinicOfHospitalStatistics/save", { datas });
  const statistic = (statisticsDate: string, hospitalName: string, feverClinicCount: number, epidemicCount = 0) => {
    return { statisticsDate, hospitalName, feverClinicCount, epidemicCount };
  };

  test("take the place of what the date and hospital had, the last of two in one body", async () => {
    assert.deepEqual(await last(), []);
    assert.equal((await save([statistic("2026-11-18", "一院", 5), statistic("2026-11-18", "二院", 9)])).data, "2");
    const ids = new Map((await list()).list.map(({ hospitalName, id }: Body) => [hospitalName, id]));
    const [day, before] = ["2026-11-18", "2026-11-17"];
    const again = [statistic(day, "一院", 6), statistic(before, "一院", 1), statistic(day, "一院", 7, 2)];
    assert.equal((await save(again)).data, "2");
    assert.equal((await list()).totalCount, 3);
    const told = (await last()).map(({ updateTime: _time, ...row }: Body) => row);
    const expected = [statistic(day, "二院", 9), statistic(day, "一院", 7, 2)];
    assert.deepEqual(
      told,
      expected.map((row) => ({ id: ids.get(row.hospitalName), ...row })),
    );
  });

  test("are only read on a dry run, the last of a hospital's rows", async () => {
    const book = await toBook(feverHeadings, [
      ["一院", 5, 0],
      ["一院", 4300, 60],
      ["二院", 9, 1],
    ]);
    const before = await list();
    const path = "/feverClinicOfHospitalStatistics/saveByExcel/2026-11-15";
    const fields = { dryRun: "true" };
    const headers = { "Idempotency-Key": "dry run" };
    const given = { token, headers, file: ["f.xlsx", book] as const, fields };
    const { data } = (await app.call("POST", `/disease-command${path}`, given)).json;
    assert.deepEqual((await app.call("POST", `/disease-command${path}`, given)).json.data, data, "a retry");
    const rows = new Map(
      data.map((row: Body) => [row["hospitalName"], [row["feverClinicCount"], row["epidemicCount"]]]),
    );
    assert.deepEqual(Object.fromEntries(rows), { 一院: [4300, 60], 二院: [9, 1] });
    assert.deepEqual(await list(), before);
  });

  test("must be right, each of them", async () => {
    const before = (await list()).totalCount;
    const right = statistic("2026-11-16", "一院", 1);
    const wrong: unknown[] = [
      [],
      undefined,
      {},
      [right, null],
      [right, { ...right, statisticsDate: "2026-02-29" }],
      [right, { ...right, hospitalName: "" }],
      [right, { ...right, feverClinicCount: "1" }],
      [right, { ...right, epidemicCount: -1 }],
    ];
    for (const datas of wrong) {
      const { code, message } = await save(datas);
      assert.equal(code, "10001", JSON.stringify(datas));
      assert.match(message, /datas/);
    }
    assert.equal((await save([{ ...right, hospitalName: "x".repeat(256) }])).code, "10026");
    assert.equal((await list()).totalCount, before);
  });

  test("are changed, but not into another", async () => {
    await save([statistic("2026-10-01", "甲院", 1), statistic("2026-10-01", "乙院", 2)]);
    const found = (await list({ pageSize: 2 })).list;
    const update = async (body: object) => (await call("PUT", "/feverClinicOfHospitalStatistics/update", body)).code;
    assert.equal(await update({ id: found[0].id, feverClinicCount: 8 }), "0");
    assert.equal((await list({ pageSize: 1 })).list[0].feverClinicCount, 8);
    assert.equal(await update({ id: found[0].id, hospitalName: found[1].hospitalName }), "10004");
    const ids = found.map(({ id }: { id: number }) => id);
    assert.equal((await call("DELETE", "/feverClinicOfHospitalStatistics/delete", ids)).data, "2");
    assert.equal((await call("DELETE", "/feverClinicOfHospitalStatistics/delete", ids)).code, "10005");
  });

  test("come out of a day's workbook", async () => {
    const rows: Cell[][] = [
      ["一院", 11, 1],
      ["三院", "30", 0],
      ["一院", 12, 2],
    ];
    assert.equal((await sendFever("2026-11-19", rows)).data, "2");
    const told = (await last()).map(({ id: _id, updateTime: _time, ...row }: Body) => row);
    assert.deepEqual(told, [statistic("2026-11-19", "三院", 30), statistic("2026-11-19", "一院", 12, 2)]);
    const faulty = await sendFever("2026-11-19", [
      ["四院", 1, 0],
      ["", -1, "x"],
    ]);
    assert.deepEqual([faulty.code, faulty.data.errors.length], ["10020", 3]);
    assert.equal((await last()).length, 2);
    for (const day of ["2026-02-29", "2026-11", "20261119", "2026-11-19%20", "x"])
      assert.equal((await sendFever(day, rows)).code, "10001", day);
  });

  test("of several workbooks of one day at once one wins, whole", async () => {
    const day = "2026-11-20";
    const rowsOf = (n: number): Cell[][] =>
      Array.from({ length: 40 }, (_, hospital) => [`医院${n % 2 === 0 ? hospital : 39 - hospital}`, n, n]);
    // A process imports one workbook at a time, so two concurrent imports need two processes.
    const other = await startTestApp({ services: ["disease-command"], beside: app });
    // The two workbooks have the same hospitals in opposite order.
    await sendFever(day, rowsOf(0));
    const answers = await meetAtLock(
      app.pool,
      (tx) => tx`select 1 from disease_command.fever_clinic where hospital = '医院20' for update`,
      () => [
        sendFever(day, rowsOf(1)),
        sendFever(day, rowsOf(2), other),
        save(rowsOf(3).map(([name]) => statistic(day, String(name), 3, 3))),
      ],
    );
    assert.ok(answers.every(({ data }) => data === "40"));
    const rows = await last();
    assert.equal(rows.length, 40);
    assert.equal(new Set(rows.map(({ feverClinicCount }: Body) => feverClinicCount)).size, 1);
    const [row] = await app.pool`select deadlocks from pg_stat_database where datname = current_database()`;
    assert.equal(row?.["deadlocks"], 0);
  });
});

describe("a template", () => {
  for (const [path, send] of [
    ["/detectionStatistics/importTemplate", "/detectionStatistics/saveByExcel"],
    ["/feverClinicOfHospitalStatistics/importTemplate", "/feverClinicOfHospitalStatistics/saveByExcel/2020-01-01"],
  ] as const) {
    test(`of ${path} is a workbook that the import takes`, async () => {
      const headers = { "Admin-Token": token };
      const answer = await fetch(`${app.url}/disease-command${path}`, { headers });
      assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; .*\.xlsx$/);
      const book = new Uint8Array(await answer.arrayBuffer());
      assert.equal((await upload(app, send, token, book)).json.data, "1");
      assert.equal((await fetch(`${app.url}/disease-command${path}`, { method: "HEAD", headers })).status, 200);
    });
  }
});

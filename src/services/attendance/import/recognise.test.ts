import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { buildArchive, buildWorkbook, type FixtureEntry, wrapRows } from "#test/archive-fixture.ts";
import { startTestApp } from "#test/app.ts";
import { importPaths } from "#test/attendance/calls.ts";
import { type BookForm, deleteColumn, makeMonth, type Sheet, writeBook } from "#test/attendance/workbooks.ts";
import { until } from "#test/until.ts";

const app = await startTestApp({ services: ["attendance", "reporting"], settings: { MAX_WORKBOOK_MB: "2" } });
const { token } = await app.signIn("platform");
const target = "/attendance/month/recognise";
const days = { from: "2026-05-01", to: "2026-05-31" };
const dated = (sheet: string, ...sheets: string[]) => ({
  sheet,
  months: ["2026-05"],
  days,
  takes: sheets.map((taken) => ({ sheet: taken, month: "2026-05", ...days, replaces: [] })),
});
const work = { sheet: "work", months: [], days: null, takes: [] };
const made = makeMonth({ month: "2026-05", people: 6, seed: 1, generation: 2026 });
const old = makeMonth({ month: "2026-05", people: 6, seed: 2, generation: 2020 });

const fileOf = (name: string) => path.join(app.dataDir, name);
const arriving = () => readdir(`${app.dataDir}/files/arriving`);

async function recognise(bytes: Uint8Array | string, options: Parameters<typeof app.call>[2] = {}) {
  const form = new FormData();
  form.append("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), "考勤.xlsx");
  const { json, status } = await app.call("POST", target, { token, raw: form, ...options });
  return { ...json, status };
}

async function recogniseSheets(sheets: readonly Sheet[], form: BookForm = {}, headers: Record<string, string> = {}) {
  const file = fileOf("book.xlsx");
  await writeBook(file, sheets, form);
  return recognise(await readFile(file), { headers });
}

describe("a workbook is recognised by the beginnings of its sheets", () => {
  for (const [name, month, strings] of [
    ["2020", old, "inline"],
    ["2026", made, "shared"],
  ] as const)
    test(`in the form of ${name}, with ${strings} strings`, async () => {
      const all = [month.clockTimesSheet, month.originalSheet, month.monthSheet, month.dailySheet];
      const { data } = await recogniseSheets(all, { strings });
      assert.deepEqual(
        [data.imports, data.waring],
        [[dated("month", "month", "daily"), dated("original", "original")], ""],
      );
      const { data: cards } = await recogniseSheets([month.identitySheet], { strings });
      assert.deepEqual([cards.imports, cards.waring], [[work], ""]);
    });

  test("without a title by its rows, and by the month that is sent", async () => {
    const untitled = { ...made.originalSheet, head: made.originalSheet.head.slice(2) };
    const [found] = (await recogniseSheets([untitled])).data.imports;
    const [first, last] = [made.punchLines.at(0)?.day, made.punchLines.at(-1)?.day].toSorted();
    assert.deepEqual([found.months, found.days, found.takes.length], [["2026-05"], null, 1], `${first} ${last}`);
    const summary = { ...made.monthSheet, head: made.monthSheet.head.slice(2) };
    const [unknown] = (await recogniseSheets([summary])).data.imports;
    assert.deepEqual(unknown, { sheet: "month", months: [], days: null, takes: [] });
  });
});

describe("what no import takes is told in the words of the import", () => {
  const isToldAsImported = async (sheets: readonly Sheet[], to: keyof typeof importPaths, says: RegExp) => {
    for (const language of ["zh", "en"]) {
      const headers = { "accept-language": language };
      const { data } = await recogniseSheets(sheets, {}, headers);
      assert.deepEqual([data.imports, data.upload], [[], ""]);
      const form = new FormData();
      form.append("file", new Blob([await readFile(fileOf("book.xlsx"))]), "book.xlsx");
      const refused = await app.call("POST", importPaths[to], { token, raw: form, headers });
      assert.equal(refused.json.code, "10030");
      assert.ok(refused.json.message.endsWith(data.waring), `${data.waring} / ${refused.json.message}`);
      if (language === "zh") assert.match(data.waring, says);
    }
  };
  test("of a sheet that lacks a column", () =>
    isToldAsImported([deleteColumn(made.originalSheet, "打卡地址")], "original", /原始记录 打卡地址/));

  test("beside a sheet that can be imported", async () => {
    const { data } = await recogniseSheets([made.monthSheet, deleteColumn(made.originalSheet, "打卡地址")]);
    assert.deepEqual(data.imports, [dated("month", "month")]);
    assert.match(data.waring, /打卡地址/);
  });
});

describe("refused, with nothing left behind, is", () => {
  const bomb: FixtureEntry[] = buildWorkbook(wrapRows(" ".repeat(40_000_000)));
  const listNew = async (before: readonly string[]) => (await arriving()).filter((name) => !before.includes(name));
  const cases: readonly [string, () => Promise<Uint8Array | string> | Uint8Array | string, string, RegExp][] = [
    ["a PDF", () => "%PDF-1.7 nothing", "10030", /既不是 \.xlsx/],
    ["an archive that unpacks to too much", () => buildArchive(bomb), "10030", /压缩比/],
    ["more than an import may have", () => Buffer.alloc(2 * 1024 ** 2 + 1), "10030", /./],
  ];
  for (const [name, make, code, says] of cases)
    test(name, async () => {
      const before = await arriving();
      const answer = await recognise(await make());
      assert.equal(answer.code, code, answer.message);
      assert.match(answer.message, says);
      assert.deepEqual(await listNew(before), []);
    });
});

describe("a file that was recognised", () => {
  const importUpload = async (body: object, by = token) =>
    (await app.call("POST", "/attendance/month/imports", { token: by, body })).json;

  test("is imported without being sent again, by each import that it is for", async () => {
    const { data } = await recogniseSheets([made.monthSheet, made.dailySheet, made.originalSheet]);
    const [asMonth, asOriginal] = await Promise.all([
      importUpload({ upload: data.upload, sheet: "month" }),
      importUpload({ upload: data.upload, sheet: "original" }),
    ]);
    assert.deepEqual([asMonth.code, asMonth.data.month, asMonth.data.employees], ["0", "2026-05", 6]);
    assert.deepEqual([asOriginal.code, asOriginal.data.rows], ["0", made.punchLines.length]);
    const asWork = await importUpload({ upload: data.upload, sheet: "work" });
    assert.equal(asWork.code, "10030");
    const lines = await app.pool`
      select action, outcome, records from platform.audit
      where service = 'attendance' and outcome = 'done' and action in ('recognise', 'importUpload')`;
    assert.deepEqual(
      lines.map(({ action, outcome, records }) => [action, outcome, records]),
      Array.from({ length: 2 }, () => ["importUpload", "done", ["2026-05"]]),
    );
    const [listed] = (await app.call("GET", "/attendance/month/imports", { token })).json.data.list;
    assert.equal(listed.fileName, "考勤.xlsx");
  });

  test("is the person's who sent it, of the process that it came to, and gone when that stops", async () => {
    const { data } = await recogniseSheets([made.originalSheet]);
    const other = await app.signIn("platform");
    const twin = await startTestApp({ services: ["attendance"], beside: app });
    const body = { upload: data.upload, sheet: "original" };
    assert.equal((await importUpload(body, other.token)).code, "10005");
    assert.equal((await twin.call("POST", "/attendance/month/imports", { token, body })).json.code, "10005");
    const unknown = await importUpload({ ...body, upload: "0".repeat(32) });
    assert.deepEqual([unknown.code, /重新上传/.test(unknown.message)], ["10005", true]);
    for (const wrong of [{ ...body, upload: "../x" }, { ...body, sheet: "daily" }, { sheet: "month" }])
      assert.equal((await importUpload(wrong)).code, "10001");
    const form = new FormData();
    form.append("file", new Blob([await readFile(fileOf("book.xlsx"))]), "x.xlsx");
    assert.equal((await twin.call("POST", target, { token, raw: form })).json.code, "0");
    const folder = `${twin.dataDir}/files/arriving`;
    assert.equal((await readdir(folder)).length, 1);
    await twin.server.stop();
    await until("the file is gone", async () => (await readdir(folder)).length === 0);
  });
});

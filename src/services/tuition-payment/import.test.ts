import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, test } from "node:test";
import iconv from "iconv-lite";
import { startTestApp } from "#test/app.ts";
import { codeOf } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { columns, importFile, readBook, type SheetRow, writePayables } from "#test/tuition-payment.ts";

// With a small pool, a leaked connection soon makes a test hang.
const app = await startTestApp({ services: ["tuition-payment"], settings: { DATABASE_POOL: "3" } });
const { token } = await app.signIn("tuition-payment");
const prefix = "/tuitionpayment/payableinfo";

const importRows = async (rows: readonly SheetRow[], fields: Record<string, string> = {}) =>
  importFile(app, token, await writePayables(rows), fields);
const stored = () => app.pool`
  select student_no as "studentNo", years, student_name as "studentName", amount_fen as "amountFen", item_names as names,
    item_fen as fen from tuition_payment.payable order by id`;
const without = (heading: string) => columns.filter((one) => one !== heading);
const students = (count: number): SheetRow[] =>
  Array.from({ length: count }, (_, index) => ({ 学号: `T${String(index).padStart(6, "0")}` }));

beforeEach(async () => {
  await app.pool`truncate tuition_payment.payable, tuition_payment.adjustment, tuition_payment.pay_limit restart identity`;
});

describe("a file", () => {
  test("that is no workbook, empty, missing, or lacks a heading is refused, and nothing of it stays", async () => {
    const lacking = await writePayables([{}], without("应缴金额"));
    const wrong = [
      Buffer.from("PK\u0003\u0004 not a workbook"),
      (await writePayables(students(50))).subarray(0, 2000),
      lacking,
      await writePayables([{}], [...columns, "学号"]),
      Buffer.alloc(0),
    ];
    for (const file of wrong) assert.deepEqual(codeOf(await importFile(app, token, file)), ["10030", 400]);
    assert.match((await importFile(app, token, lacking)).json.message, /缺少必需的表头：应缴金额/);
    const nameless = await writePayables([{}], columns.slice(2));
    assert.match((await importFile(app, token, nameless)).json.message, /缺少必需的表头：学号/);
    assert.equal((await app.call("POST", `${prefix}/import`, { token, body: {} })).json.code, "10030");
    assert.equal((await stored()).length, 0);
    assert.deepEqual(await readdir(path.join(app.dataDir, "files", "arriving")), []);
  });

  test("with a switch that is none is refused", async () => {
    for (const fields of [{ dryRun: "yes" }, { replace: "1" }])
      assert.equal((await importRows([{}], fields)).json.code, "10001");
  });

  test("without 身份证号, with other columns and in another order is taken", async () => {
    const headings = ["备注", ...without("身份证号").toReversed()];
    assert.equal((await importFile(app, token, await writePayables(students(3), headings))).json.data, "3");
  });

  test("may be CSV in UTF-8 or GB18030", async () => {
    const line = "G1,,张三,2022,2026,示例学院,示例专业,一班,学费:4800\\住宿费:1200,6000";
    const text = `${columns.join(",")}\n${line}\n`;
    assert.equal((await importFile(app, token, iconv.encode(text, "gb18030"))).json.data, "1");
    assert.equal((await importFile(app, token, Buffer.from(`\ufeff${text.replace("G1", "G2")}`))).json.data, "1");
    assert.deepEqual(pick(await stored(), "studentName"), ["张三", "张三"]);
  });
});

const faultsOf = async (rows: readonly SheetRow[], fields: Record<string, string> = {}) => {
  const before = await stored();
  const { status, json } = await importRows(rows, fields);
  assert.deepEqual([status, json.code, json.success], [400, "10020", false], JSON.stringify(json));
  assert.deepEqual(await stored(), before, "nothing may be stored");
  return json.data.errors;
};
const fieldsOf = async (rows: readonly SheetRow[], fields: Record<string, string> = {}) =>
  pick(await faultsOf(rows, fields), "row", "field");

describe("rows at fault", () => {
  test("are told by the sheet's own numbers, and one is enough to store nothing", async () => {
    const rows = students(5);
    rows[3] = { ...rows[3], 姓名: "" };
    assert.deepEqual(await faultsOf(rows), [{ row: 5, field: "姓名", message: "不能为空" }]);
    const english = await importFile(app, token, await writePayables(rows), {}, { "accept-language": "en" });
    assert.deepEqual(english.json.data.errors, [{ row: 5, field: "姓名", message: "must not be empty" }]);
  });

  test("are amounts that are none", async () => {
    const amounts = ["-6000", "6000.001", "0", "", 1.005, 1e9, true];
    const rows = amounts.map((amount, index) => ({ 学号: `A${index}`, 应缴金额: amount }));
    const expected = amounts.map((_, index) => `${index + 2} 应缴金额`);
    assert.deepEqual(await fieldsOf(rows), expected);
  });

  test("are items that cannot be read, stand twice or do not add up", async () => {
    const items = ["学费", "学费:3000\\学费:3000", `${"学".repeat(65)}:6000`];
    const rows = items.map((text, index) => ({ 学号: `I${index}`, 收费项目: text }));
    assert.deepEqual(await fieldsOf(rows), ["2 收费项目", "3 收费项目", "4 收费项目"]);
    assert.deepEqual(await faultsOf([{ 收费项目: "学费:5999.99" }]), [
      { row: 2, field: "应缴金额", message: "收费项目合计¥5,999.99，与应缴金额¥6,000.00不符" },
    ]);
  });

  test("are texts that are missing, too long, or no texts, and identity cards that are none", async () => {
    const blank = { 学号: "", 姓名: " ", 年级: null, 收费年度: "", 收费项目: null, 应缴金额: null };
    const missing = Object.keys(blank).map((field) => `2 ${field}`);
    assert.deepEqual(await fieldsOf([blank]), missing);
    const long = { 学号: "x".repeat(65), 学院: "x".repeat(256), 姓名: true };
    assert.deepEqual(await fieldsOf([long]), ["2 学号", "2 姓名", "2 学院"]);
    assert.equal((await importRows([{ 学号: 202_600_123_456_789 }])).json.data, "1");
    assert.deepEqual(await fieldsOf([{ 学号: 2_026_001_234_567_891 }]), ["2 学号"], "its last digits may be lost");
    const cards = ["123", "身份证", "1".repeat(33)];
    const rows = cards.map((card, index) => ({ 学号: `C${index}`, 身份证号: card }));
    assert.equal((await fieldsOf(rows)).length, 3);
  });

  test("are the second of one student and year, in the file and with what is there", async () => {
    const twice = [{ 学号: "D1" }, { 学号: "D2" }, { 学号: "D1", 姓名: "李四" }, { 学号: "D1", 收费年度: "2027" }];
    assert.deepEqual(await faultsOf(twice), [{ row: 4, field: "学号", message: "与第2行的学号和收费年度相同" }]);
    assert.equal((await faultsOf(twice, { replace: "true" })).length, 1);
    assert.equal((await importRows([{ 学号: "D2" }])).json.data, "1");
    const { errors } = (await importRows(twice)).json.data;
    assert.deepEqual(pick(errors, "row", "message"), [
      "3 该学生在该收费年度已有缴费信息",
      "4 与第2行的学号和收费年度相同",
    ]);
    assert.equal((await stored()).length, 1);
  });

  test("leave no table, connection or file behind, and the next import works", async () => {
    for (let round = 0; round < 4; round++) await faultsOf([...students(20), { 学号: "" }]);
    assert.deepEqual(await readdir(path.join(app.dataDir, "files", "arriving")), []);
    assert.equal((await importRows(students(20))).json.data, "20");
  });
});

describe("good rows", () => {
  test("are stored to the fen, whatever the cells are, and their grades may pay", async () => {
    const { json } = await importRows([
      { 学号: 2_022_010_001, 收费年度: 2026, 年级: 2022, 应缴金额: 5800.100000000001, 收费项目: "学费:5800.1" },
      { 学号: " S\\2 ", 姓名: "张\\三\t\n", 年级: "预科", 应缴金额: "0.30", 收费项目: '甲\t:0.1\\乙"{,}:0.2' },
    ]);
    assert.equal(json.data, "2", json.message);
    const [one, two] = await stored();
    const first = { studentNo: "2022010001", years: "2026", studentName: "张三", names: ["学费"] };
    assert.deepEqual(one, { ...first, amountFen: 580_010, fen: [580_010] });
    const second = { studentNo: "S\\2", years: "2026", studentName: "张\\三", names: ["甲", '乙"{,}'] };
    assert.deepEqual(two, { ...second, amountFen: 30, fen: [10, 20] });
    const limits = (await app.call("GET", "/enablePayLimit/list", { token })).json.data;
    assert.deepEqual(pick(limits, "gradeName", "grade", "enablePay"), ["2022级 2022 1", "预科 预科 1"]);
  });

  test("are only counted by a dry run, which finds what the import would", async () => {
    assert.equal((await importRows(students(7), { dryRun: "true" })).json.data, "7");
    assert.equal((await stored()).length, 0);
    assert.deepEqual((await app.call("GET", "/enablePayLimit/list", { token })).json.data, []);
    assert.equal((await importRows(students(7), { dryRun: "false" })).json.data, "7");
    const { json } = await importRows(students(8), { dryRun: "true" });
    assert.equal(json.data.errors.length, 7);
    assert.equal((await importRows(students(8), { dryRun: "true", replace: "true" })).json.data, "8");
    assert.equal((await stored()).length, 7);
  });

  test("replace what is there, and add the rest, where that is asked for", async () => {
    await importRows([{ 学号: "R1", 身份证号: "990000200801010066" }, { 学号: "R2" }]);
    const changed = { 学号: "R1", 姓名: "李四", 年级: "2023", 收费项目: "学费:100", 应缴金额: 100 };
    assert.equal((await importRows([changed, { 学号: "R3" }], { replace: "true" })).json.data, "2");
    const rows = pick(await stored(), "studentNo", "studentName", "amountFen");
    assert.deepEqual(rows, ["R1 李四 10000", "R2 张三 600000", "R3 张三 600000"]);
    const [one] = await app.pool`select id_card from tuition_payment.payable where student_no = 'R1'`;
    assert.equal(one?.["id_card"], "990000200801010066", "an empty cell keeps the identity card");
  });

  test("do not change what is paid", async () => {
    await importRows([{ 学号: "P1" }, { 学号: "P2" }]);
    await app.call("PUT", `${prefix}/pay/1/true`, { token });
    const both = [{ 学号: "P1" }, { 学号: "P2", 姓名: "李四" }];
    assert.equal((await importRows(both, { replace: "true" })).json.data, "2");
    const { json } = await importRows([{ 学号: "P2" }, { 学号: "P1", 姓名: "李四" }], { replace: "true" });
    assert.deepEqual(json.data.errors, [
      { row: 3, field: "学号", message: "该学生在该收费年度的缴费信息已缴费、已调整或在订单中，不能修改" },
    ]);
    assert.deepEqual(pick(await stored(), "studentName"), ["张三", "李四"]);
  });

  test("sent twice at once are stored once, and with one Idempotency-Key answered twice", async () => {
    const file = await writePayables(students(200));
    const answers = await Promise.all([1, 2, 3].map(() => importFile(app, token, file)));
    assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10020", "10020"]);
    assert.equal((await stored()).length, 200);
    const other = await writePayables(students(5).map((row) => ({ ...row, 收费年度: "2030" })));
    const key = { "Idempotency-Key": "import-1" };
    assert.equal((await importFile(app, token, other, {}, key)).json.data, "5");
    assert.equal((await importFile(app, token, other, {}, key)).json.data, "5");
    assert.equal((await importFile(app, token, other, { dryRun: "true" }, key)).json.code, "10004");
  });
});

describe("new students", () => {
  const card = "990000200801010011";
  const other = "990000200801010022";
  const nameless = (given: SheetRow = {}): SheetRow => ({ 学号: null, 身份证号: card, ...given });
  const numbers = async () =>
    pick(await app.pool`select student_no, id_card from tuition_payment.payable order by id`, "student_no", "id_card");

  test("come with their identity card alone, also where there is no column for numbers", async () => {
    const rows = [nameless(), { 学号: "N1" }, nameless({ 身份证号: "99000020080101003x" })];
    assert.equal((await importRows(rows)).json.data, "3");
    assert.deepEqual(await numbers(), [`null ${card}`, "N1 null", "null 99000020080101003X"]);
    const file = await writePayables([{ 身份证号: other }], without("学号"));
    assert.equal((await importFile(app, token, file)).json.data, "1");
  });

  test("are there once a year, whether their number is known or not", async () => {
    assert.deepEqual(await fieldsOf([nameless(), nameless({ 姓名: "李四" })]), ["3 身份证号"]);
    for (const rows of [
      [nameless(), nameless({ 学号: "N1" })],
      [nameless({ 学号: "N1" }), nameless()],
    ])
      assert.deepEqual(await faultsOf(rows), [
        { row: 3, field: "身份证号", message: "与第2行的身份证号和收费年度相同" },
      ]);
    assert.equal((await importRows([nameless({ 学号: "N1" }), nameless({ 学号: "N2" })])).json.data, "2");
    assert.deepEqual(pick(await faultsOf([nameless()]), "row"), [2]);
    assert.equal((await importRows([nameless({ 收费年度: "2027" }), nameless({ 身份证号: other })])).json.data, "2");
    for (const row of [nameless({ 收费年度: "2027" }), nameless({ 收费年度: "2027", 学号: "N3" })])
      assert.deepEqual(await faultsOf([row]), [
        { row: 2, field: "身份证号", message: "该学生在该收费年度已有缴费信息" },
      ]);
  });

  test("get their number by an import that replaces, and keep it", async () => {
    await importRows([nameless(), nameless({ 身份证号: other })]);
    const replace = { replace: "true" };
    const [before] = await app.pool`select id from tuition_payment.payable where id_card = ${card}`;
    assert.equal((await importRows([nameless({ 学号: "N1" }), { 学号: "N9" }], replace)).json.data, "2");
    const [after] =
      await app.pool`select id, student_no as number from tuition_payment.payable where id_card = ${card}`;
    assert.deepEqual({ ...after }, { id: before?.["id"], number: "N1" });
    assert.equal((await importRows([nameless({ 姓名: "李四" })], replace)).json.data, "1");
    assert.deepEqual(await numbers(), [`N1 ${card}`, `null ${other}`, "N9 null"]);
  });

  test("are not taken for two at once", async () => {
    await importRows([nameless(), { 学号: "N1" }]);
    const replace = { replace: "true" };
    assert.deepEqual(await fieldsOf([nameless({ 学号: "N1" })], replace), ["2 身份证号"]);
    await importRows([nameless({ 学号: "N2", 收费年度: "2027" })]);
    const same = [{ 学号: "N2", 收费年度: "2027" }, nameless({ 收费年度: "2027" })];
    assert.deepEqual(await fieldsOf(same, replace), ["3 身份证号"]);
  });

  test("that have paid may be given their number", async () => {
    await importRows([nameless()]);
    await app.pool`update tuition_payment.payable set paid_by = 'decision', paid_at = now()`;
    assert.deepEqual(await fieldsOf([nameless({ 姓名: "李四" })], { replace: "true" }), ["2 身份证号"]);
    assert.equal((await importRows([nameless({ 学号: "N1" })], { replace: "true" })).json.data, "1");
  });
});

describe("workbooks out", () => {
  const download = (target: string) => fetch(`${app.url}${prefix}/${target}`, { headers: { admin_token: token } });
  const exportOf = async (query: string) => (await download(`export?${query}`)).bytes();

  test("the template is taken by the import as it is", async () => {
    const answer = await download("importTemplate");
    assert.match(answer.headers.get("content-type") ?? "", /spreadsheetml/);
    assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename="[\w.-]+\.xlsx"$/);
    assert.equal((await importFile(app, token, await answer.bytes())).json.data, "1");
  });

  test("the export has what the list's filters find, paid or not, and no identity card", async () => {
    const cards = { 学号: "E1", 身份证号: "990000200801010077" };
    await importRows([cards, { 学号: "E2", 年级: "2023", 姓名: "=1+1" }, { 学号: "X3" }]);
    await app.call("PUT", `${prefix}/pay/1/true`, { token });
    const texts = ["学号", "姓名", "应缴金额", "收费项目", "是否已缴"];
    const bytes = await exportOf("keyword=e");
    assert.deepEqual(await readBook(app, bytes, texts), [
      ["E2", "=1+1", 6000, "学费:4800\\住宿费:1200", "否"],
      ["E1", "张三", 6000, "学费:4800\\住宿费:1200", "是"],
    ]);
    for (const query of ["grade=2023", "pay=true"])
      assert.equal((await readBook(app, await exportOf(query), texts)).length, 1, query);
    const again = await importFile(app, token, bytes, { replace: "true", dryRun: "true" });
    assert.equal(again.json.data, "2", again.json.message);
  });
});

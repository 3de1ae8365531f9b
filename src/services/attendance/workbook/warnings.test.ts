import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type BookRead,
  MAY,
  monthOf,
  person,
  punchesOf,
  readAll,
  readSheets as read,
  withFile,
} from "#test/attendance/reading-fixture.ts";
import {
  type CellText,
  dailySheet,
  deleteColumn,
  type Generation,
  identitySheet,
  makeMonth,
  mapColumn,
  renameHeading,
  type Sheet,
  writeCsv,
} from "#test/attendance/workbooks.ts";

const GENERATIONS: readonly Generation[] = [2020, 2026];
const addRow = (sheet: Sheet, ...cells: readonly CellText[]): Sheet => ({ ...sheet, rows: [...sheet.rows, cells] });
const unitsOf = (book: BookRead) => book.parts.flatMap((part) => (part.kind === "sheet" ? [part.units] : []));
const told = (book: BookRead, about: RegExp): string[] => book.warnings.filter((text) => about.test(text));
const namesOf = ({ month }: BookRead) => month.map(({ name }) => name);
const userIdsOf = ({ original, month }: BookRead) => [
  ...original.map((columns) => columns[2]),
  ...month.map(({ userId }) => userId),
];

test("a heading's unit that is not the field's own is handed on, and told with its heading", async () => {
  const book = await read([monthOf(2026, {})]);
  assert.deepEqual(unitsOf(book), [{ privateAffairLeaveDay: "小时", sickLeaveDay: "小时", 年假: "天", 调休: "小时" }]);
  assert.equal(book.month[0]?.copied.privateAffairLeaveDay, "152");
  assert.deepEqual(told(book, /unit/), [
    "The values of these columns of 月度汇总 are in a different unit and were not converted; check them: 事假(小时) instead of days, 病假(小时) instead of days",
  ]);
  const zh = book.parts.flatMap((part) => (part.kind === "warning" ? [part.message.zh] : []));
  assert.ok(
    zh.includes(
      "月度汇总中以下列的单位与系统字段不同，数值未换算，请核对：事假(小时)（字段为天）、病假(小时)（字段为天）",
    ),
    zh.join("\n"),
  );
});

test("units stand in a group's second row and behind its name, in full width too; a field's own are no matter", async () => {
  const twoRows = renameHeading(renameHeading(monthOf(2020, {}), "(天)", "（小时）"), "工作时长", "工作时长（小时）");
  const book = await read([
    renameHeading(renameHeading(twoRows, "请假", "请假(小时)"), "迟到时长", "迟到时长（分钟）"),
  ]);
  const leave = ["privateAffairLeaveDay", "sickLeaveDay", "maternityLeaveDay", "escortFalse", "marriageLeaveDay"];
  const fields = ["workHours", "evectionDay", "goOutDay", ...leave];
  assert.deepEqual(unitsOf(book), [Object.fromEntries(fields.map((field) => [field, "小时"]))]);
  assert.equal(told(book, /工作时长（小时） instead of minutes/).length, 1);
});

test("what stands in a list of cards beside people: a sum is nobody, and one card of two is told", async () => {
  const cards = identitySheet([
    { ...person, idCard: "11010519491231002X" },
    { name: "钱安", workNumber: "2", userId: "2", idCard: "11010519491231002X" },
    { name: "钱安", workNumber: "2", userId: "2", idCard: "11010519491231002X" },
    { name: "合计", workNumber: "3 人", userId: "", idCard: "" },
  ]);
  const book = await read([cards]);
  assert.deepEqual(
    book.identity.map(({ name }) => name),
    [person.name, "钱安", "钱安"],
  );
  assert.deepEqual(told(book, /several people/), [
    "3 rows have an identity card number that belongs to several people (rows 2, 3, 4)",
  ]);
});

test("原始记录 whose 考勤时间 somebody has deleted is taken, and says what cannot be known", async () => {
  const { originalSheet } = makeMonth({ month: "2026-05", people: 2, seed: 4, generation: 2026 });
  const book = await read([deleteColumn(originalSheet, "考勤时间")]);
  assert.ok(book.original.length > 0 && book.original.every((columns) => columns[5] === null));
  assert.equal(told(book, /has no 考勤时间/).length, 1);
});

test("columns that no field takes are named where they hold more than blanks and zeros", async () => {
  const made = monthOf(2026, {}, { name: "钱安", userId: "2", workNumber: "2" });
  const [one, other] = [renameHeading(made, "加班总时长", "应出勤天数"), renameHeading(made, "加班总时长", "补卡次数")];
  const fill = (sheet: Sheet, heading: string, text: string) =>
    mapColumn(sheet, heading, (_, row) => (row === 1 ? text : null));
  assert.deepEqual(told(await read([fill(one, "应出勤天数", "21")]), /not imported/), [
    "Columns of 月度汇总 that have no corresponding field were not imported: 应出勤天数",
  ]);
  assert.deepEqual(told(await read([fill(other, "补卡次数", "0次")]), /not imported/), []);
});

test("columns of leave and overtime are taken by their headings, with the group's where they alone would not tell", async () => {
  const named: readonly (readonly [heading: string, as: string])[] = [
    ["年假(天)", "年假"],
    ["调休(小时)", "调休"],
    ["加班总时长", "加班总时长"],
    ["休息日（转加班费）", "休息日(转加班费)"],
    ["节假日（转加班费）", "加班时长(转加班费)-节日"],
  ];
  const made = named.reduce(
    (sheet, [heading], index) => mapColumn(sheet, heading, () => ` ${index + 1}.0`),
    mapColumn(monthOf(2026, {}), "工作日（转加班费）", () => "0小时"),
  );
  const book = await read([renameHeading(made, "节假日（转加班费）", "节日")]);
  const extra = Object.entries(book.month[0]?.copied ?? {}).filter(([key]) => /\P{ASCII}/u.test(key));
  assert.deepEqual(Object.fromEntries(extra), {
    ...Object.fromEntries(named.map(([, as], index) => [as, String(index + 1)])),
    "工作日(转加班费)": "",
  });
  assert.deepEqual(told(book, /not imported/), []);
  const old = await read([renameHeading(monthOf(2020, { figures: { sickLeaveDay: 2 } }), "病假", "哺乳假（小时）")]);
  assert.deepEqual([old.month[0]?.copied["哺乳假"], unitsOf(old)], ["2", [{ 哺乳假: "小时" }]]);
});

test("days that were not over when the export was made are named", async () => {
  const told: readonly (readonly [made: string, days: string | undefined])[] = [
    ["2026-06-01 00:00", undefined],
    ["2026-05-31 23:59", "05-31"],
    ["2026-05-20 19:57", "05-20 to 05-31"],
    ["2026-04-01 08:00", "05-01 to 05-31"],
    ["2026-05-99", undefined],
  ];
  for (const [made, days] of told) {
    const sheet = monthOf(2026, {});
    const book = await read([{ ...sheet, head: sheet.head.with(1, [`报表生成时间：${made}`]) }]);
    const said = book.warnings.flatMap((text) => /before the end of (.*); its data/.exec(text)?.[1] ?? []);
    assert.deepEqual(said, days === undefined ? [] : [days], made);
  }
});

test("copied columns that are missing are named", async () => {
  for (const generation of GENERATIONS) {
    const book = await read([
      deleteColumn(deleteColumn(monthOf(generation, {}), "迟到次数"), generation === 2020 ? "事假" : "事假(小时)"),
    ]);
    assert.equal(book.month[0]?.copied.numberOfLate, "");
    assert.deepEqual(told(book, /lacks/), ["月度汇总 lacks these columns; their values are blank: 迟到次数, 事假"]);
    assert.deepEqual(told(await read([monthOf(generation, {})]), /lacks/), []);
  }
});

test("hidden columns are read and named, the UserId aside, which exports hide themselves", async () => {
  const made = monthOf(2026, {});
  const [late] = [made.head[2]?.indexOf("迟到次数") ?? -1];
  const book = await read([{ ...made, hiddenColumns: [...(made.hiddenColumns ?? []), late, late + 1] }]);
  assert.deepEqual(told(book, /Hidden/), ["Hidden columns of 月度汇总 were imported: 迟到次数, 迟到时长"]);
  assert.deepEqual(told(await read([made]), /Hidden/), []);
});

test("formulas without a saved value and errors are blank, and named with their rows; a saved value is read", async () => {
  const lines = ["1", "2", "3", "4"].map((userId) => ({ userId, workNumber: "" }));
  const [unsaved, saved] = [{ formula: "SUM(A1)" }, { formula: "SUM(A1)", saved: 7 }];
  const cells: CellText[] = [unsaved, saved, { error: "#REF!" }, { formula: "A1", saved: "" }];
  const book = await read([mapColumn(monthOf(2026, ...lines), "迟到次数", (_, row) => cells[row] ?? null)]);
  assert.deepEqual(
    book.month.map(({ copied }) => copied.numberOfLate),
    ["", "7", "", ""],
  );
  assert.deepEqual(told(book, /formula/), [
    "Cells of 月度汇总 that contain an error, or a formula without a saved value, are treated as blank; open and save the file in a spreadsheet program to upload it again: 迟到次数 (2 rows)",
  ]);
  const failed = await read([mapColumn(punchesOf({}, { name: "钱安" }), "UserId", () => ({ error: "#N/A" }))]);
  assert.deepEqual(userIdsOf(failed), ["", ""]);
  assert.match(failed.warnings.join(), /UserId \(2 rows\)/);
});

test("UserIds that a spreadsheet has made numbers join nobody, and what they are now is told", async () => {
  const people = ["赵安", "钱安", "钱安", "孙安"].map((name) => ({ name, workNumber: "" }));
  const [exact, rounded] = [{ raw: "2.9083912345678901E+17" }, { raw: "290839123456789000" }];
  const ids: CellText[] = [exact, "2.90839E+17", rounded, "290839123456789012"];
  const expected = ["", "", "", "290839123456789012"];
  const punches = await read([mapColumn(punchesOf(...people), "UserId", (_, row) => ids[row] ?? null)]);
  assert.deepEqual(userIdsOf(punches), expected);
  const about = /spreadsheet/;
  assert.deepEqual(told(punches, about), [
    "3 rows of 原始记录 (2 names) have a UserId that a spreadsheet program converted to a number and truncated, such as 290839123456788992, 2.90839E+17; it is not used for matching (rows 4, 5, 6)",
  ]);
  const month = await read([mapColumn(monthOf(2026, ...people), "UserId", (_, row) => ids[row] ?? null)]);
  assert.deepEqual(userIdsOf(month), expected);
  assert.equal(told(month, about).length, 1);
  assert.deepEqual(told(month, /repeat/), []);
});

test("a UserId of 15 digits survives as a number; exponents in text and in 工号 do not", async () => {
  const numbers = await read([
    mapColumn(punchesOf({}, {}), "UserId", (_, row) => [123456789012345, 1234567][row] ?? null),
  ]);
  assert.deepEqual(userIdsOf(numbers), ["123456789012345", "1234567"]);
  assert.deepEqual(numbers.warnings, []);
  const sheet = identitySheet([
    { name: "赵安", workNumber: "2.01905E+11", userId: "1E5", idCard: "" },
    { name: "钱安", workNumber: "2.01905E+11", userId: "", idCard: "" },
  ]);
  await withFile(async (file) => {
    await writeCsv(file, sheet);
    const { identity, warnings } = await readAll({ path: file });
    assert.deepEqual(
      identity.map(({ workNumber, userId }) => `${workNumber}/${userId}`),
      ["/1E5", "/"],
    );
    assert.match(warnings.join(), /2 rows of 员工信息 \(2 names\) have a 工号/);
  }, "people.csv");
});

const MARKS = ["合计", "总 计", "小计：", "合计45人", "制表人：张三", "部门负责人:李四"];

test("rows of totals and signatures are no people, in any sheet, and are told", async () => {
  const mark = (sheet: Sheet, ...before: null[]) => MARKS.reduce((all, each) => addRow(all, ...before, each), sheet);
  const summed = MARKS.reduce((all, each) => addRow(all, each, null, null, null, null, null, "20"), monthOf(2026, {}));
  const month = await read([mark(summed, null, null, null)]);
  assert.deepEqual(namesOf(month), ["赵安"]);
  assert.match(
    month.warnings.join(),
    /12 rows of 月度汇总 are totals or signatures instead of people and were skipped \(rows 6, 7, 8/,
  );
  const line = { ...person, day: "2026-05-04", shift: "普通", slots: {} };
  const { original, daily, badRows } = await read([
    mark(punchesOf({})),
    mark(dailySheet({ generation: 2020, ...MAY, lines: [line] })),
  ]);
  assert.deepEqual([original.length, daily.length, badRows], [1, 1, []]);
  const { identity } = await read([mark(identitySheet([{ ...person, idCard: "" }]), null)]);
  assert.equal(identity.length, 1);
});

test("people whose names look like that stay: they have an id, or the word goes on", async () => {
  const names = ["负责人某", "合计平", "小计", "审核人", "总计伟"];
  const lines = names.map((name, index) => ({
    name,
    userId: name.length === 2 || name === "审核人" ? `7${index}` : "",
    workNumber: "",
  }));
  const book = await read([monthOf(2026, ...lines)]);
  assert.deepEqual(namesOf(book), names);
  assert.deepEqual(told(book, /totals/), []);
});

test("a sum that stands in the ids of a totals row makes nobody of it", async () => {
  const book = await read([addRow(monthOf(2026, {}), "合计", null, null, 0, null, 0, "20")]);
  assert.deepEqual(namesOf(book), ["赵安"]);
});

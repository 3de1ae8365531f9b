import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import { copiedFields } from "#services/attendance/model.ts";
import {
  type BookRead,
  MAY,
  monthOf,
  person,
  punch,
  punchesOf,
  readAll,
  readSheets as read,
  saying,
  withFile,
} from "#test/attendance/reading-fixture.ts";
import { pick } from "#test/pick.ts";
import {
  addBlankColumn,
  type BookForm,
  dailySheet,
  deleteColumn,
  type FictitiousMonth,
  type Generation,
  identitySheet,
  makeMonth,
  monthSheet,
  moveColumn,
  removeTitleRows,
  renameHeading,
  type Sheet,
  textAsNumbers,
  writeBook,
} from "#test/attendance/workbooks.ts";

const GENERATIONS: readonly Generation[] = [2020, 2026];

function expectSame(book: BookRead, made: FictitiousMonth, generation: Generation): void {
  const people = made.monthLines.map((line, index) => ({ line, row: made.monthSheet.head.length + index + 1 }));
  assert.deepEqual(
    book.month.map(({ copied: _copied, ...row }) => row),
    people.map(({ line: { figures: _figures, position: _position, ...line }, row }) => ({ row, ...line })),
  );
  for (const [index, { line }] of people.entries()) {
    for (const field of copiedFields) {
      const given = line.figures[field] ?? 0;
      const blank = generation === 2026 && (given === 0 || given === "0");
      assert.equal(book.month[index]?.copied[field], blank ? "" : String(given), field);
    }
  }
  const punches = ["name", "userId", "workNumber", "day", "scheduled", "time", "result", "address", "group"];
  const read = book.original.map((columns) => columns.slice(1).join(" "));
  assert.deepEqual(read, pick(made.punchLines, ...punches));
  const days = book.daily.map(({ columns }) => [...columns.slice(1, 6), ...columns.slice(7)].join(" "));
  const lines = made.dailyLines.map(({ figures = {}, ...line }) => {
    const counted = ["出勤天数", "上班缺卡次数", "下班缺卡次数"].map((heading) => figures[heading]).join(" ");
    return { ...line, absent: figures["旷工天数"] === 1 ? "t" : "f", counted };
  });
  assert.deepEqual(days, pick(lines, "name", "userId", "workNumber", "day", "shift", "absent", "counted", "group"));
  assert.deepEqual(
    book.daily.map(({ slots }) =>
      slots.map(({ kind, number, time, result }) => [`${kind}${number}`, time?.slice(11) ?? "", result]),
    ),
    made.dailyLines.map((line) =>
      Object.entries(line.slots).map(([slot, { time, result }]) => [slot, time.replace("次日 ", ""), result]),
    ),
  );
}

const SAVED_AGAIN: BookForm = { strings: "shared", descriptors: false, dimension: "A1:BN36" };

for (const [generation, name, form] of [
  [2020, "an untouched export", {}],
  [2026, "an untouched export", {}],
  [2026, "saved again", SAVED_AGAIN],
] as const)
  test(`the sheets of ${generation} read as they were made: ${name}`, async () => {
    const made = makeMonth({ month: "2026-05", people: 12, seed: 11, generation });
    const book = await read([made.clockTimesSheet, made.originalSheet, made.monthSheet, made.dailySheet], {}, form);
    expectSame(book, made, generation);
    const warnings = book.warnings.filter((text) => !/unit/.test(text));
    assert.deepEqual([book.badRows, warnings, book.skipped], [[], [], 0]);
  });

test("columns moved, deleted, blank or hidden, and sheets of people's own, change nothing that is left", async () => {
  for (const generation of GENERATIONS) {
    const made = makeMonth({ month: "2026-05", people: 12, seed: 5, generation });
    const month = addBlankColumn(moveColumn(deleteColumn(made.monthSheet, "迟到时长"), "UserId", 25), 8);
    const original = moveColumn(addBlankColumn(deleteColumn(made.originalSheet, "考勤组"), 2), "打卡地址", 0);
    const daily = deleteColumn(moveColumn(made.dailySheet, "姓名", 3), "工号");
    const own: Sheet = { name: "迟到名单", head: [["姓名", "部门", "迟到次数"]], rows: [["赵安安", "教务处", 3]] };
    const book = await read([own, month, original, daily], { sheets: ["month", "daily", "original"] });
    for (const field of ["days", "name", "userId"])
      assert.deepEqual(pick(book.month, field), pick(made.monthLines, field));
    assert.deepEqual(new Set(book.month.map(({ copied }) => copied.numberOfLateTime)), new Set([""]));
    assert.deepEqual(pick(book.original, "1", "8"), pick(made.punchLines, "name", "address"));
    assert.deepEqual(pick(pick(book.daily, "columns") as object[], "1"), pick(made.dailyLines, "name"));
    assert.ok(book.daily.every(({ columns }) => columns[3] === ""));
    const warnings = book.warnings.filter((text) => !/unit/.test(text));
    assert.deepEqual(warnings, ["月度汇总 lacks these columns; their values are blank: 迟到时长"]);
  }
});

test("a sheet is found by its headings when its name says nothing, with or without titles", async () => {
  const made = makeMonth({ month: "2026-05", people: 6, seed: 9, generation: 2020 });
  const rename = (sheet: Sheet, name: string): Sheet => ({ ...sheet, name });
  const sheets = [
    rename(made.originalSheet, "Sheet1"),
    rename(removeTitleRows(made.dailySheet), "Sheet2"),
    rename(removeTitleRows(made.monthSheet), "Sheet3"),
    rename(made.identitySheet, "Sheet4"),
  ];
  const book = await read(sheets, { month: "2026-05" });
  expectSame({ ...book, month: book.month.map((row) => ({ ...row, row: row.row + 2 })) }, made, 2020);
  assert.equal(book.identity.length, 6);
});

test("one heading row is enough where nobody was away, as in 2020", async () => {
  const made = makeMonth({ month: "2026-05", people: 4, seed: 2, generation: 2020 });
  const sheet = monthSheet({ generation: 2020, ...MAY, lines: made.monthLines, leave: [], trips: false });
  assert.equal(sheet.head.length, 3);
  const book = await read([sheet]);
  assert.deepEqual(pick(book.month, "row"), [4, 5, 6, 7]);
  assert.deepEqual(pick(book.month, "days"), pick(made.monthLines, "days"));
});

test("figures carry over by their names, whatever group or unit they stand under", async () => {
  const figures = Object.fromEntries(copiedFields.map((field, index) => [field, index + 1.5]));
  const lines = [{ ...person, figures, days: ["正常"] }];
  for (const generation of GENERATIONS) {
    const book = await read([monthSheet({ generation, start: "2026-05-04", end: "2026-05-08", lines })]);
    const texts = Object.entries(figures).map(([field, figure]) => [field, String(figure)]);
    const filled = Object.entries(book.month[0]?.copied ?? {}).filter(([, text]) => text !== "");
    assert.deepEqual(filled, texts);
  }
});

test("days go by position from the title's range: weekends, holidays, ranges inside and across months", async () => {
  const days = Array.from({ length: 36 }, (_, index) => `第${index}格`);
  const lines = [{ ...person, figures: {}, days }];
  for (const generation of GENERATIONS) {
    const holidays = { "2026-05-01": "劳动节", "2026-05-02": "劳动节" };
    const across = monthSheet({ generation, start: "2026-04-28", end: "2026-06-02", lines, holidays });
    for (const [month, own] of [
      ["2026-05", days.slice(3, 34)],
      [undefined, [...Array.from({ length: 27 }, () => ""), ...days.slice(0, 3)]],
    ] as const)
      assert.deepEqual((await read([across], month ? { month } : {})).month[0]?.days, own);
    const inside = await read([monthSheet({ generation, start: "2026-05-09", end: "2026-05-13", lines })]);
    const blank = Array.from({ length: 31 }, () => "");
    assert.deepEqual(inside.month[0]?.days, blank.toSpliced(8, 5, ...days.slice(0, 5)));
  }
});

test("where day columns were deleted the others keep their days, and a warning says so", async () => {
  const days = Array.from({ length: 31 }, (_, index) => `第${index + 1}日`);
  for (const generation of GENERATIONS) {
    const book = await read([deleteColumn(deleteColumn(monthOf(generation, { days }), "12"), "13")]);
    assert.deepEqual(book.month[0]?.days, days.with(11, "").with(12, ""));
    assert.match(book.warnings.join(), /day columns/);
  }
});

test("day cells keep their lines, blank ones too", async () => {
  const days = [
    "\n上班3缺卡\n下班3缺卡\n",
    "普通出勤:正常,加班05-07 18:00到05-07 19:00 1小时\n(08:26,19:03)",
    "a_x000D_\nb",
  ];
  const book = await read([monthOf(2026, { days })]);
  assert.deepEqual(book.month[0]?.days.slice(0, 3), [days[0], days[1], "a\nb"]);
});

test("identifiers stay texts; those turned into numbers are written out while they can be; a work number of 0 is none", async () => {
  const idsOf = ({ original }: BookRead) => original.map((columns) => `${columns[2]} ${columns[3]}`);
  const sheet = punchesOf({}, { userId: "7", workNumber: "0.0" });
  assert.deepEqual(idsOf(await read([sheet])), ["012345678901234567 0007", "7 "]);
  const numbers = textAsNumbers(textAsNumbers(sheet, "UserId"), "工号");
  assert.deepEqual(idsOf(await read([numbers])), [" 7", "7 "]);
});

test("COPY text escapes what COPY reads specially, and blanks of times are null", async () => {
  const missing = { scheduled: "", time: "", result: "未打卡", address: "" };
  const book = await read([punchesOf({}, missing)]);
  const who = ["赵安", "012345678901234567", "0007", "2026-05-04"];
  assert.deepEqual(book.original, [
    ["4", ...who, "2026-05-04 08:30", "2026-05-04 08:31", "迟到", punch.address, person.group],
    ["5", ...who, null, null, "未打卡", "", person.group],
  ]);
});

test("days outside the month are counted, and rows that cannot be taken are named", async () => {
  const book = await read([
    punchesOf(
      { day: "2026-04-30" },
      { day: "2026-02-30" },
      { time: "2026-05-04 24:10" },
      { time: "昨天" },
      { time: "" },
      { scheduled: "2026-13-04 08:30" },
      { time: "", result: "上班缺卡" },
      { day: "昨天" },
    ),
  ]);
  assert.equal(book.skipped, 1);
  assert.equal(book.original.length, 1);
  assert.deepEqual(book.badRows, [
    "5 考勤日期 is not a valid date",
    "6 打卡时间 is not a valid time",
    "7 打卡时间 is not a valid time",
    "8 打卡时间 is blank; it may only be blank for the results 缺卡, 未打卡, 请假, 出差, 外出, 加班 and 打卡无效",
    "9 考勤时间 is not a valid time",
    "11 考勤日期 is not a valid date",
  ]);
});

test("a thousand bad rows end the reading of a sheet", async () => {
  const book = await read([punchesOf(...Array.from({ length: 3000 }, () => ({ time: "x" })))]);
  assert.equal(book.badRows.length, 1000);
});

test("without a title the month is that of the rows; rows of two months need to be told which", async () => {
  const sheet = removeTitleRows(punchesOf({}, { day: "2026-06-01" }));
  await assert.rejects(read([sheet]), saying("missing-heading", { sheet: "原始记录", headings: ["统计日期"] }));
  const told = await read([sheet], { month: "2026-06" });
  const [line, ...others] = told.original;
  assert.deepEqual([line?.[4], others], ["2026-06-01", []]);
  const alone = await read([{ ...sheet, rows: [...sheet.rows].slice(0, 1) }]);
  const skipped = alone.parts.filter((part) => part.kind === "skipped");
  assert.deepEqual([skipped[0]?.month, skipped.length], ["2026-05", 1]);
});

test("the title's month goes before the one that was asked for, with a warning; two months in one file are refused", async () => {
  const may = makeMonth({ month: "2026-05", people: 2, seed: 1, generation: 2026 });
  const june = makeMonth({ month: "2026-06", people: 2, seed: 1, generation: 2026 });
  const book = await read([may.originalSheet], { month: "2026-04" });
  assert.equal(book.original.length, may.punchLines.length);
  assert.match(book.warnings.join(), /2026-05.*2026-04/);
  await assert.rejects(read([may.monthSheet, june.dailySheet]), saying("double-heading", { headings: ["统计日期"] }));
});

test("a row of totals and rows without anybody are passed over", async () => {
  const line = { ...person, shift: "普通", slots: { 上班1: { time: "08:20", result: "正常" } } };
  const lines = ["2026-05-04", "总计"].map((day) => ({ ...line, day }));
  const book = await read([dailySheet({ generation: 2020, ...MAY, lines })]);
  const slots = [{ kind: "上班", number: 1, time: "2026-05-04 08:20", result: "正常" }];
  assert.equal(book.daily[0]?.columns[4], "2026-05-04");
  assert.deepEqual(pick(book.daily, "slots"), [slots]);
});

test("two rows of one UserId and cards that fail their check digit are warnings, without spelling them out", async () => {
  const made = makeMonth({ month: "2026-05", people: 3, seed: 4, generation: 2026 });
  const cards = [
    ...made.identityLines,
    { name: "钱安", workNumber: "9", userId: made.identityLines[0]?.userId ?? "", idCard: "990000197001010017" },
  ];
  const book = await read([identitySheet(cards)]);
  assert.equal(book.identity.length, 4);
  assert.deepEqual(book.warnings, [
    "1 row repeats a UserId (row 5)",
    "1 identity card number has a wrong length or check digit (row 5)",
  ]);
});

test("missing and doubled headings are named with their sheet", async () => {
  const made = makeMonth({ month: "2026-05", people: 2, seed: 4, generation: 2026 });
  await assert.rejects(
    read([deleteColumn(deleteColumn(made.originalSheet, "打卡地址"), "考勤时间")]),
    saying("missing-heading", { sheet: "原始记录", headings: ["打卡地址"] }),
  );
  await assert.rejects(read([renameHeading(made.originalSheet, "打卡备注", "打卡时间")]), { reason: "double-heading" });
  const empty: Sheet = { name: "月度汇总", head: [], rows: [] };
  await assert.rejects(read([empty]), { reason: "empty-sheet" });
  await assert.rejects(read([{ ...empty, name: "Sheet1" }]), saying("no-sheet", { sheet: "月度汇总" }));
  await assert.rejects(read([made.originalSheet], { needed: ["month"] }), saying("no-sheet", { sheet: "月度汇总" }));
});

test("progress goes up to the whole file", async () => {
  const made = makeMonth({ month: "2026-05", people: 40, seed: 8, generation: 2026 });
  const seen: number[] = [];
  let rows = 0;
  const size = await withFile(async (file) => {
    await writeBook(file, [made.monthSheet, made.originalSheet]);
    await readAll({ path: file, onProgress: (told) => void ([rows] = [told.rows, seen.push(told.bytesRead)]) });
    return (await stat(file)).size;
  });
  assert.equal(rows, 40 + made.punchLines.length);
  assert.ok(seen.every((bytes, index) => bytes >= (seen[index - 1] ?? 0)));
  assert.equal(seen.at(-1), size);
});

import { type Bilingual, countOf } from "#platform/contract/language.ts";
import type { SheetSource } from "#platform/workbooks/raw-row.ts";
import { type Period, readDay, writeRuns } from "#services/attendance/days.ts";
import { copiedColumns, copiedFields, type IdentityRow, type MonthRow, warnIf } from "#services/attendance/model.ts";
import type { RowReader, RuinedIds } from "./fields.ts";
import type { FoundSheet } from "./find-sheets.ts";
import { HEADINGS, SHEET_NAMES } from "./headings.ts";
import type { SheetKind } from "./parts.ts";
import { findDayColumns, hasDayColumns, type Layout } from "./layout.ts";

const MOST_NAMES = 20;
const MOST_ROWS = 10;
const MOST_CHARS = 40;
const UNITS_EN = { 天: "days", 小时: "hours", 分钟: "minutes", 次: "times" } as const;

function list(names: readonly (string | number)[], most: number, separator: string): string {
  return names.slice(0, most).join(separator) + (names.length > most ? "…" : "");
}

const nameRows = (rows: readonly number[]): string =>
  `(${rows.length === 1 ? "row" : "rows"} ${list(rows, MOST_ROWS, ", ")})`;

function nameAll(names: readonly string[], zh: string, en: string): Bilingual[] {
  const shown = names.slice(0, MOST_NAMES + 1).map((name) => name.slice(0, MOST_CHARS));
  return warnIf(names.length > 0, `${zh}：${list(shown, MOST_NAMES, "、")}`, `${en}: ${list(shown, MOST_NAMES, ", ")}`);
}

export function warnOfLayout(
  { kind, file, layout, alike, standsIn }: FoundSheet,
  period: Period | null,
  wanted: string | null,
): Bilingual[] {
  const month = period?.month ?? null;
  const sheet = SHEET_NAMES[kind];
  return [
    ...nameAll(
      alike,
      `同一种工作表只读取一张（${file.name}），另有 ${alike.length} 张${sheet}未读取`,
      `Only one sheet of each kind is read (${file.name}); ${countOf(alike.length, `other ${sheet} sheet was`, `other ${sheet} sheets were`)} not read`,
    ),
    ...nameAll(layout.repeated, "列标题重复，只取第一列", "Duplicate headings; the first column was used"),
    ...warnIf(
      month !== null && wanted !== null && month !== wanted,
      `标题行的月份是 ${month}，未采用所填的 ${wanted}`,
      `The title states ${month}, which was used instead of the given month ${wanted}`,
    ),
    ...warnIf(
      standsIn,
      `缺少月度汇总：人员、日期${kind === "daily" ? "和统计列" : ""}由${sheet}得出`,
      `月度汇总 is missing: people${kind === "daily" ? ", days and summary columns" : " and days"} were taken from ${sheet}`,
    ),
    ...warnIf(
      kind === "original" && !layout.columns.has("scheduled"),
      "原始记录没有考勤时间列，无法计算迟到、早退的分钟数",
      "原始记录 has no 考勤时间 column: the minutes of late arrivals and early leaves cannot be computed",
    ),
    ...warnIf(
      kind === "clock-times",
      "打卡时间只有日期和时间，无法判断缺卡、旷工、休息、请假",
      "打卡时间 contains only dates and times: missing punches, absence, rest days and leave cannot be determined",
    ),
    ...nameAll(
      kind === "daily" ? listLackingSlots(layout) : [],
      "每日统计没有这些列，相应的打卡时间或打卡结果为空",
      "每日统计 lacks these columns; the times or results of those punches are blank",
    ),
    ...(kind === "month" || standsIn ? warnOfMonthColumns(kind, layout, period) : []),
    ...warnOfDaysNotOver(layout),
  ];
}

const listLackingSlots = ({ slots }: Layout): string[] =>
  slots.flatMap(({ kind, number, time, result }) =>
    time === -1 || result === -1 ? `${kind}${number}打卡${time === -1 ? "时间" : "结果"}` : [],
  );

/** Warns of days that had not ended when the export was made, since their later punches are missing (A12c). */
function warnOfDaysNotOver({ range, generated }: Layout): Bilingual[] {
  if (range === null || generated === null) return [];
  const days = { firstDay: Math.max(readDay(generated), readDay(range.start)), lastDay: readDay(range.end) };
  if (!(days.firstDay <= days.lastDay)) return [];
  return [
    {
      zh: `报表生成于 ${generated}，${writeRuns([days])} 当时尚未结束，其数据可能不全`,
      en: `The export was created on ${generated}, before the end of ${writeRuns([days], "en")}; its data may be incomplete`,
    },
  ];
}

function warnOfMonthColumns(kind: SheetKind, layout: Layout, period: Period | null): Bilingual[] {
  const sheet = SHEET_NAMES[kind];
  const missing = copiedFields
    .filter((field) => !layout.columns.has(field))
    .map((field) => HEADINGS[field][0] ?? field);
  return [
    ...warnIf(
      period !== null && hasDayColumns(kind) && !findDayColumns(layout, period).isCertain,
      "日期列与标题的日期不一致，按列标题对应",
      "The day columns do not match the dates in the title; they were assigned by their headings",
    ),
    ...nameAll(missing, `${sheet}没有这些列，相应的值为空`, `${sheet} lacks these columns; their values are blank`),
    ...warnOfUnits(sheet, layout),
  ];
}

function warnOfUnits(sheet: string, layout: Layout): Bilingual[] {
  const foreign = copiedFields.flatMap((field) => {
    const unit = layout.units[field];
    if (unit === undefined) return [];
    const column = layout.columns.get(field) ?? -1;
    const heading = layout.headings.get(column) ?? field;
    const named = heading.includes(unit) ? heading : `${heading}(${unit})`;
    const own = copiedColumns[field].unit;
    return { zh: `${named}（字段为${own}）`, en: `${named} instead of ${UNITS_EN[own]}` };
  });
  return warnIf(
    foreign.length > 0,
    `${sheet}中以下列的单位与系统字段不同，数值未换算，请核对：${foreign.map(({ zh }) => zh).join("、")}`,
    `The values of these columns of ${sheet} are in a different unit and were not converted; check them: ${foreign.map(({ en }) => en).join(", ")}`,
  );
}

export function warnOfRows(
  { kind, layout }: FoundSheet,
  source: SheetSource,
  reader: RowReader,
  lost: readonly number[],
  marks: readonly number[],
): Bilingual[] {
  const sheet = SHEET_NAMES[kind];
  const nameOf = (column: number): string => layout.headings.get(column) ?? "";
  const userId = layout.columns.get("userId");
  // The column of the UserId is excluded, since exports themselves hide it.
  const hidden = new Set(reader.columns.filter((column) => column !== userId && source.isHidden(column)));
  const lostCells = reader.columns.flatMap((column, slot) => (lost[slot] ? [{ column, rows: lost[slot] }] : []));
  const write = (tell: (rows: number) => string, separator: string): string =>
    lostCells.map(({ column, rows }) => nameOf(column) + tell(rows)).join(separator);
  return [
    ...warnOfRuined(sheet, "UserId", reader.ruined.userId),
    ...warnOfRuined(sheet, "工号", reader.ruined.workNumber),
    ...nameAll([...hidden].map(nameOf), `${sheet}的以下隐藏列也已导入`, `Hidden columns of ${sheet} were imported`),
    ...warnIf(
      lostCells.length > 0,
      `${sheet}有公式没有保存结果或出错的单元格，按空白处理（在表格软件中打开并保存后可重新上传）：${write((rows) => `（${rows} 行）`, "、")}`,
      `Cells of ${sheet} that contain an error, or a formula without a saved value, are treated as blank; open and save the file in a spreadsheet program to upload it again: ${write((rows) => ` (${countOf(rows, "row")})`, ", ")}`,
    ),
    ...nameAll(
      reader.listLeft?.() ?? [],
      `${sheet}的以下列没有对应的字段，未导入`,
      `Columns of ${sheet} that have no corresponding field were not imported`,
    ),
    ...nameAll(
      reader.listUnlike?.() ?? [],
      `${sheet}的以下列含有无法相加的内容，相关人员的值为空`,
      `Columns of ${sheet} contain values that cannot be added up; they are left blank for the people concerned`,
    ),
    ...warnIf(
      marks.length > 0,
      `${sheet}有 ${marks.length} 行是合计或签字，不是人员，未采用（第 ${list(marks, MOST_ROWS, "、")} 行）`,
      `${countOf(marks.length, `row of ${sheet} is a total or signature instead of a person and was`, `rows of ${sheet} are totals or signatures instead of people and were`)} skipped ${nameRows(marks)}`,
    ),
  ];
}

export const warnOfMerged = ({ kind }: FoundSheet, rows: readonly number[]): Bilingual[] =>
  warnIf(
    rows.length > 0,
    `${SHEET_NAMES[kind]}的部门或考勤组有合并单元格，其中 ${rows.length} 行按合并区域的第一行填写（第 ${list(rows, MOST_ROWS, "、")} 行）`,
    `部门 or 考勤组 of ${SHEET_NAMES[kind]} has merged cells; ${countOf(rows.length, "row was", "rows were")} filled with the value of the first row of the merged area ${nameRows(rows)}`,
  );

function warnOfRuined(sheet: string, name: string, { rows, names, examples }: RuinedIds): Bilingual[] {
  return warnIf(
    rows.length > 0,
    `${sheet}有 ${rows.length} 行（${names.size} 个姓名）的${name}被表格软件改成了数字并丢失了末几位，如 ${[...examples].join("、")}，不用于对应人员（第 ${list(rows, MOST_ROWS, "、")} 行）`,
    `${countOf(rows.length, "row")} of ${sheet} (${countOf(names.size, "name")}) ${rows.length === 1 ? "has" : "have"} a ${name} that a spreadsheet program converted to a number and truncated, such as ${[...examples].join(", ")}; it is not used for matching ${nameRows(rows)}`,
  );
}

const MAX_PEOPLE = 100_000;
const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

export function openWatcher() {
  const seen = new Set<string>();
  const doubled: number[] = [];
  const wrongCards: number[] = [];
  const holders = new Map<string, IdentityRow>();
  const sharedCards: number[] = [];
  return {
    see(row: MonthRow | IdentityRow): void {
      if (row.userId !== "") {
        if (seen.has(row.userId)) doubled.push(row.row);
        else if (seen.size < MAX_PEOPLE) seen.add(row.userId);
      }
      if (!("idCard" in row)) return;
      if (!isIdCard(row.idCard)) wrongCards.push(row.row);
      const holder = row.idCard === "" ? undefined : holders.get(row.idCard);
      if (holder && !isSame(holder, row)) sharedCards.push(holder.row, row.row);
      else if (row.idCard !== "" && holders.size < MAX_PEOPLE) holders.set(row.idCard, row);
    },
    conclude: (): Bilingual[] => [
      ...describe(doubled, "UserId 重复", "row repeats a UserId", "rows repeat a UserId"),
      ...describe(
        [...new Set(sharedCards)],
        "的身份证号属于不止一人",
        "row has an identity card number that belongs to several people",
        "rows have an identity card number that belongs to several people",
      ),
      ...describe(
        wrongCards,
        "身份证号的位数或校验码不对",
        "identity card number has a wrong length or check digit",
        "identity card numbers have a wrong length or check digit",
      ),
    ],
  };
}

const isSame = (one: IdentityRow, other: IdentityRow): boolean =>
  one.name === other.name && (one.workNumber === other.workNumber || one.workNumber === "" || other.workNumber === "");

// Warnings must not contain identity cards, so they list rows instead of people.
function describe(rows: readonly number[], zh: string, one: string, many: string): Bilingual[] {
  const count = rows.length;
  return warnIf(
    count > 0,
    `${count} 行${zh}（第 ${list(rows, MOST_ROWS, "、")} 行）`,
    `${countOf(count, one, many)} ${nameRows(rows)}`,
  );
}

/**
 * Checks the check digit of an identity card of 18 characters (ISO 7064 MOD 11-2). Old cards have 15 digits and no
 * check digit.
 */
export function isIdCard(text: string): boolean {
  if (/^\d{15}$/.test(text)) return true;
  if (!/^\d{17}[\dX]$/.test(text)) return false;
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * Number(text.charAt(at)), 0);
  return text.charAt(17) === "10X98765432".charAt(sum % 11);
}

import { columnLetters } from "#platform/workbooks/sheet-xml.ts";
import type { CopiedField } from "#services/attendance/model.ts";
import type { CellText, Sheet } from "./book-file.ts";

/** The two forms of the export: that of 2020 to 2021, and that of 2026. */
export type Generation = 2020 | 2026;

export interface Employee {
  readonly name: string;
  readonly group: string;
  readonly department: string;
  readonly workNumber: string;
  readonly position: string;
  readonly userId: string;
}

/** One row of 月度汇总: what is left out of `figures` is written as the generation writes nothing (0 or blank). */
export interface MonthLine extends Employee {
  readonly figures: Readonly<Partial<Record<CopiedField, CellText>>>;
  /** Day cells by position from the start of the range, as the generation writes them. */
  readonly days: readonly string[];
}

/** One row of 每日统计; a slot's key is "上班1", "下班1" … "下班3". */
export interface DailyLine extends Employee {
  /** yyyy-MM-dd, or "总计" for the row of totals that some exports have. */
  readonly day: string;
  readonly shift: string;
  readonly slots: Readonly<Record<string, { readonly time: string; readonly result: string }>>;
  readonly approvals?: string;
  /** 旷工天数. */
  readonly absentDays?: number;
}

/** One row of 原始记录; times as the sheet has them, `yyyy-MM-dd HH:mm`, "" for none. */
export interface PunchLine extends Employee {
  readonly day: string;
  readonly scheduled: string;
  readonly time: string;
  readonly result: string;
  readonly address: string;
  readonly device?: string;
}

export interface IdentityLine {
  readonly name: string;
  readonly workNumber: string;
  readonly userId: string;
  readonly idCard: string;
}

interface SheetRequest<Line> {
  readonly generation: Generation;
  /** yyyy-MM-dd, inclusive. */
  readonly start: string;
  readonly end: string;
  readonly lines: Iterable<Line>;
}

/** Columns that 2020 shows only when anybody had any. */
export interface MonthSheetRequest extends SheetRequest<MonthLine> {
  /** Leave columns under 请假; none gives 2020 its single heading row. */
  readonly leave?: readonly CopiedField[];
  /** 出差 and 外出, 2020 only. */
  readonly trips?: boolean;
  /** Headings of days by day of the month, for holidays. */
  readonly holidays?: Readonly<Record<string, string>>;
}

const GENERATED: CellText[] = ["报表生成时间：2026-06-01 09:15"];
const WEEKDAYS = "日一二三四五六";
const DAY_MS = 86_400_000;

const BASE: readonly (readonly [CopiedField, string, string?])[] = [
  ["attendanceDay", "出勤天数"],
  ["restDay", "休息天数"],
  ["workHours", "工作时长"],
  ["numberOfLate", "迟到次数"],
  ["numberOfLateTime", "迟到时长"],
  ["numberOfSeriousLateness", "严重迟到次数"],
  ["durationOfSevereLateness", "严重迟到时长"],
  ["daysOfAbsenteeismAndLateness", "旷工迟到天数", "旷工迟到次数"],
  ["leaveEarlyNumber", "早退次数"],
  ["leaveEarlyTimes", "早退时长"],
  ["lackOfWorkCardTimes", "上班缺卡次数"],
  ["lackOfMissingWorkCardTimes", "下班缺卡次数"],
  ["absenteeismDay", "旷工天数"],
];
const LEAVE: Partial<Record<CopiedField, readonly [string, string]>> = {
  privateAffairLeaveDay: ["事假", "事假(小时)"],
  sickLeaveDay: ["病假", "病假(小时)"],
  bereavementLeave: ["丧假(天)", "丧假(天)"],
  maternityLeaveDay: ["产假", "产假(天)"],
  escortFalse: ["陪产假", "陪产假(天)"],
  marriageLeaveDay: ["婚假", "婚假(天)"],
};
const ALL_LEAVE = Object.keys(LEAVE) as CopiedField[];

/** 月度汇总. */
export function monthSheet(request: MonthSheetRequest): Sheet {
  return request.generation === 2020 ? monthSheet2020(request) : monthSheet2026(request);
}

type MonthColumn = { readonly group: string; readonly heading: string; readonly read: (line: MonthLine) => CellText };

function monthSheet2020(request: MonthSheetRequest): Sheet {
  const { leave = ALL_LEAVE, trips = true } = request;
  const figure = (field: CopiedField) => (line: MonthLine) =>
    line.figures[field] ?? (field.endsWith("Time") || field === "workHours" ? "0" : 0);
  const columns: MonthColumn[] = [
    ...personColumns(false),
    ...BASE.map(([field, heading]) => ({ group: "", heading, read: figure(field) })),
    ...(trips
      ? [
          { group: "出差", heading: "(天)", read: figure("evectionDay") },
          { group: "外出", heading: "(天)", read: figure("goOutDay") },
        ]
      : []),
    ...leave.map((field) => ({ group: "请假", heading: LEAVE[field]?.[0] ?? field, read: figure(field) })),
  ];
  const days = listRange(request).map((day) => String(Number(day.slice(8))));
  const isDeep = columns.some((column) => column.group !== "");
  const title = `月度汇总表 统计日期：${request.start} 至 ${request.end}`;
  const upper = [
    ...columns.map((column, index) => (column.group === "" ? column.heading : groupText(columns, index))),
    ...days,
  ];
  const lower = [...columns.map((column) => (column.group === "" ? null : column.heading)), ...days.map(() => null)];
  return toMonthSheet(request, title, isDeep ? [upper, lower] : [upper], columns);
}

function monthSheet2026(request: MonthSheetRequest): Sheet {
  const { leave = ALL_LEAVE } = request;
  const figure = (field: CopiedField) => (line: MonthLine) => toText(line.figures[field]);
  const columns: MonthColumn[] = [
    ...personColumns(true),
    ...BASE.map(([field, heading, renamed]) => ({ group: "", heading: renamed ?? heading, read: figure(field) })),
    { group: "", heading: "出差时长", read: figure("evectionDay") },
    { group: "", heading: "外出时长", read: figure("goOutDay") },
    ...leave.flatMap((field) => ({ group: "请假", heading: LEAVE[field]?.[1] ?? field, read: figure(field) })),
    ...["年假(天)", "调休(小时)"].map((heading) => ({ group: "请假", heading, read: () => null })),
    { group: "", heading: "加班总时长", read: () => null },
    ...["工作日（转加班费）", "休息日（转加班费）", "节假日（转加班费）"].map((heading) => ({
      group: "加班时长（转加班费）",
      heading,
      read: () => null,
    })),
  ];
  const days = listRange(request).map((day) => request.holidays?.[day] ?? dayLabel(day));
  const title = `月度汇总 统计日期：${request.start} 至 ${request.end}`;
  const upper = [
    ...columns.map((column, index) => (column.group === "" ? column.heading : groupText(columns, index))),
    ...days.map((_, index) => (index === 0 ? "考勤结果" : null)),
  ];
  const lower = [...columns.map((column) => (column.group === "" ? null : column.heading)), ...days];
  return toMonthSheet(request, title, [upper, lower], columns);
}

function toMonthSheet(
  request: MonthSheetRequest,
  title: string,
  headings: CellText[][],
  columns: readonly MonthColumn[],
): Sheet {
  const dayCount = listRange(request).length;
  const width = columns.length + dayCount;
  return {
    name: "月度汇总",
    head: [[title], GENERATED, ...headings],
    rows: mapLazily(request.lines, (line) => [
      ...columns.map((column) => column.read(line)),
      ...Array.from({ length: dayCount }, (_, index) => line.days[index] || null),
    ]),
    hiddenColumns: [columns.findIndex((column) => column.heading === "UserId")],
    merges: [`A1:${columnLetters(width - 1)}1`, `A2:${columnLetters(width - 1)}2`],
  };
}

function personColumns(hasPosition: boolean): MonthColumn[] {
  const keys: readonly (keyof Employee)[] = ["name", "group", "department", "workNumber", "position", "userId"];
  return keys
    .map((key, index): MonthColumn => ({ group: "", heading: PERSON[index] ?? "", read: (line) => line[key] || null }))
    .filter(({ heading }) => hasPosition || heading !== "职位");
}

// A merged group has its text in its first cell only.
function groupText(columns: readonly MonthColumn[], index: number): CellText {
  const group = columns[index]?.group ?? "";
  return columns[index - 1]?.group === group ? null : group;
}

const SLOTS = ["上班1", "下班1", "上班2", "下班2", "上班3", "下班3"];
const DAILY_FIGURES =
  "出勤天数 休息天数 工作时长(分钟) 迟到次数 迟到时长(分钟) 严重迟到次数 严重迟到时长(分钟) 旷工迟到天数 早退次数 早退时长(分钟) 上班缺卡次数 下班缺卡次数 旷工天数".split(
    " ",
  );
const PERSON = ["姓名", "考勤组", "部门", "工号", "职位", "UserId"];

/** 每日统计: 2020 with two heading rows and slots as groups, 2026 flat with the hidden workDate. */
export function dailySheet(request: SheetRequest<DailyLine>): Sheet {
  return request.generation === 2020 ? dailySheet2020(request) : dailySheet2026(request);
}

function dailySheet2020(request: SheetRequest<DailyLine>): Sheet {
  const fixed = [...PERSON, "日期", "班次"];
  const upper = [...fixed, ...SLOTS.flatMap((slot) => [slot, null]), "关联的审批单", ...DAILY_FIGURES];
  const lower = [...fixed.map(() => null), ...SLOTS.flatMap(() => ["打卡时间", "打卡结果"])];
  return {
    name: "每日统计",
    head: [[`每日统计表 统计日期：${request.start} 至 ${request.end}`], GENERATED, upper, lower],
    rows: mapLazily(request.lines, (line) => [
      ...personCells(line),
      shortDay(line.day),
      line.shift,
      ...slotCells(line),
      line.approvals ?? null,
      ...DAILY_FIGURES.map((heading) => (heading === "旷工天数" ? (line.absentDays ?? 0) : 0)),
    ]),
  };
}

function dailySheet2026(request: SheetRequest<DailyLine>): Sheet {
  const slots = SLOTS.flatMap((slot) => [`${slot}打卡时间`, `${slot}打卡结果`]);
  const upper = [
    ...PERSON,
    "日期",
    "workDate",
    "班次",
    ...slots,
    "关联的审批单",
    ...DAILY_FIGURES,
    ...Array.from({ length: 16 }, (_, index) => `加班${index}`),
  ];
  return {
    name: "每日统计",
    head: [[`每日汇总 统计日期：${request.start} 至 ${request.end}`], GENERATED, upper, upper.map(() => null)],
    rows: mapLazily(request.lines, (line) => [
      ...personCells(line),
      shortDay(line.day),
      line.day === "总计" ? null : String(Date.parse(`${line.day}T00:00:00+08:00`)),
      line.shift,
      ...slotCells(line),
      line.approvals ?? null,
      ...DAILY_FIGURES.map((heading) => (heading === "旷工天数" ? toText(line.absentDays) : null)),
      ...Array.from({ length: 16 }, () => null),
    ]),
    hiddenColumns: [5, 7],
  };
}

function slotCells(line: DailyLine): CellText[] {
  return SLOTS.flatMap((slot) => [line.slots[slot]?.time || null, line.slots[slot]?.result || null]);
}

const ORIGINAL =
  "考勤日期 考勤时间 打卡时间 打卡结果 打卡地址 打卡备注 异常打卡原因 打卡图片1 打卡图片2 打卡设备 管理员修改备注 管理员修改备注图片1 管理员修改备注图片2 管理员修改备注图片3".split(
    " ",
  );
const NOTHING = [null, null, null, null];

/** 原始记录, the same in both generations but for the title: 20 columns, one heading row. */
export function originalSheet(request: SheetRequest<PunchLine>): Sheet {
  const word = request.generation === 2020 ? "原始记录表" : "原始记录";
  return {
    name: "原始记录",
    head: [[`${word} 统计日期：${request.start} 至 ${request.end}`], GENERATED, [...PERSON, ...ORIGINAL]],
    rows: mapLazily(request.lines, (line) => [
      ...personCells(line),
      shortDay(line.day),
      ...[line.scheduled, line.time, line.result, line.address].map((text) => text || null),
      ...NOTHING,
      line.device ?? "考勤机",
      ...NOTHING,
    ]),
    hiddenColumns: [5],
  };
}

/** 打卡时间; `times` by position: "08:26", or several joined by spaces. */
export function clockTimesSheet(request: SheetRequest<Employee & { readonly times: readonly string[] }>): Sheet {
  const days = listRange(request);
  const isOld = request.generation === 2020;
  const labels = days.map((day) => (isOld ? String(Number(day.slice(8))) : dayLabel(day)));
  const headings = isOld
    ? [[...PERSON, ...labels]]
    : [
        [...PERSON, "打卡时间"],
        [...PERSON.map(() => null), ...labels],
      ];
  return {
    name: "打卡时间",
    head: [
      [`${isOld ? "打卡时间表" : "打卡时间"} 统计日期：${request.start} 至 ${request.end}`],
      GENERATED,
      ...headings,
    ],
    rows: mapLazily(request.lines, (line) => [
      ...personCells(line),
      ...days.map((_, index) => (line.times[index] ?? "").replace(/\S+/g, "$&  \n").replaceAll("\n ", "\n") || null),
    ]),
  };
}

/** The sheet of identity cards, which no platform exports: headings in the first row. */
export function identitySheet(lines: Iterable<IdentityLine>, headings = ["姓名", "工号", "身份证号", "UserId"]): Sheet {
  return {
    name: "员工信息",
    head: [headings],
    rows: mapLazily(lines, (line) => [line.name, line.workNumber || null, line.idCard || null, line.userId || null]),
  };
}

const personCells = ({ name, group, department, workNumber, position, userId }: Employee): CellText[] =>
  [name, group, department, workNumber, position, userId].map((text) => text || null);

function toText(value: CellText | undefined): CellText {
  return value === undefined || value === null || value === 0 || value === "0" ? null : String(value);
}

function listRange({ start, end }: { readonly start: string; readonly end: string }): string[] {
  const days: string[] = [];
  for (let at = Date.parse(start); at <= Date.parse(end); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

function dayLabel(day: string): string {
  const weekday = new Date(day).getUTCDay();
  return weekday === 0 || weekday === 6 ? WEEKDAYS.charAt(weekday) : String(Number(day.slice(8)));
}

const shortDays = new Map<string, string>();

function shortDay(day: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return day;
  const known = shortDays.get(day);
  if (known !== undefined) return known;
  const weekday = new Date(day).getUTCDay();
  const text = `${day.slice(2)} 星期${Number.isNaN(weekday) ? "一" : WEEKDAYS.charAt(weekday)}`;
  shortDays.set(day, text);
  return text;
}

// Lines may be a generator of a million; an array may be gone through again.
function mapLazily<Line>(lines: Iterable<Line>, toRow: (line: Line) => CellText[]): Iterable<readonly CellText[]> {
  return {
    *[Symbol.iterator]() {
      for (const line of lines) yield toRow(line);
    },
  };
}

import { columnLetters } from "#platform/workbooks/sheet-xml.ts";
import type { CopiedField } from "#services/attendance/model.ts";
import type { CellText, Sheet } from "./book-file.ts";

/** The export's format: 2020 stands for the format of 2020 and 2021, 2026 for today's. */
export type Generation = 2020 | 2026;

export interface Employee {
  readonly name: string;
  readonly group: string;
  readonly department: string;
  readonly workNumber: string;
  readonly position: string;
  readonly userId: string;
}

/** A row of 月度汇总. A figure that is not given is written as 0 or blank, depending on the format. */
export interface MonthLine extends Employee {
  readonly figures: Readonly<Partial<Record<CopiedField, CellText>>>;
  readonly days: readonly string[];
}

/** A row of 每日统计; its slots are "上班1", "下班1" … "下班3". */
export interface DailyLine extends Employee {
  /** yyyy-MM-dd, or "总计" for the totals row that some exports have. */
  readonly day: string;
  readonly shift: string;
  readonly slots: Readonly<Record<string, { readonly time: string; readonly result: string }>>;
  readonly figures?: Readonly<Record<string, number | string>>;
}

/** A row of 原始记录; times are `yyyy-MM-dd HH:mm` as in the sheet, "" for none. */
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
  readonly start: string;
  readonly end: string;
  readonly lines: Iterable<Line>;
}

/** Real exports of the 2020 format have the columns of `leave` and `trips` only if some row has a value there. */
export interface MonthSheetRequest extends SheetRequest<MonthLine> {
  /** The columns under 请假; without them and `trips`, the 2020 format has a single heading row. */
  readonly leave?: readonly CopiedField[];
  /** Whether a sheet of the 2020 format has the columns 出差 and 外出; by default true. */
  readonly trips?: boolean;
  /** Headings of holidays by date (yyyy-MM-dd), which replace the usual day headings in the 2026 format. */
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

type MonthColumn = { readonly group: string; readonly heading: string; readonly read: (line: MonthLine) => CellText };

export function monthSheet(request: MonthSheetRequest): Sheet {
  const { generation, start, end, leave = ALL_LEAVE, trips = true, holidays = {} } = request;
  const isOld = generation === 2020;
  const figure = (group: string, heading: string, field: CopiedField): MonthColumn => {
    const zero = field.endsWith("Time") || field === "workHours" ? "0" : 0;
    return { group, heading, read: ({ figures }) => (isOld ? (figures[field] ?? zero) : toText(figures[field])) };
  };
  const blank = (group: string, heading: string): MonthColumn => ({ group, heading, read: () => null });
  const columns: MonthColumn[] = [
    ...PERSON.map((heading, at): MonthColumn => ({
      group: "",
      heading,
      read: (line) => personCells(line)[at] ?? null,
    })),
    ...BASE.map(([field, heading, renamed = heading]) => figure("", isOld ? heading : renamed, field)),
    ...(isOld && trips ? [figure("出差", "(天)", "evectionDay"), figure("外出", "(天)", "goOutDay")] : []),
    ...(isOld ? [] : [figure("", "出差时长", "evectionDay"), figure("", "外出时长", "goOutDay")]),
    ...leave.map((field) => figure("请假", LEAVE[field]?.[isOld ? 0 : 1] ?? field, field)),
    ...(isOld ? [] : ["年假(天)", "调休(小时)"]).map((heading) => blank("请假", heading)),
    ...(isOld ? [] : [blank("", "加班总时长")]),
    ...(isOld ? [] : ["工作日", "休息日", "节假日"]).map((day) => blank("加班时长（转加班费）", `${day}（转加班费）`)),
  ].filter(({ heading }) => !isOld || heading !== "职位");
  const days = listRange(request).map((day) =>
    isOld ? String(Number(day.slice(8))) : (holidays[day] ?? dayLabel(day)),
  );
  const isDeep = !isOld || columns.some(({ group }) => group !== "");
  // Only the first cell of a merged group contains the group's text.
  const groups = columns.map(({ group, heading }, index) =>
    group === "" ? heading : columns[index - 1]?.group === group ? null : group,
  );
  const upper = [...groups, ...days.map((label, index) => (isOld ? label : index === 0 ? "考勤结果" : null))];
  const leaves = columns.map(({ group, heading }) => (group === "" ? null : heading));
  const lower = [...leaves, ...days.map((label) => (isOld ? null : label))];
  const last = columnLetters(columns.length + days.length - 1);
  const title = `${isOld ? "月度汇总表" : "月度汇总"} 统计日期：${start} 至 ${end}`;
  return {
    name: "月度汇总",
    head: [[title], GENERATED, upper, ...(isDeep ? [lower] : [])],
    rows: mapLazily(request.lines, (line) => [
      ...columns.map(({ read }) => read(line)),
      ...days.map((_, index) => line.days[index] || null),
    ]),
    hiddenColumns: [columns.findIndex(({ heading }) => heading === "UserId")],
    merges: [`A1:${last}1`, `A2:${last}2`],
  };
}

const SLOTS = ["上班1", "下班1", "上班2", "下班2", "上班3", "下班3"];
const DAILY_FIGURES =
  "出勤天数 休息天数 工作时长(分钟) 迟到次数 迟到时长(分钟) 严重迟到次数 严重迟到时长(分钟) 旷工迟到天数 早退次数 早退时长(分钟) 上班缺卡次数 下班缺卡次数 旷工天数".split(
    " ",
  );
const PERSON = ["姓名", "考勤组", "部门", "工号", "职位", "UserId"];

/**
 * 每日统计 has two heading rows with grouped slots in the 2020 format. In the 2026 format it has one heading row, a blank
 * row below, and the hidden column workDate.
 */
export function dailySheet({ generation, start, end, lines }: SheetRequest<DailyLine>): Sheet {
  const isOld = generation === 2020;
  const slots = SLOTS.flatMap((slot) => (isOld ? [slot, null] : [`${slot}打卡时间`, `${slot}打卡结果`]));
  const overtime = Array.from({ length: isOld ? 0 : 16 }, (_, index) => `加班${index}`);
  const fixed = [...PERSON, "日期", ...(isOld ? [] : ["workDate"]), "班次"];
  const upper = [...fixed, ...slots, "关联的审批单", ...DAILY_FIGURES, ...overtime];
  const lower = isOld ? SLOTS.flatMap(() => ["打卡时间", "打卡结果"]) : [];
  return {
    name: "每日统计",
    head: [
      [`${isOld ? "每日统计表" : "每日汇总"} 统计日期：${start} 至 ${end}`],
      GENERATED,
      upper,
      [...(isOld ? fixed : upper).map(() => null), ...lower],
    ],
    rows: mapLazily(lines, (line) => [
      ...personCells(line),
      shortDay(line.day),
      ...(isOld ? [] : [line.day === "总计" ? null : String(Date.parse(`${line.day}T00:00:00+08:00`))]),
      line.shift,
      ...SLOTS.flatMap((slot) => [line.slots[slot]?.time || null, line.slots[slot]?.result || null]),
      null,
      ...DAILY_FIGURES.map((heading) => {
        const count = line.figures?.[heading.replace("(分钟)", "")] ?? 0;
        return isOld ? count : toText(count);
      }),
      ...overtime.map(() => null),
    ]),
    ...(isOld ? {} : { hiddenColumns: [5, 7] }),
  };
}

const ORIGINAL =
  "考勤日期 考勤时间 打卡时间 打卡结果 打卡地址 打卡备注 异常打卡原因 打卡图片1 打卡图片2 打卡设备 管理员修改备注 管理员修改备注图片1 管理员修改备注图片2 管理员修改备注图片3".split(
    " ",
  );
const NOTHING = [null, null, null, null];

/** 原始记录 has 20 columns and one heading row in both formats; only the title differs. */
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

/** `times` has a text for each day: one time, such as "08:26", several separated by spaces, or "" for none. */
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

/** HR makes the identity card sheet by hand, so its headings are in the first row. */
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

// Lines are mapped lazily, since they may come from a generator of a million. If they come from an array, the result
// can be iterated again.
function mapLazily<Line>(lines: Iterable<Line>, toRow: (line: Line) => CellText[]): Iterable<readonly CellText[]> {
  return {
    *[Symbol.iterator]() {
      for (const line of lines) yield toRow(line);
    },
  };
}

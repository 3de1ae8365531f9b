import type { Cell } from "#platform/workbooks/index.ts";
import { commonFigures } from "#services/attendance/answers/import-routes.ts";

// The attendance platform has had two export formats. Exports until 2021 have numeric counts and, for most days, one
// plain word; later ones have counts as texts, blanks for zero, and the shift and punches of each day.

export type Generation = 2020 | 2026;

export interface DemoMonth {
  readonly monthSheet: readonly (readonly Cell[])[];
  readonly originalSheet: readonly (readonly Cell[])[];
  readonly workSheet: readonly (readonly Cell[])[];
}

interface Employee {
  readonly index: number;
  readonly name: string;
  readonly group: string;
  readonly department: string;
  readonly workNumber: string;
  readonly userId: string;
}

type Event = "normal" | "late" | "early" | "noClockIn" | "noClockOut" | "absent" | "leave" | "elsewhere" | "rest";

interface DemoDay {
  readonly day: string;
  readonly event: Event;
  readonly minutes: number;
  readonly clockIn: string | null;
  readonly clockOut: string | null;
  readonly address: string;
}

const surnames = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨";
const givenNames = "安宁远志文静思源明哲若兰子墨海棠";
const departments = ["黄家湖教务处", "黄家湖后勤处", "墨轩湖图书馆", "墨轩湖信息中心", "人事处"];
const campusAddresses = [
  ["黄家湖校区一号门_14757", "黄家湖图书馆WIFI(AA:BB:CC:00:00:01)"],
  ["墨轩湖校区南门_20311", "墨轩湖实验楼：支持人脸+指纹"],
];
const elsewhere = "示例路1号会展中心";
const firstOfWork = 8 * 60 + 30;
const endOfWork = 18 * 60;
const dayMs = 86_400_000;

/** The numbers are deterministic, so that every demo shows the same months. */
function pickNumber(seed: number, below: number): number {
  let value = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35);
  return ((value ^ (value >>> 16)) >>> 0) % below;
}

const pick = <T>(list: ArrayLike<T>, number: number): T => list[number % list.length] as T;
const twoDigits = (number: number): string => String(number).padStart(2, "0");
const toClock = (minute: number): string => `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`;

function makeEmployee(index: number): Employee {
  const department = pick(departments, index);
  return {
    index,
    name:
      pick(surnames, index) + pick(givenNames, Math.floor(index / 16)) + pick(givenNames, Math.floor(index / 256) + 5),
    group: index % 10 === 0 ? "弹性班" : "行政班",
    department,
    workNumber: `D${String(index + 1).padStart(4, "0")}`,
    userId: `0${String(15_000_000_000_000_000 + index * 7919)}`,
  };
}

/** Lists the work numbers and days on which somebody forgot to punch in. */
export const listForgotten = (month: string, people: number) =>
  Array.from({ length: people }, (_, index) => makeEmployee(index)).flatMap((employee) =>
    listDays(month)
      .filter((day) => makeDay(employee, day).event === "noClockIn")
      .map((day) => ({ workNumber: employee.workNumber, day })),
  );

const listDays = (month: string): string[] => {
  const days: string[] = [];
  for (let at = Date.parse(`${month}-01T00:00:00Z`); ; at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10);
    if (!day.startsWith(month)) return days;
    days.push(day);
  }
};

const weekdayOf = (day: string): string => pick("日一二三四五六", new Date(`${day}T00:00:00Z`).getUTCDay());
const isWeekend = (day: string): boolean => "六日".includes(weekdayOf(day));

/** The values lie on both sides of the analysis's default bucket edges of 20 and 30 minutes. */
const minutesOfTrouble = [1, 12, 20, 21, 30, 31, 75];
const events: readonly Event[] = ["late", "early", "noClockIn", "noClockOut", "absent", "leave", "elsewhere"];

function makeDay(employee: Employee, day: string): DemoDay {
  const seed = employee.index * 1000 + Number(day.slice(5, 7)) * 40 + Number(day.slice(8));
  const luck = pickNumber(seed, 100);
  const event: Event = isWeekend(day) ? "rest" : luck < 14 ? pick(events, luck) : "normal";
  const minutes = pick(minutesOfTrouble, pickNumber(seed + 17, 7));
  const arrival = event === "late" ? firstOfWork + minutes : firstOfWork - 1 - pickNumber(seed + 3, 25);
  const departure = event === "early" ? endOfWork - minutes : endOfWork + pickNumber(seed + 5, 40);
  const works = !["rest", "absent", "leave"].includes(event);
  const campus = employee.department.startsWith("墨轩湖") || pickNumber(seed + 11, 12) === 0 ? 1 : 0;
  return {
    day,
    event,
    minutes,
    clockIn: works && event !== "noClockIn" ? toClock(arrival) : null,
    clockOut: works && event !== "noClockOut" ? toClock(departure) : null,
    address: event === "elsewhere" ? elsewhere : pick(campusAddresses[campus] ?? [], seed),
  };
}

const words: Readonly<Record<Event, (minutes: number) => string>> = {
  normal: () => "正常",
  elsewhere: () => "正常",
  late: (minutes) => `上班迟到${minutes}分钟`,
  early: (minutes) => `下班早退${minutes}分钟`,
  noClockIn: () => "上班缺卡",
  noClockOut: () => "下班缺卡",
  absent: () => "旷工",
  leave: () => "事假",
  rest: () => "休息",
};

function toDayCell({ day, event, minutes, clockIn, clockOut }: DemoDay, generation: Generation): string {
  const word = words[event](minutes);
  const date = day.slice(5);
  if (event === "leave")
    return generation === 2020
      ? `${word}${date} 08:30到${date} 18:00 8小时`
      : `${word}${date} 08:30到${date} 18:00 8小时\n(-)`;
  if (generation === 2020) return word;
  return event === "rest" ? "休息\n(-)" : `普通出勤:${word}\n(${clockIn ?? "-"},${clockOut ?? "-"})`;
}

const unusedHeadings = [
  "病假(小时)",
  "丧假(天)",
  "产假(天)",
  "陪产假(天)",
  "婚假(天)",
  "出差时长",
  "外出时长",
] as const;
const figureHeadings = [...commonFigures, "事假(小时)", ...unusedHeadings] as const;

function toFigures(days: readonly DemoDay[], generation: Generation): Cell[] {
  const count = (...of: Event[]) => days.filter(({ event }) => of.includes(event)).length;
  const sum = (of: Event) => days.reduce((total, { event, minutes }) => total + (event === of ? minutes : 0), 0);
  const worked = count("normal", "elsewhere", "late", "early", "noClockIn", "noClockOut");
  const number = (value: number): Cell => (generation === 2020 ? value : value === 0 ? null : String(value));
  const duration = (minutes: number): Cell =>
    generation === 2026
      ? number(minutes)
      : minutes === 0
        ? "0"
        : minutes < 60
          ? `${minutes}分钟`
          : `${Math.floor(minutes / 60)}小时${minutes % 60}分钟`;
  return [
    number(worked),
    number(count("rest")),
    duration(worked * 480),
    number(count("late")),
    duration(sum("late")),
    number(0),
    duration(0),
    number(0),
    number(count("early")),
    duration(sum("early")),
    number(count("noClockIn")),
    number(count("noClockOut")),
    number(count("absent")),
    number(count("leave") * 8),
    ...unusedHeadings.map(() => number(0)),
  ];
}

const personHeadings = ["姓名", "考勤组", "部门", "工号"];
const toPersonCells = ({ name, group, department, workNumber }: Employee): Cell[] => [
  name,
  group,
  department,
  workNumber,
];

function toPunches(employee: Employee, { day, event, clockIn, clockOut, address }: DemoDay): Cell[][] {
  const date = `${day.slice(2)} 星期${weekdayOf(day)}`;
  const row = (scheduled: string, time: string, result: string): Cell[] => [
    ...toPersonCells(employee),
    "",
    employee.userId,
    date,
    `${day} ${scheduled}`,
    `${day} ${time}`,
    result,
    address,
    "",
    "",
    "",
    "",
    "考勤机",
    "",
    "",
    "",
    "",
  ];
  const rows: Cell[][] = [];
  if (clockIn !== null) rows.push(row("08:30", clockIn, event === "late" ? "迟到" : "正常"));
  if (clockIn !== null && employee.index % 25 === 0)
    rows.push(row("08:30", "08:31", "打卡无效:已经打过卡了，上班时间以最早打卡时间为准"));
  if (clockOut !== null) rows.push(row("18:00", clockOut, event === "early" ? "早退" : "正常"));
  return rows;
}

/** Makes an identity card number with a valid check digit (ISO 7064) and a region that does not exist. */
function makeIdCard(index: number): string {
  const body = `990000199${index % 10}01${twoDigits((index % 28) + 1)}${String(index % 1000).padStart(3, "0")}`.slice(
    0,
    17,
  );
  const sum = [...body].reduce((total, digit, place) => total + Number(digit) * (2 ** (17 - place) % 11), 0);
  return body + pick("10X98765432", sum % 11);
}

export interface DemoRequest {
  readonly month: string;
  readonly people: number;
  readonly generation: Generation;
  readonly range?: readonly [first: number, last: number];
}

export function makeDemoMonth({ month, people, generation, range = [1, 31] }: DemoRequest): DemoMonth {
  const days = listDays(month).slice(range[0] - 1, range[1]);
  const employees = Array.from({ length: people }, (_, index) => makeEmployee(index));
  const worked = new Map(employees.map((employee) => [employee, days.map((day) => makeDay(employee, day))]));
  const suffix = generation === 2020 ? "表" : "";
  const title = (sheet: string): Cell[] => [`${sheet}${suffix} 统计日期：${days[0]} 至 ${days.at(-1)}`];
  const made: Cell[] = [`报表生成时间：${days.at(-1)} 19:57`];
  const daysAsHeadings = days.map((day) =>
    generation === 2026 && isWeekend(day) ? weekdayOf(day) : String(Number(day.slice(8))),
  );
  return {
    monthSheet: [
      title("月度汇总"),
      made,
      [...personHeadings, ...(generation === 2026 ? ["职位"] : []), "UserId", ...figureHeadings, ...daysAsHeadings],
      ...employees.map((employee) => {
        const own = worked.get(employee) ?? [];
        const position = generation === 2026 ? [""] : [];
        return [
          ...toPersonCells(employee),
          ...position,
          employee.userId,
          ...toFigures(own, generation),
          ...own.map((day) => toDayCell(day, generation)),
        ];
      }),
    ],
    originalSheet: [
      title("原始记录"),
      made,
      [
        ...personHeadings,
        "职位",
        "UserId",
        "考勤日期",
        "考勤时间",
        "打卡时间",
        "打卡结果",
        "打卡地址",
        "打卡备注",
        "异常打卡原因",
        "打卡图片1",
        "打卡图片2",
        "打卡设备",
        "管理员修改备注",
        "管理员修改备注图片1",
        "管理员修改备注图片2",
        "管理员修改备注图片3",
      ],
      ...employees.flatMap((employee) => (worked.get(employee) ?? []).flatMap((day) => toPunches(employee, day))),
    ],
    workSheet: [
      ["姓名", "工号", "身份证号"],
      ...employees.map(({ index, name, workNumber }) => [name, workNumber, makeIdCard(index)]),
    ],
  };
}

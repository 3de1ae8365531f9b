import type { CopiedField } from "#services/attendance/model.ts";
import type { CellText } from "./book-file.ts";
import {
  clockTimesSheet,
  type DailyLine,
  dailySheet,
  type Employee,
  type Generation,
  identitySheet,
  type MonthLine,
  monthSheet,
  originalSheet,
  type PunchLine,
} from "./export-sheets.ts";

export interface MonthRequest {
  readonly month: string;
  readonly people: number;
  readonly seed: number;
  readonly generation: Generation;
}

const SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许";
const GIVEN = "安宁远志文静思源明哲若兰子墨海棠云帆向晨知夏";
const DEPARTMENTS = ["教务处", "后勤处", "学工处", "黄家湖校区综合办", "墨轩湖校区综合办", ""];
const ADDRESSES = [
  "黄家湖校区_14757",
  "黄家湖校区二楼：支持人脸+指纹",
  "墨轩湖校区_20311",
  "MXH墨轩湖(AA:BB:CC:00:11:22)",
];
const ELSEWHERE = ["市民之家(AA:BB:CC:33:44:55)", "火车站 站前路1号"];
const DAY_MS = 86_400_000;

type Random = (below: number) => number;

// The random number generator of the book Numerical Recipes gives the same numbers for a seed on every machine.
function openRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = <Value>(values: ArrayLike<Value>, random: Random): Value => values[random(values.length)] as Value;

function listDays(month: string): string[] {
  const days: string[] = [];
  for (let at = new Date(month); at.toISOString().startsWith(month); at = new Date(at.valueOf() + DAY_MS))
    days.push(at.toISOString().slice(0, 10));
  return days;
}

export type FictitiousMonth = ReturnType<typeof makeMonth>;

export function makeMonth({ month, people, seed, generation }: MonthRequest) {
  const random = openRandom(seed);
  const days = listDays(month);
  const facts = Array.from({ length: people }, (_, index): PersonFact => ({
    employee: makeEmployee(index),
    days: days.map((day) => makeDay(day, index, random)),
  }));
  const employees = facts.map(({ employee }) => employee);
  const identityLines = employees.map((employee, index) => ({ ...employee, idCard: makeIdCard(index) }));
  const clockLines = facts.map(({ employee, days }) => ({
    ...employee,
    times: days.map(({ slots }) => slots.flatMap((slot) => (slot.time === "" ? [] : [slot.time.slice(11)])).join(" ")),
  }));
  /** Exports the days from `first` to `last`, both included; the figures cover only these days. */
  const cut = (first: number, last: number) => {
    const own = facts.map((person) => ({ ...person, days: person.days.slice(first - 1, last) }));
    const range = { generation, start: days[first - 1] ?? "", end: days[last - 1] ?? "" };
    return {
      monthSheet: monthSheet({ ...range, lines: own.map((person) => toMonthLine(person, generation)) }),
      dailySheet: dailySheet({ ...range, lines: own.flatMap(toDailyLines) }),
      originalSheet: originalSheet({ ...range, lines: own.flatMap(toPunchLines) }),
    };
  };
  return {
    employees,
    monthLines: facts.map((person) => toMonthLine(person, generation)),
    dailyLines: facts.flatMap(toDailyLines),
    punchLines: facts.flatMap(toPunchLines),
    identityLines,
    ...cut(1, days.length),
    clockTimesSheet: clockTimesSheet({ generation, start: days[0] ?? "", end: days.at(-1) ?? "", lines: clockLines }),
    identitySheet: identitySheet(identityLines),
    cut,
  };
}

export function* makePunches(month: string, people: number, count: number, seed: number): Generator<PunchLine> {
  const random = openRandom(seed);
  const days = listDays(month);
  const perDay = Math.max(1, Math.ceil(count / people / days.length));
  for (let made = 0, index = 0; made < count; index++) {
    const employee = makeEmployee(index);
    for (let at = 0; at < days.length * perDay && made < count; at++, made++) {
      const day = days[Math.floor(at / perDay)] ?? "";
      const isIn = at % 2 === 0;
      const minutes = isIn ? 480 + random(45) : 1070 + random(60);
      const scheduled = isIn ? 510 : 1080;
      const time = `${day} ${clock(minutes)}`;
      const result = (isIn ? minutes > scheduled : minutes < scheduled) ? (isIn ? "迟到" : "早退") : "正常";
      const address = pick(ADDRESSES, random);
      yield { ...employee, day, scheduled: `${day} ${clock(scheduled)}`, time, result, address };
    }
  }
}

interface SlotFact {
  readonly kind: "上班" | "下班";
  readonly number: number;
  readonly scheduled: string;
  readonly time: string;
  readonly result: string;
  readonly minutes: number;
  readonly address: string;
}

interface DayFact {
  readonly day: string;
  readonly shift: string;
  readonly state: "工作" | "休息" | "旷工" | "事假";
  readonly slots: readonly SlotFact[];
}

interface PersonFact {
  readonly employee: Employee;
  readonly days: readonly DayFact[];
}

const SHIFTS: readonly {
  readonly name: string;
  readonly text: string;
  readonly pairs: readonly (readonly [number, number])[];
}[] = [
  { name: "普通出勤", text: "普通出勤 08:30-18:00", pairs: [[510, 1080]] },
  {
    name: "3班次17点",
    text: "3班次17点 08:30-11:30,14:00-17:30",
    pairs: [
      [510, 690],
      [840, 1050],
    ],
  },
  { name: "后勤晚班出勤", text: "后勤晚班出勤 22:00-次日07:00", pairs: [[1320, 1860]] },
];

function makeEmployee(index: number): Employee {
  const name = SURNAMES.charAt(index % 20) + GIVEN.charAt(Math.floor(index / 20) % 22) + GIVEN.charAt((index * 7) % 22);
  return {
    name: index % 37 === 36 ? `${name}（离职）` : name,
    group: index % 29 === 28 ? "未加入考勤组" : "全校考勤",
    department: DEPARTMENTS[index % DEPARTMENTS.length] ?? "",
    workNumber: index % 5 === 4 ? "" : `00${10_000 + index}`,
    position: index % 3 === 0 ? "干事" : "",
    userId:
      index % 11 === 10
        ? `0123456789${String(index).padStart(2, "0")}-1234567890`
        : String(100_000_000_000_000_000n + BigInt(index)),
  };
}

function makeDay(day: string, index: number, random: Random): DayFact {
  const shift = SHIFTS[index % 10 === 9 ? 2 : index % 4 === 3 ? 1 : 0] ?? SHIFTS[0];
  const weekday = new Date(day).getUTCDay();
  const chance = random(100);
  if (shift === undefined || weekday === 0 || weekday === 6) return { day, shift: "休息", state: "休息", slots: [] };
  if (chance < 2) return { day, shift: shift.text, state: "旷工", slots: [] };
  if (chance < 4) return { day, shift: shift.text, state: "事假", slots: [] };
  const address =
    chance < 8 ? pick(ELSEWHERE, random) : (ADDRESSES[(index + Number(chance > 90)) % ADDRESSES.length] ?? "");
  const slots = shift.pairs.flatMap(([start, end], pair) => {
    const place = { number: pair + 1, address };
    return [
      makeSlot(day, start, { ...place, kind: "上班" }, random),
      makeSlot(day, end, { ...place, kind: "下班" }, random),
    ];
  });
  return { day, shift: shift.text, state: "工作", slots };
}

const EDGES = [1, 20, 21, 30, 31, 61, 121];

type SlotPlace = Pick<SlotFact, "kind" | "number" | "address">;

function makeSlot(day: string, at: number, place: SlotPlace, random: Random): SlotFact {
  const { kind } = place;
  const scheduled = toMinute(day, at);
  const slot = { ...place, scheduled };
  const chance = random(100);
  if (chance < 3) return { ...slot, time: "", result: "缺卡", minutes: 0 };
  if (chance < 5) return { ...slot, time: scheduled, result: "补卡审批通过", minutes: 0, address: "" };
  const isOff = chance < 12;
  const minutes = isOff ? pick(EDGES, random) : 0;
  const margin = isOff ? -minutes : random(12);
  const time = toMinute(day, kind === "上班" ? at - margin : at + margin);
  return { ...slot, time, minutes, result: nameResult(kind, minutes) };
}

function nameResult(kind: "上班" | "下班", minutes: number): string {
  if (minutes === 0) return "正常";
  if (kind === "下班") return "早退";
  return minutes > 120 ? "旷工迟到" : minutes > 60 ? "严重迟到" : "迟到";
}

function toMinute(day: string, minutes: number): string {
  return new Date(Date.parse(day) + minutes * 60_000).toISOString().slice(0, 16).replace("T", " ");
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

const isPunched = ({ time }: SlotFact): boolean => time !== "";
const countMissing = (slots: readonly SlotFact[], wanted: SlotFact["kind"]): number =>
  slots.filter(({ kind, result }) => kind === wanted && result === "缺卡").length;

function toMonthLine({ employee, days }: PersonFact, generation: Generation): MonthLine {
  const slots = days.flatMap((day) => day.slots);
  const of = (result: string): readonly SlotFact[] => slots.filter((slot) => slot.result === result);
  const sum = (result: string): number => of(result).reduce((total, slot) => total + slot.minutes, 0);
  const duration = (result: string): CellText => writeDuration(sum(result), generation);
  const count = (state: DayFact["state"]): number => days.filter((day) => day.state === state).length;
  const figures: Partial<Record<CopiedField, CellText>> = {
    attendanceDay: days.filter(({ slots }) => slots.some(isPunched)).length,
    restDay: count("休息"),
    workHours: writeDuration(count("工作") * 480, generation),
    numberOfLate: of("迟到").length,
    numberOfLateTime: duration("迟到"),
    numberOfSeriousLateness: of("严重迟到").length,
    durationOfSevereLateness: duration("严重迟到"),
    daysOfAbsenteeismAndLateness: of("旷工迟到").length,
    leaveEarlyNumber: of("早退").length,
    leaveEarlyTimes: duration("早退"),
    lackOfWorkCardTimes: countMissing(slots, "上班"),
    lackOfMissingWorkCardTimes: countMissing(slots, "下班"),
    absenteeismDay: count("旷工"),
    privateAffairLeaveDay: count("事假") * 8,
  };
  return { ...employee, figures, days: days.map((day) => writeCell(day, generation)) };
}

function writeDuration(minutes: number, generation: Generation): CellText {
  if (generation === 2026) return minutes === 0 ? null : String(minutes);
  if (minutes === 0) return "0";
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return `${hours === 0 ? "" : `${hours}小时`}${rest === 0 ? "" : `${rest}分钟`}`;
}

function writeCell({ day, shift, state, slots }: DayFact, generation: Generation): string {
  const isOld = generation === 2020;
  const name = isOld ? "" : `${shift.slice(0, shift.indexOf(" "))}:`;
  const end = isOld ? "" : "\n(-)";
  if (state === "休息") return `休息${end}`;
  if (state === "事假") return `事假${day.slice(5)} 08:30到${day.slice(5)} 17:30 8小时${end}`;
  if (state === "旷工") return `${name}旷工${end}`;
  const events = slots.flatMap(({ kind, number, result, minutes }) => {
    const place = name + kind + (slots.length > 2 ? number : "");
    if (result === "缺卡") return `${place}缺卡`;
    return minutes === 0 ? [] : `${place}${result}${isOld ? writeDuration(minutes, 2020) : `${minutes}分钟`}`;
  });
  if (isOld) return events.join("\n") || "正常";
  const [first, last] = [slots[0]?.time.slice(11) || "-", slots.at(-1)?.time.slice(11) || "-"];
  return `${events.join(",") || `${name}正常`}\n(${first},${last})`;
}

function toDailyLines({ employee, days }: PersonFact): DailyLine[] {
  return days.map(({ day, shift, state, slots }) => ({
    ...employee,
    day,
    shift,
    figures: {
      出勤天数: Number(slots.some(isPunched)),
      上班缺卡次数: countMissing(slots, "上班"),
      下班缺卡次数: countMissing(slots, "下班"),
      旷工天数: Number(state === "旷工"),
    },
    slots: Object.fromEntries(
      slots.map(({ kind, number, time, result, minutes }) => {
        const clock = time === "" || time.startsWith(day) ? time.slice(11) : `次日 ${time.slice(11)}`;
        return [`${kind}${number}`, { time: clock, result: minutes === 0 ? result : `${result}${minutes}分钟` }];
      }),
    ),
  }));
}

// A missing punch has no row, and some punches are followed by an invalid repetition.
function toPunchLines({ employee, days }: PersonFact): PunchLine[] {
  return days.flatMap(({ day, slots }) =>
    slots
      .filter((slot) => slot.time !== "")
      .flatMap((slot, index) => {
        const { scheduled, time, result, address } = slot;
        const line: PunchLine = { ...employee, day, scheduled, time, result, address };
        const repeated = { ...line, result: "打卡无效:已经打过卡了，上班时间以最早打卡时间为准", device: "手机" };
        return index === 0 && day.endsWith("5") ? [line, repeated] : [line];
      }),
  );
}

const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

// The identity card has a valid check digit, but its region (990000) does not exist.
function makeIdCard(index: number): string {
  const digits = `990000${19_700_101 + (index % 28)}${String(index % 1000).padStart(3, "0")}`;
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * Number(digits.charAt(at)), 0);
  return digits + "10X98765432".charAt(sum % 11);
}

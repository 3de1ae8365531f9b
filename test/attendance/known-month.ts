import { createRandom } from "#test/crash/random.ts";
import { freeKinds, type KnownDay, type Luck, pickKind, type Slot, workKinds } from "./day-kinds.ts";
import { campus1, campus2, elsewhere } from "./employee-month.ts";
import {
  clockTimesSheet,
  type DailyLine,
  dailySheet,
  type Employee,
  type Generation,
  type MonthLine,
  monthSheet,
  originalSheet,
  type PunchLine,
} from "./export-sheets.ts";
import { type Made, nothing } from "./fictitious-department.ts";

// Each person's expected row is computed from the known days and the default campus keywords.

export interface KnownMonthRequest {
  readonly month: string;
  readonly people: number;
  readonly seed: number;
  readonly generation: Generation;
  readonly contradictions: number;
}

/** The shifts include a split one and one past midnight. */
const shifts = [
  { name: "普通出勤", text: "普通出勤 08:30-18:00", due: [510, 1080] },
  { name: "3班次17点", text: "3班次17点 08:30-11:30,14:00-17:30", due: [510, 690, 840, 1050] },
  { name: "后勤晚班出勤", text: "后勤晚班出勤 22:00-次日07:00", due: [1320, 1860] },
] as const;
type Shift = (typeof shifts)[number];

interface KnownPerson {
  readonly employee: Employee;
  readonly shift: Shift;
  /** A day is undefined if the person has left by then. */
  readonly days: readonly (KnownDay | undefined)[];
}

export interface ExpectedDifference {
  readonly userId: string;
  readonly name: string;
  readonly figure: string;
  readonly ours: number;
  readonly theirs: number;
  readonly days: readonly string[];
}

export function makeKnownMonth({ month, people, seed, generation, contradictions }: KnownMonthRequest) {
  const luck = openLuck(seed);
  const [year = 0, number = 0] = month.split("-").map(Number);
  const dates = Array.from(
    { length: new Date(Date.UTC(year, number, 0)).getUTCDate() },
    (_, index) => `${month}-${String(index + 1).padStart(2, "0")}`,
  );
  const known = Array.from({ length: people }, (_, index) => makePerson(index, dates, luck));
  const counted = known.map(({ days }) => days.map((day) => (day ? countDay(day) : [0, 0, 0])));
  const sums = counted.map((days) => [0, 1, 2].map((figure) => days.reduce((sum, day) => sum + (day[figure] ?? 0), 0)));
  const differences = contradict(known, { counted, sums, dates, luck, contradictions });
  const range = { generation, start: dates[0] ?? "", end: dates.at(-1) ?? "" };
  const monthLines = known.map(({ employee, shift, days }, index): MonthLine => {
    const [attendanceDay = 0, lackOfWorkCardTimes = 0, lackOfMissingWorkCardTimes = 0] = sums[index] ?? [];
    const absenteeismDay = days.filter((day) => day?.isAbsent).length;
    const figures = { attendanceDay, lackOfWorkCardTimes, lackOfMissingWorkCardTimes, absenteeismDay };
    return { ...employee, figures, days: days.map((day) => (day ? writeCell(day, shift, generation) : "")) };
  });
  const dailyLines = known.flatMap(({ employee, days }, person) =>
    days.flatMap((day, index) =>
      day ? toDailyLine(employee, day, dates[index] ?? "", counted[person]?.[index] ?? []) : [],
    ),
  );
  const punchLines = known.flatMap(({ employee, days }) =>
    days.flatMap((day, index) => (day ? toPunchLines(employee, day, dates[index] ?? "") : [])),
  );
  const clockLines = known.map(({ employee, days }) => ({
    ...employee,
    times: days.map((day) =>
      (day?.slots ?? []).flatMap(({ clock }) => (clock === null ? [] : writeClock(clock))).join(" "),
    ),
  }));
  return {
    days: known.flatMap(({ days }) => days).filter((day) => day !== undefined).length,
    sheets: [
      monthSheet({ ...range, lines: monthLines }),
      dailySheet({ ...range, lines: dailyLines }),
      originalSheet({ ...range, lines: punchLines }),
      clockTimesSheet({ ...range, lines: clockLines }),
    ],
    rows: new Map(known.map((person) => [person.employee.userId, expectRow(person, dates)])),
    differences,
  };
}

function openLuck(seed: number): Luck {
  const random = createRandom(seed);
  const below = (most: number): number => Math.floor(random() * most);
  return {
    below,
    pick(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("nothing to pick from");
      return value;
    },
  };
}

const departments = ["教务处", "黄家湖校区综合办", "墨轩湖校区综合办", ""];
const homes = [campus1, campus1, campus2, elsewhere];

function makePerson(index: number, dates: readonly string[], luck: Luck): KnownPerson {
  const isNumbered = index % 2 === 0;
  const shift = luck.pick(isNumbered ? shifts : [shifts[0], shifts[1], shifts[1]]);
  const hasLeft = luck.below(20) === 0;
  const employee: Employee = {
    name: `员工${index}${hasLeft ? luck.pick(["（离职）", "(已离职)"]) : ""}`,
    group: luck.pick(["全校考勤", "未加入考勤组", "黄家湖全勤"]),
    department: isNumbered ? luck.pick(departments) : "",
    workNumber: isNumbered ? `00${10_000 + index}` : "",
    position: "",
    userId: index % 7 === 6 ? `0123${10_000_000 + index}-1234567890` : String(100_000_000_000_000_000n + BigInt(index)),
  };
  const [home, last] = [luck.pick(homes), hasLeft ? luck.below(dates.length) : dates.length];
  return { employee, shift, days: dates.map((date, at) => (at < last ? makeDay(date, shift, home, luck) : undefined)) };
}

function makeDay(date: string, { text, due }: Shift, home: string, luck: Luck): KnownDay {
  const address = luck.below(10) < 8 ? home : luck.pick([campus1, campus2, elsewhere]);
  const slots = due.map((minute, index): Slot => {
    const [word, margin] = [index % 2 === 0 ? "上班" : "下班", luck.below(12)] as const;
    const clock = word === "上班" ? minute - margin : minute + margin;
    return { name: `${word}${Math.floor(index / 2) + 1}`, due: minute, clock, daily: "正常", raw: "正常", address };
  });
  const day: KnownDay = {
    shift: text,
    slots,
    extra: [],
    events: ["正常"],
    isThere: true,
    isAbsent: false,
    missing: [],
    late: [],
    marked: [],
  };
  const weekday = new Date(date).getUTCDay();
  pickKind(weekday === 0 || weekday === 6 ? freeKinds : workKinds, luck)(day, luck, date);
  return day;
}

const countDay = ({ isThere, missing }: KnownDay): number[] => [
  Number(isThere),
  ...["上班", "下班"].map((word) => missing.filter((name) => name.startsWith(word)).length),
];

const writeClock = (minute: number): string =>
  `${String(Math.floor(minute / 60) % 24).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
const writeDaily = (minute: number): string => (minute < 1440 ? writeClock(minute) : `次日 ${writeClock(minute)}`);
const writeMinute = (date: string, minute: number): string =>
  new Date(Date.parse(date) + minute * 60_000).toISOString().slice(0, 16).replace("T", " ");

function writeCell({ events, slots }: KnownDay, { name, due }: Shift, generation: Generation): string {
  const isOld = generation === 2020;
  const written = events.map((event) => {
    if (typeof event === "string") return /^(?:正常|旷工|未打卡)$/.test(event) && !isOld ? `${name}:${event}` : event;
    const { slot, word, minutes } = event;
    const hours = minutes === undefined || !isOld || minutes < 60 ? 0 : Math.floor(minutes / 60);
    const rest =
      minutes === undefined
        ? ""
        : `${hours > 0 ? `${hours}小时` : ""}${minutes - hours * 60 > 0 ? `${minutes - hours * 60}分钟` : ""}`;
    return `${isOld ? "" : `${name}:`}${due.length > 2 ? slot.name : slot.name.slice(0, 2)}${word}${rest}`;
  });
  if (isOld) return written.join("\n");
  if (written.length === 0) return "未排班\n(-)";
  const clocks = [slots.at(0), slots.at(-1)].map((slot) =>
    slot?.clock === null || slot === undefined ? "-" : writeClock(slot.clock),
  );
  const isNone = clocks.every((clock) => clock === "-");
  return `${written.filter((text) => text !== "").join(",")}\n(${isNone ? "-" : clocks.join(",")})`;
}

const toDailyLine = (
  employee: Employee,
  day: KnownDay,
  date: string,
  [attended = 0, clockIns = 0, clockOuts = 0]: readonly number[],
): DailyLine => ({
  ...employee,
  day: date,
  shift: day.shift,
  slots: Object.fromEntries(
    day.slots.map(({ name, clock, daily }) => [name, { time: clock === null ? "" : writeDaily(clock), result: daily }]),
  ),
  figures: { 出勤天数: attended, 上班缺卡次数: clockIns, 下班缺卡次数: clockOuts, 旷工天数: Number(day.isAbsent) },
});

function toPunchLines(employee: Employee, { slots, extra, shift }: KnownDay, date: string): PunchLine[] {
  const write = (minute: number | null): string => (minute === null ? "" : writeMinute(date, minute));
  const isFree = shift === "休息" || shift === "不在考勤组";
  return [
    ...slots.flatMap(({ due, clock, raw, address }) =>
      raw === null ? [] : { due: isFree ? null : due, clock, raw, address },
    ),
    ...extra.map((punch) => ({ due: null, ...punch })),
  ].map(({ due, clock, raw, address }) => ({
    ...employee,
    day: date,
    scheduled: write(due),
    time: write(clock),
    result: raw,
    address,
  }));
}

type Place = 1 | 2 | "off-site";

const campusOf = (address: string): 1 | 2 | undefined =>
  address === campus1 ? 1 : address === campus2 ? 2 : undefined;

/** Returns undefined if no valid punch of the day has an address and none is marked as 外勤. */
function placeOf({ slots, extra, marked }: KnownDay): Place | undefined {
  const punches = [...slots, ...extra]
    .filter(({ clock, raw }) => clock !== null && raw !== null && raw !== "请假" && !raw.startsWith("打卡无效"))
    .toSorted((left, right) => (left.clock ?? 0) - (right.clock ?? 0));
  const campus = punches.map(({ address }) => campusOf(address)).find((found) => found !== undefined);
  if (campus !== undefined) return campus;
  return punches.some(({ address }) => address !== "") || marked.length > 0 ? "off-site" : undefined;
}

/** A punch off campus is abnormal unless an application (出差, 外出, 加班) covers it. */
const isStray = ({ clock, raw, address }: Slot): boolean =>
  clock !== null && raw !== null && address === elsewhere && !["出差", "外出", "加班"].includes(raw);

function expectRow({ employee, days }: KnownPerson, dates: readonly string[]): Made {
  const placed = days.flatMap((day, index) => (day ? { day, date: dates[index] ?? "", place: placeOf(day) } : []));
  const at = (place: Place) => placed.filter((each) => each.place === place).length;
  const belonging = [employee.department, employee.group]
    .map((text) => (text.includes("黄家湖") ? 1 : text.includes("墨轩湖") ? 2 : undefined))
    .find((campus) => campus !== undefined);
  const usual: Place = at(1) + at(2) > 0 ? (at(1) >= at(2) ? 1 : 2) : (belonging ?? "off-site");
  const campus = (which: 1 | 2) => {
    const here = placed.filter(({ place = usual }) => place === which);
    const there = here.filter(({ day }) => day.isThere);
    const short = there.filter(({ day }) => day.missing.length > 0).length;
    const records = here
      .flatMap(({ day, date }) => day.missing.map((name) => `${date.slice(5)} ${name}缺卡`))
      .join("；");
    return { attended: there.length - short, short: String(short), records, sum: there.length };
  };
  const [one, two] = [campus(1), campus(2)];
  const stray = placed.flatMap(({ day, date }) => {
    const found = day.isThere ? day.slots.filter((slot) => day.marked.includes(slot) || isStray(slot)) : [];
    const punches = found.map(({ clock, address }) => `${writeMinute(date, clock ?? 0).slice(5)} ${address}`);
    return punches.length > 0 ? [punches] : [];
  });
  const late = placed.flatMap(({ day, date }) =>
    day.late.map(({ slot, minutes }) => ({
      minutes,
      word: slot.name.startsWith("上班") ? "迟到" : "早退",
      time: writeMinute(date, slot.clock ?? 0).slice(5),
    })),
  );
  const lateness = (word: string) => {
    const own = late.filter((each) => each.word === word).toSorted((left, right) => (left.time < right.time ? -1 : 1));
    const count = (isIn: (minutes: number) => boolean) => own.filter(({ minutes }) => isIn(minutes)).length;
    const records = own.map(({ time, minutes }) => `${time} ${word}${minutes}分钟`).join("；");
    return [count((m) => m <= 20), count((m) => m > 20 && m <= 30), count((m) => m > 30), records] as const;
  };
  const [lates, earlies] = [lateness("迟到"), lateness("早退")];
  return {
    ...nothing,
    daysOfAttendanceInHuangjiahu: one.attended,
    daysOfcardShortageInHuangjiahu: one.short,
    recondOfcardShortageInHuangjiahu: one.records,
    sumAttendanceInHuangjiahu: one.sum,
    daysOfAttendanceInMoxuanhu: two.attended,
    daysOfcardShortageInMoxuanhu: two.short,
    recondOfcardShortageInMoxuanhu: two.records,
    sumAttendanceInMoxuanhu: two.sum,
    abnormalClockNumber: stray.length,
    abnormalClockRecond: stray.flat().toSorted().join("；"),
    leTwentyLateNumber: lates[0],
    lequalThirtyLateNumber: lates[1],
    geThirtyLateNumber: lates[2],
    lateOfRecond: lates[3],
    leTwentyLeaveNumber: earlies[0],
    lequalThirtyLeaveNumber: earlies[1],
    geThirtyLeaveNumber: earlies[2],
    leaveOfRecond: earlies[3],
    attendanceDays: placed.filter(({ day }) => day.isThere).length,
  };
}

const figures = ["attendanceDay", "lackOfWorkCardTimes", "lackOfMissingWorkCardTimes"];

interface Contradicted {
  readonly counted: number[][][];
  readonly sums: number[][];
  readonly dates: readonly string[];
  readonly luck: Luck;
  readonly contradictions: number;
}

/**
 * Makes the sheets contradict the known days: a figure differs in its sum, on one day, or in both. Returns the
 * differences that the comparison must report.
 */
function contradict(
  known: readonly KnownPerson[],
  { counted, sums, dates, luck, contradictions }: Contradicted,
): ExpectedDifference[] {
  const found = new Map<string, ExpectedDifference>();
  for (let left = contradictions; left > 0; left--) {
    const [person, figure, what] = [luck.below(known.length), luck.below(3), luck.pick(["sum", "day", "both"])];
    const { employee, days } = known[person] as KnownPerson;
    const [at, key] = [luck.below(dates.length), `${String(person).padStart(6, "0")} ${figure}`];
    const own = sums[person] as number[];
    if (found.has(key) || days[at] === undefined) continue;
    const ours = own[figure] ?? 0;
    if (what !== "day") own[figure] = ours + 1;
    const day = counted[person]?.[at];
    if (what !== "sum" && day) day[figure] = (day[figure] ?? 0) + 1;
    found.set(key, {
      userId: employee.userId,
      name: employee.name,
      figure: figures[figure] ?? "",
      ours,
      theirs: own[figure] ?? 0,
      days: what === "sum" ? [] : [dates[at] ?? ""],
    });
  }
  return [...found].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, difference]) => difference);
}

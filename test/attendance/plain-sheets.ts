import {
  type Employee,
  type MonthLine,
  monthSheet,
  originalSheet,
  type PunchLine,
  type Sheet,
} from "#test/attendance/workbooks.ts";

const generation = 2026;

export const someone: Employee = {
  name: "安宁",
  group: "全校考勤",
  department: "教务处",
  workNumber: "00042",
  position: "",
  userId: "123456789012345678",
};

export const dayOf = (month: string, day: number): string => `${month}-${String(day).padStart(2, "0")}`;

export const coveredRuns = (month: string, sheet: string, ...runs: [number, number][]) =>
  runs.map(([from, to]) => ({ sheet, from: dayOf(month, from), to: dayOf(month, to) }));

export const punchesOf = (month: string, first: number, last: number, who = someone): PunchLine[] =>
  Array.from({ length: last - first + 1 }, (_, index) => {
    const day = dayOf(month, first + index);
    const times = { scheduled: `${day} 08:30`, time: `${day} 08:20` };
    return { ...who, day, ...times, result: "正常", address: "黄家湖校区_14757" };
  });

export const lineOf = (days: number, figures: MonthLine["figures"] = {}, who = someone): MonthLine => ({
  ...who,
  figures,
  days: Array.from({ length: days }, () => "普通出勤:正常\n(08:20,18:05)"),
});

export const plainPunches = (
  month: string,
  first: number,
  last: number,
  lines = punchesOf(month, first, last),
): Sheet => originalSheet({ generation, start: dayOf(month, first), end: dayOf(month, last), lines });

export const plainSummary = (month: string, first: number, last: number, figures: MonthLine["figures"] = {}): Sheet =>
  monthSheet({
    generation,
    start: dayOf(month, first),
    end: dayOf(month, last),
    lines: [lineOf(last - first + 1, figures)],
  });

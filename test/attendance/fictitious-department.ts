import type { SummaryRow } from "#services/attendance/analysis/summary-row.ts";
import { ownColumns } from "#services/attendance/record-contract.ts";
import { campus1, campus2, type DailyLine, elsewhere, type Facts, type PunchLine } from "./employee-month.ts";

// The department covers every rule and edge case; its expected rows were computed by hand.

export type CellPair = readonly [in2020: string, in2026: string];

type Field = Exclude<
  keyof typeof ownColumns,
  "workName" | "groupOfCheck" | "department" | "workNum" | "idCard" | "userId"
>;
export type Made = Pick<SummaryRow, Field>;

const who = new Set(["workName", "groupOfCheck", "department", "workNum", "idCard", "userId"]);
export const madeFields = Object.keys(ownColumns).filter((field) => !who.has(field)) as Field[];

export const nothing = Object.fromEntries(
  madeFields.map((field) => [field, ownColumns[field].type === "text" ? "" : field.includes("card") ? "0" : 0]),
) as unknown as Made;

export interface Colleague extends Omit<Facts, "cells"> {
  readonly about: string;
  readonly cells?: Readonly<Record<number, CellPair>>;
  readonly daily?: readonly DailyLine[];
  readonly punches?: readonly PunchLine[];
  readonly row: Partial<Made>;
  readonly warnings?: readonly string[];
}

const normal: CellPair = ["正常", "普通出勤:正常\n(08:20,18:05)"];
const workday = (day: number, address = campus1): PunchLine[] => [
  [day, "08:30", "08:20", "正常", address],
  [day, "18:00", "18:05", "正常", address],
];

/**
 * @param short the number of days with a missing punch
 * @param records the text that lists the missing punches
 */
function at(campus: 1 | 2, attended: number, short = 0, records = ""): Partial<Made> {
  const name = campus === 1 ? "Huangjiahu" : "Moxuanhu";
  return {
    [`daysOfAttendanceIn${name}`]: attended,
    [`daysOfcardShortageIn${name}`]: String(short),
    [`recondOfcardShortageIn${name}`]: records,
    [`sumAttendanceIn${name}`]: attended + short,
  };
}

export const department: readonly Colleague[] = [
  {
    about: "lateness at every edge",
    punches: [
      [4, "08:30", "08:50", "迟到", campus1],
      [5, "08:30", "08:51", "迟到", campus1],
      [6, "08:30", "09:00", "迟到", campus1],
      [7, "08:30", "09:01", "迟到", campus1],
      [8, "08:30", "08:30", "迟到", campus1],
      [11, "08:30", "08:31", "迟到", campus1],
      [12, "08:30", "09:35", "严重迟到", campus1],
      [13, "08:30", "11:08", "旷工迟到", campus1],
      // This punch is late by its time, but not by its stated result.
      [14, "08:30", "08:40", "正常", campus1],
    ],
    cells: {
      4: ["上班迟到20分钟", "普通出勤:上班迟到20分钟\n(08:50,18:00)"],
      12: ["上班1严重迟到1小时5分钟", "普通出勤:上班严重迟到65分钟\n(09:35,18:00)"],
      13: ["上班1旷工迟到2小时38分钟", "普通出勤:上班旷工迟到158分钟\n(11:08,18:00)"],
    },
    row: {
      ...at(1, 9),
      attendanceDays: 9,
      leTwentyLateNumber: 2,
      lequalThirtyLateNumber: 2,
      geThirtyLateNumber: 3,
      lateOfRecond:
        "05-04 08:50 迟到20分钟；05-05 08:51 迟到21分钟；05-06 09:00 迟到30分钟；05-07 09:01 迟到31分钟；05-11 08:31 迟到1分钟；05-12 09:35 迟到65分钟；05-13 11:08 迟到158分钟",
    },
  },
  {
    about: "leaving early at every edge",
    punches: [
      [4, "18:00", "17:40", "早退", campus1],
      [5, "18:00", "17:39", "早退", campus1],
      [6, "18:00", "17:30", "早退", campus1],
      [7, "18:00", "17:29", "早退", campus1],
      [8, "18:00", "18:00", "早退", campus1],
    ],
    cells: { 4: ["下班早退20分钟", "普通出勤:下班早退20分钟\n(08:20,17:40)"] },
    row: {
      ...at(1, 5),
      attendanceDays: 5,
      leTwentyLeaveNumber: 1,
      lequalThirtyLeaveNumber: 2,
      geThirtyLeaveNumber: 1,
      leaveOfRecond: "05-04 17:40 早退20分钟；05-05 17:39 早退21分钟；05-06 17:30 早退30分钟；05-07 17:29 早退31分钟",
    },
  },
  {
    about: "campuses that change within a day and a month",
    cells: { 4: normal, 5: normal, 6: normal },
    punches: [
      // The rows are out of time order: the first punch of the day is at campus 2.
      [4, "18:00", "18:05", "正常", campus1],
      [4, "08:30", "08:20", "正常", campus2],
      [5, "08:30", "08:20", "正常", elsewhere],
      [5, "18:00", "18:05", "正常", campus1],
      ...workday(6, campus2),
    ],
    row: {
      ...at(1, 1),
      ...at(2, 2),
      abnormalClockNumber: 1,
      abnormalClockRecond: "05-05 08:20 火车站 站前路1号",
      attendanceDays: 3,
    },
  },
  {
    about: "blank addresses go where most days are",
    punches: [
      ...workday(4, campus2),
      ...workday(5, campus2),
      ...workday(6, campus1),
      [7, "08:30", "08:30", "补卡审批通过", ""],
      [8, "08:30", "08:30", "管理员某某改为正常", ""],
      // A blank address is ignored if the day has a known one.
      [11, "08:30", "08:30", "补卡审批通过", ""],
      [11, "18:00", "18:05", "正常", campus1],
      ...workday(12, campus2),
    ],
    row: { ...at(1, 2), ...at(2, 5), attendanceDays: 7 },
  },
  {
    about: "blank addresses go to campus 1 on a tie, before the department is asked",
    department: "墨轩湖校区综合办",
    punches: [...workday(4, campus2), ...workday(5, campus1), [6, "08:30", "08:30", "补卡审批通过", ""]],
    row: { ...at(1, 2), ...at(2, 1), attendanceDays: 3 },
  },
  {
    about: "a single campus day comes before the department",
    department: "墨轩湖校区综合办",
    punches: [...workday(4, campus1), [6, "08:30", "08:30", "补卡审批通过", ""]],
    row: { ...at(1, 2), attendanceDays: 2 },
  },
  {
    about: "without any campus day, the department tells",
    department: "墨轩湖校区综合办",
    punches: [...workday(4, elsewhere), [5, "08:30", "08:30", "补卡审批通过", ""]],
    row: {
      ...at(2, 1),
      abnormalClockNumber: 1,
      abnormalClockRecond: "05-04 08:20 火车站 站前路1号；05-04 18:05 火车站 站前路1号",
      attendanceDays: 2,
    },
  },
  {
    about: "or the attendance group",
    department: "教务处",
    group: "黄家湖全勤",
    punches: [[5, "08:30", "08:30", "补卡审批通过", ""]],
    row: { ...at(1, 1), attendanceDays: 1 },
  },
  {
    about: "and if nothing tells, the day is off-site, with a warning",
    name: "志远",
    daily: [[6, ["上班1", "正常"], ["下班1", "缺卡"]]],
    punches: [[5, "08:30", "08:30", "补卡审批通过", ""]],
    row: { attendanceDays: 2 },
    warnings: ["志远：05-05、05-06 无法判断校区，计为校区外", "志远：校区外缺卡 1 次：05-06 下班1缺卡"],
  },
  {
    about: "off-site and 外勤",
    punches: [
      // An off-site punch (外勤) with a campus in its address counts for that campus but is still abnormal.
      [4, "08:30", "08:20", "外勤", campus1],
      [5, "08:30", "08:20", "外勤", ""],
      [5, "18:00", "18:05", "正常", ""],
      [6, "08:30", "08:20", "外勤", elsewhere],
      [7, "08:30", "08:42", "外勤,迟到", campus2],
    ],
    row: {
      ...at(1, 1),
      ...at(2, 1),
      abnormalClockNumber: 4,
      abnormalClockRecond: `05-04 08:20 ${campus1}；05-05 08:20 外勤；05-06 08:20 ${elsewhere}；05-07 08:42 ${campus2}`,
      leTwentyLateNumber: 1,
      lateOfRecond: "05-07 08:42 迟到12分钟",
      attendanceDays: 4,
    },
  },
  {
    about: "absence, leave and what is no punch",
    cells: {
      4: ["旷工", "普通出勤:旷工\n(-)"],
      5: ["事假05-05 08:30到05-05 17:30 8小时", "事假05-05 08:30到05-05 17:30 8小时\n(-)"],
      6: ["休息", "休息\n(-)"],
      7: ["出差05-07 09:00到05-08 18:00 2天", "出差05-07 09:00到05-08 18:00 2天\n(-,-)"],
    },
    // On a day of absence a slot without a punch does not count as missing.
    daily: [[4, "旷工", ["上班1", "缺卡"], ["下班1", "缺卡"]]],
    punches: [
      [5, "08:30", "", "请假", ""],
      [6, "08:30", "08:25", "请假", campus1],
      [7, "08:30", "", "出差", ""],
      [8, "08:30", "", "外出", ""],
      [11, "18:00", "", "加班", ""],
      [12, "08:30", "08:25", "打卡无效:此记录已被更新", campus1],
      [13, "08:30", "08:25", "打卡无效：当前不在可打卡的时间范围，请和管理员联系", elsewhere],
    ],
    row: {},
  },
  {
    about: "a punch under an application is one, neither late, early nor out of place",
    cells: {
      7: ["出差05-07 09:00到05-08 18:00 2天", "出差05-07 09:00到05-08 18:00 2天\n(08:45,-)"],
      9: ["休息并打卡", "休息并打卡\n(09:00,17:00)"],
      13: ["下班缺卡", "普通出勤:下班缺卡\n(08:45,-)"],
    },
    punches: [
      [7, "08:30", "08:45", "出差", elsewhere],
      [8, "08:30", "08:45", "外出", campus1],
      [8, "18:00", "17:30", "外出", campus1],
      [9, "09:00", "09:00", "加班", campus2],
      [11, "18:00", "20:25", "加班", campus1],
      [12, "08:30", "08:45", "外出,外勤", elsewhere],
      [13, "08:30", "08:45", "外出", campus1],
    ],
    row: { ...at(1, 2, 1, "05-13 下班缺卡"), ...at(2, 1), attendanceDays: 6 },
  },
  {
    about: "a day without a clock time in any sheet is none, though its missing punches stand in the record",
    department: "黄家湖校区综合办",
    cells: {
      4: ["未打卡", "普通出勤:未打卡\n(-)"],
      5: ["上班缺卡\n下班缺卡", "普通出勤:上班缺卡,普通出勤:下班缺卡\n(-,-)"],
      6: [
        "上班1缺卡\n下班1缺卡\n上班2缺卡\n下班2缺卡",
        "3班次17点:上班1缺卡,3班次17点:下班1缺卡,3班次17点:上班2缺卡,3班次17点:下班2缺卡\n(-,-)",
      ],
      7: ["未打卡", "普通出勤:未打卡,加班05-07 18:00到05-07 19:00 1小时\n(-)"],
      8: ["上班2缺卡\n下班2缺卡", "3班次17点:上班2缺卡,3班次17点:下班2缺卡\n(-,-)"],
      // Half a day of leave excuses the first slot of the day.
      11: [
        "事假05-11 08:30到05-11 13:30 3.5小时\n下班缺卡",
        "事假05-11 08:30到05-11 13:30 3.5小时,普通出勤:下班缺卡\n(-,-)",
      ],
      // Another sheet has a punch on day 12, although the day's cell says that there is none.
      12: ["未打卡", "普通出勤:未打卡\n(-)"],
    },
    daily: [
      [7, ["上班1", "未打卡"], ["下班1", "未打卡"]],
      [13, ["上班1", "缺卡"], ["下班1", "未打卡"]],
      [14, ["上班1", "缺卡"], ["下班1", "正常"]],
    ],
    punches: [
      [5, "08:30", "08:20", "打卡无效:此记录已被更新", campus1],
      [12, "08:30", "08:20", "正常", campus1],
      [15, "08:30", "", "未打卡", ""],
      [15, "18:00", "", "未打卡", ""],
    ],
    row: {
      ...at(
        1,
        0,
        2,
        "05-04 未打卡；05-05 上班缺卡；05-05 下班缺卡；05-06 上班1缺卡；05-06 下班1缺卡；05-06 上班2缺卡；05-06 下班2缺卡；05-08 上班2缺卡；05-08 下班2缺卡；05-11 下班缺卡；05-12 未打卡；05-13 上班1缺卡；05-14 上班1缺卡；05-15 未打卡；05-15 未打卡",
      ),
      attendanceDays: 2,
    },
  },
  {
    about: "nor is one with a whole 旷工天数, unless some sheet has a punch",
    department: "黄家湖校区综合办",
    cells: { 4: ["下班缺卡", "普通出勤:下班缺卡\n(-,-)"], 5: ["下班缺卡", "普通出勤:下班缺卡\n(-,-)"] },
    daily: [
      [4, "旷工", ["上班1", "未打卡"], ["下班1", "缺卡"]],
      [5, "旷工", ["下班1", "缺卡"]],
      [6, "旷工", ["上班1", "请假"], ["下班1", "缺卡"]],
    ],
    punches: [[5, "08:30", "08:20", "正常", campus1]],
    row: { ...at(1, 1), attendanceDays: 1 },
  },
  {
    about: "missing punches, from the day cell",
    cells: {
      4: ["下班缺卡", "普通出勤:下班缺卡\n(08:20,-)"],
      5: [
        "上班2迟到3分钟\n上班3缺卡\n下班3缺卡",
        "上班2班3点:上班2迟到3分钟,上班2班3点:上班3缺卡,上班2班3点:下班3缺卡\n(08:20,-)",
      ],
      6: ["\n上班1缺卡\n", "早:晚上班:上班1缺卡\n(-,18:05)"],
      8: ["上班缺卡", "普通出勤:上班缺卡\n(-,18:05)"],
    },
    // A day without an address counts for the person's most frequent campus.
    daily: [[7, ["上班1", "正常"], ["下班1", "缺卡"]]],
    punches: [
      [4, "08:30", "08:20", "正常", campus1],
      [5, "08:30", "08:20", "正常", campus1],
      [6, "18:00", "18:05", "正常", campus2],
      [8, "18:00", "18:05", "正常", elsewhere],
      ...workday(11),
    ],
    row: {
      ...at(1, 1, 3, "05-04 下班缺卡；05-05 上班3缺卡；05-05 下班3缺卡；05-07 下班1缺卡"),
      ...at(2, 0, 1, "05-06 上班1缺卡"),
      abnormalClockNumber: 1,
      abnormalClockRecond: "05-08 18:05 火车站 站前路1号",
      attendanceDays: 6,
    },
    warnings: ["安宁：校区外缺卡 1 次：05-08 上班缺卡"],
  },
  {
    about: "missing punches, from 每日统计 before the day cell, else from raw rows",
    cells: { 5: ["下班缺卡", "普通出勤:下班缺卡\n(08:20,-)"] },
    daily: [
      [4, ["下班2", "未打卡"], ["上班1", "缺卡"], ["下班1", "正常"]],
      [5, ["上班1", "正常"], ["下班1", "正常"]],
    ],
    punches: [
      [4, "12:00", "12:01", "正常", campus1],
      // On day 5 每日统计 takes precedence over the row 未打卡.
      [5, "08:30", "08:20", "正常", campus1],
      [5, "18:00", "", "未打卡", ""],
      [6, "08:30", "08:20", "正常", campus1],
      [6, "18:00", "", "未打卡", ""],
      [7, "08:30", "", "上班缺卡", ""],
      [7, "18:00", "18:05", "正常", campus1],
    ],
    row: { ...at(1, 1, 3, "05-04 上班1缺卡；05-06 未打卡；05-07 上班缺卡"), attendanceDays: 4 },
  },
  {
    about: "a clock of 每日统计 makes the day, which raw punches alone do not",
    cells: { 4: ["未打卡", "普通出勤:未打卡\n(-)"] },
    daily: [
      [4, ["上班1", "正常"], ["下班1", "未打卡"]],
      [5, ["上班1", "未打卡"], ["下班1", "未打卡"]],
    ],
    punches: [
      [4, "08:30", "08:20", "正常", campus1],
      [5, "08:30", "08:20", "正常", campus1],
    ],
    row: { ...at(1, 1), attendanceDays: 1 },
  },
  {
    about: "nights count for the day on which they began",
    cells: { 30: normal, 31: ["下班早退30分钟", "后勤晚班出勤:下班早退30分钟\n(21:50,06:30)"] },
    punches: [
      [30, "22:00", "22:10", "迟到", campus1],
      [30, "次日 07:00", "次日 07:01", "正常", campus2],
      [31, "22:00", "21:50", "正常", campus1],
      [31, "次日 07:00", "次日 06:30", "早退", campus1],
    ],
    row: {
      ...at(1, 2),
      attendanceDays: 2,
      leTwentyLateNumber: 1,
      lateOfRecond: "05-30 22:10 迟到10分钟",
      lequalThirtyLeaveNumber: 1,
      leaveOfRecond: "06-01 06:30 早退30分钟",
    },
  },
  {
    about: "punches twice in one minute count once",
    punches: [
      [4, "08:30", "08:42", "迟到", campus1],
      [4, "08:30", "08:42", "迟到", campus1],
      [4, "08:30", "08:42", "打卡无效:已经打过卡了，上班时间以最早打卡时间为准", campus1],
      [5, "08:30", "08:20", "正常", elsewhere],
      [5, "08:30", "08:20", "正常", elsewhere],
      [5, "08:30", "08:20", "正常", "市民之家"],
    ],
    row: {
      ...at(1, 1),
      abnormalClockNumber: 1,
      abnormalClockRecond: "05-05 08:20 火车站 站前路1号；05-05 08:20 市民之家",
      leTwentyLateNumber: 1,
      lateOfRecond: "05-04 08:42 迟到12分钟",
      attendanceDays: 2,
    },
  },
  {
    about: "lateness that the times do not bear out is told, not counted",
    name: "文静",
    punches: [
      [4, "08:30", "08:20", "迟到", campus1],
      [5, "", "08:20", "早退", campus1],
      [6, "08:30", "08:20", "月球打卡", campus1],
    ],
    row: { ...at(1, 3), attendanceDays: 3 },
    warnings: ["文静：05-04、05-05 标为迟到或早退，但与考勤时间不符，未计入"],
  },
];

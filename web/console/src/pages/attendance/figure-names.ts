import { defineTexts, useTexts } from "#shared/language/language.ts";

// What HR calls the figures: the headings of the workbook that they download.

export const figureNames = defineTexts(
  {
    daysOfAttendanceInHuangjiahu: "黄家湖出勤天数",
    daysOfcardShortageInHuangjiahu: "黄家湖缺卡天数",
    recondOfcardShortageInHuangjiahu: "黄家湖缺卡记录",
    sumAttendanceInHuangjiahu: "黄家湖合计天数",
    daysOfAttendanceInMoxuanhu: "墨轩湖出勤天数",
    daysOfcardShortageInMoxuanhu: "墨轩湖缺卡天数",
    recondOfcardShortageInMoxuanhu: "墨轩湖缺卡记录",
    sumAttendanceInMoxuanhu: "墨轩湖合计天数",
    abnormalClockNumber: "异常地点打卡天数",
    abnormalClockRecond: "异常地点打卡记录",
    leTwentyLateNumber: "迟到（第一档）次数",
    lequalThirtyLateNumber: "迟到（第二档）次数",
    geThirtyLateNumber: "迟到（第三档）次数",
    lateOfRecond: "迟到记录",
    leTwentyLeaveNumber: "早退（第一档）次数",
    lequalThirtyLeaveNumber: "早退（第二档）次数",
    geThirtyLeaveNumber: "早退（第三档）次数",
    leaveOfRecond: "早退记录",
    attendanceDays: "出勤合计天数",
    attendanceDay: "出勤天数",
    restDay: "休息天数",
    workHours: "工作时长",
    numberOfLate: "迟到次数",
    numberOfLateTime: "迟到时长",
    numberOfSeriousLateness: "严重迟到次数",
    durationOfSevereLateness: "严重迟到时长",
    daysOfAbsenteeismAndLateness: "旷工迟到天数",
    leaveEarlyNumber: "早退次数",
    leaveEarlyTimes: "早退时长",
    lackOfWorkCardTimes: "上班缺卡次数",
    lackOfMissingWorkCardTimes: "下班缺卡次数",
    absenteeismDay: "旷工天数",
    evectionDay: "出差",
    goOutDay: "外出",
    bereavementLeave: "丧假",
    privateAffairLeaveDay: "事假",
    maternityLeaveDay: "产假",
    sickLeaveDay: "病假",
    escortFalse: "陪产假",
    marriageLeaveDay: "婚假",
  },
  {
    daysOfAttendanceInHuangjiahu: "Campus 1: attendance days",
    daysOfcardShortageInHuangjiahu: "Campus 1: days with a missing punch",
    recondOfcardShortageInHuangjiahu: "Campus 1: missing punches",
    sumAttendanceInHuangjiahu: "Campus 1: total days",
    daysOfAttendanceInMoxuanhu: "Campus 2: attendance days",
    daysOfcardShortageInMoxuanhu: "Campus 2: days with a missing punch",
    recondOfcardShortageInMoxuanhu: "Campus 2: missing punches",
    sumAttendanceInMoxuanhu: "Campus 2: total days",
    abnormalClockNumber: "Off site: days",
    abnormalClockRecond: "Off site: punches",
    leTwentyLateNumber: "Late, first bucket",
    lequalThirtyLateNumber: "Late, second bucket",
    geThirtyLateNumber: "Late, third bucket",
    lateOfRecond: "Late: records",
    leTwentyLeaveNumber: "Left early, first bucket",
    lequalThirtyLeaveNumber: "Left early, second bucket",
    geThirtyLeaveNumber: "Left early, third bucket",
    leaveOfRecond: "Left early: records",
    attendanceDays: "Total attendance days",
    attendanceDay: "Attendance days",
    restDay: "Rest days",
    workHours: "Working time",
    numberOfLate: "Times late",
    numberOfLateTime: "Late: duration",
    numberOfSeriousLateness: "Times seriously late",
    durationOfSevereLateness: "Seriously late: duration",
    daysOfAbsenteeismAndLateness: "Days absent due to lateness",
    leaveEarlyNumber: "Times left early",
    leaveEarlyTimes: "Left early: duration",
    lackOfWorkCardTimes: "Missing clock-ins",
    lackOfMissingWorkCardTimes: "Missing clock-outs",
    absenteeismDay: "Days absent",
    evectionDay: "Business trip",
    goOutDay: "Out of office",
    bereavementLeave: "Bereavement leave",
    privateAffairLeaveDay: "Personal leave",
    maternityLeaveDay: "Maternity leave",
    sickLeaveDay: "Sick leave",
    escortFalse: "Paternity leave",
    marriageLeaveDay: "Marriage leave",
  },
);

// Of leave and durations the export says the unit, in the value or in its heading.
const dayFigure = /^(?:daysOf|sumAttendance|abnormalClockNumber$|attendanceDays?$|restDay$|absenteeismDay$)/;
const timesFigure = /(?:Late|Leave|Early)Number$|^numberOf(?:Late|SeriousLateness)$|^lackOf.*Times$/;

const units = defineTexts(
  { days: (count: string) => `${count} 天`, times: (count: string) => `${count} 次` },
  {
    days: (count: string) => (count === "1" ? "1 day" : `${count} days`),
    times: (count: string) => (count === "1" ? "once" : `${count} times`),
  },
);

/** Writes a figure with its unit, where it has one of its own. */
export function useFigureUnits(): (field: string, value: string) => string {
  const t = useTexts(units);
  return (field, value) => {
    if (!/^\d+(?:\.\d+)?$/.test(value)) return value;
    if (dayFigure.test(field)) return t.days(value);
    return timesFigure.test(field) ? t.times(value) : value;
  };
}

const bucketFields = {
  late: ["leTwentyLateNumber", "lequalThirtyLateNumber", "geThirtyLateNumber"],
  early: ["leTwentyLeaveNumber", "lequalThirtyLeaveNumber", "geThirtyLeaveNumber"],
} as const;

const bucketNames = defineTexts(
  {
    late: "迟到",
    early: "早退",
    between: (kind: string, from: number, to: number) => `${kind} ${from}–${to} 分钟`,
    above: (kind: string, edge: number) => `${kind}超过 ${edge} 分钟`,
  },
  {
    late: "Late",
    early: "Left early",
    between: (kind: string, from: number, to: number) => `${kind}, ${from}–${to} minutes`,
    above: (kind: string, edge: number) => `${kind}, over ${edge} minutes`,
  },
);

/** The names of the figures of an analysis, its buckets as their minutes (whole ones; edges belong to the lower bucket). */
export function useFigureNames([first = 20, second = 30]: readonly number[]): Readonly<Record<string, string>> {
  const t = useTexts(bucketNames);
  const nameBuckets = (kind: keyof typeof bucketFields) => {
    const [lowest, middle, highest] = bucketFields[kind];
    return {
      [lowest]: t.between(t[kind], 0, first),
      [middle]: t.between(t[kind], first + 1, second),
      [highest]: t.above(t[kind], second),
    };
  };
  return { ...useTexts(figureNames), ...nameBuckets("late"), ...nameBuckets("early") };
}

/** The name of a figure by its field on the wire; a field that is none stays as it is. */
export const nameFigure = (names: Readonly<Record<string, string>>, field: string): string => names[field] ?? field;

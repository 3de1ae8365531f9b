import { countOf } from "#platform/contract/language.ts";
import { defineTexts } from "#shared/language/language.ts";

export const useFixedNames = defineTexts({
  daysOfAttendanceInHuangjiahu: ["黄家湖出勤天数", "Campus 1: attendance days"],
  daysOfcardShortageInHuangjiahu: ["黄家湖缺卡天数", "Campus 1: days with a missing punch"],
  recondOfcardShortageInHuangjiahu: ["黄家湖缺卡记录", "Campus 1: missing punches"],
  sumAttendanceInHuangjiahu: ["黄家湖合计天数", "Campus 1: total days"],
  daysOfAttendanceInMoxuanhu: ["墨轩湖出勤天数", "Campus 2: attendance days"],
  daysOfcardShortageInMoxuanhu: ["墨轩湖缺卡天数", "Campus 2: days with a missing punch"],
  recondOfcardShortageInMoxuanhu: ["墨轩湖缺卡记录", "Campus 2: missing punches"],
  sumAttendanceInMoxuanhu: ["墨轩湖合计天数", "Campus 2: total days"],
  abnormalClockNumber: ["异常地点打卡天数", "Off site: days"],
  abnormalClockRecond: ["异常地点打卡记录", "Off site: punches"],
  leTwentyLateNumber: ["迟到（第一档）次数", "Late, first range"],
  lequalThirtyLateNumber: ["迟到（第二档）次数", "Late, second range"],
  geThirtyLateNumber: ["迟到（第三档）次数", "Late, third range"],
  lateOfRecond: ["迟到记录", "Late: records"],
  leTwentyLeaveNumber: ["早退（第一档）次数", "Left early, first range"],
  lequalThirtyLeaveNumber: ["早退（第二档）次数", "Left early, second range"],
  geThirtyLeaveNumber: ["早退（第三档）次数", "Left early, third range"],
  leaveOfRecond: ["早退记录", "Left early: records"],
  attendanceDays: ["出勤合计天数", "Total attendance days"],
  attendanceDay: ["出勤天数", "Attendance days"],
  restDay: ["休息天数", "Rest days"],
  workHours: ["工作时长", "Working time"],
  numberOfLate: ["迟到次数", "Times late"],
  numberOfLateTime: ["迟到时长", "Late: duration"],
  numberOfSeriousLateness: ["严重迟到次数", "Times seriously late"],
  durationOfSevereLateness: ["严重迟到时长", "Seriously late: duration"],
  daysOfAbsenteeismAndLateness: ["旷工迟到天数", "Days absent due to lateness"],
  leaveEarlyNumber: ["早退次数", "Times left early"],
  leaveEarlyTimes: ["早退时长", "Left early: duration"],
  lackOfWorkCardTimes: ["上班缺卡次数", "Missing clock-ins"],
  lackOfMissingWorkCardTimes: ["下班缺卡次数", "Missing clock-outs"],
  absenteeismDay: ["旷工天数", "Days absent"],
  evectionDay: ["出差", "Business trip"],
  goOutDay: ["外出", "Out of office"],
  bereavementLeave: ["丧假", "Bereavement leave"],
  privateAffairLeaveDay: ["事假", "Personal leave"],
  maternityLeaveDay: ["产假", "Maternity leave"],
  sickLeaveDay: ["病假", "Sick leave"],
  escortFalse: ["陪产假", "Paternity leave"],
  marriageLeaveDay: ["婚假", "Marriage leave"],
});

// These patterns match the names of figures that count days or occurrences. Other figures come with their unit or have
// none.
const dayFigure = /^(?:daysOf|sumAttendance|abnormalClockNumber$|attendanceDays?$|restDay$|absenteeismDay$)/;
const timesFigure = /(?:Late|Leave|Early)Number$|^numberOf(?:Late|SeriousLateness)$|^lackOf.*Times$/;

const useUnits = defineTexts({
  days: (count: string) => [`${count} 天`, countOf(count, "day")],
  times: (count: string) => [`${count} 次`, count === "1" ? "once" : `${count} times`],
  hours: (count: string) => [`${count} 小时`, countOf(count, "hour")],
  minutes: (count: string) => {
    const [hours, minutes] = [Math.floor(Number(count) / 60), Number(count) % 60];
    const parts = [
      ...(hours > 0 ? [{ zh: `${hours} 小时`, en: countOf(hours, "hour") }] : []),
      ...(hours === 0 || minutes > 0 ? [{ zh: `${minutes} 分钟`, en: countOf(minutes, "minute") }] : []),
    ];
    return [parts.map(({ zh }) => zh).join(" "), parts.map(({ en }) => en).join(" ")];
  },
});

export function useFigureUnits(): (field: string, value: string, unit?: string) => string {
  const t = useUnits();
  const told = new Map(Object.entries({ 天: t.days, 次: t.times, 小时: t.hours, 分钟: t.minutes }));
  return (field, value, unit) => {
    if (!/^\d+(?:\.\d+)?$/.test(value)) return value;
    const write = told.get(unit ?? "");
    if (write) return write(value);
    if (dayFigure.test(field)) return t.days(value);
    return timesFigure.test(field) ? t.times(value) : value;
  };
}

const bucketFields = {
  late: ["leTwentyLateNumber", "lequalThirtyLateNumber", "geThirtyLateNumber"],
  early: ["leTwentyLeaveNumber", "lequalThirtyLeaveNumber", "geThirtyLeaveNumber"],
} as const;

const useBucketNames = defineTexts({
  late: ["迟到", "Late"],
  early: ["早退", "Left early"],
  between: (kind: string, from: number, to: number) => [`${kind} ${from}–${to} 分钟`, `${kind}, ${from}–${to} minutes`],
  above: (kind: string, edge: number) => [`${kind}超过 ${edge} 分钟`, `${kind}, over ${edge} minutes`],
});

/**
 * Returns the names of an analysis's figures. The parameters are the edges of the buckets of lateness and early
 * leaving, in whole minutes; an edge belongs to the bucket below it.
 */
export function useFigureNames([first = 20, second = 30]: readonly number[]): Readonly<Record<string, string>> {
  const t = useBucketNames();
  const nameBuckets = (kind: keyof typeof bucketFields) => {
    const [lowest, middle, highest] = bucketFields[kind];
    return {
      [lowest]: t.between(t[kind], 0, first),
      [middle]: t.between(t[kind], first + 1, second),
      [highest]: t.above(t[kind], second),
    };
  };
  return { ...useFixedNames(), ...nameBuckets("late"), ...nameBuckets("early") };
}

export const nameFigure = (names: Readonly<Record<string, string>>, field: string): string => names[field] ?? field;

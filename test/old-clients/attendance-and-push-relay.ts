import assert from "node:assert/strict";
import { decided, type Documented, oneOf, orNull, plus, type Shape } from "./documented.ts";

// The operations follow sections 2 and 4 of the interface documents.

export interface AttendanceGround {
  readonly monthBook: Uint8Array;
  readonly originalBook: Uint8Array;
  readonly workBook: Uint8Array;
  readonly analysed: () => Promise<void>;
}

export interface PushGround {
  readonly appKey: string;
  readonly appSecret: string;
  readonly schoolCode: string;
  readonly seal: (data: unknown) => string;
}

const ordinals =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty twentyOne twentyTwo twentyThree twentyFour twentyFive twentySix twentySeven twentyEight twentyNine thirty thirtyOne".split(
    " ",
  );
const named = (names: string, shape: Shape): Record<string, Shape> =>
  Object.fromEntries(
    names
      .split(/\s+/)
      .filter(Boolean)
      .map((name) => [name, shape]),
  );
const days = Object.fromEntries(ordinals.map((ordinal) => [`${ordinal}OfMonth`, "string" as const]));

const summaryRow: Shape = {
  ...named(
    `workName groupOfCheck department workNum idCard daysOfcardShortageInHuangjiahu recondOfcardShortageInHuangjiahu
    daysOfcardShortageInMoxuanhu recondOfcardShortageInMoxuanhu abnormalClockRecond lateOfRecond leaveOfRecond userId
    attendanceDay restDay workHours numberOfLate numberOfLateTime numberOfSeriousLateness durationOfSevereLateness
    daysOfAbsenteeismAndLateness leaveEarlyNumber leaveEarlyTimes lackOfWorkCardTimes lackOfMissingWorkCardTimes
    absenteeismDay evectionDay goOutDay bereavementLeave privateAffairLeaveDay maternityLeaveDay sickLeaveDay escortFalse
    marriageLeaveDay`,
    "string",
  ),
  ...named(
    `daysOfAttendanceInHuangjiahu sumAttendanceInHuangjiahu daysOfAttendanceInMoxuanhu sumAttendanceInMoxuanhu
    abnormalClockNumber leTwentyLateNumber lequalThirtyLateNumber geThirtyLateNumber leTwentyLeaveNumber
    lequalThirtyLeaveNumber geThirtyLeaveNumber attendanceDays`,
    "int32",
  ),
  ...days,
};

const covered = plus("A2", [{ sheet: oneOf("month", "daily", "original"), from: "string", to: "string" }]);
const imported = decided("A3", {
  waring: "string",
  month: "string",
  employees: "int32",
  rows: "int32",
  skipped: "int32",
  months: plus("A2g", ["string"]),
  covered,
});
const status = { month: "string", statu: oneOf(0, 1, 2, 3), total: "int32", done: "int32" } as const;
const restsOn = {
  covered,
  days: plus("A2e", { from: "string", to: "string" }),
  differing: plus("A6", "int32"),
  locked: orNull("A20", { version: "int64", number: "int32", note: "string", lockTime: "time", lockedBy: "string" }),
} as const;

export function listAttendance(ground: AttendanceGround): Documented[] {
  const upload = (call: Documented["call"], bytes: Uint8Array): Documented => ({
    call,
    header: "undocumented",
    send: () => ({ file: { name: "导出.xlsx", bytes } }),
    answer: { envelope: imported },
    check: ({ month, rows }: { month: string; rows: number }) => assert.deepEqual([month, rows > 0], ["2026-10", true]),
    refused: () => ({ file: { name: "a.xlsx", bytes: Buffer.from("no workbook\u0000") }, code: "10030", status: 400 }),
  });
  return [
    upload("POST /attendance/month/importExcel", ground.monthBook),
    upload("POST /attendance/original/importOriginal", ground.originalBook),
    upload("POST /attendance/work/importWork", ground.workBook),
    {
      call: "GET /attendance/month/analyse",
      header: "undocumented",
      answer: { envelope: decided("A5", status) },
      check: () => ground.analysed(),
      refused: () => ({ query: { month: "2020-01" }, code: "10005", status: 404 }),
    },
    {
      call: "GET /attendance/month/queryAnalyseStatu",
      header: "undocumented",
      answer: { envelope: decided("A6", { ...status, ...restsOn, waring: plus("A6", "string") }) },
      check: ({ month, statu }: { month: string; statu: number }) => assert.deepEqual([month, statu], ["2026-10", 2]),
      refused: () => ({ query: { month: "2026-13" }, code: "10001", status: 400 }),
    },
    {
      call: "GET /attendance/month/downLoad",
      header: "undocumented",
      answer: { envelope: [summaryRow] },
      check: (rows: unknown[]) => assert.equal(rows.length, 1),
      refused: () => ({ query: { month: "2020-01" }, code: "10005", status: 404 }),
    },
    { call: "GET /attendance/month/te", header: "undocumented", answer: { plain: "nothing" } },
    {
      call: "GET /attendance/month/title",
      header: "undocumented",
      answer: { envelope: { id: "int64", userId: "string", workName: "string", ...days } },
      check: (row: Record<string, unknown>) =>
        assert.deepEqual([row["id"], row["oneOfMonth"], row["thirtyOneOfMonth"]], [202_610, "四", "六"]),
      refused: () => ({ query: { month: "x" }, code: "10001", status: 400 }),
    },
  ];
}

const project = decided("P9", {
  id: "int64",
  url: "string",
  project: "string",
  statu: oneOf(0, 1),
  createTime: "time",
  pending: "int32",
  dead: "int32",
  lastSuccessTime: oneOf(null, "time"),
  lastError: oneOf(null, "string"),
  paused: "boolean",
  flagged: "boolean",
});

export function listPushRelay(ground: PushGround): Documented[] {
  let id = 0;
  const url = "http://receiver.example/events";
  const push = () => ({
    app_key: ground.appKey,
    app_secret: ground.appSecret,
    school_code: ground.schoolCode,
    event: "addUser",
    raw_data: ground.seal({ card_number: "7", name: "测试员甲" }),
  });
  return [
    {
      call: "POST /wx/push/addPushProject",
      header: "undocumented",
      send: () => ({ form: { url, project: "示例项目" } }),
      answer: { envelope: decided("P9", "string") },
      check: (data: string) => void (id = Number(data)),
      refused: () => ({ form: { url: undefined, project: "x" }, code: "11001", status: 400 }),
    },
    {
      call: "GET /wx/push/queryPushProject",
      header: "undocumented",
      answer: { envelope: [project] },
      check: ([row]: { id: number; url: string; project: string; statu: number }[]) =>
        assert.deepEqual([row?.id, row?.url, row?.project, row?.statu], [id, url, "示例项目", 0]),
    },
    {
      call: "PUT /wx/push/updatePushProject",
      header: "undocumented",
      send: () => ({ body: { id, url: undefined, project: "示例项目二", statu: 1 } }),
      answer: { envelope: decided("P9", "string") },
      refused: () => ({ body: { id: 999_999, statu: 0 }, code: "16000", status: 404 }),
    },
    {
      call: "POST /wx/wxc/receive",
      send: () => ({ body: push() }),
      answer: { bare: { code: oneOf(0), message: "string" } },
      refused: () => ({ body: { ...push(), app_secret: "another secret" }, code: "10006", status: 403 }),
    },
    {
      call: "DELETE /wx/push/deletePushProject",
      header: "undocumented",
      send: () => ({ query: { id } }),
      answer: { envelope: decided("P9", "string") },
      refused: () => ({ query: { id: undefined }, code: "11001", status: 400 }),
    },
  ];
}

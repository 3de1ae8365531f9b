import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import {
  identitySheet,
  type MonthLine,
  monthSheet,
  originalSheet,
  type PunchLine,
} from "#test/attendance/workbooks.ts";

// People whom the rules find nobody for are settled by hand.

const app = await startTestApp({ services: ["attendance"] });
const { token, userName } = await app.signIn("platform");
const { get, send, analyse, ...calls } = await openAttendance(app, token);

const generation = 2026;
const employee = (name: string, userId: string, group = "全校考勤", workNumber = "") => ({
  name,
  userId,
  workNumber,
  group,
  department: "教务处",
  position: "",
});
const [an, zhi, twin] = [
  employee("安宁", "100000000000000001"),
  employee("志远", "100000000000000002", "全校考勤", "0042"),
  [employee("文静", "100000000000000003", "行政班"), employee("文静", "100000000000000003", "弹性班")],
] as const;
const line = (who: typeof an): MonthLine => ({
  ...who,
  figures: { attendanceDay: "1" },
  days: Array.from({ length: 31 }, () => "普通出勤:正常\n(08:20,18:05)"),
});
const summary = (month: string, extra: (typeof an)[] = []) =>
  monthSheet({
    generation,
    start: `${month}-01`,
    end: `${month}-31`,
    lines: [an, zhi, ...twin, ...extra].map(line),
  });
const punches = (month: string, who: typeof an, days: readonly number[]): PunchLine[] =>
  days.map((day) => ({
    ...who,
    day: `${month}-0${day}`,
    scheduled: `${month}-0${day} 08:30`,
    time: `${month}-0${day} 08:20`,
    result: "正常",
    address: "黄家湖校区_14757",
  }));
const original = (month: string, lines: PunchLine[]) =>
  originalSheet({ generation, start: `${month}-01`, end: `${month}-31`, lines });

const stranger = employee("小安", "");
const account = employee("测试账号", "");
async function importMonth(month: string, extra: (typeof an)[] = []): Promise<void> {
  await send("month", [summary(month, extra)]);
  const lines = [...punches(month, an, [4]), ...punches(month, stranger, [5, 6]), ...punches(month, account, [7])];
  await send("original", [original(month, lines)]);
}
const match = async (body: Record<string, unknown>) => (await calls.put("match", body)).json;
const settle = (userId: string | null, more: Record<string, unknown> = {}) =>
  match({ month: "2026-05", sheet: "original", person: { name: "小安" }, userId, ...more });
const unmatched = async (month = "2026-05") => (await get("unmatched", { month })).json.data;
const strangers = async (month?: string): Promise<string[]> =>
  (await unmatched(month)).people
    .filter(({ kind }: { kind: string }) => kind === "original")
    .map(({ workName }: { workName: string }) => workName);
const daysOf = async (month: string, userId: string) => {
  await analyse(month);
  const { data } = (await get("downLoad", { month })).json;
  return data.find((row: { userId: string }) => row.userId === userId).attendanceDays;
};

test("what cannot be settled is refused, and changes nothing", async () => {
  assert.equal((await settle(an.userId)).code, "10005", "no such month");
  await importMonth("2026-05");
  await analyse("2026-05");
  const refused: [Record<string, unknown>, string][] = [
    [{ sheet: "original", person: { name: "没有的人" }, userId: an.userId }, "10005"],
    [{ sheet: "daily", person: { name: "小安" }, userId: an.userId }, "10005"],
    [{ sheet: "original", person: { name: "小安", userId: "1" }, userId: an.userId }, "10005"],
    [{ sheet: "original", person: { name: "小安" }, userId: "999" }, "10005"],
    [{ sheet: "original", person: { name: "小安" }, userId: null }, "10005"],
    [{ sheet: "original", person: { name: "小安" }, userId: twin[0].userId }, "10007"],
    [{ sheet: "original", person: { name: "小安" }, userId: twin[0].userId, groupOfCheck: "没有的组" }, "10005"],
    [{ sheet: "month", person: { name: "安宁", userId: an.userId }, userId: an.userId }, "10007"],
    [{ sheet: "original", person: { name: "小安" } }, "10001"],
    [{ sheet: "original", person: {}, userId: "" }, "10001"],
    [{ sheet: "original", person: "小安", userId: "" }, "10001"],
    [{ sheet: "clock", person: { name: "小安" }, userId: "" }, "10001"],
    [{ sheet: "original", person: { name: "小".repeat(256) }, userId: "" }, "10026"],
  ];
  for (const [body, code] of refused)
    assert.equal((await match({ month: "2026-05", ...body })).code, code, JSON.stringify(body));
  assert.match((await settle(twin[0].userId)).message, /“行政班”、“弹性班”/);
  assert.equal((await get("queryAnalyseStatu", { month: "2026-05" })).json.data.statu, 2);
  assert.deepEqual(await strangers(), ["小安", "测试账号"]);
});

test("an unmatched person is listed with whom they may be", async () => {
  await send(
    "work",
    [identitySheet([{ name: "志 远", workNumber: "0042", userId: "9", idCard: "110101199001011237" }])],
    {
      month: "2026-05",
    },
  );
  const { people } = await unmatched();
  const found = people.find(
    ({ kind, workName }: { kind: string; workName: string }) => kind === "work" && workName === "志 远",
  );
  assert.deepEqual(found.candidates, [
    { workName: "志远", userId: zhi.userId, workNum: "0042", groupOfCheck: "全校考勤", department: "教务处" },
  ]);
  const { data } = (await get("employees", { month: "2026-05", keyword: "0042" })).json;
  assert.deepEqual([data.totalCount, data.list], [1, found.candidates]);
  assert.equal((await get("employees", { month: "2026-05", pageSize: 3 })).json.data.list.length, 3);
  assert.equal((await get("employees", { month: "2001-01" })).json.code, "10005");
});

test("settled as an employee, a person's rows are theirs; explain says so", async () => {
  assert.equal(await daysOf("2026-05", an.userId), 1);
  assert.deepEqual((await settle(an.userId)).data, "1");
  assert.equal((await get("queryAnalyseStatu", { month: "2026-05" })).json.data.statu, 0);
  assert.deepEqual((await settle(an.userId)).data, "0", "the same once more is nothing new");
  assert.deepEqual(await strangers(), ["测试账号"]);
  assert.equal(await daysOf("2026-05", an.userId), 3);
  const { people } = (await get("explain", { month: "2026-05", userId: an.userId })).json.data;
  assert.deepEqual(
    people.map(({ kind, workName, rows, by }: Record<string, unknown>) => [kind, workName, rows, by]),
    [
      ["original", "安宁", 1, "userId"],
      ["original", "小安", 2, "match"],
    ],
  );
  const [settled] = (await unmatched()).settled;
  assert.deepEqual(
    [settled.kind, settled.workName, settled.as, settled.settledBy],
    ["original", "小安", { userId: an.userId, groupOfCheck: "", workName: "安宁" }, userName],
  );
});

test("settled as nobody, a person is told of no more", async () => {
  assert.equal((await settle("", { person: { name: "测试账号" } })).data, "1");
  assert.deepEqual(await strangers(), []);
  assert.doesNotMatch((await get("queryAnalyseStatu", { month: "2026-05" })).json.data.waring, /原始记录中有/);
  assert.deepEqual(
    (await unmatched()).settled.map(({ as }: { as: unknown }) => as === null),
    [false, true],
  );
});

test("it is kept for the imports to come, in other months too, and can be undone", async () => {
  await importMonth("2026-07");
  assert.deepEqual(await strangers("2026-07"), []);
  assert.equal(await daysOf("2026-07", an.userId), 3);
  assert.equal((await settle(null)).data, "1");
  assert.equal((await settle(null)).code, "10005");
  assert.deepEqual(await strangers(), ["小安"]);
  // What was analysed stays as it was until it is analysed again.
  assert.equal((await get("queryAnalyseStatu", { month: "2026-07" })).json.data.statu, 2);
  const { people } = (await get("explain", { month: "2026-07", userId: an.userId })).json.data;
  assert.equal(people.length, 2);
  assert.equal(await daysOf("2026-07", an.userId), 1);
});

test("of employees who share a userId the group says which", async () => {
  const [{ userId }] = twin;
  assert.equal((await settle(userId, { groupOfCheck: "弹性班" })).data, "1");
  await analyse("2026-05");
  const explain = async (groupOfCheck?: string) =>
    (await get("explain", { month: "2026-05", userId, ...(groupOfCheck === undefined ? {} : { groupOfCheck }) })).json;
  const ambiguous = await explain();
  assert.deepEqual([ambiguous.code, /“行政班”、“弹性班”/.test(ambiguous.message)], ["10007", true]);
  assert.equal((await explain("弹性班")).data.row.attendanceDays, 2);
  assert.deepEqual((await explain("行政班")).data.people, []);
  assert.equal((await explain("没有的组")).code, "10005");
});

test("a row of the month sheet can be an employee's, or nobody's", async () => {
  const month = "2026-08";
  const old = employee("安宁（旧账号）", "100000000000000009");
  await importMonth(month, [old, employee("测试账号", "100000000000000008")]);
  const total = async () => (await get("queryAnalyseStatu", { month })).json.data.total;
  assert.equal(await total(), 6);
  const person = { name: old.name, userId: old.userId };
  assert.equal((await match({ month, sheet: "month", person, userId: an.userId })).data, "1");
  const nobody = { name: "测试账号", userId: "100000000000000008" };
  assert.equal((await match({ month, sheet: "month", person: nobody, userId: "" })).data, "1");
  assert.equal(await total(), 4);
  await analyse(month);
  const { data } = (await get("explain", { month, userId: an.userId })).json;
  assert.equal(data.row.attendanceDay, "2", "the figures of both rows");
  assert.equal((await match({ month, sheet: "month", person, userId: null })).data, "1");
  assert.equal(await total(), 5);
});

test("it is in the audit log", async () => {
  const [line] = await app.pool`
    select records, detail from platform.audit where action = 'match' and outcome = 'done' order by id limit 1`;
  assert.deepEqual(
    [line?.["records"], line?.["detail"]],
    [["2026-05"], { sheet: "original", name: "小安", userId: "", workNum: "", as: an.userId }],
  );
});

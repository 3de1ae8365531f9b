import assert from "node:assert/strict";
import { test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { analyseMonth } from "#services/attendance/analysis/summary-row.ts";
import { holdAgainstExport } from "#services/attendance/analysis/against-export.ts";
import { explainFindings } from "#services/attendance/analysis/explain.ts";
import { readDay } from "#services/attendance/days.ts";
import { type Correction, standardSettings } from "#services/attendance/model.ts";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { campus1, campus2, elsewhere, type Facts, makeEmployeeMonth } from "#test/attendance/employee-month.ts";
import { lineOf, plainPunches, plainSummary, punchesOf, someone } from "#test/attendance/plain-sheets.ts";
import { monthSheet } from "#test/attendance/workbooks.ts";

const correct = (day: number, kind: Correction["kind"], campus: 1 | 2 | null = null): Correction => {
  const said = { hours: null, evidence: "纸质签到", madeBy: "王老师" };
  return { day: readDay(`2026-05-${String(day).padStart(2, "0")}`), kind, campus, ...said };
};

test("a correction is applied last: each kind changes its day and no other, and the explanation adds up to it", () => {
  const facts: Facts = {
    cells: { 5: "普通出勤:上班缺卡\n(-,18:00)" },
    punches: [
      [4, "08:30", "08:42", "迟到", campus1],
      [5, "18:00", "18:00", "正常", campus1],
      [6, "08:30", "08:20", "外勤", elsewhere],
      [7, "08:30", "08:20", "正常", campus2],
    ],
  };
  // Returns the days at campus 1 and at campus 2, missing punches at campus 1, late punches, days off campus, and all
  // days.
  const figures = (...corrections: Correction[]) => {
    const input = makeEmployeeMonth({ ...facts, corrections });
    const { row, findings } = analyseMonth(input, standardSettings);
    for (const { field, value } of explainFindings(input, findings, "zh"))
      assert.equal(value, String(row[field]), field);
    assert.deepEqual(holdAgainstExport(input, findings), holdAgainstExport(input, { found: findings.days }) && plain);
    const { sumAttendanceInHuangjiahu: one, sumAttendanceInMoxuanhu: two } = row;
    const { daysOfcardShortageInHuangjiahu: short, leTwentyLateNumber: late, abnormalClockNumber: out } = row;
    return [one, two, Number(short), late, out, row.attendanceDays];
  };
  const bare = makeEmployeeMonth(facts);
  const plain = holdAgainstExport(bare, analyseMonth(bare, standardSettings).findings);
  assert.deepEqual(figures(), [2, 1, 1, 1, 1, 4]);
  for (const [correction, expected] of [
    [correct(5, "present"), [2, 1, 0, 1, 1, 4]],
    [correct(5, "present", 2), [1, 2, 0, 1, 1, 4]],
    [correct(8, "present"), [3, 1, 1, 1, 1, 5]],
    [correct(8, "present", 2), [2, 2, 1, 1, 1, 5]],
    [correct(4, "present"), [2, 1, 1, 1, 1, 4]],
    [correct(4, "onTime"), [2, 1, 1, 0, 1, 4]],
    [correct(8, "onTime"), [2, 1, 1, 1, 1, 4]],
    [correct(6, "present", 1), [3, 1, 1, 1, 0, 4]],
    [correct(4, "leave"), [1, 1, 1, 0, 1, 3]],
    [correct(5, "none"), [1, 1, 0, 1, 1, 3]],
    [{ ...correct(4, "none"), day: readDay("2026-06-04") }, [2, 1, 1, 1, 1, 4]],
  ] as const)
    assert.deepEqual(figures(correction), expected, `${correction.kind} ${correction.campus}`);
  assert.deepEqual(figures(correct(5, "present"), correct(4, "onTime"), correct(7, "leave")), [2, 0, 0, 0, 1, 3]);
  const input = makeEmployeeMonth({ ...facts, corrections: [correct(8, "present", 2)] });
  const explained = explainFindings(input, analyseMonth(input, standardSettings).findings, "zh");
  const entries = explained.find(({ field }) => field === "daysOfAttendanceInMoxuanhu")?.entries;
  assert.equal(entries?.[1]?.text, "05-08 校区2（按更正）；王老师 更正：纸质签到");
});

const app = await startTestApp({ services: ["attendance"] });
const { token, userName } = await app.signIn("platform");
const { get, send, analyse, put } = await openAttendance(app, token);
const month = "2026-05";
const url = "/attendance/correction";
const body = {
  month,
  userId: someone.userId,
  day: 22,
  correction: { kind: "present", campus: 2 },
  evidence: "纸质签到",
};
const post = async (more: object = {}) => (await app.call("POST", url, { token, body: { ...body, ...more } })).json;
const undo = async (id: unknown, reason = "弄错了") =>
  (await app.call("PUT", url, { token, body: { id: Number(id), reason } })).json;
const list = async (query: Record<string, string> = {}) =>
  (await app.call("GET", url, { token, query })).json.data.list;
const daysAt2 = async () => {
  const { list: rows } = (await get("downLoad", { month, curPage: 1 })).json.data;
  return rows[0].sumAttendanceInMoxuanhu as number;
};
const importMonth = async () => {
  await send("month", [plainSummary(month, 1, 31)]);
  await send("original", [plainPunches(month, 1, 20)]);
};

test("what cannot be corrected is refused, and changes nothing", async () => {
  assert.equal((await post()).code, "10005");
  await importMonth();
  for (const [more, code] of [
    [{ userId: undefined }, "10001"],
    [{ userId: "nobody" }, "10005"],
    [{ month: "2026-04" }, "10005"],
    [{ day: 32 }, "10001"],
    [{ day: 0 }, "10001"],
    [{ correction: { kind: "absent" } }, "10001"],
    [{ correction: { kind: "leave", campus: 1 } }, "10001"],
    [{ correction: { kind: "present", hours: 1 } }, "10001"],
    [{ correction: { kind: "present", campus: 3 } }, "10001"],
    [{ correction: { kind: "leave", hours: 25 } }, "10001"],
    [{ correction: undefined }, "10001"],
    [{ evidence: " " }, "10001"],
    [{ evidence: "长".repeat(501) }, "10026"],
  ] as const)
    assert.equal((await post(more)).code, code, JSON.stringify(more));
  for (const [id, reason, code] of [
    [99, "x", "10005"],
    [99, "", "10001"],
    [undefined, "x", "10023"],
  ] as const)
    assert.equal((await undo(id, reason)).code, code);
  assert.deepEqual(await list(), []);
});

test("a retry with the same Idempotency-Key is the same correction", async () => {
  const call = () =>
    app.call("POST", url, { token, headers: { "Idempotency-Key": "one" }, body: { ...body, day: 3, evidence: "x" } });
  const { code, data } = (await call()).json;
  assert.deepEqual([code, (await call()).json.data], ["0", data]);
  assert.equal((await list()).length, 1);
  assert.equal((await undo(data)).code, "0");
  await app.pool`delete from attendance.correction`;
});

test("an analysed month has a correction at once, keeps it through later imports, and loses it when it is undone", async () => {
  await analyse(month);
  assert.equal(await daysAt2(), 0);
  const answers = await Promise.all([post(), post()]);
  assert.deepEqual(answers.map(({ code }) => code).sort(), ["0", "10004"]);
  const id = Number(answers.find(({ code }) => code === "0")?.data);
  assert.equal(await daysAt2(), 1);
  const { data: explained } = (await get("explain", { month, userId: someone.userId })).json;
  assert.deepEqual(explained.corrections, [
    { day: "2026-05-22", kind: "present", campus: 2, hours: null, evidence: "纸质签到", madeBy: userName },
  ]);
  assert.equal(explained.row.sumAttendanceInMoxuanhu, 1);
  await importMonth();
  await analyse(month);
  assert.equal(await daysAt2(), 1, "later imports");
  const [row] = await list({ month, standing: "true", department: someone.department });
  const { workName, day, correction, madeBy, objection, undoneBy } = row;
  assert.deepEqual([row.id, workName, day, madeBy, objection, undoneBy], [id, someone.name, 22, userName, null, null]);
  assert.deepEqual(correction, { kind: "present", campus: 2, hours: null });
  assert.deepEqual(await list({ department: "校办" }), []);

  await put("lock", { month, note: "" });
  for (const refused of [await post({ day: 23 }), await undo(id)]) assert.equal(refused.code, "10007");
  const { data: versions } = (await get("versions", { month })).json;
  await put("unlock", { month, reason: "再改" });
  assert.equal((await undo(id)).code, "0");
  assert.deepEqual([(await undo(id)).code, await daysAt2()], ["10007", 0]);
  const [undone] = await list();
  assert.deepEqual([undone.undoneBy, undone.reason], [userName, "弄错了"]);
  const [compared] = (await get("compare", { month, version: versions[0].id, changed: "true" })).json.data;
  assert.deepEqual([compared.month.sumAttendanceInMoxuanhu, compared.with.sumAttendanceInMoxuanhu], [0, 1]);
  assert.equal((await post({ day: 23, correction: { kind: "leave", hours: 4 } })).code, "0");
  const [again] = (await get("compare", { month, version: versions[0].id })).json.data;
  assert.deepEqual(
    again.corrections.map(({ day, kind }: { day: string; kind: string }) => [day, kind]),
    [["2026-05-23", "leave"]],
  );
  for (const [target, said] of [
    ["downLoad", `${someone.name} 2026-05-23 请假（4 小时）：纸质签到（${userName}）`],
    [`versions/${versions[0].id}`, `${someone.name} 2026-05-22 出勤（校区2）：纸质签到（${userName}）`],
  ] as const) {
    const address = `${app.url}/attendance/month/${target}?month=${month}&format=xlsx`;
    const bytes = await (await fetch(address, { headers: { admin_token: token } })).arrayBuffer();
    const rows = await Array.fromAsync(streamXlsxRows(Buffer.from(bytes), { sheet: 1 }), ({ values }) => values);
    assert.deepEqual(
      rows.flatMap(([item, content]) => (item === "更正" ? [content] : [])),
      [said],
    );
  }
});

test("of two rows of one UserId the group says whose the day is", async () => {
  const of = "2026-03";
  const twins = ["甲组", "乙组"].map((group) => ({ ...someone, group }));
  const lines = twins.map((twin) => lineOf(31, {}, twin));
  await send("month", [monthSheet({ generation: 2026, start: `${of}-01`, end: `${of}-31`, lines })]);
  await send("original", [
    plainPunches(
      of,
      1,
      31,
      twins.flatMap((twin) => punchesOf(of, 1, 2, twin)),
    ),
  ]);
  await analyse(of);
  assert.equal((await post({ month: of })).code, "10007");
  assert.equal((await post({ month: of, groupOfCheck: "甲组" })).code, "0");
  const { data: rows } = (await get("downLoad", { month: of })).json;
  assert.deepEqual(
    rows.map((row: Record<string, unknown>) => [row["groupOfCheck"], row["sumAttendanceInMoxuanhu"]]).sort(),
    [
      ["乙组", 0],
      ["甲组", 1],
    ].sort(),
  );
});

test("a correction by number holds when a later import has the employee's UserId", async () => {
  const of = "2026-07";
  const importOf = async (who: typeof someone) => {
    const lines = [lineOf(31, {}, who)];
    await send("month", [monthSheet({ generation: 2026, start: `${of}-01`, end: `${of}-31`, lines })]);
    await send("original", [plainPunches(of, 1, 31, punchesOf(of, 1, 20, who))]);
    await analyse(of);
    return (await get("downLoad", { month: of })).json.data[0].sumAttendanceInMoxuanhu as number;
  };
  await importOf({ ...someone, userId: "" });
  const byNumber = { month: of, userId: undefined, workNum: someone.workNumber };
  assert.equal((await post(byNumber)).code, "0");
  assert.equal(await importOf(someone), 1);
  assert.equal((await post({ ...byNumber, userId: someone.userId })).code, "10004");
  const [made] = await list({ month: of });
  assert.deepEqual([made.department, (await undo(made.id)).code], [someone.department, "0"]);
  assert.equal((await get("downLoad", { month: of })).json.data[0].sumAttendanceInMoxuanhu, 0);
});

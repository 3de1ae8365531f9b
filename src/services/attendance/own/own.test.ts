import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { type Answer, startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { lineOf, plainPunches, punchesOf, someone } from "#test/attendance/plain-sheets.ts";
import { type Employee, identitySheet, monthSheet } from "#test/attendance/workbooks.ts";
import { meetAtLock } from "#test/meeting.ts";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";

const services = ["attendance"] as const;
const secret = "a secret of tests";
const app = await startTestApp({ services, settings: { EMPLOYEE_IDENTITY: "header" } });
const { token, userName } = await app.signIn("platform");
const { get, send, analyse, put } = await openAttendance(app, token);
const month = "2026-05";
const colleague: Employee = {
  ...someone,
  name: "毕业",
  workNumber: "",
  userId: "223456789012345678",
  department: "校办",
};
const [own, other] = [someone.workNumber, colleague.userId];
const idCard = "11010519491231002X";

const importMonth = async (of = month, people: readonly Employee[] = [someone, colleague], absent = 3) => {
  const lines = people.map((who) => lineOf(31, {}, who));
  await send("month", [monthSheet({ generation: 2026, start: `${of}-01`, end: `${of}-31`, lines })]);
  const punches = people.flatMap((who) => punchesOf(of, absent + 1, 31, who));
  await send("original", [plainPunches(of, 1, 31, punches)]);
};
type Body = Record<string, unknown>;
const as = (number: string) => ({ employee_no: number });
const ask = (method: "GET" | "POST" | "PUT", path: string, number: string, given: object = {}): Promise<Answer> =>
  app.call(method, `/attendance/own/${path}`, { headers: as(number), ...given });
const objection = { month, day: 2, kind: "forgot", text: "那天在黄家湖，忘记打卡" };
const object = async (more: Body = {}, number = own) =>
  (await ask("POST", "objection", number, { body: { ...objection, ...more } })).json;
const confirm = async (number = own, body: Body = { month }) => (await ask("PUT", "confirm", number, { body })).json;
const months = async (number = own) => (await ask("GET", "months", number)).json.data;
const list = async (query: Record<string, string> = {}) =>
  (await app.call("GET", "/attendance/objection/list", { token, query })).json.data;
const judge = async (id: number, body: Body) =>
  (await app.call("PUT", `/attendance/objection/judge/${id}`, { token, body })).json;
const upload = async (number = own) => {
  const file = ["假条.txt", new Blob(["请假一天"])] as const;
  return (await ask("POST", "upload", number, { file })).json.data as string;
};
const confirmations = async () => (await get("confirmations", { month })).json.data;

test("without a number, or with one that nobody has, there is nothing", async () => {
  for (const [method, path] of [
    ["GET", "months"],
    ["GET", "month"],
    ["POST", "objection"],
    ["GET", "objections"],
    ["PUT", "confirm"],
    ["POST", "upload"],
  ] as const) {
    const { status, json } = await app.call(method, `/attendance/own/${path}`, { token });
    assert.deepEqual([status, json.code], [401, "10012"], path);
  }
  await importMonth();
  assert.deepEqual([await months("nobody"), (await object({}, "nobody")).code], [[], "10005"]);
  assert.equal((await ask("GET", "month", "nobody", { query: { month } })).json.code, "10005");
  assert.equal((await confirm("nobody")).code, "10005");
});

test("a month that is not analysed has no row to see or confirm; then each sees the own one, without identity card", async () => {
  await send(
    "work",
    [
      identitySheet([
        { ...someone, idCard },
        { ...colleague, idCard },
      ]),
    ],
    { month },
  );
  const row = () => ask("GET", "month", own, { query: { month } });
  assert.deepEqual([(await row()).json.code, (await confirm()).code], ["10005", "10005"]);
  assert.deepEqual(await months(), [
    { month, groupOfCheck: someone.group, statu: 0, locked: false, confirmed: false, openObjections: 0 },
  ]);
  await analyse(month);
  const answer = await row();
  assert.equal(answer.json.data.workName, someone.name);
  assert.equal(answer.json.data.explain.find(({ field }: Body) => field === "attendanceDays").value, "28");
  for (const text of [answer.text, JSON.stringify(await months())])
    assert.doesNotMatch(text, new RegExp(`${idCard}|idCard|${colleague.name}`));
  const ofOther = (await ask("GET", "month", other, { query: { month } })).json.data;
  assert.equal(ofOther.workName, colleague.name, "who has no work number is known by UserId");
});

test("an objection that cannot be is refused, and nothing of it is kept", async () => {
  const strange = await upload(other);
  for (const [more, code] of [
    [{ month: "2026-04" }, "10005"],
    [{ day: 0 }, "10001"],
    [{ kind: "else" }, "10001"],
    [{ text: " " }, "10001"],
    [{ text: "长".repeat(501) }, "10026"],
    [{ files: [strange] }, "10005"],
    [{ files: ["0123456789abcdef0123456789abcdef.txt"] }, "10005"],
    [{ files: Array.from({ length: 4 }, () => strange) }, "10001"],
    [{ punches: [{ slot: "上班1", time: "25:00" }] }, "10001"],
  ] as const)
    assert.equal((await object(more)).code, code, JSON.stringify(more));
  const future = `${new Date().getFullYear() + 1}-12`;
  await importMonth(future, [someone], 0);
  assert.equal((await object({ month: future })).code, "10007", "a day to come");
  assert.equal((await object({ month: "2026-02", day: 30 })).code, "10005");
  assert.equal((await list()).totalCount, 0);
  await app.pool`delete from attendance.month where month = ${future}`;
});

test("an objection is one a day, its file is for its employee and administrators, and it stands before a confirmation", async () => {
  const file = await upload();
  const answers = await Promise.all(
    [1, 2].map(() => object({ files: [file], punches: [{ slot: "上班1", time: "08:21" }] })),
  );
  assert.deepEqual(answers.map(({ code }) => code).sort(), ["0", "10004"]);
  const made = answers.find(({ code }) => code === "0")?.data;
  assert.deepEqual([made.state, made.day, made.files, made.note], ["open", 2, [file], null]);
  assert.equal((await confirm()).code, "10007");
  assert.deepEqual((await ask("GET", "objections", own)).json.data.list, [made]);
  assert.equal((await ask("GET", "objections", other)).json.data.totalCount, 0);
  const read = async (headers: Record<string, string>) =>
    (await app.call("GET", `/attendance/objection/file/${file}`, { headers })).status;
  assert.deepEqual(
    [await read(as(own)), await read(as(other)), await read({ admin_token: token }), await read({})],
    [200, 404, 200, 401],
  );
  const [row] = (await list({ month, state: "open", department: someone.department })).list;
  assert.deepEqual([row.id, row.workName, row.userId], [made.id, someone.name, someone.userId]);
  assert.match(row.cell, /普通出勤/);
  assert.deepEqual(row.explain, [], "a day without a punch");
  assert.equal((await list({ department: "校办" })).totalCount, 0);
});

test("a repeated objection with the same Idempotency-Key is answered as the first one", async () => {
  const headers = { ...as(own), "idempotency-key": "objection" };
  const repeat = async (text: string) =>
    (await app.call("POST", "/attendance/own/objection", { headers, body: { ...objection, day: 4, text } })).json;
  const [first, again, changed] = [await repeat("忘记打卡"), await repeat("忘记打卡"), await repeat("外出")];
  assert.deepEqual([first.code, again, changed.code], ["0", first, "10004"]);
  await app.pool`delete from attendance.objection where id = ${first.data.id}`;
});

test("it is judged once, whoever else judges it; what corrects the day does so at once", async () => {
  const [{ id }] = (await list()).list;
  for (const [body, code] of [
    [{}, "10001"],
    [{ accept: false }, "10001"],
    [{ accept: false, note: " " }, "10001"],
    [{ accept: false, note: "不", correction: { kind: "present" } }, "10001"],
    [{ accept: true, correction: { kind: "present", hours: 2 } }, "10001"],
  ] as const)
    assert.equal((await judge(id, body)).code, code, JSON.stringify(body));
  assert.equal((await judge(id + 99, { accept: true })).code, "10005");
  const verdict = { accept: true, correction: { kind: "present", campus: 2 } };
  const no = { accept: false, note: "没有依据" };
  const codes = (await Promise.all([judge(id, verdict), judge(id, no), judge(id, verdict)])).map(({ code }) => code);
  assert.deepEqual(codes.sort(), ["0", "10007", "10007"]);
  const [judged] = (await ask("GET", "objections", own)).json.data.list;
  const { data: row } = (await ask("GET", "month", own, { query: { month } })).json;
  const isAccepted = judged.state === "accepted";
  assert.deepEqual(judged.correction, isAccepted ? { kind: "present", campus: 2, hours: null } : null);
  assert.deepEqual([row.sumAttendanceInMoxuanhu, row.corrections.length], isAccepted ? [1, 1] : [0, 0]);
});

test("a confirmation holds until the row is another; counts are of everybody", async () => {
  assert.equal((await confirm()).code, "0");
  assert.equal((await confirm()).code, "0", "twice");
  assert.equal((await object({ day: 9 }, other)).code, "0");
  const [{ explain }] = (await list({ state: "open" })).list;
  const entries = explain.flatMap((figure: { entries: Body[] }) => figure.entries);
  assert.ok(entries.length > 1 && entries.every((entry: Body) => entry["day"] === "2026-05-09"));
  const { people, ...counts } = await confirmations();
  assert.deepEqual(counts, { confirmed: 1, open: 0, objecting: 1, of: 2 });
  const states = Object.fromEntries(people.map(({ workName, state }: Body) => [workName, state]));
  assert.deepEqual(states, { [someone.name]: "confirmed", [colleague.name]: "objecting" });
  assert.equal((await months())[0].confirmed, true);
  await analyse(month);
  assert.equal((await months())[0].confirmed, true, "an analysis that changes nothing");
  await importMonth(month, [someone, colleague], 5);
  assert.equal((await months())[0].confirmed, false, "not analysed");
  await analyse(month);
  assert.equal((await months())[0].confirmed, false, "another row");
  assert.deepEqual((await confirmations()).confirmed, 0);
});

test("administrators with a scope see and change what lies in it, and nothing else", async () => {
  const limited = await app.signIn("platform");
  await app.pool`update platform.account set scope = ${JSON.stringify({ department: ["校办"] })} where id = ${limited.id}`;
  const by = async (method: "GET" | "POST" | "PUT", path: string, given: object = {}) =>
    (await app.call(method, `/attendance/${path}`, { token: limited.token, ...given })).json;
  const all = (await list()).list as { id: number; workName: string; state: string }[];
  const seen = (await by("GET", "objection/list")).data;
  assert.deepEqual([seen.totalCount, seen.list[0].workName], [1, colleague.name]);
  const outside = all.find(({ workName }) => workName === someone.name)?.id;
  assert.equal((await by("PUT", `objection/judge/${outside}`, { body: { accept: true } })).code, "10005");
  const { people, of } = (await by("GET", "month/confirmations", { query: { month } })).data;
  assert.deepEqual([of, people[0].workName], [1, colleague.name]);
  const body = { month, day: 25, correction: { kind: "none" }, evidence: "x" };
  const correct = (userId: string, more: Body = {}) => ({ body: { ...body, ...more, userId } });
  assert.equal((await by("POST", "correction", correct(someone.userId))).code, "10005");
  assert.equal((await by("POST", "correction", correct(colleague.userId))).code, "0");
  const made = await app.call("POST", "/attendance/correction", { token, ...correct(someone.userId) });
  const undo = { body: { id: Number(made.json.data), reason: "x" } };
  assert.equal((await by("PUT", "correction", undo)).code, "10005");
  assert.equal((await by("GET", "correction")).data.totalCount, 1);
  assert.equal((await app.call("PUT", "/attendance/correction", { token, ...undo })).json.code, "0");
});

test("an import that renumbers the employees meanwhile shows nobody another's row", async () => {
  const [answer] = await meetAtLock(
    app.pool,
    async (tx) => {
      await tx`lock table attendance.employee in access exclusive mode`;
      // The calls that wait for the lock have read the employee's number by now.
      await tx`update attendance.roster set employee = -employee where month = ${month}`;
      await tx`update attendance.roster set employee = 3 + employee where month = ${month}`;
    },
    () => [ask("GET", "month", own, { query: { month } })],
  );
  assert.doesNotMatch(answer?.text ?? "", new RegExp(colleague.name));
});

test("of a locked month nothing more can be said or corrected, but what is open can be refused", async () => {
  const [{ id }] = (await list({ state: "open" })).list;
  await put("lock", { month });
  assert.equal((await object({ day: 12 })).code, "10007");
  assert.equal((await judge(id, { accept: true, correction: { kind: "present" } })).code, "10007");
  assert.equal((await judge(id, { accept: false, note: "已定稿" })).code, "0");
  const [judged] = (await ask("GET", "objections", other)).json.data.list;
  assert.deepEqual([judged.state, judged.note], ["refused", "已定稿"]);
  assert.equal((await months())[0].locked, true);
  assert.equal((await list()).list[0].judgedBy, userName);
  await put("unlock", { month, reason: "再改" });
});

test("a number that two people have shows neither, and one that was another's shows nothing of them", async () => {
  const heir: Employee = { ...colleague, workNumber: own, name: "程新" };
  await importMonth("2026-07", [heir], 0);
  assert.deepEqual(
    (await months()).map((each: Body) => each["month"]),
    ["2026-07"],
  );
  assert.equal((await ask("GET", "month", own, { query: { month } })).json.code, "10005");
  assert.equal(
    (await ask("GET", "objections", own)).json.data.list.every((each: Body) => each["day"] === 9),
    true,
  );
  await importMonth("2026-08", [heir, someone], 0);
  for (const answer of [await ask("GET", "months", own), await ask("GET", "objections", own)])
    assert.equal(answer.json.code, "10007");
  assert.equal((await object({ month: "2026-08" })).code, "10007");
});

test("the objections of who had a number before, in months without UserIds, are not the next holder's", async () => {
  const number = "900001";
  const holder = (name: string): Employee => ({ ...someone, name, workNumber: number, userId: "" });
  await importMonth("2026-01", [holder("前任")], 0);
  const said = await object({ month: "2026-01", text: "前任的病情" }, number);
  assert.equal(said.code, "0");
  const objections = async () => (await ask("GET", "objections", number)).json.data;
  assert.deepEqual((await objections()).list, [said.data]);
  await importMonth("2026-03", [holder("继任")], 0);
  assert.equal((await object({ month: "2026-03" }, number)).code, "0");
  const { totalCount, list: seen } = await objections();
  assert.deepEqual([totalCount, seen.map((each: Body) => each["month"])], [1, ["2026-03"]]);
});

describe("EMPLOYEE_IDENTITY", () => {
  const code = async (at: typeof app, headers: Record<string, string>) =>
    (await at.call("GET", "/attendance/own/months", { headers })).json.code;
  const beside = (settings: Record<string, string>) => startTestApp({ services, settings, beside: app });

  test("is off unless it is set", async () => {
    const off = await beside({});
    assert.equal(await code(off, as("1")), "20004");
  });

  test("signed: the number alone proves nothing", async () => {
    const signed = await beside({ EMPLOYEE_IDENTITY: "signed", EMPLOYEE_IDENTITY_SECRET: secret });
    const time = String(Date.now());
    const employee_sign = createHmac("sha256", secret).update(`1.${time}`).digest("hex");
    const proof = { employee_time: time, employee_sign };
    assert.deepEqual(
      [
        await code(signed, as("1")),
        await code(signed, { ...as("2"), ...proof }),
        await code(signed, { ...as("1"), ...proof }),
      ],
      ["10012", "10006", "0"],
    );
    assert.ok(!JSON.stringify(signed.logged).includes(employee_sign));
  });

  test("campus: a code becomes a token for its number, which is none of a student", async () => {
    const outside = await startCampusStandIn();
    const settings = { EMPLOYEE_IDENTITY: "campus", STUDENT_IDENTITY: "campus", ...outside.settings };
    const campus = await startTestApp({ services: ["attendance", "tuition-payment"], settings });
    const login = await campus.call("POST", "/attendance/own/login", { body: { code: "code-77" } });
    const { employeeNo, token: given } = login.json.data;
    assert.equal(employeeNo, "77");
    const proof = { employee_token: given };
    assert.deepEqual(
      [await code(campus, { ...as("77"), ...proof }), await code(campus, { ...as("78"), ...proof })],
      ["0", "10006"],
    );
    const headers = { card_number: "77", card_token: given };
    assert.equal((await campus.call("GET", "/tuitionpayment/payableinfo/years", { headers })).json.code, "10006");
    await outside.close();
  });
});

import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { readXlsx } from "hucre/xlsx";
import { fromBufferPromise } from "yauzl";
import type { Scope } from "#platform/contract/scope.ts";
import { writeWorkbook } from "#platform/workbooks/index.ts";
import { contracts } from "#quintet/app.ts";
import { getData, type SignedIn, startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { identitySheet, makeMonth, monthSheet, originalSheet } from "#test/attendance/workbooks.ts";
import { sampleToilet } from "#test/disease-command.ts";
import { openOrders } from "#test/orders.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { sampleReport } from "#test/sample-report.ts";
import { samplePayable, writePayables } from "#test/tuition-payment.ts";

// An account with a scope calls every scoped operation, and an account without one calls the reads. Records outside the
// scope are created last: the scoped account's answers must equal those that the other account got before their
// creation.

const app = await startTestApp({ settings: { PAY_SIMULATED: "1", EMPLOYEE_IDENTITY: "header" } });

type Ids = Readonly<Record<string, string | number>>;
type Write = readonly [method: string, path: string, body: unknown, code?: string];

interface Ground {
  readonly service: string;
  readonly scope: Scope;
  readonly seed: (isInside: boolean, by: SignedIn) => Promise<Ids>;
  /**
   * Reads whose answers to an account without a scope include records outside the scope; `{name}` stands for the latest
   * id of that name.
   */
  readonly reads: readonly string[];
  /** Reads whose answers are the same for every account. */
  readonly alike?: readonly string[];
  readonly ofOne: readonly string[];
  /**
   * Writes that would change or create records outside the scope. A write without an expected code must be refused with
   * one of the codes in `unknown`.
   */
  readonly writes: (outside: Ids, inside: Ids) => readonly Write[] | Promise<readonly Write[]>;
  readonly unknown: readonly string[];
  /** Fields that are not compared, since they may differ without a leak: times, ids, row numbers and the like. */
  readonly passedOver?: RegExp;
  /** Only records outside the scope contain this text, so no answer within the scope may contain it. */
  readonly mark?: RegExp;
  readonly tables: readonly string[];
}

const fill = (path: string, ids: Ids) => path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));

async function read(by: SignedIn, path: string): Promise<unknown> {
  const response = await fetch(app.url + path, { headers: { admin_token: by.token } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.headers.get("content-type") === "application/zip") return [await readArchive(bytes)];
  if (bytes.subarray(0, 2).toString() === "PK") return (await readXlsx(bytes)).sheets.map(({ rows }) => rows);
  return response.headers.get("content-type")?.startsWith("application/json")
    ? JSON.parse(bytes.toString())
    : bytes.toString();
}

/** Returns the rows of each workbook's first sheet, by file name. */
async function readArchive(bytes: Buffer): Promise<Record<string, unknown>> {
  const zip = await fromBufferPromise(bytes);
  const books: Record<string, unknown> = {};
  for await (const entry of zip.eachEntry())
    books[entry.fileName] = (await readXlsx(await buffer(await zip.openReadStreamPromise(entry)))).sheets[0]?.rows;
  return books;
}

/** Only the first sheet of a workbook is compared, since the last sheet contains the time of creation. */
const compared = (told: unknown, passedOver: RegExp | undefined): unknown =>
  JSON.parse(
    JSON.stringify(Array.isArray(told) ? told[0] : told, (field, value) => (passedOver?.test(field) ? null : value)) ??
      "null",
  );

async function write(by: SignedIn, [method, path, body]: Write) {
  const file = Buffer.isBuffer(body) ? { file: ["x.xlsx", body] as const } : { body };
  return String((await app.call(method, path, { token: by.token, ...file })).json?.code);
}

const digest = (tables: readonly string[]) =>
  Promise.all(
    tables.map((table) =>
      app.pool.query(`select md5(coalesce(string_agg(t::text, '' order by t::text), '')) from ${table} as t`, []),
    ),
  );

const isOf = (method: string, url: string) => {
  const pattern = new RegExp(`^${url.replace(/:\w+/g, "[^/?]+")}(\\?|$)`);
  return ([given, path]: readonly [string, string]) => given === method && pattern.test(path);
};

function walk({ service, scope, seed, reads, alike = [], ofOne, writes, unknown, tables, ...rest }: Ground): void {
  const { passedOver, mark } = rest;
  test(`${service}: nothing from outside of a scope`, async (t) => {
    const all = await app.signIn(service, { isSuper: true });
    const inside = await seed(true, all);
    const paths = [...reads, ...alike, ...ofOne];
    const before = new Map<string, unknown>();
    for (const path of paths) before.set(path, compared(await read(all, fill(path, inside)), passedOver));
    const outside = await seed(false, all);
    const one = await app.signIn(service, { isSuper: true });
    await app.pool`update platform.account set scope = ${JSON.stringify(scope)} where id = ${one.id}`;
    const leaks: string[] = [];
    for (const path of paths) {
      try {
        const told = await read(one, fill(path, ofOne.includes(path) ? inside : outside));
        assert.doesNotMatch(JSON.stringify(told), mark ?? /\b$/);
        assert.deepEqual(compared(told, passedOver), before.get(path));
      } catch (error) {
        leaks.push(`${path}: ${String(error).slice(0, 600)}`);
      }
    }
    for (const path of reads) {
      const told = compared(await read(all, fill(path, outside)), passedOver);
      assert.notDeepEqual(told, before.get(path), `${path} tells of nothing`);
    }
    const aimed = ofOne.map((path) => fill(path, outside));
    for (const path of aimed) {
      const { code } = (await read(one, path)) as { code: string };
      if (!unknown.includes(code)) leaks.push(`${path}: ${code}`);
      assert.equal(String((await app.call("GET", path, { token: all.token })).status), "200", path);
    }
    const told = await digest(tables);
    const aims = await writes(outside, inside);
    for (const aim of aims) {
      const [method, path, , code] = aim;
      const answered = await write(one, aim);
      if (code === undefined ? !unknown.includes(answered) : answered !== code)
        leaks.push(`${method} ${path}: ${answered}`);
    }
    assert.deepEqual(await digest(tables), told, "a refused write has changed something");
    const called = [
      ...[...paths.map((path) => fill(path, inside)), ...aimed].map((path) => ["GET", path] as const),
      ...aims.map(([method, path]) => [method, path] as const),
    ];
    const contract = contracts.find(({ name }) => name === service);
    const scoped = Object.entries(contract?.endpoints ?? {}).filter(([, endpoint]) => endpoint.scoped);
    const missed = scoped.filter(
      ([, { method, url, answer }]) => answer.as !== "events" && !called.some(isOf(method, url)),
    );
    assert.deepEqual(
      missed.map(([name]) => name),
      [],
      "operations that keep to scopes are all walked",
    );
    t.diagnostic(
      `${scoped.length} operations: ${paths.length} reads, ${aimed.length} of records outside, ${aims.length} writes; ${leaks.length} tell or change what lies outside`,
    );
    assert.deepEqual(leaks, []);
  });
}

const report = "/reporting/informationReporting";
walk({
  service: "reporting",
  scope: { trade: ["渔业"] },
  seed: async (isInside) => {
    const sent = await app.call("POST", "/reporting/file/fileUpDown", { file: ["a.txt", Buffer.from("a file")] });
    const file = sent.json.data as string;
    const body = sampleReport({ trade: isInside ? "渔业" : "牧业", company: `公司${isInside}`, file });
    const made = [body, { ...body, entryName: "另一项目" }].map((each) =>
      app.call("POST", `${report}/add`, { body: each }),
    );
    const [id = 0] = (await Promise.all(made)).map(({ json }) => Number(json.data));
    return { id, file };
  },
  reads: [
    `${report}/list`,
    `${report}/review`,
    `${report}/list?keyword=${encodeURIComponent("示例")}`,
    `${report}/download`,
  ],
  alike: [`${report}/reasons`],
  ofOne: [`${report}/info/{id}`, `${report}/similar/{id}`, "{file}"],
  writes: ({ id }) => [
    ...["close", "valid", "invalid"].map((what) => ["DELETE", `${report}/${what}`, { itemId: id }] as const),
    ["PUT", `${report}/returned`, { itemId: id, ps: "请补充" }],
    ["DELETE", `${report}/delete`, { ids: [id] }],
    // This write succeeds, since the ticket opens a download within its owner's scope.
    ["POST", `${report}/downloadTicket`, undefined, "0"],
  ],
  unknown: ["10005"],
  tables: ["reporting.report"],
});

const tuition = "/tuitionpayment";
walk({
  service: "tuition-payment",
  scope: { college: ["文学院"] },
  seed: async (isInside, by) => {
    const { addPayer, settle, asAdmin } = openOrders(app, by.token);
    const of = {
      collegeName: isInside ? "文学院" : "理学院",
      className: "一班",
      grade: isInside ? "2024" : "2025",
      dueDate: "2026-01-01",
    };
    const [payer, owing, adjusted] = [await addPayer(of), await addPayer(of), await addPayer(of)];
    const orderNo = await settle(payer);
    const waiver = { kind: "waiver", items: [{ name: "学费", amount: 100 }], evidence: "审批" };
    const made = await asAdmin("POST", `/payableinfo/adjust/${adjusted.payableId}`, waiver);
    return { id: owing.payableId, paid: payer.payableId, orderNo, adjustment: made.json.data.id, card: owing.card };
  },
  reads: [
    ...["", "?keyword=S0", "?overdue=1", "?years=2026", "?orderField=grade"].map(
      (query) => `${tuition}/payableinfo/list${query}`,
    ),
    `${tuition}/payableinfo/paid?${Array.from({ length: 50 }, (_, id) => `ids=${id + 1}`).join("&")}`,
    `${tuition}/payableinfo/export`,
    ...["adjustments", "adjustments/export"].map((path) => `${tuition}/payableinfo/${path}`),
    ...["list", "list?status=paid", "export", "totals", "totals?years=2026"].map((path) => `${tuition}/order/${path}`),
    "/enablePayLimit/list",
  ],
  alike: [`${tuition}/payableinfo/importTemplate`],
  ofOne: [
    `${tuition}/payableinfo/info/{id}`,
    `${tuition}/order/info/{orderNo}`,
    `${tuition}/order/receipt/{orderNo}`,
    ...["id", "paid"].map((name) => `${tuition}/account/{${name}}`),
  ],
  writes: async (outside, inside) => {
    const { id, adjustment, card } = outside;
    const of = { collegeName: "理学院", grade: "2024" };
    return [
      ["PUT", `${tuition}/payableinfo/update`, { id, collegeName: "文学院" }],
      ["PUT", `${tuition}/payableinfo/update`, { id: inside["id"], ...of }, "10008"],
      ["POST", `${tuition}/payableinfo/save`, samplePayable({ studentNo: "new", ...of }), "10008"],
      ["DELETE", `${tuition}/payableinfo/delete/${id}`, undefined],
      ["PUT", `${tuition}/payableinfo/pay/${id}/true`, undefined],
      ["POST", `${tuition}/payableinfo/adjust/${id}`, { kind: "cash", evidence: "收据" }],
      ["PUT", `${tuition}/payableinfo/adjust/${adjustment}/undo`, { reason: "误" }],
      ["POST", `${tuition}/payableinfo/import`, await writePayables([{ 学号: String(card), 学院: "文学院" }]), "10008"],
    ];
  },
  unknown: ["10005", "10014"],
  tables: ["tuition_payment.payable", "tuition_payment.adjustment"],
});

const writeClinics = (hospital: string): Promise<Buffer> =>
  buffer(
    writeWorkbook({
      sheetName: "发热门诊",
      columns: ["医院名称", "发热门诊人数", "流行病学史人数"].map((header) => ({ header })),
      rows: [[[hospital, 1, 0]]],
    }),
  );
const clinic = "/disease-command/feverClinicOfHospitalStatistics";
const today = Temporal.Now.plainDateISO("Asia/Shanghai").toString();
walk({
  service: "disease-command",
  scope: { hospitalName: ["一院"], itemNo: ["XM-1"] },
  seed: async (isInside, by) => {
    const post = (path: string, body: unknown) => app.call("POST", path, { token: by.token, body });
    const hospitalName = isInside ? "一院" : "二院";
    const day = { statisticsDate: today, hospitalName, feverClinicCount: 3, epidemicCount: 0 };
    const made = await post(`${clinic}/save`, { datas: [day, { ...day, statisticsDate: "2026-01-01" }] });
    const toilet = await post("/disease-command/toilet/save", sampleToilet(isInside ? 1 : 2));
    assert.deepEqual([made.json.code, toilet.json.code], ["0", "0"]);
    const id = await app.pool.value<number>`
      select max(id) from disease_command.fever_clinic where hospital = ${hospitalName} and statistics_date = ${today}::date`;
    return { id, toilet: Number(toilet.json.data) };
  },
  reads: [
    ...["list", "list?hospitalName=", "list?orderField=feverClinicCount", "lastData"].map(
      (path) => `${clinic}/${path}`,
    ),
    "/disease-command/toilet/page",
  ],
  alike: [`${clinic}/importTemplate`],
  ofOne: ["/disease-command/toilet/info/{toilet}"],
  writes: async ({ id, toilet }, inside) => [
    [
      "POST",
      `${clinic}/save`,
      { datas: [{ statisticsDate: today, hospitalName: "二院", feverClinicCount: 1, epidemicCount: 0 }] },
      "10008",
    ],
    ["POST", `${clinic}/saveByExcel/${today}`, await writeClinics("二院"), "10008"],
    ["POST", `${clinic}/saveByExcel/2026-01-01`, await writeClinics("一院"), "10008"],
    ["PUT", `${clinic}/update`, { id, feverClinicCount: 9 }],
    ["PUT", `${clinic}/update`, { id: inside["id"], hospitalName: "二院" }, "10008"],
    ["DELETE", `${clinic}/delete`, [id]],
    ["POST", "/disease-command/toilet/save", sampleToilet(3), "10008"],
    ["PUT", "/disease-command/toilet/update", { id: toilet, numOfMan: 1 }],
    ["PUT", "/disease-command/toilet/update", { id: inside["toilet"], itemNo: "XM-2" }, "10008"],
    ["DELETE", "/disease-command/toilet/delete", [toilet]],
  ],
  unknown: ["10005"],
  tables: ["disease_command.fever_clinic", "disease_command.toilet"],
});

const attendance = "/attendance/month";
const month = "2025-03";
const made = makeMonth({ month, people: 14, seed: 7, generation: 2026 });
const range = { generation: 2026 as const, start: `${month}-01`, end: `${month}-31` };
// The first four people are inside the scope: one has two departments, and two are in sub-departments.
const departments = ["人事处", "人事处-档案科", "教务处,人事处/薪酬科", "人事处"];
const strangers = made.employees.slice(departments.length);
const isOfScope = ({ userId }: { readonly userId: string }) =>
  made.employees.slice(0, departments.length).some((one) => one.userId === userId);

walk({
  service: "attendance",
  scope: { department: ["人事处"] },
  seed: async (isInside, by) => {
    const { send, analyse, put, get } = await openAttendance(app, by.token);
    const chosen = <T extends { readonly userId: string }>(lines: readonly T[]) =>
      isInside ? lines.filter(isOfScope) : [...lines.filter(isOfScope), ...lines.filter((line) => !isOfScope(line))];
    const lines = chosen(made.monthLines).map((line, n) => ({
      ...line,
      figures: { ...line.figures, attendanceDay: 40 },
      department: departments[n] ?? (n % 2 ? "人事处二" : ""),
    }));
    if (!isInside) {
      assert.equal((await put("unlock", { month, reason: "补录" })).json.code, "0");
      await app.pool`delete from attendance.version_row`;
      await app.pool`delete from attendance.version`;
    }
    await send("month", [monthSheet({ ...range, lines })]);
    // People outside the scope are wrongly marked as late, so that a warning names them.
    const punches = chosen(made.punchLines).map((line) => (isOfScope(line) ? line : { ...line, result: "迟到" }));
    await send("original", [originalSheet({ ...range, lines: punches })]);
    await send("work", [identitySheet(chosen(made.identityLines))]);
    assert.equal((await analyse(month)).statu, 2);
    const { list } = (await get("employees", { month, pageSize: 100 })).json.data;
    const who = list.find(({ userId }: { userId: string }) => isOfScope({ userId }) === isInside);
    const { workNum, userId } = who;
    const said = { month, userId, day: 4, correction: { kind: "none" }, evidence: "x" };
    const correction = await app.call("POST", "/attendance/correction", { token: by.token, body: said });
    const own = { headers: { employee_no: workNum || userId } };
    const sent = await app.call("POST", "/attendance/own/upload", { ...own, file: ["a.txt", Buffer.from("a file")] });
    const file = sent.json.data as string;
    const body = { month, day: 5, kind: "forgot", text: "x", files: [file] };
    const objection = (await app.call("POST", "/attendance/own/objection", { ...own, body })).json.data.id;
    const { json } = await put("lock", { month });
    return { version: json.data, userId, workNum, file, objection, correction: Number(correction.json.data) };
  },
  reads: [
    ...["downLoad?", "downLoad?format=xlsx&", "downLoad?curPage=1&pageSize=5&"].map(
      (path) => `${attendance}/${path}month=${month}`,
    ),
    `${attendance}/employees?month=${month}&pageSize=100`,
    ...["months", `queryAnalyseStatu?month=${month}`, `versions?month=${month}`].map((path) => `${attendance}/${path}`),
    `${attendance}/departments?month=${month}`,
    `${attendance}/differences?month=${month}`,
    `${attendance}/confirmations?month=${month}`,
    ...["correction", "objection/list"].map((path) => `/attendance/${path}?month=${month}`),
    ...["versions/{version}", "versions/{version}?format=xlsx", `compare?month=${month}&version={version}`].map(
      (path) => `${attendance}/${path}`,
    ),
  ],
  alike: [`${attendance}/te`, `${attendance}/title?month=${month}`],
  ofOne: [`${attendance}/explain?month=${month}&userId={userId}`, "/attendance/objection/file/{file}"],
  writes: async ({ userId, correction, objection }) => {
    const { put } = await openAttendance(app, (await app.signIn("platform")).token);
    await put("unlock", { month, reason: "补录" });
    const said = { month, userId, day: 6, correction: { kind: "none" }, evidence: "x" };
    return [
      ["POST", "/attendance/correction", said],
      ["PUT", "/attendance/correction", { id: correction, reason: "x" }],
      ["PUT", `/attendance/objection/judge/${objection}`, { accept: true }],
    ];
  },
  unknown: ["10005"],
  passedOver: /Time$|^(?:import|id|version|number|waring|employee)$/,
  mark: new RegExp(strangers.flatMap(({ userId, name }) => [userId, name]).join("|")),
  tables: ["attendance.roster", "attendance.correction", "attendance.objection"],
});

test("what is said beside the rows of a month that is not locked names nobody outside either", async () => {
  const one = await app.signIn("attendance");
  await app.pool`update platform.account set scope = '{"department": ["人事处"]}' where id = ${one.id}`;
  const [, notes] = (await read(one, `${attendance}/downLoad?month=${month}&format=xlsx`)) as unknown[][];
  const told = JSON.stringify(notes);
  assert.match(told, new RegExp(`${made.employees[0]?.name} ${month}-04`), "a correction of one's own");
  assert.doesNotMatch(told, new RegExp(strangers.map(({ name }) => name).join("|")));
});

const relay = "/wx/push";
walk({
  service: "push-relay",
  scope: { project: ["甲系统"] },
  seed: async (isInside, by) => {
    const project = isInside ? "甲系统" : "乙系统";
    const ask = async (method: string, path: string, more: object) =>
      getData(await app.call(method, relay + path, { token: by.token, ...more }));
    const id = Number(await ask("POST", "/addPushProject", { body: { url: "http://waiting.invalid/", project } }));
    await ask("PUT", "/project/pause", { query: { id } });
    // A project receives only events after its creation, so the project added later gets the whole directory instead.
    if (isInside) await (await registerCampus(app, by)).tell("addUser", { card_number: "10", name: "安宁" });
    else await ask("POST", "/project/backfill", { query: { id } });
    const { list } = await ask("GET", "/delivery/page", { query: { projectId: id } });
    return { id, delivery: list[0].id };
  },
  reads: [
    "queryPushProject",
    "delivery/page",
    "delivery/page?status=pending",
    "delivery/page?subject=10",
    "project/health",
  ].map((path) => `${relay}/${path}`),
  ofOne: ["delivery/info/{delivery}", "delivery/exchange/{delivery}", "project/secret?id={id}"].map(
    (path) => `${relay}/${path}`,
  ),
  writes: ({ id, delivery }) => [
    ["POST", `${relay}/delivery/replay`, { ids: [delivery] }],
    ["POST", `${relay}/delivery/replay`, { projectId: id, since: "2026-01-01 00:00:00" }],
    ...["project/test", "project/backfill"].map((path) => ["POST", `${relay}/${path}?id=${id}`, undefined] as const),
    ...["pause", "resume", "rotateSecret", "rotateKey"].map(
      (path) => ["PUT", `${relay}/project/${path}?id=${id}`, undefined] as const,
    ),
  ],
  unknown: ["16000"],
  passedOver: /^since$/,
  tables: ["push_relay.project", "push_relay.project_key", "push_relay.delivery"],
});

test("an import puts nothing outside of a scope, and takes nothing from there", async () => {
  const one = await app.signIn("tuition-payment", { isSuper: true });
  await app.pool`update platform.account set scope = '{"college": ["文学院"]}' where id = ${one.id}`;
  const told = await digest(["tuition_payment.payable"]);
  const outside = await app.pool.value<string>`
    select student_no from tuition_payment.payable where college_name = '理学院' and paid_by is null limit 1`;
  for (const row of [
    { 学号: "n1", 学院: "理学院" },
    { 学号: "n1", 学院: "" },
    { 学号: outside, 学院: "文学院" },
  ]) {
    const file = await writePayables([{ 学号: "n0", 学院: "文学院" }, row]);
    for (const fields of [{ dryRun: "true" }, {}, { replace: "true" }]) {
      const answer = await app.call("POST", `${tuition}/payableinfo/import`, {
        token: one.token,
        file: ["x.xlsx", file],
        fields,
      });
      assert.equal(answer.json.code, "10008", JSON.stringify([row, fields]));
    }
  }
  assert.deepEqual(await digest(["tuition_payment.payable"]), told);
  const file = await writePayables([{ 学号: "n0", 学院: "文学院" }]);
  const answer = await app.call("POST", `${tuition}/payableinfo/import`, { token: one.token, file: ["x.xlsx", file] });
  assert.equal(answer.json.data, "1");
});

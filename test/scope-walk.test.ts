import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import type { Scope } from "#platform/contract/scope.ts";
import { writeWorkbook } from "#platform/workbooks/index.ts";
import { contracts } from "#quintet/app.ts";
import { type SignedIn, startTestApp } from "#test/app.ts";
import { readSheet } from "#test/audit/read-sheet.ts";
import { sampleToilet } from "#test/disease-command.ts";
import { openOrders } from "#test/orders.ts";
import { sampleReport } from "#test/sample-report.ts";
import { samplePayable, writePayables } from "#test/tuition-payment.ts";

// Every operation that keeps to scopes, by an account that has one beside one that has none. What lies outside is made
// last: whatever the scope shows then must be, to the letter, what everybody was shown before there was anything else.

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });

type Ids = Readonly<Record<string, string | number>>;
type Write = readonly [method: string, path: string, body: unknown, code?: string];

interface Ground {
  readonly service: string;
  readonly scope: Scope;
  /** Makes records in the scope, or outside of it; returns by what calls name them. */
  readonly seed: (isInside: boolean, by: SignedIn) => Promise<Ids>;
  /** Reads of all that there is; outside there is some of it. */
  readonly reads: readonly string[];
  /** Reads that tell nobody more than others. */
  readonly alike?: readonly string[];
  /** Reads of one record, which `{name}` names. */
  readonly ofOne: readonly string[];
  /** Writes to what lies outside, or that would put something there, with the code of their refusal; left out: unknown. */
  readonly writes: (outside: Ids, inside: Ids) => readonly Write[] | Promise<readonly Write[]>;
  readonly unknown: readonly string[];
  readonly tables: readonly string[];
}

const fill = (path: string, ids: Ids) => path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));

/** What an answer tells: its data, the rows of a workbook, or its text. */
async function read(by: SignedIn, path: string): Promise<unknown> {
  const response = await fetch(app.url + path, { headers: { admin_token: by.token } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.subarray(0, 2).toString() === "PK") return readSheet(bytes);
  return response.headers.get("content-type")?.startsWith("application/json")
    ? JSON.parse(bytes.toString())
    : bytes.toString();
}

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

/** Whether a path is of the operation, whatever stands in it. */
const isOf = (method: string, url: string) => {
  const pattern = new RegExp(`^${url.replace(/:\w+/g, "[^/?]+")}(\\?|$)`);
  return ([given, path]: readonly [string, string]) => given === method && pattern.test(path);
};

function walk({ service, scope, seed, reads, alike = [], ofOne, writes, unknown, tables }: Ground): void {
  test(`${service}: nothing from outside of a scope`, async (t) => {
    const all = await app.signIn(service, { isSuper: true });
    const inside = await seed(true, all);
    const paths = [...reads, ...alike, ...ofOne.map((path) => fill(path, inside))];
    const before = new Map<string, unknown>();
    for (const path of paths) before.set(path, await read(all, path));
    const outside = await seed(false, all);
    const one = await app.signIn(service, { isSuper: true });
    await app.pool`update platform.account set scope = ${JSON.stringify(scope)} where id = ${one.id}`;
    const leaks: string[] = [];
    for (const path of paths) {
      try {
        assert.deepEqual(await read(one, path), before.get(path));
      } catch (error) {
        leaks.push(`${path}: ${String(error).slice(0, 600)}`);
      }
    }
    for (const path of reads) assert.notDeepEqual(await read(all, path), before.get(path), `${path} tells of nothing`);
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
      ...[...paths, ...aimed].map((path) => ["GET", path] as const),
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
  reads: [`${report}/list`, `${report}/list?keyword=${encodeURIComponent("示例")}`, `${report}/download`],
  ofOne: [`${report}/info/{id}`, "{file}"],
  writes: ({ id }) => [
    ...["close", "valid", "invalid"].map((what) => ["DELETE", `${report}/${what}`, { itemId: id }] as const),
    ["DELETE", `${report}/delete`, { ids: [id] }],
    // It opens the download of whoever was given it.
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
  ofOne: [`${tuition}/payableinfo/info/{id}`, `${tuition}/order/info/{orderNo}`, `${tuition}/order/receipt/{orderNo}`],
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

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concernsAccounts } from "#platform/contract/rights.ts";
import { narrowTo, type Scope } from "#platform/contract/scope.ts";
import { type CallOptions, type SignedIn, startTestApp, testPassword } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { makeMonth, monthSheet } from "#test/attendance/workbooks.ts";
import { isLetIn, operations } from "#test/every-operation.ts";
import { sampleReport } from "#test/sample-report.ts";

const app = await startTestApp();
const operator = await app.signIn("platform");
type Caller = Pick<SignedIn, "token">;
const ask = (by: Caller | undefined, method: string, path: string, options: CallOptions = {}) =>
  app.call(method, path, { ...(by && { token: by.token }), ...options });
const code = async (...given: Parameters<typeof ask>) => String((await ask(...given)).json?.code);

async function narrow(service: string, scope: Scope): Promise<SignedIn> {
  const who = await app.signIn(service, service === "platform" ? {} : { isSuper: true });
  await app.pool`update platform.account set scope = ${JSON.stringify(scope)} where id = ${who.id}`;
  return who;
}

let names = 0;
const fresh = () => ({ userName: `scope-${++names}`, password: testPassword });
const save = (by: Caller, body: object) => code(by, "POST", "/platform/operator/save", { body });
const update = (by: Caller, body: object) => code(by, "PUT", "/platform/operator/update", { body });

describe("a scope", () => {
  test("has dimensions and values that there can be", async () => {
    for (const scope of [
      { planet: ["x"] },
      { trade: "教育" },
      { trade: [] },
      { trade: [1] },
      { trade: [""] },
      { trade: ["x".repeat(256)] },
      [],
      "教育",
    ])
      assert.notEqual(await save(operator, { ...fresh(), scope }), "0", JSON.stringify(scope));
    assert.equal(await save(operator, { ...fresh(), scope: { planet: ["x"] } }), "10001");
  });

  test("is given by nobody who has a narrower one, is the maker's where it is left out, and ends sessions", async () => {
    const own = { department: ["人事处"], trade: ["教育", "医疗"] };
    const limited = await narrow("platform", own);
    for (const [scope, expected] of [
      [null, "10008"],
      [{ trade: ["教育"] }, "10008"],
      [{ department: ["人事处", "后勤处"], trade: ["教育"] }, "10008"],
      [{ department: ["人事处二"], trade: ["教育"] }, "10008"],
      [{ department: ["人事处/档案"], trade: ["教育"], grade: ["2022"] }, "0"],
    ] as const)
      assert.equal(await save(limited, { ...fresh(), scope }), expected, JSON.stringify(scope));
    const made = fresh();
    assert.equal(await save(limited, made), "0");
    const login = await app.call("POST", "/platform/login", { body: made });
    assert.deepEqual(login.json.data.scope, { department: ["人事处"], trade: ["医疗", "教育"] });
    const session = await ask(login.json.data, "GET", "/platform/session/own");
    assert.deepEqual(session.json.data.scope, login.json.data.scope);
    assert.ok(!session.json.data.rights.includes("platform.audit"), "what tells of everything is closed");
    const { list } = (await ask(operator, "GET", "/platform/operator/list", { query: { pageSize: 1000 } })).json.data;
    const row = list.find(({ userName }: { userName: string }) => userName === made.userName);
    assert.deepEqual(row.scope, login.json.data.scope);
    assert.equal(await update(limited, { id: operator.id, password: "another-horse-9" }), "10008");
    assert.equal(await update(limited, { id: limited.id, scope: null }), "10008");
    assert.equal(await update(operator, { id: row.id, scope: { trade: ["教育"] } }), "0");
    assert.equal(await code(login.json.data, "GET", "/platform/session/own"), "10006");
    assert.equal(await update(limited, { id: row.id, name: "wider than mine" }), "10008");
    assert.equal(await update(operator, { id: row.id, scope: null }), "0");
  });

  for (const [service, at, add, given, scope] of [
    ["reporting", "/reporting/user", "add", { name: "N", adminType: 1, status: 1 }, { company: ["甲"] }],
    ["tuition-payment", "/tuitionpayment/admininfo", "save", { adminType: "0", status: "1" }, { college: ["文学院"] }],
    ["disease-command", "/disease-command/adminInfo", "save", { adminType: "0", status: "1" }, { itemNo: ["7"] }],
  ] as const)
    test(`is a field of the administrators of ${service}, of their own dimensions alone`, async () => {
      const boss = await app.signIn(service, { isSuper: true });
      const made = { ...fresh(), ...given, scope };
      assert.equal(await code(boss, "POST", `${at}/${add}`, { body: { ...made, scope: { project: ["x"] } } }), "10001");
      assert.equal(await code(boss, "POST", `${at}/${add}`, { body: made }), "0");
      const { data } = (await app.call("POST", `${at}/login`, { body: made })).json;
      assert.deepEqual(data.scope, scope);
      const { list } = (await ask(boss, "GET", `${at}/list`, { query: { pageSize: 1000 } })).json.data;
      const row = list.find(({ userName }: { userName: string }) => userName === made.userName);
      assert.deepEqual(row.scope, scope);
      assert.equal(
        await code(data, "PUT", `${at}/update`, { body: { id: boss.id, password: "another-horse-9" } }),
        "10008",
      );
      const last = await code(operator, "PUT", `${at}/update`, { body: { id: boss.id, scope } });
      assert.equal(last, "10008", "the last one who sees everything stays");
    });

  test("keeps whoever has it out of every operation that does not keep to it", async (t) => {
    const wrong: string[] = [];
    for (const { name: service, dimensions = {} } of new Set(operations.map(({ contract }) => contract))) {
      const [dimension] = Object.keys(dimensions);
      if (dimension === undefined) continue;
      const who = await narrow("platform", { [dimension]: ["nothing has it"] });
      for (const operation of operations.filter(({ contract }) => contract.name === service)) {
        const { endpoint, takes, name } = operation;
        const isOpen = endpoint.scoped === true || concernsAccounts(takes);
        if ((await isLetIn(app, who, operation)) !== isOpen) wrong.push(`${service} ${name}`);
      }
    }
    t.diagnostic(
      `${operations.filter(({ endpoint }) => endpoint.scoped).length} of ${operations.length} operations keep to scopes`,
    );
    assert.deepEqual(wrong, []);
    assert.equal(narrowTo({ trade: ["x"] }, { grade: { label: { zh: "", en: "" } } }), null);
    const audit = await narrow("platform", { project: ["x"] });
    for (const path of ["/platform/audit", "/platform/health", "/metrics"])
      assert.equal(await code(audit, "GET", path), "10008", path);
  });

  test("offers the values that there are, to those who see them", async () => {
    const asked = { query: { service: "reporting" } };
    for (const trade of ["农业", "林业"])
      await ask(undefined, "POST", "/reporting/informationReporting/add", { body: sampleReport({ trade }) });
    const all = (await ask(operator, "GET", "/platform/scopes", asked)).json.data;
    assert.deepEqual(
      all.map(({ dimension }: { dimension: string }) => dimension),
      ["trade", "company"],
    );
    assert.ok(["农业", "林业"].every((trade) => all[0].values.includes(trade)));
    const one = await narrow("reporting", { trade: ["农业"] });
    assert.deepEqual((await ask(one, "GET", "/platform/scopes", asked)).json.data[0].values, ["农业"]);
    assert.equal(await code(await app.signIn("tuition-payment"), "GET", "/platform/scopes", asked), "10008");
    assert.equal(await code(operator, "GET", "/platform/scopes", { query: { service: "library" } }), "10001");
  });
});

test("reports outside of it are unknown to lists, totals, exports, files, histories and verdicts", async () => {
  const at = "/reporting/informationReporting";
  const all = await app.signIn("reporting");
  const one = await narrow("reporting", { trade: ["渔业"], company: ["甲公司"] });
  const sent = await app.call("POST", "/reporting/file/fileUpDown", { file: ["a.txt", Buffer.from("a file")] });
  const file = sent.json.data as string;
  const made: number[] = [];
  for (const [trade, company, rest] of [
    ["渔业", "甲公司", {}],
    ["渔业", "乙公司", { file }],
    ["牧业", "甲公司", {}],
  ] as const) {
    const { json } = await ask(undefined, "POST", `${at}/add`, { body: sampleReport({ trade, company, ...rest }) });
    made.push(Number(json.data));
  }
  const [inside = 0, ...outside] = made;
  for (const query of [
    {},
    { keyword: "示例" },
    { trade: "渔业" },
    { company: "公司" },
    { orderField: "name" },
    { delStatus: 1 },
  ]) {
    const { data } = (await ask(one, "GET", `${at}/list`, { query })).json;
    assert.deepEqual(
      [data.totalCount, data.list.map(({ id }: { id: number }) => id)],
      [1, [inside]],
      JSON.stringify(query),
    );
  }
  assert.equal((await ask(one, "GET", `${at}/list`, { query: { trade: "牧业" } })).json.data.totalCount, 0);
  assert.ok((await ask(all, "GET", `${at}/list`)).json.data.totalCount >= 3);
  const sizes = await Promise.all(
    [one, all].map(async ({ token }) => {
      const answer = await fetch(`${app.url}${at}/download`, { headers: { admin_token: token } });
      return (await answer.arrayBuffer()).byteLength;
    }),
  );
  assert.ok((sizes[0] ?? 0) < (sizes[1] ?? 0));
  assert.equal((await ask(all, "GET", file)).status, 200);
  assert.equal(await code(one, "GET", file), "10005");
  for (const id of outside) {
    assert.equal(await code(one, "GET", `${at}/info/${id}`), "10005");
    for (const what of ["close", "valid", "invalid"])
      assert.equal(await code(one, "DELETE", `${at}/${what}`, { body: { itemId: id } }), "10005", what);
  }
  assert.equal(await code(one, "DELETE", `${at}/delete`, { body: { ids: outside } }), "10005");
  assert.equal((await ask(one, "DELETE", `${at}/delete`, { body: { ids: made } })).json.data, "1");
  assert.equal(await code(one, "GET", `${at}/info/${inside}`), "0");
});

test("a hospital sees and enters its own figures, of today and yesterday, and who looks after toilets theirs", async () => {
  const at = "/disease-command/feverClinicOfHospitalStatistics";
  const all = await app.signIn("disease-command");
  const own = await narrow("disease-command", { hospitalName: ["一院"] });
  const day = (back: number) => Temporal.Now.plainDateISO("Asia/Shanghai").subtract({ days: back }).toString();
  const figures = (hospitalName: string, back: number) => ({
    statisticsDate: day(back),
    hospitalName,
    feverClinicCount: 3,
    epidemicCount: 0,
  });
  const enter = (by: Caller, ...datas: object[]) => code(by, "POST", `${at}/save`, { body: { datas } });
  assert.equal(await enter(all, figures("一院", 9), figures("二院", 0), figures("二院", 9)), "0");
  assert.equal(await enter(own, figures("一院", 0), figures("一院", 1)), "0");
  assert.equal(await enter(own, figures("一院", 2)), "10008", "what is older has been reported");
  assert.equal(await enter(own, figures("一院", -1)), "10008", "tomorrow's figures are not known");
  assert.equal(await enter(own, figures("一院", 0), figures("二院", 0)), "10008", "another's, and nothing of it");
  const list = async (by: Caller | undefined, path = "list") => {
    const { data } = (await ask(by, "GET", `${at}/${path}`)).json;
    return (data.list ?? data) as { id: number; hospitalName: string; statisticsDate: string }[];
  };
  const seen = await list(own);
  assert.deepEqual(
    seen.map(({ hospitalName }) => hospitalName),
    ["一院", "一院", "一院"],
  );
  assert.deepEqual(
    (await list(own, "lastData")).map(({ hospitalName }) => hospitalName),
    ["一院"],
  );
  assert.equal((await list(undefined)).length, 5, "they are there for everybody, as documented");
  const other = (await list(all)).find(({ hospitalName }) => hospitalName === "二院");
  const [old, yesterday] = [9, 1].map((back) => seen.find(({ statisticsDate }) => statisticsDate === day(back)));
  const change = (body: object) => code(own, "PUT", `${at}/update`, { body });
  assert.equal(await change({ id: other?.id, feverClinicCount: 9 }), "10005");
  assert.equal(await change({ id: old?.id, feverClinicCount: 9 }), "10008");
  assert.equal(await change({ id: yesterday?.id, hospitalName: "二院" }), "10008");
  assert.equal(await change({ id: yesterday?.id, statisticsDate: day(5) }), "10008");
  assert.equal(await change({ id: yesterday?.id, feverClinicCount: 9 }), "0");
  const remove = (ids: unknown[]) => code(own, "DELETE", `${at}/delete`, { body: ids });
  assert.equal(await remove([other?.id]), "10005");
  assert.equal(await remove([old?.id]), "10008");

  const toilet = (name: string, itemNo?: string) => ({
    name,
    addrDesc: "x",
    level: "一类",
    area: "20",
    longitudeAndLatitude: "114.3,30.5",
    ...(itemNo && { itemNo }),
    numOfBarrierFree: 1,
    numOfThird: 1,
    numOfMan: 1,
    numOfWoman: 1,
    numOfCommon: 1,
  });
  const keeper = await narrow("disease-command", { itemNo: ["7"] });
  const add = (by: Caller, body: object) => code(by, "POST", "/disease-command/toilet/save", { body });
  assert.deepEqual(
    [await add(all, toilet("八号", "8")), await add(keeper, toilet("七号", "7")), await add(keeper, toilet("无号"))],
    ["0", "0", "10008"],
  );
  assert.equal(await add(own, toilet("医院的", "7")), "10008", "a hospital has no toilets");
  const count = async (by: Caller) => (await ask(by, "GET", "/disease-command/toilet/page")).json.data.totalCount;
  assert.deepEqual([await count(all), await count(keeper), await count(own)], [2, 1, 0]);
  assert.equal((await list(keeper)).length, 0);
});

test("departments as they were in each month: renamed, several of one person, one that is gone", async () => {
  const { send, analyse } = await openAttendance(app, operator.token);
  const { employees, monthLines } = makeMonth({ month: "2025-04", people: 3, seed: 1, generation: 2026 });
  const [moved, both, neither] = employees.map(({ userId }) => userId);
  for (const [month, days, ...departments] of [
    ["2025-04", 30, "人事处", "教务处,人事处/档案科", "人事处二"],
    ["2025-05", 31, "人力资源处", "教务处, 人事处/档案科", "人事处二"],
  ] as const) {
    const lines = monthLines.map((line, n) => ({ ...line, department: departments[n] ?? "" }));
    await send("month", [monthSheet({ generation: 2026, start: `${month}-01`, end: `${month}-${days}`, lines })]);
    assert.equal((await analyse(month)).statu, 2);
  }
  const see = async (scope: Scope, path: string) => {
    const by = await narrow("platform", scope);
    const { json } = await ask(by, "GET", `/attendance/month/${path}`);
    return json.data.map(({ userId }: { userId: string }) => userId);
  };
  for (const [department, first, second] of [
    ["人事处", [moved, both], [both]],
    ["人力资源处", [], [moved]],
    ["教务处", [both], [both]],
    ["人事处/档案科", [both], [both]],
    ["人事处二", [neither], [neither]],
    ["没有的处", [], []],
  ] as const) {
    const scope = { department: [department] };
    const seen = await Promise.all(["2025-04", "2025-05"].map((month) => see(scope, `downLoad?month=${month}`)));
    const expected = [first, second].map((those) => [...those].toSorted());
    assert.deepEqual(
      seen.map((those) => those.toSorted()),
      expected,
      department,
    );
    const months = (await ask(await narrow("platform", scope), "GET", "/attendance/month/months")).json.data;
    const counted = months.map(({ employees: count }: { employees: number }) => count);
    assert.deepEqual(
      counted,
      [second.length, first.length].filter((count) => count > 0),
      "no month without anybody",
    );
  }
  const beside = await ask(await narrow("platform", { department: ["人事处"] }), "GET", "/attendance/month/compare", {
    query: { month: "2025-04", with: "2025-05" },
  });
  const sides = beside.json.data.map(({ userId, month, with: other }: Record<string, unknown>) => [
    userId,
    month !== null,
    other !== null,
  ]);
  assert.deepEqual(
    sides.toSorted(),
    [
      [moved, true, false],
      [both, true, true],
    ].toSorted(),
    "who moved away is not followed",
  );
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { sql } from "#platform/database/index.ts";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { lineOf, plainPunches, punchesOf } from "#test/attendance/plain-sheets.ts";
import { identitySheet, makeMonth, monthSheet } from "#test/attendance/workbooks.ts";
import { meetAtLock } from "#test/meeting.ts";
import { pick } from "#test/pick.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token, userName } = await app.signIn("platform");
const { get, send, analyse, ...calls } = await openAttendance(app, token);

describe("a month that is locked stays as it is, whatever is sent, and its versions stay for good", () => {
  const month = "2026-05";
  const made = makeMonth({ month, people: 30, seed: 3, generation: 2026 });
  const other = makeMonth({ month, people: 28, seed: 4, generation: 2026 });

  const put = async (target: string, body: unknown) => (await calls.put(target, body)).json;
  const lock = (note = "", of = month) => put("lock", { month: of, note });
  const unlock = (reason = "补卡已审批", of = month) => put("unlock", { month: of, reason });
  const versions = async () => (await get("versions", { month })).json.data;
  const download = async () => (await get("downLoad", { month })).json.data as Record<string, unknown>[];
  const monthRow = async () => (await get("months")).json.data.find((each: { month: string }) => each.month === month);

  async function importMonth({ monthSheet, originalSheet }: typeof made): Promise<void> {
    assert.equal((await send("month", [monthSheet])).json.code, "0");
    assert.equal((await send("original", [originalSheet])).json.code, "0");
  }

  test("only a finished month can be locked, and only a locked one unlocked", async () => {
    assert.equal((await lock()).code, "10005");
    assert.equal((await unlock()).code, "10005");
    await importMonth(made);
    assert.equal((await lock()).code, "10005");
    await analyse(month);
    assert.equal((await unlock()).code, "10007");
    for (const [target, body] of [
      ["lock", {}],
      ["lock", { month: "2026-13" }],
      ["lock", { month, note: 1 }],
      ["lock", { month, note: "长".repeat(256) }],
      ["unlock", { month }],
      ["unlock", { month, reason: " " }],
    ] as const)
      assert.match((await put(target, body)).code, /^1000[12]$|^10026$/, JSON.stringify(body));
    assert.deepEqual(await versions(), []);
  });

  test("a locked month refuses what would change it, and says which version it is", async () => {
    const rows = await download();
    const { code, data: id } = await lock("五月定稿");
    assert.equal(code, "0");
    assert.equal((await lock()).code, "10007");
    const before = await monthRow();
    assert.deepEqual(
      [before.locked.version, before.locked.number, before.locked.note, before.locked.lockedBy],
      [Number(id), 1, "五月定稿", userName],
    );
    assert.deepEqual((await get("queryAnalyseStatu", { month })).json.data.locked, before.locked);
    const [person] = made.employees;
    const refused = [
      (await send("month", [other.monthSheet])).json,
      (await send("original", [other.originalSheet])).json,
      (await send("original", [other.originalSheet], { month })).json,
      (await get("analyse", { month })).json,
      await put("match", { month, sheet: "original", person: { name: person?.name }, userId: "" }),
    ];
    for (const { code: refusal, message } of refused)
      assert.deepEqual([refusal, /已锁定/.test(message)], ["10007", true]);
    const latest = (await get("imports", { month, pageSize: 1 })).json.data.list[0];
    assert.deepEqual([latest.outcome, /已锁定/.test(latest.waring)], ["failed", true]);
    assert.deepEqual(await download(), rows);
    assert.deepEqual(await monthRow(), before);
    const { data: explained } = (await get("explain", { month, userId: person?.userId })).json;
    assert.ok(explained.figures.length > 0);
  });

  test("identity lists and settings may change, and do not touch it", async () => {
    const [rows, before] = [await download(), await monthRow()];
    assert.equal((await send("work", [made.identitySheet], { month })).json.code, "0");
    const body = { bucketEdges: [5, 10] };
    assert.equal((await app.call("PUT", "/attendance/month/settings", { token, body })).json.code, "0");
    assert.deepEqual(await download(), rows);
    assert.deepEqual([(await monthRow()).statu, (await monthRow()).locked], [2, before.locked]);
    await app.call("PUT", "/attendance/month/settings", { token, body: { bucketEdges: [20, 30] } });
  });

  test("downloads of it name the version, and are in the audit log with it", async () => {
    const ask = (query: string) =>
      fetch(`${app.url}/attendance/month/downLoad?month=${month}${query}`, { headers: { admin_token: token } });
    const [json, book] = [await ask(""), await ask("&format=xlsx")];
    assert.match(json.headers.get("content-disposition") ?? "", /attendance-2026-05-v1\.json/);
    assert.match(book.headers.get("content-disposition") ?? "", /attendance-2026-05-v1\.xlsx/);
    const department = encodeURIComponent("教务处/二科");
    const part = await ask(`&format=xlsx&department=${department}`);
    const named = encodeURIComponent("attendance-2026-05-v1-教务处-二科.xlsx");
    assert.equal(part.headers.get("content-disposition"), `attachment; filename*=UTF-8''${named}`);
    assert.equal((await ask(`&department=${department}`)).status, 200);
    const notes = await Array.fromAsync(
      streamXlsxRows(Buffer.from(await book.arrayBuffer()), { sheet: 1 }),
      ({ values }) => values.join(" "),
    );
    assert.match(notes.join("\n"), /^版本 第 1 版，.* 锁定$/m);
    assert.ok(notes.includes("备注 五月定稿"));
    const [line] = await app.pool`
    select records from platform.audit where action = 'download' order by id desc limit 1`;
    assert.deepEqual(line?.["records"], [month, "version 1"]);
  });

  test("a download that names the version has its rows, though the month is unlocked and changed meanwhile", async () => {
    const rows = await download();
    const [answer] = await meetAtLock(
      app.pool,
      async (tx) => {
        await tx`lock table platform.audit in exclusive mode`;
        await tx`update attendance.month set version_id = null where month = ${month}`;
        await tx`delete from attendance.result where month = ${month} and row > 1`;
      },
      () => [get("downLoad", { month })],
    );
    assert.match(answer?.headers.get("content-disposition") ?? "", /attendance-2026-05-v1\.json/);
    assert.deepEqual(answer?.json.data, rows);
    await analyse(month);
    await app.pool`
      update attendance.month set version_id = (select max(id) from attendance.version where month = ${month})
      where month = ${month}`;
  });

  test("a version stays what it was, and the month is compared with it", async () => {
    const rows = await download();
    assert.equal((await unlock()).code, "0");
    assert.equal((await unlock()).code, "10007");
    assert.equal((await monthRow()).locked, null);
    assert.equal((await monthRow()).statu, 2, "it goes on as it was");
    await importMonth(other);
    await analyse(month);
    const changed = await download();
    assert.notDeepEqual(changed, rows);
    const { data: second } = await lock();
    const [newest, oldest] = await versions();
    assert.deepEqual(
      [newest.id, newest.number, newest.employees, newest.unlockTime, oldest.number, oldest.employees, oldest.reason],
      [Number(second), 2, 28, null, 1, 30, "补卡已审批"],
    );
    assert.deepEqual([oldest.unlockedBy, oldest.covered], [userName, (await monthRow()).covered]);
    assert.deepEqual((await get(`versions/${oldest.id}`)).json.data, rows);
    assert.deepEqual((await get(`versions/${newest.id}`)).json.data, changed);
    const page = (await get(`versions/${oldest.id}`, { curPage: 2, pageSize: 20 })).json.data;
    assert.deepEqual([page.totalCount, page.list], [30, rows.slice(20)]);
    assert.equal((await get("versions/987654")).json.code, "10005");

    const { data: pairs } = (await get("compare", { month, version: oldest.id })).json;
    assert.equal(pairs.length, 30);
    const find = (side: typeof rows, userId: string) => {
      const row = side.find((each) => each["userId"] === userId);
      return row ? { ...row, extra: {} } : null;
    };
    for (const { userId, month: now, with: then } of pairs)
      assert.deepEqual([now, then], [find(changed, userId), find(rows, userId)]);
    const differing = pairs.filter(
      ({ month: now, with: then }: { month: unknown; with: unknown }) => JSON.stringify(now) !== JSON.stringify(then),
    );
    assert.deepEqual((await get("compare", { month, version: oldest.id, changed: "true" })).json.data, differing);
    assert.deepEqual((await get("compare", { month, version: newest.id, changed: "true" })).json.data, []);
    assert.equal((await get("compare", { month, version: oldest.id, with: "2026-04" })).json.code, "10001");
    assert.equal((await get("compare", { month, version: 987_654 })).json.code, "10005");
  });

  test("a version and a comparison are workbooks too", async () => {
    const [, oldest] = await versions();
    const read = async (target: string, sheet = 0) => {
      const response = await fetch(`${app.url}/attendance/month/${target}`, { headers: { admin_token: token } });
      assert.equal(response.status, 200);
      return Array.fromAsync(
        streamXlsxRows(Buffer.from(await response.arrayBuffer()), { sheet }),
        ({ values }) => values,
      );
    };
    const rows = await read(`versions/${oldest.id}?format=xlsx`);
    assert.deepEqual([rows.length, rows[0]?.[0]], [31, "姓名"]);
    assert.ok((await read(`versions/${oldest.id}?format=xlsx`, 1)).length > 5);
    const [heading = [], ...compared] = await read(`compare?month=${month}&version=${oldest.id}&format=xlsx`);
    assert.equal(compared.length, 30);
    assert.ok(!heading.includes("身份证号"));
    const at = heading.indexOf("出勤合计天数 2026-05");
    assert.deepEqual(heading.slice(at, at + 3), ["出勤合计天数 2026-05", "出勤合计天数 第1版", "出勤合计天数 差"]);
    for (const row of compared)
      if (row[at] !== undefined && row[at] !== null) assert.equal(Number(row[at]) - Number(row[at + 1]), row[at + 2]);
  });

  test("every lock, unlock, version read and comparison is in the audit log, and opening a month is not", async () => {
    const count = async () => (await app.pool`select from platform.audit where service = 'attendance'`).length;
    const before = await count();
    for (const target of ["months", "queryAnalyseStatu", "unmatched", "versions", "imports", "employees"])
      assert.equal((await get(target, { month })).json.code, "0", target);
    await get("explain", { month, userId: made.employees[0]?.userId });
    assert.equal(await count(), before);
    const [, oldest] = await versions();
    await get(`versions/${oldest.id}`);
    await get("compare", { month, version: oldest.id });
    await app.call("HEAD", "/attendance/month/compare", { token, query: { month, version: oldest.id } });
    const lines = await app.pool`
    select action, records, detail from platform.audit
    where service = 'attendance' and action in ('lock', 'unlock', 'readVersion', 'compare') order by id`;
    const version = oldest.id;
    assert.deepEqual(lines.slice(0, 2), [
      { action: "lock", records: [month], detail: { version, note: "五月定稿" } },
      { action: "unlock", records: [month], detail: { version, reason: "补卡已审批" } },
    ]);
    const reads = [`readVersion ${month},version 1`, `compare ${month},version 1`];
    assert.deepEqual(pick(lines.slice(-2), "action", "records"), reads);
  });

  test("a lock, an unlock and an import at once leave one of their orders", async () => {
    await unlock();
    for (let round = 0; round < 2; round++) {
      await importMonth(round % 2 === 0 ? made : other);
      await analyse(month);
      const rows = await download();
      const known = (await versions()).length;
      const [locked, imported, unlocked] = await Promise.all([
        lock(),
        send("original", [made.originalSheet]).then(({ json }) => json),
        unlock(),
      ]);
      const { statu, locked: at } = await monthRow();
      const kept = (await versions()).slice(0, (await versions()).length - known);
      assert.equal(kept.length, locked.code === "0" ? 1 : 0);
      if (locked.code === "0")
        assert.deepEqual((await get(`versions/${locked.data}`)).json.data, rows, "the rows of before");
      else assert.deepEqual([locked.code, imported.code], ["10005", "0"], "the import came first");
      assert.ok(["0", "10007"].includes(imported.code) && ["0", "10007"].includes(unlocked.code));
      assert.equal(at !== null, locked.code === "0" && unlocked.code !== "0");
      assert.equal(statu, imported.code === "0" ? 0 : 2);
      if (at !== null) await unlock();
    }
  });
});

describe("people whom the rules find nobody for are settled by hand", () => {
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
  const summary = (month: string, extra: (typeof an)[] = []) => {
    const lines = [an, zhi, ...twin, ...extra].map((who) => lineOf(31, { attendanceDay: "1" }, who));
    return monthSheet({ generation, start: `${month}-01`, end: `${month}-31`, lines });
  };

  const stranger = employee("小安", "");
  const account = employee("测试账号", "");
  async function importMonth(month: string, extra: (typeof an)[] = []): Promise<void> {
    await send("month", [summary(month, extra)]);
    const [settled, others] = [punchesOf(month, 4, 4, an), punchesOf(month, 5, 6, stranger)];
    const lines = [...settled, ...others, ...punchesOf(month, 7, 7, account)];
    await send("original", [plainPunches(month, 1, 31, lines)]);
  }
  const match = async (body: Record<string, unknown>) => (await calls.put("match", body)).json;
  const settle = (userId: string | null, more: Record<string, unknown> = {}) =>
    match({ month: "2025-05", sheet: "original", person: { name: "小安" }, userId, ...more });
  const unmatched = async (month = "2025-05") => (await get("unmatched", { month })).json.data;
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
    await importMonth("2025-05");
    await analyse("2025-05");
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
      assert.equal((await match({ month: "2025-05", ...body })).code, code, JSON.stringify(body));
    assert.match((await settle(twin[0].userId)).message, /“行政班”、“弹性班”/);
    assert.equal((await get("queryAnalyseStatu", { month: "2025-05" })).json.data.statu, 2);
    assert.deepEqual(await strangers(), ["小安", "测试账号"]);
  });

  test("an unmatched person is listed with whom they may be", async () => {
    await send(
      "work",
      [identitySheet([{ name: "志 远", workNumber: "0042", userId: "9", idCard: "110101199001011237" }])],
      {
        month: "2025-05",
      },
    );
    const { people } = await unmatched();
    const found = people.find(
      ({ kind, workName }: { kind: string; workName: string }) => kind === "work" && workName === "志 远",
    );
    assert.deepEqual(found.candidates, [
      { workName: "志远", userId: zhi.userId, workNum: "0042", groupOfCheck: "全校考勤", department: "教务处" },
    ]);
    const { data } = (await get("employees", { month: "2025-05", keyword: "0042" })).json;
    assert.deepEqual([data.totalCount, data.list], [1, found.candidates]);
    assert.equal((await get("employees", { month: "2025-05", pageSize: 3 })).json.data.list.length, 3);
    assert.equal((await get("employees", { month: "2001-01" })).json.code, "10005");
  });

  test("settled as an employee, a person's rows are theirs; explain says so", async () => {
    assert.equal(await daysOf("2025-05", an.userId), 1);
    assert.deepEqual((await settle(an.userId)).data, "1");
    assert.equal((await get("queryAnalyseStatu", { month: "2025-05" })).json.data.statu, 0);
    assert.deepEqual((await settle(an.userId)).data, "0", "the same once more is nothing new");
    assert.deepEqual(await strangers(), ["测试账号"]);
    assert.equal(await daysOf("2025-05", an.userId), 3);
    const { people } = (await get("explain", { month: "2025-05", userId: an.userId })).json.data;
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
    assert.doesNotMatch((await get("queryAnalyseStatu", { month: "2025-05" })).json.data.waring, /原始记录中有/);
    assert.deepEqual(
      (await unmatched()).settled.map(({ as }: { as: unknown }) => as === null),
      [false, true],
    );
  });

  test("it is kept for the imports to come, in other months too, and can be undone", async () => {
    await importMonth("2025-07");
    assert.deepEqual(await strangers("2025-07"), []);
    assert.equal(await daysOf("2025-07", an.userId), 3);
    assert.equal((await settle(null)).data, "1");
    assert.equal((await settle(null)).code, "10005");
    assert.deepEqual(await strangers(), ["小安"]);
    assert.equal((await get("queryAnalyseStatu", { month: "2025-07" })).json.data.statu, 2);
    const { people } = (await get("explain", { month: "2025-07", userId: an.userId })).json.data;
    assert.equal(people.length, 2);
    assert.equal(await daysOf("2025-07", an.userId), 1);
  });

  test("of employees who share a userId the group says which", async () => {
    const [{ userId }] = twin;
    assert.equal((await settle(userId, { groupOfCheck: "弹性班" })).data, "1");
    await analyse("2025-05");
    const explain = async (groupOfCheck?: string) =>
      (await get("explain", { month: "2025-05", userId, ...(groupOfCheck === undefined ? {} : { groupOfCheck }) }))
        .json;
    const ambiguous = await explain();
    assert.deepEqual([ambiguous.code, /“行政班”、“弹性班”/.test(ambiguous.message)], ["10007", true]);
    assert.equal((await explain("弹性班")).data.row.attendanceDays, 2);
    assert.deepEqual((await explain("行政班")).data.people, []);
    assert.equal((await explain("没有的组")).code, "10005");
  });

  test("a row of the month sheet can be an employee's, or nobody's", async () => {
    const month = "2025-08";
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

  test("those of one sheet are settled at once, all or none, and taken back at once", async () => {
    const month = "2025-10";
    const guests = Array.from({ length: 30 }, (_, n) => employee(`外聘${n + 1}`, `90${n}`));
    await send("month", [summary(month)]);
    await send("original", [
      plainPunches(
        month,
        1,
        31,
        guests.flatMap((guest) => punchesOf(month, 4, 4, guest)),
      ),
    ]);
    await analyse(month);
    const orders = (userId: string | null, of = guests) =>
      of.map((guest) => ({ sheet: "original", person: { name: guest.name, userId: guest.userId }, userId }));
    const matchAll = async (matches: unknown, by = token) =>
      (await app.call("PUT", "/attendance/month/matches", { token: by, body: { month, matches } })).json;
    const names = guests.map(({ name }) => name).toSorted();
    const left = async () => (await strangers(month)).toSorted();
    const narrow = async (column: "rights" | "scope", value: string | string[]) => {
      const who = await app.signIn("platform");
      await app.pool`update platform.account set ${sql.identifier(column)} = ${value} where id = ${who.id}`;
      return who.token;
    };
    const [reader, scoped] = [
      await narrow("rights", ["attendance.read", "attendance.export"]),
      await narrow("scope", JSON.stringify({ department: ["教务处"] })),
    ];
    for (const [matches, code, by] of [
      [orders(""), "10008", reader],
      [orders(""), "10008", scoped],
      [[], "10001"],
      [orders("").concat(orders("", guests.slice(0, 1))), "10001"],
      [Array.from({ length: 2001 }, () => orders("")[0]), "10001"],
      [[...orders(""), { ...orders("")[0], person: { name: "没有的人" } }], "10005"],
      [orders("").concat(orders("999", [employee("外聘1", "")])), "10005"],
      [[...orders("", guests.slice(1)), ...orders("999", guests.slice(0, 1))], "10005"],
      [orders(null), "10005"],
    ] as const)
      assert.equal((await matchAll(matches, by)).code, code, JSON.stringify(matches).slice(-200));
    assert.deepEqual(await left(), names, "nobody is settled");
    assert.equal((await get("queryAnalyseStatu", { month })).json.data.statu, 2);
    await calls.put("lock", { month, note: "" });
    assert.equal((await matchAll(orders(""))).code, "10007");
    await calls.put("unlock", { month, reason: "外聘人员" });

    const [first, ...others] = guests;
    assert.equal((await matchAll([...orders("", others), ...orders(an.userId, first && [first])])).data, "30");
    assert.deepEqual(await left(), []);
    assert.equal((await matchAll(orders("", others))).data, "0", "the same once more is nothing new");
    assert.equal(await daysOf(month, an.userId), 1);
    assert.equal((await matchAll(orders(null))).data, "30");
    assert.deepEqual(await left(), names);
    const lines = await app.pool`
      select records, detail from platform.audit where action = 'matchAll' and outcome = 'done'`;
    assert.equal(lines.length, 3);
    assert.deepEqual(lines[0], { records: [month], detail: { people: 30, sheets: "original" } });
  });

  test("it is in the audit log", async () => {
    const [line] = await app.pool`
    select records, detail from platform.audit where action = 'match' and outcome = 'done' order by id limit 1`;
    assert.deepEqual(
      [line?.["records"], line?.["detail"]],
      [["2025-05"], { sheet: "original", name: "小安", userId: "", workNum: "", as: an.userId }],
    );
  });
});

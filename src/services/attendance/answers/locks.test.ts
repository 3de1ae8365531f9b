import assert from "node:assert/strict";
import { test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { makeMonth } from "#test/attendance/workbooks.ts";

// A month that is locked stays as it is, whatever is sent, and its versions stay for good.

const app = await startTestApp({ services: ["attendance"] });
const { token, userName } = await app.signIn("platform");
const { get, send, analyse, ...calls } = await openAttendance(app, token);

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
  const notes = await Array.fromAsync(
    streamXlsxRows(Buffer.from(await book.arrayBuffer()), { sheet: 1 }),
    ({ values }) => values.join(" "),
  );
  assert.ok(
    notes.some((line) => /^版本 第 1 版，.* 锁定$/.test(line)),
    notes.join("\n"),
  );
  assert.ok(notes.includes("备注 五月定稿"));
  const [line] = await app.pool`
    select records from platform.audit where action = 'download' order by id desc limit 1`;
  assert.deepEqual(line?.["records"], [month, "version 1"]);
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
  for (const { userId, month: now, with: then } of pairs) {
    assert.deepEqual(now, changed.find((row) => row["userId"] === userId) ?? null);
    assert.deepEqual(
      then,
      rows.find((row) => row["userId"] === userId),
    );
  }
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
  assert.deepEqual(
    lines.slice(0, 2).map((line) => [line["action"], line["records"], line["detail"]]),
    [
      ["lock", [month], { version: oldest.id, note: "五月定稿" }],
      ["unlock", [month], { version: oldest.id, reason: "补卡已审批" }],
    ],
  );
  assert.deepEqual(
    lines.slice(-2).map((line) => [line["action"], line["records"]]),
    [
      ["readVersion", [month, "version 1"]],
      ["compare", [month, "version 1"]],
    ],
  );
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

import assert from "node:assert/strict";
import { test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { inTransaction } from "#platform/database/index.ts";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { makeMonth } from "#test/attendance/workbooks.ts";
import { meetWaiting } from "#test/meeting.ts";

// What is told of a month, and that what is answered is of one state of it.

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, analyse } = await openAttendance(app, token);

const month = "2026-05";
const made = makeMonth({ month, people: 40, seed: 3, generation: 2026 });
const call = async (method: string, target: string, body: unknown) =>
  (await app.call(method, `/attendance/month/${target}`, { token, body })).json;
const settings = async () => (await get("settings")).json.data;
const addresses = async () => (await get("unmatched", { month })).json.data.addresses;

/** By hand: the valid punches at addresses without a campus in their name. */
const elsewhere = Map.groupBy(
  made.punchLines.filter(
    ({ address, result }) => address !== "" && !/黄家湖|墨轩湖/.test(address) && !result.startsWith("打卡无效"),
  ),
  ({ address }) => address,
);
const expected = [...elsewhere]
  .map(([address, lines]) => ({
    address,
    count: lines.length,
    days: new Set(lines.map(({ userId, day }) => userId + day)).size,
    people: new Set(lines.map(({ userId }) => userId)).size,
  }))
  .toSorted((left, right) => right.count - left.count);

test("addresses of no campus are told on import and by the analysis, and listed with their counts", async () => {
  await send("month", [made.monthSheet]);
  const { waring } = (await send("original", [made.originalSheet])).json.data;
  const [most] = expected;
  const punches = expected.reduce((sum, { count }) => sum + count, 0);
  const told = `${expected.length} 个打卡地址不属于任何校区，共 ${punches} 次打卡：${most?.address}（${most?.count} 次）`;
  assert.ok(waring.includes(told), waring);
  const status = await analyse(month);
  assert.ok(status.waring.includes(told), status.waring);
  assert.deepEqual(await addresses(), expected);
});

test("an address is taken as a campus's keyword, once", async () => {
  const address = expected[0]?.address ?? "";
  const add = (body: unknown) => call("POST", "settings/keyword", body);
  for (const body of [
    {},
    { campus: 3, keyword: "x" },
    { campus: 1, keyword: " " },
    { campus: 1, keyword: "长".repeat(65) },
  ])
    assert.match((await add(body)).code, /^10001$|^10026$/);
  assert.equal((await add({ campus: 2, keyword: ` ${address} ` })).data, "1");
  assert.equal((await add({ campus: 2, keyword: address.toLowerCase() })).data, "0");
  assert.equal((await add({ campus: 1, keyword: address })).code, "10004");
  assert.deepEqual((await settings()).campuses[1], { campus: 2, keywords: ["墨轩湖", address] });
  assert.deepEqual(await addresses(), expected.slice(1), "by the settings as they are");
  await analyse(month);
  await call("PUT", "settings", {
    campuses: [{ campus: 1, keywords: Array.from({ length: 50 }, (_, index) => `k${index}`) }],
  });
  assert.equal((await add({ campus: 1, keyword: "k50" })).data, "1");
  assert.deepEqual(
    (await settings()).campuses.map(({ keywords }: { keywords: string[] }) => keywords.length),
    [50, 1],
  );
});

test("settings and keywords saved at once are all kept", async () => {
  await call("PUT", "settings", {
    campuses: [
      { campus: 1, keywords: ["黄家湖"] },
      { campus: 2, keywords: ["墨轩湖"] },
    ],
  });
  for (let round = 0; round < 2; round++) {
    const [from, to] = [10 + round, 40 + round];
    const keywords = [0, 1, 2].map((index) => `门${round}${index}`);
    const answers = await Promise.all([
      call("PUT", "settings", { bucketEdges: [from, to] }),
      ...keywords.map((keyword) => call("POST", "settings/keyword", { campus: 1, keyword })),
    ]);
    assert.ok(answers.every(({ code }) => code === "0"));
    const saved = await settings();
    assert.deepEqual(saved.bucketEdges, [from, to]);
    for (const keyword of keywords) assert.ok(saved.campuses[0].keywords.includes(keyword), `${keyword} is lost`);
  }
  await call("PUT", "settings", {
    campuses: [
      { campus: 1, keywords: ["黄家湖"] },
      { campus: 2, keywords: ["墨轩湖"] },
    ],
    bucketEdges: [20, 30],
  });
});

test("a download is of one state of the month, whatever is imported meanwhile", async () => {
  await analyse(month);
  const rows = (await get("downLoad", { month })).json.data;
  assert.equal(rows.length, 40);
  // The downloads have checked the month and are about to read its rows when an import takes them away.
  const { downloads } = await inTransaction(app.pool, async (tx) => {
    await tx`lock table attendance.result in access exclusive mode`;
    const downloads = [get("downLoad", { month }), get("downLoad", { month, curPage: 1, pageSize: 1000 })];
    await meetWaiting(app.pool, downloads.length);
    await tx`update attendance.month set statu = 0, run = null where month = ${month}`;
    await tx`delete from attendance.result where month = ${month}`;
    return { downloads };
  });
  const [all, page] = await Promise.all(downloads);
  assert.deepEqual(all?.json.data, rows);
  assert.deepEqual([page?.json.data.totalCount, page?.json.data.list], [40, rows]);
  assert.equal((await get("downLoad", { month })).json.code, "10005");
  await analyse(month);
});

test("the workbook of a download says what its figures rest on", async () => {
  const other = "2026-03";
  const partial = makeMonth({ month: other, people: 5, seed: 8, generation: 2020 });
  await send("month", [partial.monthSheet]);
  await send("original", [partial.cut(1, 14).originalSheet]);
  await analyse(other);
  const response = await fetch(`${app.url}/attendance/month/downLoad?month=${other}&format=xlsx`, {
    headers: { admin_token: token },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const notes = await Array.fromAsync(streamXlsxRows(bytes, { sheet: 1 }), ({ values }) => values.join(" "));
  for (const line of [
    "项目 内容",
    `月份 ${other}`,
    "覆盖日期 月度汇总 2026-03-01 至 2026-03-31",
    "覆盖日期 原始记录 2026-03-01 至 2026-03-14",
    "迟到早退分档 20 分钟以内、20-30 分钟、30 分钟以上",
    "校区 1 黄家湖",
    "提醒 原始记录未覆盖 03-15 至 03-31：这些日期的校区天数、缺卡、迟到、早退未计算",
  ])
    assert.ok(notes.includes(line), `${line} of\n${notes.join("\n")}`);
  const rows = await Array.fromAsync(streamXlsxRows(bytes, { sheet: 0 }));
  assert.equal(rows.length, 6);
  assert.equal(Array.isArray((await get("downLoad", { month: other })).json.data), true);
});

test("evidence names the import that each row came with", async () => {
  const other = "2026-01";
  const weekly = makeMonth({ month: other, people: 3, seed: 5, generation: 2026 });
  const ids: number[] = [];
  for (const [first, last] of [
    [1, 15],
    [16, 31],
  ] as const) {
    const cut = weekly.cut(first, last);
    await send("month", [cut.monthSheet]);
    await send("original", [cut.originalSheet]);
    const { list } = (await get("imports", { pageSize: 2 })).json.data;
    ids.push(...list.map(({ id }: { id: number }) => id).toSorted((one: number, other: number) => one - other));
  }
  await analyse(other);
  const { figures } = (await get("explain", { month: other, userId: weekly.employees[0]?.userId })).json.data;
  const [month1, punches1, month2, punches2] = ids;
  for (const { field, entries } of figures) {
    for (const { day, evidence } of entries) {
      for (const each of evidence) {
        const isFirst = day !== "" && day <= `${other}-15`;
        const known = each.sheet === "month" ? [month1, month2] : [punches1, punches2];
        if (day === "") assert.ok(known.includes(each.import), field);
        else assert.equal(each.import, known[isFirst ? 0 : 1], `${field} ${day}`);
      }
    }
  }
  const covered = (await get(`imports/${month2}`)).json.data.covered;
  assert.deepEqual(covered, [{ sheet: "month", from: "2026-01-16", to: "2026-01-31" }]);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { inTransaction } from "#platform/database/index.ts";
import { standardSettings } from "#services/attendance/model.ts";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { plainPunches, punchesOf } from "#test/attendance/plain-sheets.ts";
import { type IdentityLine, identitySheet, makeMonth, monthSheet } from "#test/attendance/workbooks.ts";
import { meetWaiting } from "#test/meeting.ts";
import { until } from "#test/until.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, analyse } = await openAttendance(app, token);

describe("what is told of a month, of one state of it", () => {
  const month = "2025-05";
  const made = makeMonth({ month, people: 40, seed: 3, generation: 2026 });
  const call = async (method: string, target: string, body: unknown) =>
    (await app.call(method, `/attendance/month/${target}`, { token, body })).json;
  const settings = async () => (await get("settings")).json.data;
  const { campuses } = standardSettings;
  const addresses = async () => (await get("unmatched", { month })).json.data.addresses;

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
    const add = (...orders: unknown[]) => call("POST", "settings/keyword", orders);
    const badWords = [" ", "长".repeat(65)].map((keyword) => ({ campus: 1, keyword }));
    for (const orders of [[], [{}], [{ campus: 3, keyword: "x" }], ...badWords.map((order) => [order])])
      assert.match((await add(...orders)).code, /^10001$|^10002$|^10026$/);
    assert.equal((await add({ campus: 2, keyword: ` ${address} ` })).data, "1");
    assert.equal((await add({ campus: 2, keyword: address.toLowerCase() })).data, "0");
    assert.equal((await add({ campus: 0, keyword: "all or none" }, { campus: 1, keyword: address })).code, "10004");
    assert.deepEqual((await settings()).campuses[1], { campus: 2, keywords: ["墨轩湖", address] });
    assert.deepEqual(await addresses(), expected.slice(1), "by the settings as they are");
    const analysed = async () => ({ ...(await analyse(month)), rows: (await get("downLoad", { month })).json.data });
    const before = await analysed();
    const orders = expected.slice(1).map((each) => ({ campus: 0, keyword: each.address }));
    assert.equal((await add(...orders, ...orders)).data, String(orders.length));
    assert.deepEqual(await addresses(), []);
    const after = await analysed();
    assert.deepEqual(after.rows, before.rows, "known to be off-site, it counts as it did");
    const tells = [before, after].map(({ waring }) => waring.includes("不属于任何校区"));
    assert.deepEqual(tells, [true, false]);
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
    await call("PUT", "settings", { campuses });
    for (let round = 0; round < 2; round++) {
      const [from, to] = [10 + round, 40 + round];
      const keywords = [0, 1, 2].map((index) => `门${round}${index}`);
      const answers = await Promise.all([
        call("PUT", "settings", { bucketEdges: [from, to] }),
        ...keywords.map((keyword) => call("POST", "settings/keyword", [{ campus: 1, keyword }])),
      ]);
      assert.ok(answers.every(({ code }) => code === "0"));
      const saved = await settings();
      assert.deepEqual(saved.bucketEdges, [from, to]);
      for (const keyword of keywords) assert.ok(saved.campuses[0].keywords.includes(keyword), `${keyword} is lost`);
    }
    await call("PUT", "settings", { campuses, bucketEdges: [20, 30] });
  });

  test("a download is of one state of the month, whatever is imported meanwhile", async () => {
    await analyse(month);
    const rows = (await get("downLoad", { month })).json.data;
    assert.equal(rows.length, 40);
    // The downloads find the month finished, but before they read its rows, the rows are discarded, as an import would
    // do.
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
    const other = "2025-03";
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
      "覆盖日期 月度汇总 2025-03-01 至 2025-03-31",
      "覆盖日期 原始记录 2025-03-01 至 2025-03-14",
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
    const other = "2025-01";
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
    assert.deepEqual(covered, [{ sheet: "month", from: "2025-01-16", to: "2025-01-31" }]);
  });
});

describe("what the rules find odd is told", () => {
  const generation = 2026;
  const month = "2026-05";
  const range = { generation, start: `${month}-01`, end: `${month}-31` } as const;
  const made = makeMonth({ month, people: 70, seed: 3, generation });

  test("day results that no rule knows are told on import and in the list of what is unmatched", async () => {
    const [first, second] = made.monthLines;
    assert.ok(first && second);
    const strange = [first, second].map((line, index) => ({
      ...line,
      days: line.days.map((cell, day) => (day <= index ? "普通出勤:月球漫步\n(08:20,18:05)" : cell)),
    }));
    const sheet = monthSheet({ ...range, lines: [...strange, ...made.monthLines.slice(2)] });
    const { waring } = (await send("month", [sheet])).json.data;
    const examples = [`${first.name} ${month}-01`, `${second.name} ${month}-01`, `${second.name} ${month}-02`];
    assert.match(waring, new RegExp(`月球漫步.*3 次，如 ${examples.join("、")}`));
    const { data } = (await get("unmatched", { month })).json;
    const [found] = data.results;
    assert.deepEqual([found.sheet, found.count, found.examples], ["月度汇总", 3, examples]);
    assert.match(found.result, /月球漫步/);
  });

  test("a sheet that the rules know has no such warning", async () => {
    const { waring } = (await send("month", [made.monthSheet])).json.data;
    assert.doesNotMatch(waring, /未知/);
  });

  test("what the analysis finds odd is told with the status, the first fifty and how many are left", async () => {
    const lines = made.employees.flatMap((employee) => punchesOf(month, 4, 4, employee));
    const late = lines.map((line) => ({ ...line, result: "迟到" }));
    await send("original", [plainPunches(month, 1, 31, late)]);
    const { statu, waring } = await analyse(month);
    assert.equal(statu, 2);
    const told = waring.split("\n").filter((line) => /05-04 标为迟到或早退，但与考勤时间不符/.test(line));
    assert.equal(told.length, 50);
    const [counted] = await app.pool<{ count: number }[]>`
    select sum(json_array_length(warnings))::int as count from attendance.result where month = ${month}`;
    assert.match(waring, new RegExp(`另有 ${(counted?.count ?? 0) - 50} 条提醒$`));
    const last = made.employees.at(-1);
    const { data } = (await get("explain", { month, userId: last?.userId })).json;
    const odd = new RegExp(`^${last?.name}：05-04 标为迟到或早退，但与考勤时间不符`, "m");
    assert.match(data.waring, odd, "the rest is with each");
    assert.ok(!waring.includes(data.waring));
    const response = await fetch(`${app.url}/attendance/month/downLoad?month=${month}&format=xlsx`, {
      headers: { admin_token: token },
    });
    const sheet = streamXlsxRows(Buffer.from(await response.arrayBuffer()), { sheet: 1 });
    const notes = (await Array.fromAsync(sheet, ({ values }) => values.join(" "))).join("\n");
    assert.equal(notes.match(/05-04 标为迟到或早退，但与考勤时间不符/g)?.length, 70, "the workbook has all of it");
  });

  test("a finished month keeps the identity cards that it was joined to, whatever list arrives for another", async () => {
    const [someone] = made.identityLines;
    assert.ok(someone);
    const idCard = async () => (await get("explain", { month, userId: someone.userId })).json.data.row.idCard as string;
    const listOf = (lines: IdentityLine[]) => [identitySheet(lines)];
    await send("work", listOf([...made.identityLines]), { month: "2026-03" });
    assert.equal((await analyse(month)).statu, 2);
    assert.equal(await idCard(), someone.idCard);
    const others = made.identityLines.slice(1);
    for (const newer of ["2026-03", "2026-04"])
      assert.equal((await send("work", listOf(others), { month: newer })).json.code, "0");
    // After this import no month uses the list that the loop imported for 2026-03, so the task deletes that list. The
    // first list stays, since the finished month uses it.
    await send("work", listOf(others), { month: "2026-03" });
    await app.pool`select graphile_worker.add_job('attendance-sweep')`;
    const swept = async () =>
      (await app.pool`select from attendance.import where sheet = 'work' and not holds_rows`).length;
    await until("an old list is swept away", async () => (await swept()) > 0);
    assert.equal(await idCard(), someone.idCard);
    const preview = await app.call("POST", "/attendance/month/settings/preview", { token, body: { month } });
    assert.equal(preview.json.data.changed, 0);
    assert.equal((await analyse(month)).statu, 2);
    assert.equal(await idCard(), "", "a new analysis joins the newest list");
  });
});

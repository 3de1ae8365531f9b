import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { makeKnownMonth } from "#test/attendance/known-month.ts";
import { lineOf, plainPunches, punchesOf, someone } from "#test/attendance/plain-sheets.ts";
import { identitySheet, makeMonth, monthSheet, originalSheet, writeBook } from "#test/attendance/workbooks.ts";
import { until } from "#test/until.ts";
import { button, download, readRows, startConsole } from "#test/browser/console.ts";

const { app, open } = await startConsole();

const month = "2026-05";
const people = 12;
const made = makeMonth({ month, people, seed: 3, generation: 2026 });
const [known] = made.employees;
assert.ok(known);
const stranger = { ...known, userId: "stranger-1", workNumber: "" };

async function writeDays(first: number, last: number): Promise<string> {
  const dayOf = (day: number) => `${month}-${String(day).padStart(2, "0")}`;
  const [start, end] = [dayOf(first), dayOf(last)];
  const cut = made.cut(first, last);
  const own = made.punchLines.filter(({ day }) => day >= start && day <= end);
  const strange = first === 1 ? [] : own.slice(0, 2).map((line) => ({ ...line, ...stranger }));
  const lines = [...own, ...strange];
  const file = path.join(app.dataDir, `考勤报表_${start}-${end}.xlsx`);
  const punches = first === 1 ? cut.originalSheet : originalSheet({ generation: 2026, start, end, lines });
  await writeBook(file, [punches, cut.monthSheet]);
  return file;
}
const weeks = [await writeDays(1, 10), await writeDays(11, 20), await writeDays(21, 31)] as const;

const hr = await app.signIn("platform", { userName: "hr" });
const { page, visit, load, check } = await open({ as: hr, stays: true });
const attendance = await openAttendance(app, hr.token);
const readMonth = async () =>
  (await attendance.get("months")).json.data.find((each: { month: string }) => each.month === month);

const openTab = (name: RegExp) => page.getByRole("tab", { name }).click();
const inDialog = (name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true });

test("three exports of parts of a month go in one after another, and the month says which days it has", async () => {
  await visit("/attendance/months");
  await page.getByRole("button", { name: "导入考勤表" }).first().click();
  await page.locator("input[type=file]").setInputFiles([weeks[2], weeks[0]]);
  await page.getByText("05-21 至 05-31", { exact: true }).waitFor();
  await page.getByRole("button", { name: "开始导入" }).click();
  await page.getByRole("heading", { name: `${month} 现有数据` }).waitFor();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("缺 05-11 至 05-20").nth(1).waitFor();
  await check("attendance-weeks-gap");
  await page.getByRole("button", { name: `查看 ${month}` }).click();
  await page.getByText(`${people} / ${people} 人`).waitFor();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.getByText("缺 05-11 至 05-20").count(), 2, "of both sheets");

  await page.getByRole("button", { name: "继续导入月度汇总" }).click();
  await page.locator("input[type=file]").setInputFiles(weeks[1]);
  await page.getByText("这些文件会加入已有数据，其他日期保留").waitFor();
  await page.getByText(`${month} 已完成的分析结果会清除`).waitFor();
  await page.getByRole("button", { name: "开始导入" }).click();
  await dialog.getByText("全月").nth(1).waitFor();
  const { list } = (await attendance.get("imports", { pageSize: 20 })).json.data;
  assert.deepEqual(
    list.map(({ sheet, outcome }: { sheet: string; outcome: string }) => `${sheet} ${outcome}`).toReversed(),
    ["month done", "month done", "original done", "original done", "month done", "original done"],
  );
  assert.equal(list.at(-1).fileName, path.basename(weeks[0]), "the first days first");
  assert.deepEqual((await readMonth()).covered, [
    { sheet: "month", from: `${month}-01`, to: `${month}-31` },
    { sheet: "original", from: `${month}-01`, to: `${month}-31` },
  ]);
});

test("a month's imports are listed however many other months had since", async () => {
  await app.pool`
    insert into attendance.import overriding system value
    select (jsonb_populate_record(null::attendance.import, to_jsonb(one) || jsonb_build_object('id', 1000 + n, 'month', '2026-06'))).*
    from (select * from attendance.import limit 1) as one, generate_series(1, 200) as n`;
  await load(`/attendance/months/${month}?tab=imports`);
  await page
    .getByRole("cell", { name: path.basename(weeks[0]), exact: true })
    .first()
    .waitFor();
  await app.pool`delete from attendance.import where month = '2026-06'`;
});

test("people are settled where they stand, an address becomes a keyword, and the month is analysed again", async () => {
  await attendance.analyse(month);
  await visit(`/attendance/months/${month}?tab=problems`);
  const row = page.getByRole("row").filter({ hasText: "stranger-1" });
  await row.first().waitFor();
  await check("attendance-unmatched");
  await row.getByRole("button", { name: `${known.name} 不是员工` }).click();
  await page.getByRole("heading", { name: "已手工对应" }).waitFor();
  await row.getByRole("cell", { name: "不是员工", exact: true }).waitFor();
  await page.getByText("数据已变更，请重新分析").waitFor();
  await page.getByRole("button", { name: `撤销 ${known.name} 的对应` }).click();
  await row.getByRole("button", { name: new RegExp(`^${known.name} 是 ${known.name}（`) }).waitFor();
  await row.getByRole("combobox", { name: `为 ${known.name} 搜索员工` }).fill(known.workNumber);
  await page.locator(".ant-select-item-option").filter({ hasText: known.workNumber }).click();
  await row.getByRole("cell", { name: `${known.name}（${known.group}）` }).waitFor();

  const address = page.getByRole("row").filter({ hasText: "市民之家" });
  await address.getByText("校区 2", { exact: true }).click();
  const keyword = address.getByRole("textbox");
  assert.equal(await keyword.inputValue(), "市民之家");
  await keyword.fill("别处");
  await address.getByText("关键词应是此地址中的一段文字").waitFor();
  const keep = button(page, "保存并重新分析");
  assert.ok(await keep.isDisabled());
  await keyword.fill("市民之家");
  await check("attendance-keyword");
  await keep.click();
  await address.waitFor({ state: "detached" });
  const { campuses } = (await attendance.get("settings")).json.data;
  assert.ok(
    campuses.some(
      (each: { campus: number; keywords: string[] }) => each.campus === 2 && each.keywords.includes("市民之家"),
    ),
  );

  await openTab(/考勤表/);
  await page.getByText(`${people} / ${people} 人`).waitFor();
  const { data } = (await attendance.get("explain", { month, userId: known.userId })).json;
  assert.ok(data.people.some(({ by }: { by: string }) => by === "match"));
  await button(page, new RegExp(`^${known.name}`)).click();
  await page.getByText("手工对应", { exact: true }).waitFor();
  await page.getByRole("switch", { name: /0/ }).click();
});

test("unmatched people are settled by sheet, which is taken back in ten seconds or later, and one by one with a key each", async () => {
  const month = "2025-10";
  const guests = Array.from({ length: 21 }, (_, n) => ({ ...someone, name: `外聘${n + 1}`, userId: `90${n}` }));
  await attendance.send("month", [
    monthSheet({ generation: 2026, start: `${month}-01`, end: `${month}-31`, lines: [lineOf(31, {}, someone)] }),
  ]);
  const punches = guests.flatMap((guest) => punchesOf(month, 4, 4, guest));
  await attendance.send("original", [plainPunches(month, 1, 31, punches)]);
  const count = async () => {
    const { people, settled } = (await attendance.get("unmatched", { month })).json.data;
    return [people.filter(({ kind }: { kind: string }) => kind === "original").length, settled.length];
  };
  const settle = async (menu: string, item: string) => {
    await button(page, menu).click();
    await page.getByRole("menuitem", { name: item }).click();
    await page.getByRole("status").getByText(item).waitFor();
  };
  const open = page.getByRole("heading", { name: "未匹配人员 21" });
  const leave = async () => {
    const sent = page.waitForResponse(/\/matches$/);
    await page.getByRole("link", { name: "考勤月份" }).first().click();
    assert.equal((await sent).status(), 200);
  };
  await load(`/attendance/months/${month}?tab=problems`);
  await open.waitFor();
  await settle("按来源处理（21）", "原始记录：21 人均不是员工");
  await page.getByRole("heading", { name: "未匹配人员 0" }).waitFor();
  await check("attendance-by-sheet");
  await button(page.getByRole("status"), "撤销").click();
  await open.waitFor();
  await settle("按来源处理（21）", "原始记录：21 人均不是员工");
  assert.deepEqual(await count(), [21, 0], "nothing is sent yet");
  await leave();
  assert.deepEqual(await count(), [0, 21]);
  await visit(`/attendance/months/${month}?tab=problems`);
  await settle("按来源撤销", "原始记录：撤销 21 人的对应");
  await open.waitFor({ state: "detached" });
  await leave();
  assert.deepEqual(await count(), [21, 0]);

  await visit(`/attendance/months/${month}?tab=problems`);
  await page.getByRole("link", { name: "逐人处理" }).click();
  await page.getByRole("heading", { name: "外聘1", exact: true }).waitFor();
  await check("attendance-people");
  await page.getByRole("region", { name: "未匹配人员" }).focus();
  const names = guests.map(({ name }) => name).toSorted();
  const last = names.at(-1) ?? assert.fail();
  for (const [n, name] of names.entries()) {
    await page.getByRole("heading", { name, exact: true }).waitFor();
    await page.keyboard.press(n === 0 ? "1" : "n");
  }
  await page.getByText("所有人都已匹配").waitFor();
  await page.keyboard.press("z");
  await page.getByRole("heading", { name: last, exact: true }).waitFor();
  await until("all but the last are settled", async () => (await count())[0] === 1);
  const { people: left, settled } = (await attendance.get("unmatched", { month })).json.data;
  assert.deepEqual(
    left
      .filter(({ kind }: { kind: string }) => kind === "original")
      .map(({ workName }: { workName: string }) => workName),
    [last],
  );
  assert.deepEqual(
    settled.flatMap(({ workName, as }: { workName: string; as: { userId: string } | null }) =>
      as ? [workName, as.userId] : [],
    ),
    ["外聘1", someone.userId],
  );
});

test("who locks a month sees whose figures differ from the export, and gets to what is behind them", async () => {
  const month = "2026-03";
  const known = makeKnownMonth({ month, people: 12, seed: 1, generation: 2026, contradictions: 6 });
  const first = known.differences.find(({ days }) => days.length > 0);
  const day = first?.days[0] ?? "";
  for (const to of ["month", "original"] as const) await attendance.send(to, known.sheets);
  const stranger = { name: "外聘", userId: "900000000000000001", workNumber: "", idCard: "" };
  await attendance.send("work", [identitySheet([stranger])], { month });
  await attendance.analyse(month);
  await load(`/attendance/months/${month}?tab=problems`);
  await page.getByRole("heading", { name: `与导出表不同的数字 ${known.differences.length}` }).waitFor();
  await check("attendance-differences");
  await button(page, "锁定").click();
  const people = new Set(known.differences.map(({ userId }) => userId)).size;
  await page.getByRole("dialog").getByText(`${people} 人的数字与导出表不同`).waitFor();
  await page.getByRole("dialog").getByRole("link", { name: "未匹配人员 1" }).waitFor();
  await check("attendance-differences-lock");
  await page
    .getByRole("dialog")
    .getByRole("link", { name: `查看 ${first?.name} ${day.slice(5)} 的依据` })
    .first()
    .click();
  await page.getByText(`${first?.name} · ${month}`).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("day"), String(Number(day.slice(8))));
  await check("attendance-difference-behind");
  await visit("/attendance/months");
});

test(
  "a locked month offers nothing that it forbids, an import is refused in words, and unlocking takes a reason",
  atLength,
  async () => {
    await visit(`/attendance/months/${month}`);
    await page.getByText(`${people} / ${people} 人`).waitFor();
    await page.getByRole("button", { name: "导入考勤表" }).click();
    await page.locator("input[type=file]").setInputFiles(weeks[1]);
    await page.getByText(`${month} 的月度汇总：05-11 至 05-20`).waitFor();
    await page.getByLabel("我知道，继续替换").check();
    await attendance.put("lock", { month, note: "人事处已核对" });
    await page.getByRole("button", { name: "替换并导入" }).click();
    await page
      .getByText(new RegExp(`^导入失败，原有数据未改变.*${month} 已锁定，请先解锁`))
      .first()
      .waitFor();
    await check("attendance-lock-refused");
    await page.getByRole("button", { name: "选择其他文件" }).click();
    await page.locator("input[type=file]").setInputFiles(weeks[1]);
    await page.getByText(`${month} 已锁定，不能导入月度汇总和原始记录。请先到该月页面解锁。`).waitFor();
    assert.ok(
      await page
        .getByRole("button", { name: /^(?:替换并)?(?:开始)?导入$/ })
        .last()
        .isDisabled(),
    );
    await page.keyboard.press("Escape");

    await visit("/attendance/months");
    await page.getByText("已锁定，第 1 版").waitFor();
    await check("attendance-months-locked");
    await visit(`/attendance/months/${month}?tab=problems`);
    await page.getByText("人事处已核对").waitFor();
    for (const name of ["重新分析", "锁定", "继续导入月度汇总", "继续导入原始记录"])
      assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
    await check("attendance-locked");
    await page.getByRole("button", { name: "解锁" }).click();
    await inDialog("解锁").click();
    const unlocking = page.getByRole("dialog");
    await unlocking
      .getByText(/请.*原因/)
      .first()
      .waitFor();
    await unlocking.getByLabel("原因").fill("补交请假单");
    await check("attendance-unlock");
    await inDialog("解锁").click();
    await page.getByText(`${month} 已解锁`).waitFor();
    await page.getByRole("button", { name: "重新分析" }).first().waitFor();
    const [version] = (await attendance.get("versions", { month })).json.data;
    assert.deepEqual([version.note, version.reason, version.unlockedBy], ["人事处已核对", "补交请假单", "hr"]);
  },
);

test(
  "a version is compared with the month of now, exported and downloaded; all departments are compared",
  atLength,
  async () => {
    const changed = { ...made, lines: made.punchLines.filter(({ userId }) => userId !== known.userId) };
    await attendance.send("original", [
      originalSheet({ generation: 2026, start: `${month}-01`, end: `${month}-31`, lines: changed.lines }),
    ]);
    await attendance.analyse(month);
    await visit(`/attendance/months/${month}`);
    await page.getByRole("button", { name: "锁定" }).click();
    await page.getByRole("dialog").getByLabel("说明").fill("更正后");
    await inDialog("锁定").click();
    await page.getByText(`${month} 已锁定，数字以第 2 版为准`).waitFor();
    await openTab(/版本/);
    await page.getByRole("button", { name: "查看第 1 版" }).click();
    await page.getByRole("dialog").getByText("补交请假单").waitFor();
    await check("attendance-version");
    await page.locator(".ant-drawer-close").click();
    const version = await download(page, "下载 Excel：第 1 版");
    assert.equal((await readRows(version.path)).length, people + 1);

    await page.getByRole("link", { name: "第 1 版与现在对比" }).click();
    await page.getByText(new RegExp(`^${people} 人，\\d+ 人有变化$`)).waitFor();
    await page.getByRole("switch", { name: "只看有变化的人" }).click();
    await page.getByText(/^\d+ 人有变化$/).waitFor();
    await page
      .getByRole("link", { name: `查看 ${known.name} 的依据` })
      .first()
      .waitFor();
    await check("attendance-version-compared");
    const rows = await readRows((await download(page, "导出对比")).path);
    const shown = Number(/^\d+/.exec(await page.getByText(/^\d+ 人有变化$/).innerText())?.[0]);
    assert.ok(shown > 0 && shown < people);
    assert.equal(rows.length, shown + 1);
  },
);

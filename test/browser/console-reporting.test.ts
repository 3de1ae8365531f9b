import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { button, download, readRows, startConsole } from "#test/browser/console.ts";
import { pngBytes } from "#test/disease-command.ts";
import { sampleReport } from "#test/sample-report.ts";
import { until } from "#test/until.ts";

const { app, open } = await startConsole();

const judge = await app.signIn("reporting", { isSuper: true, userName: "judge" });
const { userName } = judge;
const { page, visit, load, check } = await open({ as: judge, stays: true });

async function upload(name: string, bytes: Buffer): Promise<string> {
  const { json } = await app.call("POST", "/reporting/file/fileUpDown", { file: [name, bytes] });
  return json.data as string;
}

const add = async (given: Record<string, unknown>): Promise<number> => {
  const { json } = await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport(given) });
  return Number(json.data);
};

test("reports are found, opened with their files, judged, closed, deleted and exported", async () => {
  const bFile = [await upload("现场.png", pngBytes), await upload("说明.txt", Buffer.from("仅供演示"))];
  await add({ entryName: "图书馆改造", company: "云雀示例信息", bFile });
  for (let index = 0; index < 24; index++) await add({ entryName: `智慧教室${index + 1}期` });
  await visit("/reporting/reports");
  await page.getByText("第 1-20 条 / 共 25 条").waitFor();
  await check("reporting-list");

  await page.getByRole("textbox", { name: "单位" }).fill("云雁");
  await page.getByRole("button", { name: "重置" }).click();
  await page.waitForFunction(
    `[...document.querySelectorAll("[role=search] input")].every(({ value }) => value === "")`,
  );
  await page.getByRole("textbox", { name: "单位" }).fill("云雀");
  await page.getByRole("button", { name: "查询" }).click();
  await page.getByText("第 1-1 条 / 共 1 条").waitFor();
  assert.match(page.url(), /\?company=/);
  await page.getByRole("button", { name: "查看 图书馆改造" }).click();
  await page.getByRole("button", { name: /预览 .*\.txt/ }).click();
  await page.getByText("仅供演示").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("仅供演示").waitFor({ state: "hidden" });
  await check("reporting-detail");

  await page.getByRole("dialog", { name: "图书馆改造" }).getByRole("button", { name: "审核", exact: true }).click();
  await page.getByLabel("有效").check();
  await page.getByLabel("审核备注").fill("资料齐全");
  await check("reporting-judge");
  await button(page.getByRole("dialog", { name: "审核 图书馆改造" }), "审核").click();
  await page.getByRole("dialog", { name: "图书馆改造", exact: true }).getByText("资料齐全").waitFor();
  await page.getByRole("button", { name: "关闭报备", exact: true }).click();
  const question = page.getByRole("dialog", { name: "关闭报备“图书馆改造”？" });
  await question.getByRole("button", { name: "关闭报备" }).click();
  const closed = page.getByRole("dialog", { name: "图书馆改造", exact: true });
  await closed.getByText("已关闭").waitFor();
  await question.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await closed.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "查看 图书馆改造" }).click();
  await page.waitForURL(/open=/);
  const link = page.url();
  await visit("/reporting/administrators");
  await page.goto(link);
  await page.getByRole("dialog", { name: "图书馆改造" }).waitFor();

  await visit("/reporting/reports?page=2");
  await page.getByText("第 21-25 条 / 共 25 条").waitFor();
  await page.getByRole("checkbox", { name: "选择本页全部" }).check();
  await page.getByRole("button", { name: "删除", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "删除" }).click();
  await page.getByText("第 1-20 条 / 共 20 条").waitFor();
});

test("20 reports are judged by keyboard, and a verdict is undone before it is sent", async (t) => {
  const company = "白鹭示例集成";
  const file = await upload("投标文件.txt", Buffer.from("仅供演示"));
  const ids: number[] = [];
  for (let n = 1; n <= 20; n++) ids.push(await add({ entryName: `${n} 号楼`, company, bFile: [file] }));
  const validOf = async (): Promise<number[]> => {
    const query = { company, orderField: "id", order: "asc", pageSize: 20 };
    const { json } = await app.call("GET", "/reporting/informationReporting/review", { token: judge.token, query });
    return (json.data.list as { valid: number }[]).map(({ valid }) => valid);
  };
  await visit(`/reporting/reports?company=${encodeURIComponent(company)}`);
  const tab = (name: string) => page.getByRole("tab", { name });
  await tab("待审核 20").waitFor();
  await page.getByRole("link", { name: "逐条审核" }).click();
  const queue = page.getByRole("region", { name: "报备审核" });
  const shown = (n: number) => queue.getByRole("heading", { name: `${n} 号楼`, exact: true }).waitFor();
  await shown(1);
  await queue.getByRole("button", { name: "预览 投标文件.txt" }).waitFor();
  await check("reporting-queue");
  await queue.focus();
  await page.keyboard.press("v");
  await shown(2);
  await queue.getByText("“1 号楼”：有效").waitFor();
  assert.deepEqual(await validOf(), Array(20).fill(0), "nothing is sent while it can be undone");
  await page.keyboard.press("z");
  await shown(1);
  await queue.getByText("待处理 20 条").waitFor();
  await page.keyboard.press("r");
  await queue.getByRole("button", { name: "编辑常用原因" }).click();
  const form = page.getByRole("dialog", { name: "常用原因" });
  await form.getByLabel("常用原因").fill("重复报备\n请补充授权书");
  await button(form, "保存").click();
  await form.waitFor({ state: "detached" });
  await queue.getByRole("button", { name: "请补充授权书" }).waitFor();
  await check("reporting-queue-reasons");
  // An input method uses Escape to give up what it composes.
  const words = queue.getByRole("textbox");
  await words.fill("缺少");
  await words.dispatchEvent("keydown", { key: "Escape", isComposing: true });
  assert.equal(await words.inputValue(), "缺少");
  await queue.focus();
  await page.keyboard.press("Escape");
  await queue.getByRole("button", { name: "有效" }).waitFor();
  let keys = 0;
  const press = async (key: string) => {
    keys++;
    await page.keyboard.press(key);
  };
  for (let n = 1; n <= 20; n++) {
    await shown(n);
    if (n % 2 === 1) await press("v");
    else {
      await press(n % 4 === 0 ? "r" : "i");
      await press(n % 4 === 0 ? "2" : "1");
    }
  }
  await queue.getByText("没有待审核的报备").waitFor();
  t.diagnostic(`${keys} keys`);
  assert.ok(keys <= 45);
  await page.getByRole("link", { name: "报备记录" }).first().click();
  await visit(`/reporting/reports?company=${encodeURIComponent(company)}&valid=2`);
  await tab("无效 5").waitFor();
  await tab("待补充 5").waitFor();
  assert.deepEqual(
    await validOf(),
    ids.map((_id, n) => (n % 2 === 0 ? 1 : n % 4 === 1 ? 2 : 3)),
  );
  await check("reporting-tabs");
  const { path } = await download(page, "导出");
  assert.equal((await readRows(path)).length, 6, "what the tab shows is what is exported");
});

test("a verdict outlives the tab that is closed, and one that fails is in the queue again", atLength, async () => {
  const [kept, refused] = [await add({ entryName: "关窗楼" }), await add({ entryName: "先删楼" })];
  const found = async (id: number) =>
    (await app.call("GET", `/reporting/informationReporting/info/${id}`, { token: judge.token })).json.data.valid;
  await visit(`/reporting/queue?open=${kept}`);
  const queue = page.getByRole("region", { name: "报备审核" });
  await queue.getByRole("heading", { name: "关窗楼" }).waitFor();
  await queue.focus();
  await page.keyboard.press("v");
  await page.goto("about:blank");
  await until("the verdict has arrived", async () => (await found(kept)) === 1);
  await visit(`/reporting/queue?open=${refused}`);
  await queue.getByRole("heading", { name: "先删楼" }).waitFor();
  await queue.focus();
  await page.keyboard.press("v");
  await app.call("DELETE", "/reporting/informationReporting/delete", { token: judge.token, body: { ids: [refused] } });
  await page.getByRole("link", { name: "报备记录" }).first().click();
  await page.getByText(/“先删楼”：有效，未能保存：.*已删除的报备不能审核/).waitFor();
});

test("a report of a project that another has registered stands beside it", async () => {
  const customerName = "云梦示例大学";
  await add({ customerName, entryName: "图书馆座位预约系统建设项目", company: "先到示例科技" });
  await load("/reporting/queue");
  await page.getByRole("button", { name: "图书馆座位预约系统建设项目" }).waitFor();
  await visit("/reporting/reports");
  // The console's cached queue lacks this report, yet the link must open it.
  const again = await add({ customerName, entryName: "2027年图书馆 座位预约平台采购" });
  await visit(`/reporting/queue?open=${again}`);
  const similar = page.getByRole("region", { name: "相似报备" });
  await similar.getByText(/^先到示例科技已于 .* 报备疑似同一项目$/).waitFor();
  await check("reporting-similar");
  const table = similar.locator(".ant-table-content, .ant-table-body").first();
  assert.ok(await table.evaluate((one) => one.scrollWidth <= one.clientWidth), "it needs no sideways scrolling");
});

test("in English, a super administrator adds an administrator, whom a wrong name keeps at its field", async () => {
  await page.getByRole("button", { name: "English" }).click();
  await visit("/reporting/administrators");
  await page.getByRole("button", { name: "New administrator" }).click();
  const form = page.getByRole("dialog", { name: "New administrator" });
  await form.getByLabel("User name").fill(userName);
  await form.getByLabel("Name", { exact: true }).fill("Test");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("already exists").waitFor();
  await check("reporting-administrator-en");
  await form.getByLabel("User name").fill(`${userName}-new`);
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: `${userName}-new`, exact: true }).waitFor();
  await check("reporting-administrators-en");
});

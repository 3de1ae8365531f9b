import assert from "node:assert/strict";
import { test } from "node:test";
import { button, download, readRows, startConsole } from "#test/browser/console.ts";
import { pngBytes } from "#test/disease-command.ts";
import { sampleReport } from "#test/sample-report.ts";

const { app, open } = await startConsole();

const judge = await app.signIn("reporting", { isSuper: true, userName: "judge" });
const { userName } = judge;
const { page, context, visit, check } = await open({ as: judge, stays: true });

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

  await page.getByRole("dialog", { name: "图书馆改造" }).getByRole("button", { name: "判定", exact: true }).click();
  await page.getByLabel("有效").check();
  await page.getByLabel("判定备注").fill("资料齐全");
  await check("reporting-judge");
  await button(page.getByRole("dialog", { name: "判定 图书馆改造" }), "判定").click();
  await page.getByRole("dialog", { name: "图书馆改造", exact: true }).getByText("资料齐全").waitFor();
  await page.getByRole("button", { name: "关闭报备", exact: true }).click();
  const question = page.getByRole("dialog", { name: "关闭报备“图书馆改造”？" });
  await question.getByRole("button", { name: "关闭报备" }).click();
  const closed = page.getByRole("dialog", { name: "图书馆改造", exact: true });
  await closed.getByText("已关闭").waitFor();
  // Escape is for the uppermost.
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

test("tabs count the verdicts, and one report to be judged leads to the next", async () => {
  const company = "白鹭示例集成";
  const file = await upload("投标文件.txt", Buffer.from("仅供演示"));
  for (const entryName of ["一号楼", "二号楼", "三号楼", "四号楼"]) await add({ entryName, company, bFile: [file] });
  await visit(`/reporting/reports?company=${encodeURIComponent(company)}`);
  const tab = (name: string) => page.getByRole("tab", { name });
  await tab("待判定 4").waitFor();
  await tab("全部 4").waitFor();
  await tab("待判定 4").click();
  await page.getByRole("button", { name: "查看 三号楼" }).click();
  const judgeIt = async (name: string, verdict: string, remark: string) => {
    await page.getByRole("dialog", { name }).getByRole("button", { name: "判定", exact: true }).click();
    const form = page.getByRole("dialog", { name: `判定 ${name}` });
    await form.getByLabel(verdict, { exact: true }).check();
    await form.getByLabel("判定备注").fill(remark);
    await form.getByRole("button", { name: "判定", exact: true }).click();
    await form.waitFor({ state: "hidden" });
  };
  await judgeIt("三号楼", "有效", "资料齐全");
  const third = page.getByRole("dialog", { name: "三号楼" });
  const history = third.getByRole("region", { name: "经过" }).getByRole("listitem");
  await history.nth(1).getByText("判定为有效").waitFor();
  assert.match(await history.nth(0).innerText(), /^提交/);
  assert.match(await history.nth(1).innerText(), /资料齐全[^]*judge$/);
  // The file under the name that it had, and the receipt for its submitter.
  await third.getByRole("button", { name: "预览 投标文件.txt" }).waitFor();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await third.getByRole("button", { name: "复制回执" }).click();
  await page.getByText("已复制").waitFor();
  const receipt = await page.evaluate<string>("navigator.clipboard.readText()");
  const found = await app.call("GET", `/reporting/informationReporting/receipt/${receipt.split("/").at(-1)}`);
  assert.equal(found.json.data.entryName, "三号楼");

  // Newest first: the one below, then round to the one above, and at the end none.
  const next = () => page.getByRole("button", { name: /^下一条待判定/ });
  await page.getByRole("button", { name: "下一条待判定（还有 3 条）" }).click();
  await judgeIt("二号楼", "无效", "重复报备");
  await next().click();
  await page.getByRole("dialog", { name: "一号楼" }).waitFor();
  // Passed over, it comes again at the end.
  await next().click();
  await page.getByRole("dialog", { name: "四号楼" }).waitFor();
  await judgeIt("四号楼", "有效", "");
  await next().click();
  await judgeIt("一号楼", "有效", "");
  await page.getByText("没有其他待判定的报备").waitFor();
  await page.getByRole("dialog", { name: "一号楼" }).locator(".ant-drawer-close").click();
  await tab("待判定 0").waitFor();
  await tab("无效 1").click();
  await page.getByText("共 1 条").waitFor();
  assert.match(page.url(), /valid=2/);
  await check("reporting-tabs");
  const { path } = await download(page, "导出");
  assert.equal((await readRows(path)).length, 2, "what the tab shows is what is exported");
  await page.getByRole("textbox", { name: "关键词" }).fill("二号");
  await page.getByRole("button", { name: "查询" }).click();
  await tab("全部 1").waitFor();
});

test("in English, a super administrator adds an administrator, whom a wrong name keeps at its field", async () => {
  await page.getByRole("button", { name: "English" }).click();
  await visit("/reporting/administrators");
  await page.getByRole("button", { name: "New administrator" }).click();
  const form = page.getByRole("dialog", { name: "New administrator" });
  await form.getByLabel("User name").fill(userName);
  await form.getByLabel("Name", { exact: true }).fill("Test");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("exists already").waitFor();
  await check("reporting-administrator-en");
  await form.getByLabel("User name").fill(`${userName}-new`);
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: `${userName}-new`, exact: true }).waitFor();
  await check("reporting-administrators-en");
});

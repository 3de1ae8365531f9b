import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { buildConsole, openConsoleTests } from "#test/browser/console.ts";
import { sampleReport } from "#test/sample-report.ts";

await buildConsole();
const app = await startTestApp();
const tests = await openConsoleTests(app);
after(() => tests.close());

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function upload(name: string, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(bytes)]), name);
  const { json } = await app.call("POST", "/reporting/file/fileUpDown", { raw: form });
  return json.data as string;
}

const add = async (given: Record<string, unknown>): Promise<number> => {
  const { json } = await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport(given) });
  return Number(json.data);
};

test("before the first report, the list says what to expect", async () => {
  const { userName } = await app.signIn("reporting");
  const { page, visit, check } = await tests.open({ as: { account: "reporting", userName }, theme: "dark" });
  await visit("/reporting/reports");
  await page.getByText("还没有报备").waitFor();
  await check("reporting-empty-dark");
});

test("reports are found, opened with their files, judged, closed, deleted and exported", async () => {
  const { userName } = await app.signIn("reporting", { isSuper: true });
  const bFile = [await upload("现场.png", png), await upload("说明.txt", Buffer.from("仅供演示"))];
  await add({ entryName: "图书馆改造", company: "云雀示例信息", bFile });
  for (let index = 0; index < 24; index++) await add({ entryName: `智慧教室${index + 1}期` });
  const { page, visit, check } = await tests.open({ as: { account: "reporting", userName } });
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
  await check("reporting-detail");

  await page.getByRole("dialog", { name: "图书馆改造" }).getByRole("button", { name: "判定", exact: true }).click();
  await page.getByLabel("有效").check();
  await page.getByLabel("判定备注").fill("资料齐全");
  await check("reporting-judge");
  await page
    .getByRole("dialog", { name: "判定 图书馆改造" })
    .getByRole("button", { name: "判定", exact: true })
    .click();
  await page.getByRole("dialog", { name: "图书馆改造" }).getByText("资料齐全").waitFor();
  await page.getByRole("button", { name: "关闭报备", exact: true }).click();
  const question = page.getByRole("dialog", { name: "关闭报备“图书馆改造”？" });
  await question.getByRole("button", { name: "关闭报备" }).click();
  await page.getByRole("dialog", { name: "图书馆改造" }).getByText("已关闭").waitFor();
  await page.keyboard.press("Escape");

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

test("what a submitter wrote in place of a file is a text, and leads nowhere", async () => {
  const { userName } = await app.signIn("reporting");
  const strange = [
    "/\\evil.example/reporting/file/x.png",
    "//evil.example/x",
    "https://evil.example/reporting/file/x.png",
  ];
  const bFile = [await upload("现场.png", png), ...strange];
  const id = await add({ entryName: "外链", bFile });
  const { page, visit, check } = await tests.open({ as: { account: "reporting", userName } });
  await visit(`/reporting/reports?open=${id}`);
  const drawer = page.getByRole("dialog", { name: "外链" });
  for (const text of strange) await drawer.getByText(text, { exact: true }).waitFor();
  assert.equal(await drawer.getByRole("button", { name: /预览/ }).count(), 1);
  assert.equal(await drawer.locator("a[href], img").count(), 1);
  await check("reporting-foreign-files");
});

test("several reports are deleted at once, after a question, and exported by what is searched for", async () => {
  const { userName } = await app.signIn("reporting", { isSuper: true });
  for (const entryName of ["甲项目", "乙项目"]) await add({ entryName, company: "青柠样例软件" });
  const { page, visit, check } = await tests.open({ as: { account: "reporting", userName } });
  await visit(`/reporting/reports?company=${encodeURIComponent("青柠")}`);
  await page.getByText("共 2 条").waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "导出", exact: true }).click();
  assert.match((await saved).suggestedFilename(), /^reports-.*\.xlsx$/);
  await page.getByRole("checkbox", { name: "选择本页全部" }).check();
  await page.getByText("已选 2 项").waitFor();
  await page.getByRole("button", { name: "删除", exact: true }).click();
  const question = page.getByRole("dialog", { name: "删除 2 条报备？" });
  await question.waitFor();
  await check("reporting-delete");
  await question.getByRole("button", { name: "删除" }).click();
  await page.getByText("没有符合条件的记录").waitFor();
  await check("reporting-no-match");
});

test("in English, a super administrator adds an administrator, whom a wrong name keeps at its field", async () => {
  const { userName } = await app.signIn("reporting", { isSuper: true });
  const { page, visit, check } = await tests.open({ as: { account: "reporting", userName }, language: "en" });
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

test("an administrator is not offered what only super administrators may do", async () => {
  const { userName } = await app.signIn("reporting");
  const { page, visit, check } = await tests.open({ as: { account: "reporting", userName } });
  await visit("/reporting/administrators");
  await page.getByRole("cell", { name: userName }).first().waitFor();
  assert.equal(await page.getByRole("button", { name: "新建管理员" }).count(), 0);
  await visit("/platform/operators");
  await page.getByText("没有查看此页面的权限").waitFor();
  await check("forbidden");
});

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { buildWeb, cutLine, openConsoleTests } from "#test/browser/console.ts";

// What a person sees when the line to the server is bad: code that does not come, a search that gets no answer.

await buildWeb();
const app = await startTestApp({ settings: { BASE_PATH: "/campus" } });
const tests = await openConsoleTests(app);
after(() => tests.close());

const { userName, token } = await app.signIn("platform");
const operator = { account: "platform", userName };
const code = "**/assets/audit-page-*.js";

test("a page whose code does not come says so, and comes when it can", async () => {
  const { page, visit } = await tests.open({ as: operator });
  await visit("/platform/operators");
  await page.route(code, cutLine);
  await page.getByRole("link", { name: "审计日志", exact: true }).click();
  await page.getByText("页面没有加载成功").waitFor();
  const again = page.waitForEvent("requestfailed", (request) => request.url().includes("/audit-page-"));
  await page.getByRole("button", { name: "重试" }).click();
  await again;
  await page.getByText("页面没有加载成功").waitFor();
  await page.unroute(code);
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByRole("heading", { name: "审计日志" }).waitFor();
});

test("with the server gone, a page says that, and does not leave the console", atLength, async () => {
  const { page, visit } = await tests.open({ as: operator });
  await visit("/platform/operators");
  await page.getByRole("cell", { name: userName, exact: true }).first().waitFor();
  await page.route("**/*", cutLine);
  await page.getByRole("link", { name: "审计日志", exact: true }).click();
  await page.getByText("无法连接到服务器").first().waitFor();
  const asked = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/console/"));
  await page.getByRole("button", { name: "重试" }).click();
  await asked;
  // It takes no other click while it asks.
  await page.locator(".ant-btn-loading").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "审计日志", exact: true }).waitFor();
  await page.unroute("**/*");
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByRole("heading", { name: "审计日志" }).waitFor();
});

test("after an upgrade a page whose code is gone asks for a reload", atLength, async () => {
  const { page, visit } = await tests.open({ as: operator });
  await visit("/platform/operators");
  await page.route(code, (route) => route.fulfill({ status: 404 }));
  await page.route("**/campus/console/", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/index-[\w-]+\.js/, "index-next.js") });
  });
  await page.getByRole("link", { name: "审计日志", exact: true }).click();
  await page.getByText("控制台已更新").waitFor();
  await page.unroute(code);
  await page.unroute("**/campus/console/");
  await page.getByRole("button", { name: "刷新页面" }).click();
  await page.getByRole("heading", { name: "审计日志" }).waitFor();
});

test("a console whose own code does not come is no blank page", atLength, async () => {
  const { page, visit } = await tests.open();
  await page.route("**/assets/index-*.js", cutLine);
  await visit("/platform/audit");
  await page.getByText("控制台没有加载完").waitFor();
  await page.unroute("**/assets/index-*.js");
  await page.getByRole("link", { name: "重试" }).click();
  await page.getByLabel("用户名", { exact: true }).waitFor();
});

test("a chart whose code does not come leaves the rest of its page", atLength, async () => {
  await app.call("POST", "/disease-command/detectionStatistics/save", {
    token,
    body: { statisticsDate: "2026-11-20", peopleType: "学生", detectionCount: 3, abnormalCount: 0 },
  });
  const { page, visit } = await tests.open({ as: operator });
  await page.route("**/assets/drawn-chart-*.js", cutLine);
  await visit("/disease-command/detection/trend");
  await page.getByText("页面没有加载成功").first().waitFor();
  await page.getByRole("heading", { name: "检测统计" }).waitFor();
  await page.unroute("**/assets/drawn-chart-*.js");
  await page.getByRole("button", { name: "重试" }).first().click();
  await page.getByRole("img", { name: /检测/ }).first().waitFor();
});

test("offline, a search says that what it shows is old, a form that it was not sent, and both go on afterwards", async () => {
  const { page, context, visit, check } = await tests.open({ as: operator });
  await visit("/platform/operators");
  const row = page.getByRole("cell", { name: userName, exact: true }).first();
  await row.waitFor();
  await context.setOffline(true);
  await page.getByText(/无法连接到服务器（.* 起）/).waitFor();
  await page.getByRole("textbox", { name: "用户名" }).fill("nobody-of-this-name");
  await page.getByRole("button", { name: "查询" }).click();
  await page.getByText(/下面是 .* 读到的内容/).waitFor();
  assert.ok(await row.isVisible(), "what was there stays");
  await check("offline-search");

  await page.getByRole("button", { name: `编辑操作员 ${userName}` }).click();
  const form = page.getByRole("dialog", { name: `编辑操作员 ${userName}` });
  await form.getByRole("textbox", { name: "姓名" }).fill("离线");
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByText("无法连接到服务器").waitFor();

  await context.setOffline(false);
  await page.getByText(/无法连接到服务器（.* 起）/).waitFor({ state: "hidden" });
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByText("没有符合条件的记录").waitFor();
  await page.getByText(/下面是 .* 读到的内容/).waitFor({ state: "detached" });
});

test("a server that goes away and comes back is noticed without a hand", atLength, async () => {
  const { page, visit } = await tests.open({ as: operator, language: "en" });
  await visit("/platform/health");
  await page.getByRole("heading", { name: "Health" }).waitFor();
  await page.route("**/*", cutLine);
  // The page reads itself anew every few seconds.
  await page.getByText(/unreachable since/).waitFor();
  await page.unroute("**/*");
  await page.getByText("Connection restored").waitFor();
});

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { buildConsole, openConsoleTests } from "#test/browser/console.ts";

// What a person sees when the line to the server is bad: code that does not come, a search that gets no answer.

await buildConsole();
const app = await startTestApp({ settings: { BASE_PATH: "/campus" } });
const tests = await openConsoleTests(app);
after(() => tests.close());

const { userName } = await app.signIn("platform");
const operator = { account: "platform", userName };
const code = "**/assets/audit-page-*.js";

test("a page whose code does not come says so, and comes when it can", async () => {
  const { page, visit, faults } = await tests.open({ as: operator });
  await visit("/platform/operators");
  await page.route(code, (route) => route.abort());
  await page.getByRole("link", { name: "审计日志" }).click();
  await page.getByText("页面没有加载成功").waitFor();
  // The browser itself complains of what the test cut.
  faults.length = 0;
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByText("页面没有加载成功").waitFor();
  await page.unroute(code);
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByRole("heading", { name: "审计日志" }).waitFor();
});

test("a failure to load is not kept: the page comes by the menu too", async () => {
  const { page, visit } = await tests.open({ as: operator });
  await page.route(code, (route) => route.abort());
  await visit("/platform/audit");
  await page.getByText("页面没有加载成功").waitFor();
  await page.getByRole("link", { name: "操作员" }).click();
  await page.getByRole("heading", { name: "操作员" }).waitFor();
  await page.unroute(code);
  await page.getByRole("link", { name: "审计日志" }).click();
  await page.getByRole("heading", { name: "审计日志" }).waitFor();
});

test("with the server gone, a page says that, and does not leave the console", async () => {
  const { page, visit } = await tests.open({ as: operator });
  await visit("/platform/operators");
  await page.getByRole("cell", { name: userName, exact: true }).first().waitFor();
  await page.route("**/*", (route) => route.abort());
  await page.getByRole("link", { name: "审计日志" }).click();
  await page.getByText("无法连接到服务器").first().waitFor();
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByRole("link", { name: "审计日志" }).waitFor();
  await page.unroute("**/*");
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByRole("heading", { name: "审计日志" }).waitFor();
});

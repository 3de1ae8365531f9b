import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { buildWeb, openConsoleTests } from "#test/browser/console.ts";

await buildWeb();
const app = await startTestApp();
const tests = await openConsoleTests(app);
after(() => tests.close());

test("rights are given as a table, and what they lack is not offered", async () => {
  const { userName: boss } = await app.signIn("platform");
  const reader = await app.signIn("platform");
  const { page, visit, check } = await tests.open({ as: { account: "platform", userName: boss } });
  await visit("/platform/operators");
  await page.getByRole("button", { name: `编辑操作员 ${reader.userName}` }).click();
  const form = page.getByRole("dialog", { name: `编辑操作员 ${reader.userName}` });
  await form.getByRole("radio", { name: "仅限下表所选" }).click();
  for (const right of ["项目报备：修改", "平台：修改", "平台：导出"])
    await form.getByRole("checkbox", { name: right }).uncheck();
  for (const service of ["考勤", "学费", "消息", "疾病"])
    for (const box of await form.getByRole("checkbox", { name: new RegExp(service) }).all()) await box.uncheck();
  await check("rights-form");
  await form.getByRole("button", { name: "保存" }).click();
  await form.waitFor({ state: "hidden" });
  const [row] = await app.pool`select rights from platform.account where id = ${reader.id}`;
  assert.deepEqual(row?.["rights"], ["platform.read", "reporting.read", "reporting.export"]);
  await page.getByText("项目报备：查看、导出").first().waitFor();
  await check("rights-operators");
  await page.getByRole("link", { name: `${reader.userName} 的审计日志` }).click();
  await page.getByRole("cell", { name: "修改操作员" }).waitFor();

  const own = await tests.open({ as: { account: "platform", userName: reader.userName } });
  await own.visit("/platform/operators");
  await own.page.getByRole("row", { name: new RegExp(boss) }).waitFor();
  assert.equal(await own.page.getByRole("button", { name: "新建操作员" }).count(), 0);
  assert.equal(await own.page.getByRole("button", { name: /^(?:编辑|删除)操作员/ }).count(), 0);
  assert.equal(await own.page.getByRole("menuitem", { name: /学费|考勤|消息/ }).count(), 0);
  await own.visit("/reporting/reports");
  await own.page.getByRole("button", { name: "导出" }).first().waitFor();
  await own.visit("/tuition-payment/orders");
  await own.page.getByText("没有查看此页面的权限").waitFor();
  await own.check("rights-lacking");
});

test("a service account gets a key, which is shown once, rotated and revoked", async () => {
  const { userName } = await app.signIn("platform");
  const { page, visit, check } = await tests.open({ as: { account: "platform", userName } });
  await visit("/platform/service-accounts");
  await page.getByText("还没有服务账号").waitFor();
  await page.getByRole("button", { name: "新建服务账号" }).click();
  const form = page.getByRole("dialog", { name: "新建服务账号" });
  await form.getByRole("textbox", { name: "账号名" }).fill("夜间报表");
  await form.getByRole("textbox", { name: "用途" }).fill("统计办公室，每晚");
  await form.getByRole("checkbox", { name: "项目报备：查看" }).check();
  await check("service-account-form");
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByRole("button", { name: "夜间报表 的密钥" }).click();
  const drawer = page.getByRole("dialog", { name: "夜间报表 的密钥" });
  await drawer.getByText("还没有密钥").waitFor();
  await drawer.getByRole("button", { name: "新建密钥" }).click();
  const keyForm = page.getByRole("dialog", { name: "新建密钥" });
  await keyForm.getByRole("textbox", { name: "用在何处" }).fill("cron");
  await keyForm.getByRole("spinbutton", { name: "有效期" }).fill("10");
  await check("access-key-form");
  await keyForm.getByRole("button", { name: "保存" }).click();
  const shown = page.getByRole("dialog", { name: "请立即复制密钥并妥善保存" });
  const key = (await shown.locator("code").first().textContent()) ?? "";
  assert.match(key, /^qk_\d+_[\w-]{43}$/);
  await check("access-key-shown");
  const headers = { authorization: `Bearer ${key}` };
  assert.equal((await app.call("GET", "/reporting/informationReporting/list", { headers })).json.code, "0");
  await shown.getByRole("button", { name: "已保存好" }).click();
  await shown.waitFor({ state: "hidden" });
  assert.ok(!(await page.content()).includes(key));
  await drawer.getByText("即将到期", { exact: true }).waitFor();
  await drawer.getByRole("button", { name: /^轮换密钥 qk_/ }).click();
  const rotation = page.getByRole("dialog", { name: /^轮换密钥 qk_/ });
  await rotation.waitFor();
  await check("access-key-rotate");
  await rotation.getByRole("button", { name: /轮\s*换/ }).click();
  await shown.waitFor();
  await shown.getByRole("button", { name: "已保存好" }).click();
  await drawer.getByText("已轮换").waitFor();
  await check("access-keys");
  await drawer
    .getByRole("button", { name: /^吊销密钥 qk_/ })
    .first()
    .click();
  const revocation = page.getByRole("dialog", { name: /^吊销密钥 qk_/ });
  await revocation.waitFor();
  await check("access-key-revoke");
  await revocation.getByRole("button", { name: /吊\s*销/ }).click();
  await drawer.getByText("已吊销").waitFor();
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { testPassword } from "#test/app.ts";
import { startConsole, turnDark } from "#test/browser/console.ts";
import { openOrders } from "#test/orders.ts";

const { app, open } = await startConsole();
const boss = await app.signIn("tuition-payment", { isSuper: true });
const { addPayer } = openOrders(app, boss.token);
for (const collegeName of ["文学院", "文学院", "理学院"]) await addPayer({ collegeName, dueDate: "2026-01-01" });

test("an administrator is narrowed in the form, and is offered nothing that the scope closes", async () => {
  const { page, visit, check } = await open({ as: boss });
  await visit("/tuition-payment/administrators");
  await page.getByRole("button", { name: "新建管理员" }).click();
  const form = page.getByRole("dialog", { name: "新建管理员" });
  await form.getByRole("textbox", { name: "用户名" }).fill("counsellor");
  await form.getByRole("textbox", { name: "密码" }).fill(testPassword);
  const college = form.getByRole("combobox", { name: "学院" });
  await college.click();
  await page.getByTitle("文学院", { exact: true }).click();
  await college.press("Escape");
  await check("scope-form");
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByText("学院：文学院").waitFor();
  await page.getByRole("button", { name: "编辑管理员 counsellor" }).click();
  await page.getByRole("dialog").getByTitle("文学院").waitFor();
  await check("scope-edit");

  const counsellor = await app.signIn("tuition-payment");
  await app.pool`update platform.account set scope = '{"college": ["文学院"]}' where id = ${counsellor.id}`;
  const one = await open({ as: counsellor });
  await one.visit("/");
  await one.page.getByText("只显示您负责的数据（学院：文学院）").waitFor();
  await one.page
    .getByRole("link", { name: /已逾期/ })
    .getByText(/^2/)
    .waitFor();
  const menu = one.page.getByRole("navigation");
  const offered = await menu.getByRole("link").allInnerTexts();
  for (const name of ["缴费信息", "订单", "缴费调整", "收缴统计"]) assert.ok(offered.includes(name), name);
  for (const name of ["待处理款项", "对账", "收支流水", "意见反馈"]) assert.ok(!offered.includes(name), name);
  await one.check("scope-home");
  await one.page.getByRole("link", { name: /已逾期/ }).click();
  await one.page.getByText("共 2 条").waitFor();
  await one.visit("/tuition-payment/journal");
  await one.page.getByText("没有查看此页面的权限").waitFor();
  await one.visit("/");
  await one.page.setViewportSize({ width: 390, height: 844 });
  await turnDark(one.page);
  await one.page.getByText("Only records in your scope are shown (College: 文学院)").waitFor();
  await one.check("scope-home-dark");

  const operator = await open({ as: await app.signIn("platform") });
  await operator.visit("/platform/operators");
  await operator.page.getByRole("button", { name: "新建操作员" }).click();
  const services = operator.page.getByRole("dialog").getByRole("combobox", { name: "可管理的服务" });
  for (const name of ["考勤分析", "消息推送"]) {
    await services.click();
    await operator.page.getByTitle(name, { exact: true }).last().click();
  }
  await operator.page.getByRole("combobox", { name: "推送项目" }).waitFor();
  await operator.check("scope-operator");
});

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { buildWeb, cutLine, openConsoleTests, tabTo } from "#test/browser/console.ts";
import { sampleReport } from "#test/sample-report.ts";

await buildWeb();
// Under a prefix, as behind a proxy that serves other things too.
const app = await startTestApp({ settings: { BASE_PATH: "/campus" } });
const tests = await openConsoleTests(app);
after(() => tests.close());

test("a deep link asks for a sign-in, refuses a wrong one in words, and then shows what it leads to", async () => {
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport({ company: "云雀示例信息" }) });
  const { userName, password } = await app.signIn("reporting");
  const { page, visit, check } = await tests.open();
  await visit(`/reporting/reports?company=${encodeURIComponent("云雀")}`);
  await page.getByLabel("身份").click();
  await page.getByText("项目报备管理员", { exact: true }).click();
  await page.getByRole("button", { name: "登录", exact: true }).click();
  await page.getByText("请输入用户名").waitFor();
  await page.getByLabel("用户名").fill(userName);
  await page.getByLabel("密码", { exact: true }).fill("wrong-password");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("用户名或密码错误").waitFor();
  await check("sign-in");
  await page.getByLabel("密码", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByText("共 1 条").waitFor();
});

test("accounts of every kind sign in by the form, in either language", async () => {
  const kinds = [
    { kind: "platform", language: "zh", words: ["操作员", "用户名", "密码", "登录"] },
    { kind: "reporting", language: "en", words: ["Reporting administrator", "User name", "Password", "Sign in"] },
    { kind: "tuition-payment", language: "en", words: ["Tuition administrator", "User name", "Password", "Sign in"] },
    { kind: "disease-command", language: "zh", words: ["疾病防控管理员", "用户名", "密码", "登录"] },
  ] as const;
  for (const { kind, language, words } of kinds) {
    const { userName, password } = await app.signIn(kind);
    const [account, nameLabel, passwordLabel, button] = words;
    const { page, visit, faults } = await tests.open({ language });
    await visit("/");
    await page.getByRole("combobox").click();
    await page.getByTitle(account, { exact: true }).last().click();
    await page.getByLabel(nameLabel, { exact: true }).fill(userName);
    await page.getByLabel(passwordLabel, { exact: true }).fill(password);
    await page.getByRole("button", { name: button, exact: true }).click();
    await page
      .getByRole("banner")
      .getByRole("button", { name: new RegExp(userName) })
      .waitFor();
    assert.deepEqual(faults, []);
    await page.close();
  }
});

test("where the account is of another kind, that is said, and one click tries it", atLength, async () => {
  const { userName, password } = await app.signIn("reporting");
  const { page, visit, check } = await tests.open();
  await visit("/reporting/reports");
  await page.getByLabel("用户名").fill(userName);
  await page.getByLabel("密码", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  const alert = page.getByRole("alert");
  await alert.getByText("用户名或密码错误").waitFor();
  await alert.getByText("当前身份是“操作员”").waitFor();
  await check("sign-in-other-kind");
  await alert.getByRole("button", { name: "学费缴纳管理员" }).click();
  await alert.getByText("当前身份是“学费缴纳管理员”").waitFor();
  // What was tried with this name and password is not offered again.
  assert.equal(await alert.getByRole("button", { name: "操作员" }).count(), 0);
  await alert.getByRole("button", { name: "项目报备管理员" }).click();
  await page.getByRole("heading", { name: "报备记录" }).waitFor();
});

test("the console begins in the browser's language, and keeps the one that is chosen", atLength, async () => {
  const signInWords: Record<string, string> = {
    "en-GB": "Sign in",
    "zh-TW": "登录",
    "fr-FR": "登录",
  };
  for (const [locale, word] of Object.entries(signInWords)) {
    const { page, visit } = await tests.open({ locale });
    await visit("/");
    await page.getByRole("button", { name: word, exact: true }).waitFor();
    await page.locator(word === "登录" ? "html[lang^=zh]" : "html[lang^=en]").waitFor();
    await page.getByRole("button", { name: word === "登录" ? "English" : "中文" }).click();
    await page.reload();
    await page.getByRole("button", { name: word === "登录" ? "Sign in" : "登录", exact: true }).waitFor();
  }
});

test("another tab needs no sign-in of its own, and a sign-out is for all of them", atLength, async () => {
  const { userName } = await app.signIn("reporting");
  const { page, context, visit } = await tests.open({ as: { account: "reporting", userName } });
  await visit("/");
  await page.getByRole("banner").waitFor();
  const other = await context.newPage();
  await other.goto(`${app.url}/console/reporting/reports`);
  await other.getByRole("heading", { name: "报备记录" }).waitFor();
  await other.getByRole("button", { name: `账号 ${userName}` }).click();
  await other.getByText("退出登录").click();
  await page.getByLabel("用户名").waitFor();
});

test("one's own password is changed, encrypted on its way, and the old one is of no use any more", async () => {
  const { userName, password } = await app.signIn("reporting");
  const { page, visit, check } = await tests.open({ as: { account: "reporting", userName } });
  await visit("/");
  const sent = page.waitForRequest((request) => request.url().endsWith("/updatePassword"));
  await page.getByRole("button", { name: `账号 ${userName}` }).click();
  await page.getByText("修改密码").click();
  const form = page.getByRole("dialog", { name: "修改密码" });
  await form.getByLabel("原密码").fill(password);
  await form.getByLabel("新密码", { exact: true }).fill("another-password-1");
  await form.getByLabel("再次输入新密码").fill("another-password-2");
  await form.getByRole("button", { name: "确认修改" }).click();
  await form.getByText("两次输入的新密码不一致").waitFor();
  await check("own-password");
  await form.getByLabel("再次输入新密码").fill("another-password-1");
  await form.getByRole("button", { name: "确认修改" }).click();
  await page.getByRole("button", { name: "登录", exact: true }).waitFor();
  const body = (await sent).postData() ?? "";
  assert.ok(body !== "" && !body.includes(password) && !body.includes("another-password"));
  const login = (text: string) => app.call("POST", "/reporting/user/login", { body: { userName, password: text } });
  assert.equal((await login(password)).status, 401);
  assert.equal((await login("another-password-1")).status, 200);
});

test("language and theme are chosen and remembered", async () => {
  const { userName } = await app.signIn("platform");
  const { page, visit, check } = await tests.open({ as: { account: "platform", userName } });
  await visit("/");
  await page.getByRole("button", { name: "外观" }).click();
  await page.getByText("深色").click();
  await page.locator("html[data-theme=dark]").waitFor();
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("heading", { name: /^Hello/ }).waitFor();
  await check("chosen-dark-en");
  await page.reload();
  await page.locator("html[data-theme=dark]").waitFor();
});

test("a list that cannot be read says so, and is read again on demand", atLength, async () => {
  const { userName } = await app.signIn("platform");
  const { page, visit, check } = await tests.open({ as: { account: "platform", userName } });
  await page.route("**/platform/operator/list*", cutLine);
  await visit("/platform/operators");
  await page.getByText("无法连接到服务器").waitFor();
  await check("failing");
  await page.unroute("**/platform/operator/list*");
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByRole("cell", { name: userName, exact: true }).first().waitFor();
});

test("what was typed is not lost by a slip, neither by Escape nor by a link", atLength, async () => {
  const { userName } = await app.signIn("reporting", { isSuper: true });
  const { page, visit } = await tests.open({ as: { account: "reporting", userName } });
  await visit("/reporting/reports");
  await page.getByRole("link", { name: "管理员" }).click();
  await page.getByRole("button", { name: "新建管理员" }).click();
  await page.getByRole("dialog", { name: "新建管理员" }).getByRole("textbox", { name: "用户名" }).fill("half-done");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "放弃未保存的修改？" }).getByRole("button", { name: "继续填写" }).click();
  // Back beside the question of Escape asks in its place.
  await page.keyboard.press("Escape");
  const question = page.locator(".ant-modal-confirm");
  await question.waitFor();
  await question.evaluate((element) => element.setAttribute("data-first", ""));
  await page.goBack();
  await page.locator(".ant-modal-confirm:not([data-first])").waitFor();
  await page.locator(".ant-modal-confirm[data-first]").waitFor({ state: "hidden" });
  await page.getByRole("dialog", { name: "放弃未保存的修改？" }).getByRole("button", { name: "放弃修改" }).click();
  await page
    .getByRole("heading", { name: "报备记录" })
    .or(page.getByRole("heading", { name: /您好/ }))
    .waitFor();
});

test("a list is used by keyboard alone", async () => {
  const { userName } = await app.signIn("platform");
  const { page, visit } = await tests.open({ as: { account: "platform", userName } });
  await visit("/platform/operators");
  await page.getByRole("cell", { name: userName, exact: true }).first().waitFor();
  await page.getByRole("textbox", { name: "用户名" }).focus();
  await page.keyboard.type(userName);
  await page.keyboard.press("Enter");
  await page.getByText("共 1 条").waitFor();
  await page.getByRole("button", { name: `编辑操作员 ${userName}` }).focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: `编辑操作员 ${userName}` });
  // The form takes the focus when it opens, and who types before types elsewhere.
  await page.locator("[role=dialog]:focus, [role=dialog] :focus, .ant-drawer:focus").waitFor();
  await form.getByRole("textbox", { name: "姓名" }).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("键盘");
  await page.keyboard.press("Enter");
  await page.getByRole("cell", { name: "键盘", exact: true }).waitFor();
});

test("a period is passed by keyboard, and may be left open at one end", atLength, async () => {
  const { userName } = await app.signIn("reporting", { isSuper: true });
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport() });
  const { page, visit } = await tests.open({ as: { account: "reporting", userName } });
  await visit("/reporting/reports");
  await page.getByRole("textbox", { name: "单位" }).focus();
  await tabTo(page, page.getByPlaceholder("开始日期"));
  await page.keyboard.type("2020-01-01");
  // It comes with the day, and is a stop of its own behind the other day.
  const clear = page.locator(".ant-picker-clear");
  await clear.waitFor();
  await tabTo(page, page.getByPlaceholder("结束日期"));
  await tabTo(page, clear);
  await tabTo(page, page.getByRole("button", { name: "重置" }));
  await page.getByRole("button", { name: "查询" }).press("Enter");
  await page.waitForURL(/reportingTime=2020-01-01/);
  assert.equal(new URL(page.url()).searchParams.get("reportingTime"), "2020-01-01,2999-12-31");
  await page.reload();
  await page.getByText(/共 \d+ 条/).waitFor();
  await page.locator("input[placeholder='开始日期'][value='2020-01-01']").waitFor();
  assert.equal(await page.getByPlaceholder("结束日期").inputValue(), "");
});

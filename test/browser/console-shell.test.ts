import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import { button, cutLine, startConsole } from "#test/browser/console.ts";
import { sampleReport } from "#test/sample-report.ts";

// The server has a base path, as behind a shared proxy.
const { app, open } = await startConsole({ settings: { BASE_PATH: "/campus" } });
const operator = await app.signIn("platform");
const { userName } = operator;
const own = await open({ as: operator, stays: true });

test("a deep link asks for a sign-in, refuses a wrong one in words, and then shows what it leads to", async () => {
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport({ company: "云雀示例信息" }) });
  const { userName, password } = await app.signIn("reporting");
  const { page, visit, check } = await open();
  await visit(`/reporting/reports?company=${encodeURIComponent("云雀")}`);
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

test("who has several accounts of a name and password is asked once which one is meant", atLength, async () => {
  const { userName, password } = await app.signIn("reporting");
  await app.signIn("tuition-payment", { userName });
  const { page, visit, check } = await open();
  await visit("/reporting/reports");
  await page.getByLabel("用户名").fill(userName);
  await page.getByLabel("密码", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  const alert = page.getByRole("alert");
  await alert.getByText("您有多个账号，请选择登录身份").waitFor();
  await check("sign-in-choice");
  assert.equal(await alert.getByRole("button").count(), 2);
  await alert.getByRole("button", { name: "项目报备管理员" }).click();
  await page.getByRole("heading", { name: "报备记录" }).waitFor();
});

test(
  "the console begins in the browser's language, and keeps the one and the theme that are chosen",
  atLength,
  async () => {
    const signInWords: Record<string, string> = {
      "en-GB": "Sign in",
      "zh-TW": "登录",
      "fr-FR": "登录",
    };
    for (const [locale, word] of Object.entries(signInWords)) {
      const { page, visit } = await open({ locale });
      await visit("/");
      await page.getByRole("button", { name: word, exact: true }).waitFor();
      await page.locator(word === "登录" ? "html[lang^=zh]" : "html[lang^=en]").waitFor();
      await page.getByRole("button", { name: word === "登录" ? "English" : "中文" }).click();
      await page.getByRole("button", { name: word === "登录" ? "Appearance" : "外观" }).click();
      await page.getByText(word === "登录" ? "Dark" : "深色").click();
      await page.reload();
      await page.getByRole("button", { name: word === "登录" ? "Sign in" : "登录", exact: true }).waitFor();
      await page.locator("html[data-theme=dark]").waitFor();
    }
  },
);

test("another tab needs no sign-in of its own, and a sign-out is for all of them", atLength, async () => {
  const as = await app.signIn("reporting");
  const { page, context, visit } = await open({ as });
  await visit("/");
  await page.getByRole("banner").waitFor();
  const other = await context.newPage();
  await other.goto(`${app.url}/console/reporting/reports`);
  await other.getByRole("heading", { name: "报备记录" }).waitFor();
  await other.getByRole("button", { name: `账号 ${as.userName}` }).click();
  await other.getByText("退出登录").click();
  await page.getByLabel("用户名").waitFor();
});

test("one's own password is changed, encrypted on its way, and the old one is of no use any more", async () => {
  const as = await app.signIn("reporting");
  const { userName, password } = as;
  const { page, visit, check } = await open({ as });
  await visit("/");
  const sent = page.waitForRequest((request) => request.url().endsWith("/updatePassword"));
  await page.getByRole("button", { name: `账号 ${userName}` }).click();
  await page.getByText("修改密码").click();
  const form = page.getByRole("dialog", { name: "修改密码" });
  await form.getByLabel("原密码").fill(password);
  await form.getByLabel("新密码", { exact: true }).fill("another-pass-phrase-1");
  await form.getByLabel("再次输入新密码").fill("another-pass-phrase-2");
  await form.getByRole("button", { name: "确认修改" }).click();
  await form.getByText("两次输入的新密码不一致").waitFor();
  await check("own-password");
  await form.getByLabel("再次输入新密码").fill("another-pass-phrase-1");
  await form.getByRole("button", { name: "确认修改" }).click();
  await page.getByRole("button", { name: "登录", exact: true }).waitFor();
  const body = (await sent).postData() ?? "";
  assert.ok(body !== "" && !body.includes(password) && !body.includes("another-pass-phrase"));
  const login = (text: string) => app.call("POST", "/reporting/user/login", { body: { userName, password: text } });
  assert.equal((await login(password)).status, 401);
  assert.equal((await login("another-pass-phrase-1")).status, 200);
});

test("what was typed is not lost by a slip, neither by Escape nor by a link", atLength, async () => {
  const as = await app.signIn("reporting", { isSuper: true });
  const { page, visit } = await open({ as });
  await visit("/reporting/reports");
  await page.getByRole("link", { name: "管理员" }).click();
  await page.getByRole("button", { name: "新建管理员" }).click();
  await page.getByRole("dialog", { name: "新建管理员" }).getByRole("textbox", { name: "用户名" }).fill("half-done");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "放弃未保存的修改？" }).getByRole("button", { name: "继续填写" }).click();
  // Going back asks its own question, which replaces the one that Escape opened.
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

test("a given password leads to another, which opens the page; the given one opens nothing any more", async () => {
  const [userName, given, chosen] = ["asked-on-a-phone", "given-by-another-1", "chosen-by-oneself-1"];
  const { token } = await app.signIn("platform");
  await app.call("POST", "/platform/operator/save", { token, body: { userName, password: given } });
  const { page, visit, check } = await open({ size: { width: 390, height: 844 } });
  const signIn = async (password: string) => {
    await page.getByLabel("用户名", { exact: true }).fill(userName);
    await page.getByLabel("密码", { exact: true }).fill(password);
    await page.getByRole("button", { name: "登录", exact: true }).click();
  };
  const choose = async (password: string, repeat = password) => {
    await page.getByLabel("新密码", { exact: true }).fill(password);
    await page.getByLabel("再次输入新密码").fill(repeat);
    await page.getByRole("button", { name: "设置并继续" }).click();
  };
  await visit("/platform/operators");
  await signIn(given);
  const form = page.getByRole("region", { name: "请设置自己的密码" });
  await form.waitFor();
  await check("given-password-phone");
  await choose(chosen, "something-else-1");
  await form.getByText("两次输入的新密码不一致").waitFor();
  await choose(given);
  await form.getByText("不能与初始密码相同").waitFor();
  await page.reload();
  await signIn(given);
  await form.waitFor();
  await choose(chosen);
  await page.getByRole("heading", { name: "操作员" }).waitFor();
  await check("given-password-chosen-phone");
  await page.getByRole("button", { name: `账号 ${userName}` }).click();
  await page.getByText("退出登录").click();
  await page.getByLabel("密码", { exact: true }).waitFor();
  await signIn(given);
  await page.getByRole("alert").waitFor();
  await signIn(chosen);
  await page.getByRole("heading", { name: "操作员" }).waitFor();
});

const code = "**/assets/audit-page-*.js";

test("a page whose code does not come says so, and comes when it can", atLength, async () => {
  const { page, visit } = own;
  await visit("/platform/operators");
  await page.route(code, cutLine);
  await page.getByRole("link", { name: "审计日志", exact: true }).click();
  await page.getByText("页面加载失败").waitFor();
  const again = page.waitForEvent("requestfailed", (request) => request.url().includes("/audit-page-"));
  await page.getByRole("button", { name: "重试" }).click();
  await again;
  await page.getByText("页面加载失败").waitFor();
  await page.unroute(code);
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByRole("heading", { name: "审计日志" }).waitFor();
});

test("after an upgrade a page whose code is gone asks for a reload", atLength, async () => {
  const { page, visit } = await open({ as: operator });
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

test("offline, a search says that what it shows is old, a form that it was not sent, and both go on afterwards", async () => {
  const { page, context, visit, check } = own;
  await visit("/platform/operators");
  const row = page.getByRole("cell", { name: userName, exact: true }).first();
  await row.waitFor();
  await context.setOffline(true);
  await page.getByText(/无法连接到服务器（.* 起）/).waitFor();
  await page.getByRole("textbox", { name: "用户名" }).fill("nobody-of-this-name");
  await page.getByRole("button", { name: "查询" }).click();
  await page.getByText(/以下内容读取于/).waitFor();
  assert.ok(await row.isVisible(), "what was there stays");
  await check("offline-search");

  await page.getByRole("button", { name: `编辑操作员 ${userName}` }).click();
  const form = page.getByRole("dialog", { name: `编辑操作员 ${userName}` });
  await form.getByRole("textbox", { name: "姓名" }).fill("离线");
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByText("无法连接到服务器").waitFor();

  await context.setOffline(false);
  await page.getByText("连接已恢复").waitFor();
  await page.getByText(/无法连接到服务器（.* 起）/).waitFor({ state: "hidden" });
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByText("没有符合条件的记录").waitFor();
  await page.getByText(/以下内容读取于/).waitFor({ state: "detached" });
});

for (const [language, says, close, form] of [
  ["zh", "首次从 203.0.113.9 登录", "知道了", {}],
  ["en", "First sign-in to your account from 203.0.113.9", "Got it", atLength],
] as const)
  test(`${language}: a new place is told to its owner until it is closed`, form, async () => {
    const { id, userName: owner } = await app.signIn("reporting");
    await app.pool`insert into platform.account_address (account_id, address) values (${id}, '203.0.113.9')`;
    const size = language === "en" ? { width: 390, height: 844 } : { width: 1366, height: 768 };
    const { page, visit, check } = await open({ as: { account: "reporting", userName: owner }, language, size });
    await visit("/");
    await page.getByText(says).waitFor();
    await check(`news-${language}`);
    await page.getByRole("button", { name: close }).click();
    await page.getByText(says).waitFor({ state: "detached" });
    const read = page.waitForResponse((answer) => answer.url().endsWith("/platform/session/own"));
    await page.reload();
    await read;
    await page.getByRole("main").waitFor();
    assert.equal(await page.getByText(says).count(), 0);
  });

test("a new installation greets with what is to be set up, and health says so", async () => {
  await app.pool`delete from platform.setup_aside where item in ('platform.institution', 'platform.backup')`;
  const { page, visit, check } = await open({ as: operator });
  await visit("/");
  const setup = page.getByRole("region", { name: "初始设置" });
  await page
    .getByRole("link", { name: /运行状态/ })
    .getByText("初始设置 需要关注")
    .waitFor();
  await check("setup");
  await button(setup, "搁置：设置每夜备份").click();
  await setup.getByText("设置每夜备份").waitFor({ state: "detached" });
  await setup.getByRole("link", { name: "去设置：填写单位名称、标志与印章" }).click();
  await page.getByRole("textbox", { name: "单位名称" }).fill("江城大学");
  await button(page, /保\s*存/).click();
  await page.getByText("已保存").first().waitFor();
  await visit("/platform/setup");
  await page.getByRole("listitem").filter({ hasText: "填写单位名称" }).getByText("已完成").waitFor();
  await button(page, "恢复：设置每夜备份").click();
  await button(page, "搁置：设置每夜备份").click();
  await button(page, "恢复：设置每夜备份").waitFor();
  await check("setup-page");
  await visit("/");
  await page
    .getByRole("link", { name: /运行状态/ })
    .getByText("正常")
    .waitFor();
  assert.equal(await setup.count(), 0);
  await app.call("PUT", "/platform/institution", { body: { name: "" }, token: operator.token });
  await app.pool`insert into platform.setup_aside (item) values ('platform.institution')`;
});

test("eight digits stay in their card, and the page in the window, between phone and desk", atLength, async () => {
  await app.pool`
    insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen)
    values ('2026009', '李示例', '2026', '2026', 9876543210, '{学费}', '{9876543210}')`;
  for (const width of [820, 1000]) {
    const { page, visit, check } = await open({ as: operator, size: { width, height: 900 } });
    await visit("/tuition-payment/totals");
    await page.getByText("98,765,432.10").first().waitFor();
    const beyond = await page.evaluate<string[]>(`[...document.querySelectorAll(".q-stat, .q-stat-value")]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent)`);
    assert.deepEqual(beyond, []);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    await check(`totals-${width}`);
  }
});

async function findIn(page: Page, text: string): Promise<void> {
  await button(page, "查找").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "查找" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.insertText(text);
}

test("Ctrl-K finds records, pages and actions by keyboard, as far as the account may see them", async () => {
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport({ entryName: "体育馆扩建" }) });
  await app.pool`
    insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen)
    values ('2026010', '周体育', '2026', '2026', 100, '{学费}', '{100}')`;
  const { page, visit, check } = await open({ as: operator });
  await visit("/");
  const dialog = page.getByRole("dialog", { name: "查找" });
  const type = (text: string) => findIn(page, text);
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(request.url()));
  const isOrders = (url: URL) => url.pathname.endsWith("/order/list");
  await page.route(isOrders, (route) => route.fulfill({ status: 400, json: { code: "10001", msg: "参数异常" } }));
  await type("体育");
  const note = dialog.getByRole("alert");
  await note.getByText(/未能查找订单/).waitFor();
  const found = page.locator(".q-finder-line");
  await found.getByText("周体育").waitFor();
  await check("finder");
  await page.unroute(isOrders);
  await note.getByRole("button", { name: "重试" }).click();
  await note.waitFor({ state: "detached" });
  await dialog.getByRole("combobox").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "体育馆扩建" }).waitFor();
  await page.keyboard.press("Escape");

  await type("审计日志");
  await found.getByText("审计日志").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "审计日志" }).waitFor();
  await type("11010119900307123X");
  await dialog.getByText("不能用身份证号查找").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await type("没有的项目");
  await dialog.getByText("没有找到").waitFor();
  assert.ok(asked.some((url) => url.includes("keyword=")));
  assert.deepEqual(
    asked.filter((url) => url.includes("110101")),
    [],
  );

  const reporter = await open({ as: await app.signIn("reporting") });
  await reporter.visit("/");
  await findIn(reporter.page, "体育");
  const seen = reporter.page.locator(".q-finder-line");
  await seen.getByText("体育馆扩建").waitFor();
  assert.equal(await seen.count(), 1);
});

test("what the console asks while nobody is at it does not keep the session", atLength, async () => {
  const { page, visit } = await open({ as: operator });
  await page.clock.install();
  await visit("/");
  const nextPoll = async () => {
    const asked = page.waitForRequest((request) => request.url().includes("/platform/health"));
    await page.clock.fastForward("02:00");
    return (await asked).headers()["x-unattended"];
  };
  await page.getByText("运行状态").first().waitFor();
  assert.equal(await nextPoll(), "1");
});

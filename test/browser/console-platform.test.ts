import assert from "node:assert/strict";
import { after, test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { button, download, startConsole, turnDark } from "#test/browser/console.ts";
import { settle } from "#test/browser/pages.ts";
import { pngBytes } from "#test/disease-command.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { sampleReport } from "#test/sample-report.ts";
import { writePayables } from "#test/tuition-payment.ts";

const receiver = await startReceiver();
const { app, open } = await startConsole({
  settings: {
    ALERT_WEBHOOK_URL: receiver.url,
    ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  },
});
after(() => receiver.stop());
const operator = await app.signIn("platform");
const { userName } = operator;
const reader = await app.signIn("platform");
const { page, context, visit, check } = await open({ as: operator, stays: true });

test("the home page leads from each figure to its list", async () => {
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport() });
  await visit("/");
  const today = page.getByRole("link", { name: /今日报备/ });
  await today.getByText(/^1/).waitFor();
  await page
    .getByRole("link", { name: /运行状态/ })
    .getByText("正常")
    .waitFor();
  await check("home");
  await today.click();
  await page.getByText("共 1 条").waitFor();
});

test("home lists what waits for the account, the longest wait first, and a click opens the oldest", async () => {
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport({ entryName: "体育馆扩建" }) });
  await app.pool`
    update reporting.report set created_at = now() - interval '3 days' where entry_name = '体育馆扩建'`;
  await app.pool`
    insert into tuition_payment.feedback (card_number, name, phone, info, created_at)
    values ('2026000001', '李示例', '555 0100 0002', '缴费后没有收据', now() - interval '5 hours')`;
  await visit("/");
  const work = page.getByRole("region", { name: "待办" });
  const report = work.getByRole("link", { name: /^待审核的报备\s*最早：体育馆扩建\s*2\s*已等 3 天/ });
  await work.getByRole("link", { name: /^待处理的反馈\s*最早：李示例\s*1\s*已等 5 小时/ }).waitFor();
  const lines = await work.getByRole("link").allInnerTexts();
  const placeOf = (text: string) => lines.findIndex((line) => line.includes(text));
  assert.ok(placeOf("体育馆扩建") < placeOf("李示例"), lines.join());
  await report.waitFor();
  await check("home-waiting");
  await report.click();
  await page.getByRole("region", { name: "报备审核" }).getByRole("heading", { name: "体育馆扩建" }).waitFor();

  const seeAs = async (service: string, scope: object) => {
    const account = await app.signIn(service);
    await app.pool`update platform.account set scope = ${JSON.stringify(scope)}::jsonb where id = ${account.id}`;
    const other = await open({ as: account, size: { width: 390, height: 844 } });
    await other.visit("/");
    return { ...other, work: other.page.getByRole("region", { name: "待办" }) };
  };
  const hospital = await seeAs("disease-command", { hospitalName: ["示例市第九医院"] });
  await hospital.work.getByRole("link", { name: /^今日未上报的医院\s*示例市第九医院\s*1/ }).waitFor();
  const elsewhere = await seeAs("reporting", { trade: ["医疗"] });
  await elsewhere.work.getByText("目前没有待办事项").waitFor();
  await elsewhere.check("home-nothing-waits");
});

test("an operator is made, changed and removed, and the audit log tells it", async () => {
  await visit("/platform/operators");
  await page.getByRole("button", { name: "新建操作员" }).click();
  const form = page.getByRole("dialog", { name: "新建操作员" });
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByText("请填写用户名").waitFor();
  await form.getByRole("textbox", { name: "用户名" }).fill("night-shift");
  const password = await form.getByRole("textbox", { name: "密码" }).inputValue();
  assert.match(password, /^[a-z0-9-]{16,}$/);
  await form.getByRole("button", { name: "换一个" }).click();
  const another = await form.getByRole("textbox", { name: "密码" }).inputValue();
  assert.notEqual(another, password);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await form.getByRole("button", { name: "复制", exact: true }).click();
  await page.getByText("已复制").waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), another);
  await check("operator-form");
  await form.getByRole("button", { name: "保存" }).click();
  await page
    .getByRole("row", { name: /night-shift/ })
    .getByText("仅平台")
    .waitFor();
  const login = await app.call("POST", "/platform/login", { body: { userName: "night-shift", password: another } });
  assert.equal(login.status, 200);
  await page.getByRole("button", { name: "编辑操作员 night-shift" }).click();
  const change = page.getByRole("dialog", { name: "编辑操作员 night-shift" });
  await change.getByRole("textbox", { name: "姓名" }).fill("夜班");
  await change.getByRole("button", { name: "保存" }).click();
  await page.getByRole("cell", { name: "夜班", exact: true }).waitFor();
  await check("operators");
  await page.getByRole("button", { name: "删除操作员 night-shift" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "删除" }).click();
  await page.getByText("已删除 1 个").waitFor();

  const file = ["payables.xlsx", await writePayables([{}])] as const;
  const asOperator = { token: operator.token, file, fields: { dryRun: "true" } };
  const dry = await app.call("POST", "/tuitionpayment/payableinfo/import", asOperator);
  assert.equal(dry.json.code, "0", dry.text);

  await visit(`/platform/audit?userName=${userName}`);
  await page.getByRole("cell", { name: "导入缴费信息（仅检查）" }).waitFor();
  await page.getByRole("cell", { name: "删除操作员" }).waitFor();
  await check("audit");
  await button(page.getByRole("row", { name: /删除操作员/ }), /^查看第/).click();
  const line = page.getByRole("dialog", { name: "日志详情" });
  await line.getByText("deleteOperators").waitFor();
  await line.getByRole("row", { name: "用户名 night-shift （空）" }).waitFor();
  await line.getByRole("row", { name: "密码 不显示 （空）" }).waitFor();
  await check("audit-line");
  await line.getByRole("button", { name: /^记录 \d+ 的全部日志$/ }).click();
  await page.getByRole("cell", { name: "新建操作员" }).waitFor();
  assert.match((await download(page, "导出 JSON")).name, /^audit-.*\.jsonl$/);
});

test(
  "an operator is offered no change of those who run more, and nobody one of the last who is in charge",
  atLength,
  async () => {
    const all = await app.signIn("platform", { userName: "runs-all" });
    const some = await app.signIn("platform", { userName: "runs-some", services: ["reporting"] });
    await app.signIn("platform", { userName: "runs-less", services: [] });
    const { page, visit } = await open({ as: some });
    await visit("/platform/operators?size=100");
    const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
    const buttons = (name: string) => row(name).getByRole("button").allInnerTexts();
    await row("runs-less").waitFor();
    assert.equal(await row(all.userName).count(), 0);
    assert.deepEqual(await buttons("runs-some"), ["编辑"]);
    assert.deepEqual(await buttons("runs-less"), ["编辑", "删除"]);

    const chief = await app.signIn("reporting", { isSuper: true, userName: "chief" });
    const deputy = await app.signIn("reporting", { isSuper: false, userName: "deputy" });
    await visit("/reporting/administrators?size=100");
    await row(chief.userName).waitFor();
    // The console offers deletion only once it knows the number of super administrators.
    await row(deputy.userName).getByRole("button", { name: "删除" }).waitFor();
    assert.deepEqual(await buttons("chief"), ["编辑"]);
    assert.deepEqual(await buttons("deputy"), ["编辑", "删除"]);
    await page.getByRole("button", { name: "编辑管理员 chief" }).click();
    const form = page.getByRole("dialog", { name: "编辑管理员 chief" });
    await form.getByText("最后一个启用的超级管理员").waitFor();
    assert.ok(await form.getByRole("radio", { name: "已停用" }).isDisabled());
    assert.ok(await form.getByRole("radio", { name: "管理员", exact: true }).isDisabled());
    await app.signIn("reporting", { isSuper: true, userName: "second" });
    await page.reload();
    await page.getByRole("button", { name: "删除管理员 chief" }).waitFor();
  },
);

test("whoever is signed out by an operator goes on where they were", atLength, async () => {
  const colleague = await app.signIn("reporting", { isSuper: true });
  const working = await open({ as: colleague });
  await working.visit("/reporting/administrators");
  await working.page.getByRole("button", { name: "新建管理员" }).click();
  const form = working.page.getByRole("dialog", { name: "新建管理员" });
  await form.getByRole("textbox", { name: "用户名" }).fill("colleague-2");
  await form.getByRole("textbox", { name: "姓名" }).fill("测试员乙");

  await visit(`/platform/sessions?userName=${colleague.userName}`);
  await page.getByRole("checkbox", { name: "选择本页全部" }).check();
  await page.getByRole("button", { name: "结束会话", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "结束会话" }).click();
  await page.getByText(/已结束 \d 个会话/).waitFor();

  const beside = await working.context.newPage();
  await beside.goto(`${app.url}/console/reporting/reports`);
  await beside.getByRole("dialog", { name: "登录已过期" }).waitFor();
  await form.getByRole("button", { name: "保存" }).click();
  const again = working.page.getByRole("dialog", { name: "登录已过期" });
  await working.check("sign-in-again");
  await again.getByLabel("密码", { exact: true }).fill(colleague.password);
  await again.getByRole("button", { name: "登录", exact: true }).click();
  await working.page.getByRole("cell", { name: "colleague-2", exact: true }).waitFor();
  await beside
    .getByText("还没有报备")
    .or(beside.getByText(/共 \d+ 条/))
    .first()
    .waitFor();
  await beside.getByRole("dialog").waitFor({ state: "detached" });
  assert.deepEqual(working.faults, []);
});

test("rights are given as a table, and what they lack is not offered", async () => {
  await visit("/platform/operators");
  await page.getByRole("button", { name: `编辑操作员 ${reader.userName}` }).click();
  const form = page.getByRole("dialog", { name: `编辑操作员 ${reader.userName}` });
  await form.getByRole("radio", { name: "仅限下表所选" }).click();
  for (const right of ["项目报备：修改", "项目报备：账号", "平台：修改", "平台：账号", "平台：审计"])
    await form.getByRole("checkbox", { name: right }).uncheck();
  for (const service of ["考勤", "学费", "消息", "疾病"])
    for (const box of await form.getByRole("checkbox", { name: new RegExp(service) }).all()) await box.uncheck();
  await check("rights-form");
  await form.getByRole("button", { name: "保存" }).click();
  await form.waitFor({ state: "hidden" });
  const [row] = await app.pool`select rights from platform.account where id = ${reader.id}`;
  assert.deepEqual(row?.["rights"], ["platform.read", "reporting.read", "reporting.export"]);
  await page.getByText("项目报备：查看、导出").first().waitFor();
  await page.getByRole("link", { name: `${reader.userName} 的审计日志` }).click();
  await page.getByRole("cell", { name: "修改操作员" }).waitFor();

  const own = await open({ as: reader });
  await own.visit("/platform/settings");
  const find = own.page.getByLabel("查找设置项");
  await find.pressSequentially("zone");
  await find.press("Home");
  await find.pressSequentially("time_");
  assert.equal(await find.inputValue(), "time_zone");
  await own.page.getByRole("cell", { name: "TIME_ZONE" }).waitFor();
  assert.equal(await own.page.getByRole("link", { name: /操作员|审计日志/ }).count(), 0);
  assert.equal(await own.page.getByRole("menuitem", { name: /学费|考勤|消息/ }).count(), 0);
  await own.visit("/reporting/reports");
  await own.page.getByRole("button", { name: "导出" }).first().waitFor();
  await own.visit("/tuition-payment/orders");
  await own.page.getByText("没有查看此页面的权限").waitFor();
  await own.check("rights-lacking");
});

test("a service account gets a key, which is shown once, rotated and revoked", async () => {
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
  await keyForm.getByRole("textbox", { name: "使用方" }).fill("cron");
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
  await rotation.getByRole("button", { name: /轮\s*换/ }).click();
  await shown.waitFor();
  await shown.getByRole("button", { name: "已保存好" }).click();
  await drawer.getByText("已轮换").waitFor();
  await button(drawer, /^吊销密钥 qk_/).click();
  const revocation = page.getByRole("dialog", { name: /^吊销密钥 qk_/ });
  await revocation.waitFor();
  await revocation.getByRole("button", { name: /吊\s*销/ }).click();
  await drawer.getByText("已吊销").waitFor();
});

test("the channels are tested; an alert is seen, muted and heard of again", async () => {
  await visit("/platform/alerts");
  await page.getByRole("button", { name: "测试渠道" }).click();
  const testing = page.getByRole("dialog", { name: "测试渠道" });
  receiver.behave((_push, response) => void response.writeHead(500).end("no room"));
  await testing.getByRole("button", { name: "发送测试" }).click();
  await testing.getByText("Webhook：未送达，接收方应答 HTTP 500").waitFor();
  await testing.getByText("no room").waitFor();
  receiver.behave(() => 200);
  await testing.getByRole("button", { name: "再次发送" }).click();
  await testing.getByText("Webhook：已送达").waitFor();
  assert.equal(receiver.pushes.at(-1)?.json.title, "Quintet 告警测试");
  await check("alert-channel-test");
  await page.keyboard.press("Escape");
  await testing.waitFor({ state: "hidden" });

  await visit("/platform/alerts?condition=disease-command.hospital-silent");
  await page.getByText("没有符合条件").waitFor();
  await app.pool`
    insert into disease_command.fever_clinic (statistics_date, hospital, fever_patients, epidemic_patients)
    values (current_date - 3, '城北医院', 1, 0)`;
  await app.pool`select graphile_worker.add_job('platform-alerts-look-disease-command')`;
  await receiver.await(3);
  await page.getByRole("button", { name: "刷新" }).click();
  const row = page.getByRole("row", { name: /城北医院/ });
  await row.getByText("告警中").waitFor();
  // The server notes a telling after the receiver's response, so the first read may lack it.
  await row.getByText("Webhook").waitFor();
  await check("alerts");
  await row.getByRole("button", { name: /^查看/ }).click();
  const seen = page.getByRole("dialog", { name: "告警详情" });
  await seen.getByText(/^Webhook：.* 通知$/).waitFor();
  await check("alert");
  await page.keyboard.press("Escape");
  await seen.waitFor({ state: "hidden" });
  await row.getByRole("button", { name: /^静音/ }).click();
  const mute = page.getByRole("dialog", { name: "静音" });
  await mute.getByRole("textbox", { name: "原因" }).fill("已电话联系");
  await mute.getByText("恢复为止").click();
  await check("alert-mute");
  await mute.getByRole("button", { name: "静音" }).click();
  await row.getByText("已静音", { exact: true }).waitFor();
  await mute.waitFor({ state: "hidden" });
  await row.getByRole("button", { name: /^取消静音/ }).click();
  await row.getByText("告警中").waitFor();
});

test("the institution's name, logo and colour are previewed, saved, and shown on every kind of page", async () => {
  await visit("/platform/institution");
  await page.getByLabel("单位名称").fill("江城大学");
  await page.getByLabel("英文名称").fill("River City University");
  const color = page.getByLabel("主色", { exact: true });
  await color.fill("red");
  await button(page, /保\s*存/).click();
  await page.getByText("应为 #rrggbb 格式的颜色").waitFor();
  await color.fill("#7a1f1f");
  for (const label of ["标志", "印章"])
    await page
      .getByLabel(label, { exact: true })
      .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: pngBytes });
  const preview = page.getByRole("region", { name: "预览" });
  await preview.getByText("收款单位：江城大学").waitFor();
  for (const name of ["标志", "印章"]) await preview.getByRole("img", { name }).waitFor();
  const large = { name: "大.png", mimeType: "image/png", buffer: Buffer.alloc(21 * 1024 * 1024) };
  await page.getByLabel("标志", { exact: true }).setInputFiles(large);
  await page.getByRole("alert").getByText("图片超过 20 MB").waitFor();
  await preview.getByRole("img", { name: "标志" }).waitFor();
  await check("institution");
  await button(page, /保\s*存/).click();
  await page.getByRole("banner").getByRole("link", { name: "江城大学" }).waitFor();
  const phone = await open({ language: "en", theme: "dark", size: { width: 390, height: 844 } });
  await phone.load("/");
  await phone.page.getByRole("heading", { name: "River City University" }).waitFor();
  await phone.check("institution-sign-in");
  await phone.page.goto(`${app.url}/h5/toilets/`);
  await phone.page.locator(".page-institution", { hasText: "River City University" }).waitFor();
  await phone.check("institution-toilets");
  await phone.page.goto(`${app.url}/screen/?still=1`);
  await phone.page.getByRole("heading", { name: /^River City University/ }).waitFor();
});

test("sessions, accounts, settings and health are shown in the dark and in English", atLength, async () => {
  await turnDark(page);
  await visit("/");
  await settle(page);
  await check("home-dark-en");
  await visit("/platform/sessions");
  await page.getByText("This session").waitFor();
  await check("sessions-dark-en");
  await visit("/platform/accounts");
  await page.getByRole("link", { name: "Manage the accounts of Reporting" }).waitFor();
  await check("accounts-dark-en");
  await visit("/platform/settings?find=TOKEN");
  await page.getByText("Hours after which a session expires").waitFor();
  await check("settings-dark-en");
  await visit("/platform/health");
  await page.getByText("Round trip").waitFor();
  await page.getByText("Space limit of a service").waitFor();
  const labels = await page.locator(".ant-descriptions-item-label").allInnerTexts();
  assert.deepEqual(
    labels.filter((label) => /[a-z][A-Z]/.test(label)),
    [],
    "every figure is named in words",
  );
  await check("health-dark-en");
});

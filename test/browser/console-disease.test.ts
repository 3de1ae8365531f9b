import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { workbookMime } from "#platform/contract/endpoint.ts";
import { type Cell, writeWorkbook } from "#platform/workbooks/index.ts";
import { startConsole, turnDark } from "#test/browser/console.ts";
import { listModules, pngBytes, sampleToilet, uploadImage } from "#test/disease-command.ts";

const { app, open } = await startConsole();
const person = await app.signIn("disease-command", { isSuper: true });
const { token } = person;
const { page, visit, check, context } = await open({ as: person, stays: true });

const call = (method: string, path: string, body: unknown) =>
  app.call(method, `/disease-command${path}`, { token, body });

async function toWorkbook(rows: readonly Cell[][]) {
  const columns = ["医院名称", "发热门诊人数", "流行病学史人数"].map((header) => ({ header }));
  const bytes = await buffer(writeWorkbook({ sheetName: "发热门诊", columns, rows: [rows] }));
  return { name: "发热门诊.xlsx", mimeType: workbookMime, buffer: bytes };
}

const choose = (file: { name: string; mimeType: string; buffer: Buffer }) =>
  page.getByRole("dialog").locator("input[type=file]").setInputFiles(file);

test("a toilet is placed on the map, by mouse, by keyboard and by figures", async () => {
  await call("POST", "/toilet/save", { ...sampleToilet(1), name: "江滩公厕", status: "1" });
  await visit("/disease-command/toilets");
  await page.getByRole("button", { name: "新建公厕" }).click();
  const form = page.getByRole("dialog", { name: "新建公厕" });
  await form.getByLabel("公厕名称").fill("东湖公厕");
  await form.getByLabel("建设等级").fill("一类");
  await form.getByLabel("地址描述").fill("示例路 2 号");
  await form.getByLabel("建筑面积").fill("80");
  for (const label of ["无障碍厕位", "第三卫生间", "男厕位", "女厕位", "通用厕位"])
    await form.getByLabel(label).fill("2");
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByText("请填写位置").waitFor();

  const map = form.getByRole("application");
  await map.getByText("江滩公厕").waitFor();
  await map.click({ position: { x: 200, y: 90 } });
  const longitude = form.getByLabel("经度", { exact: true });
  await form.locator(".city-map-pin").waitFor();
  const clicked = await longitude.inputValue();
  assert.match(clicked, /^114\.\d{6}$/);
  await map.focus();
  await page.keyboard.press("Enter");
  await form.locator(`input[aria-label="经度"]:not([aria-valuenow="${clicked}"])`).waitFor();
  await longitude.fill("114.36");
  await check("disease-toilet-map");
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByText("已保存").waitFor();
  await page.getByRole("button", { name: "查看 东湖公厕" }).click();
  await page
    .getByRole("dialog", { name: "东湖公厕" })
    .getByText(/^114\.36,30\.\d+$/)
    .waitFor();
  await check("disease-toilet");
});

test("a fever-clinic workbook is refused with its wrong row, mended and imported", async () => {
  await visit("/disease-command/fever-clinics");
  await page.getByText("还没有发热门诊统计").waitFor();
  await page.getByText("趋势", { exact: true }).click();
  await page.getByText("还没有数据，录入或导入后显示趋势。").waitFor();
  assert.equal(await page.locator("canvas").count(), 0);
  await page.getByText("列表", { exact: true }).click();
  await check("disease-fever-empty");
  await page.getByRole("button", { name: "导入" }).click();
  const good: Cell[][] = [
    ["示例市第一医院", 31, 2],
    ["示例市第二医院", 18, 0],
  ];
  await choose(await toWorkbook([...good, ["示例市第三医院", "不详", 0]]));
  await page.getByRole("button", { name: "预览" }).click();
  await page.getByText("发现 1 处错误，没有写入任何数据").waitFor();
  const wrong = page.getByRole("dialog").getByRole("row", { name: /发热门诊人数/ });
  await wrong.getByRole("cell", { name: "4", exact: true }).waitFor();
  await check("disease-fever-row-error");
  await choose(await toWorkbook([...good, ["示例市第三医院", 7, 0]]));
  await page.getByRole("button", { name: "预览" }).click();
  await page.getByText(/已读取 3 家医院/).waitFor();
  await page.getByRole("button", { name: "开始导入" }).click();
  await page.getByText(/已写入 3 家医院 \d{4}-\d{2}-\d{2} 的数据/).waitFor();
  await page.getByRole("button", { name: "完成" }).click();
  await page.getByRole("listitem").filter({ hasText: "示例市第一医院" }).getByText("31").waitFor();

  await page.getByRole("button", { name: "按日录入" }).click();
  const form = page.getByRole("dialog", { name: "按日录入" });
  const firstName = form.getByLabel("第 1 行 医院名称");
  await firstName.focus();
  await firstName.and(page.locator(":focus")).waitFor();
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", "示例市第四医院\\t1,005\\t4\\n示例市第五医院\\t6\\t1\\n");
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }`);
  await form.getByLabel("第 1 行 发热门诊人数").and(page.locator("[value='1005']")).waitFor();
  await form.getByRole("button", { name: "移除第 3 行" }).click();
  await page.mouse.move(0, 0);
  await check("disease-fever-day");
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByText(/2 家医院 .*的数据已提交，10 秒内可以撤回/).waitFor();
  await visit("/disease-command/toilets");
  await visit("/disease-command/fever-clinics");
  await page.getByRole("listitem").filter({ hasText: "示例市第四医院" }).waitFor();
});

test("a figure that is far from the usual one is asked about, and a day can be taken back", async () => {
  await app.pool`
    insert into disease_command.fever_clinic (statistics_date, hospital, fever_patients, epidemic_patients)
    select (now() at time zone 'Asia/Shanghai')::date - day, '示例市第九医院', 12, 1
    from generate_series(1, 28) as day`;
  const { page, visit, check } = await open({ as: person });
  await page.clock.install();
  await visit("/disease-command/fever-clinics");
  const enter = async (figure: string) => {
    await form.getByLabel("第 1 行 医院名称").fill("示例市第九医院");
    await form.getByLabel("第 1 行 发热门诊人数").fill(figure);
    await form.getByLabel("第 1 行 有流行病学史人数").fill("1");
    await form.getByRole("button", { name: "保存" }).click();
  };
  const form = page.getByRole("dialog", { name: "按日录入" });
  await page.getByRole("button", { name: "按日录入" }).click();
  while ((await form.getByRole("button", { name: "移除第 2 行" }).count()) > 0)
    await form.getByRole("button", { name: "移除第 2 行" }).click();
  await enter("1200");
  await page.getByText("示例市第九医院 发热门诊人数：填了 1200，平时约 12").waitFor();
  await check("disease-fever-unlike");
  await page.getByRole("button", { name: "返回修改" }).click();
  await form.getByText("前一日 12，平时 12").waitFor();
  await enter("13");
  await page.getByRole("button", { name: "撤回修改" }).click();
  await form.getByLabel("第 1 行 发热门诊人数").and(page.locator("[value='13']")).waitFor();
  await page.clock.runFor(11_000);
  const count = () => app.pool.value<number>`
    select count(*)::int from disease_command.fever_clinic where hospital = '示例市第九医院' and fever_patients <> 12`;
  assert.equal(await count(), 0);
  await enter("14");
  await page.getByText(/10 秒内可以撤回/).waitFor();
  const saved = page.waitForResponse((answer) => answer.url().endsWith("/feverClinicOfHospitalStatistics/save"));
  await page.clock.runFor(11_000);
  await saved;
  assert.equal(await count(), 1);
  await page
    .getByRole("button", { name: /^编辑 .*示例市第九医院/ })
    .last()
    .click();
  const edit = page.getByRole("dialog", { name: /编辑/ });
  await edit.getByLabel("发热门诊人数").fill("900");
  await edit.getByRole("button", { name: "保存" }).click();
  await page.getByText("示例市第九医院 发热门诊人数：填了 900，平时约 12").waitFor();
  await page.getByRole("button", { name: "返回修改" }).click();
  assert.equal(await count(), 1);
  await edit.getByRole("button", { name: "取消" }).click();
  await page.getByRole("button", { name: "放弃" }).click();
  await page.getByRole("button", { name: "导入" }).click();
  const book = await toWorkbook([["示例市第九医院", 4300, 60]]);
  await page.locator("input[type=file]").setInputFiles(book);
  await page.getByRole("button", { name: "预览" }).click();
  await page.getByText("示例市第九医院 发热门诊人数：填了 4300，平时约 12").waitFor();
  await check("disease-fever-import-unlike");
  assert.equal(await count(), 1);
});

test("a refused day is there again after another one that was begun meanwhile", async () => {
  const { page, visit } = await open({ as: person });
  await page.clock.install();
  await page.route(
    "**/feverClinicOfHospitalStatistics/save",
    (route) => route.fulfill({ status: 400, json: { success: false, code: "10001", message: "参数异常", data: null } }),
    { times: 1 },
  );
  await visit("/disease-command/fever-clinics");
  const form = page.getByRole("dialog", { name: "按日录入" });
  const begin = async (hospital: string) => {
    await page.getByRole("button", { name: "按日录入" }).click();
    await form.getByLabel("第 1 行 医院名称").waitFor();
    while ((await form.getByRole("button", { name: "移除第 2 行" }).count()) > 0)
      await form.getByRole("button", { name: "移除第 2 行" }).click();
    await form.getByLabel("第 1 行 医院名称").fill(hospital);
    await form.getByLabel("第 1 行 发热门诊人数").fill("5");
    await form.getByLabel("第 1 行 有流行病学史人数").fill("1");
  };
  await begin("甲院");
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByText(/10 秒内可以撤回/).waitFor();
  await begin("乙院");
  await page.clock.runFor(11_000);
  await page.getByText(/参数异常/).waitFor();
  const hospital = form.getByLabel("第 1 行 医院名称");
  assert.equal(await hospital.inputValue(), "乙院");
  await form.getByRole("button", { name: "保存" }).click();
  await hospital.and(page.locator("[value='甲院']")).waitFor();
  await form.getByRole("button", { name: "取消" }).click();
  await page.getByRole("button", { name: "撤回修改" }).click();
  await hospital.and(page.locator("[value='乙院']")).waitFor();
});

test("the overview follows a theme that is switched and a figure that changes", atLength, async () => {
  for (const [themeName, enable] of [
    ["日常值守", "1"],
    ["节日保障", "2"],
  ])
    await call("POST", "/theme/save", { themeName, enable });
  await visit("/disease-command/overview");
  await page.getByText("实时更新中").waitFor();
  await page.getByRole("link", { name: /当前主题 日常值守/ }).waitFor();

  const other = await context.newPage();
  await other.goto(`${app.url}/console/disease-command/themes`);
  await other.getByRole("button", { name: "启用 节日保障" }).click();
  const question = other.getByRole("dialog", { name: "启用“节日保障”？" });
  await question.getByText("大屏会立即由“日常值守”换成此主题").waitFor();
  await other.getByRole("button", { name: "停用 日常值守" }).waitFor();
  await question.getByRole("button", { name: "启用" }).click();
  await other.getByText("已启用“节日保障”").waitFor();
  await other.getByRole("button", { name: "停用 节日保障" }).waitFor();
  await other.getByRole("button", { name: "撤销" }).click();
  await other.getByText("已撤销").waitFor();
  await other.getByRole("button", { name: "停用 日常值守" }).waitFor();
  await other.getByRole("button", { name: "启用 节日保障" }).click();
  await question.getByRole("button", { name: "启用" }).click();
  await other.getByRole("button", { name: "停用 节日保障" }).waitFor();
  await page.bringToFront();
  await page.getByRole("link", { name: /当前主题 节日保障/ }).waitFor();

  await call("POST", "/emergencyTeam/save", { teamName: "流调队" });
  await page.getByRole("link", { name: /应急队伍 1/ }).waitFor();
  await call("POST", "/eventPlanning/save", {
    title: "应急演练",
    startTime: "2099-01-02 09:00:00",
    content: "x",
  });
  const plans = page.getByRole("region", { name: "活动策划" });
  await plans.getByText(/\d\d:\d\d:\d\d 更新/).waitFor();
  await plans.getByRole("link", { name: "应急演练" }).waitFor();
  await check("disease-overview");
  const opening = context.waitForEvent("page");
  await page.getByRole("button", { name: "预览大屏" }).click();
  const preview = await opening;
  await preview.getByText("节日保障").waitFor();
  await Promise.all([other.close(), preview.close()]);
});

test("a summary gets its images and its content, and gives a picture up again", async () => {
  await visit("/disease-command/month-summaries");
  await page.getByRole("button", { name: "新建月度总结" }).first().click();
  const form = page.getByRole("dialog", { name: "新建月度总结" });
  await form.getByLabel("标题").fill("本月工作");
  const png = { name: "图.png", mimeType: "image/png", buffer: pngBytes };
  await form.locator("input[type=file]").setInputFiles([png, { ...png, name: "图二.png" }]);
  await form
    .getByRole("button", { name: /移除图片/ })
    .nth(1)
    .click();
  await form.locator("input[type=file]").setInputFiles({ ...png, name: "文.png", buffer: Buffer.from("不是图片") });
  await form.getByRole("alert").waitFor();
  const sheet = form.frameLocator("iframe");
  await sheet.locator("body").pressSequentially("完成 <b>");
  await form.getByRole("button", { name: "标题", exact: true }).click();
  await sheet.getByRole("heading", { name: "完成 <b>" }).waitFor();
  await check("disease-summary-form");
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByRole("button", { name: "查看 本月工作" }).click();
  await page.getByRole("dialog", { name: "本月工作" }).getByRole("img").first().waitFor();
  await page.frameLocator("iframe").getByRole("heading", { name: "完成 <b>" }).waitFor();
  await check("disease-summary");
  await page.getByRole("button", { name: "删除 本月工作" }).last().click();
  await page.getByRole("dialog").getByRole("button", { name: "删除", exact: true }).click();
  await page.getByText("已删除").waitFor();
});

test("a record is not saved before its picture is uploaded", async () => {
  await visit("/disease-command/broadcasts");
  await page.getByRole("button", { name: "新建广播记录" }).first().click();
  const form = page.getByRole("dialog");
  for (const label of ["广播标题", "播出地点", "广播类型", "消息类型", "广播内容"])
    await form.getByLabel(label).fill("午播");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/file/imageUpload", (route) => released.then(() => route.continue()), { times: 1 });
  await form.locator("input[type=file]").setInputFiles({ name: "图.png", mimeType: "image/png", buffer: pngBytes });
  await form.getByText(/正在上传 \d+%/).waitFor();
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByRole("alert").getByText("图片正在上传，请上传完成后再保存").waitFor();
  await check("disease-broadcast-uploading");
  release();
  await form.getByRole("button", { name: /移除图片/ }).waitFor();
  await form.getByRole("button", { name: "保存" }).click();
  await form.waitFor({ state: "hidden" });
  assert.equal(
    await app.pool.value`select count(*)::int from disease_command.broadcast_record where extra_file like '%.png'`,
    1,
  );
});

test("a broadcast may lack a time, but a time that it has is changed and not removed", async () => {
  await visit("/disease-command/broadcasts");
  await page.getByRole("button", { name: "新建广播记录" }).first().click();
  const form = page.getByRole("dialog");
  for (const label of ["广播标题", "播出地点", "广播类型", "消息类型", "广播内容"])
    await form.getByLabel(label).fill("晨播");
  await form.getByRole("button", { name: "保存" }).click();
  await form.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "编辑 晨播" }).click();
  await form.getByLabel("播出时间").fill("2026-05-01 08:00:00");
  await page.keyboard.press("Enter");
  await form.getByRole("button", { name: "保存" }).click();
  await form.waitFor({ state: "hidden" });
  await page.getByRole("cell", { name: "2026-05-01 08:00:00" }).waitFor();
  await page.getByRole("button", { name: "编辑 晨播" }).click();
  await form.getByLabel("播出时间").hover();
  await form.locator(".ant-picker-clear").click();
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByText("请填写播出时间").waitFor();
  await check("disease-broadcast-time");
});

test("the other pages stand in English and in the dark, with records in them", atLength, async () => {
  const image = await uploadImage(app, token);
  const team = await call("POST", "/emergencyTeam/save", { teamName: "转运队" });
  for (const { save, sample } of listModules(image, Number(team.json.data)))
    for (const n of [7, 8]) await call("POST", save, sample(n));
  await turnDark(page);
  const listed = {
    "Big screen": "演练广播8",
    Detection: "人群8",
    Broadcasts: "演练广播8",
    "Emergency teams": "应急队8",
    "Team members": "队员8",
    "Activity plans": "活动8",
    "Spot capacities": "虚构湖8",
    Consumption: "旅游",
    Administrators: person.userName,
  };
  await visit("/disease-command/plans/calendar?month=2026-09");
  await page.getByRole("button", { name: /09:00 活动8/ }).waitFor();
  await check("disease-calendar-dark");
  for (const [address, chart] of [
    ["detection/trend", /^Tested: 20.+ most/],
    ["fever-clinics/trend", /^Fever patients: 20.+ most/],
  ] as const) {
    await visit(`/disease-command/${address}`);
    await page.getByRole("img", { name: chart }).locator("canvas").waitFor();
    await check(`disease-${address.replace("/", "-")}-dark`);
  }
  const cut =
    "[...document.querySelectorAll('nav .ant-menu-title-content')].filter((e) => e.scrollWidth > e.clientWidth)";
  assert.deepEqual(await page.evaluate(`${cut}.map((e) => e.textContent)`), [], "no entry of the menu is cut");
  await page.getByText("List", { exact: true }).click();
  for (const [title, text] of Object.entries(listed)) {
    await page.getByRole("navigation").getByRole("link", { name: title, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await page.getByRole("main").getByText(text).first().waitFor();
    await check(`disease-${title.toLowerCase().replaceAll(" ", "-")}-dark`);
  }
});

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { buildWeb, cutLine } from "#test/browser/console.ts";
import { openPhoneTests, type PhoneOptions } from "#test/browser/phone.ts";
import { sampleReport } from "#test/sample-report.ts";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";

await buildWeb();
const wechat = await startWeChatStandIn();
const campus = await startCampusStandIn();
after(() => Promise.all([wechat.close(), campus.close()]));
const app = await startTestApp({
  services: ["reporting"],
  settings: {
    WECHAT_APP_ID: wechat.appId,
    WECHAT_SECRET: wechat.secret,
    WECHAT_BASE_URL: wechat.url,
    WECHAT_KIND: "service-account",
    MAX_UPLOAD_MB: "1",
  },
});
const phones = await openPhoneTests(app);
const { token } = await app.signIn("reporting");
const prefix = "/reporting/informationReporting";

const typed = {
  报备人: "测试员乙",
  联系电话: "555 0100 0002",
  单位: "星河测试科技",
} as const;
const project = {
  项目名称: "<script>alert(1)</script> 图书馆",
  客户名称: "示例大学",
  行业: "教育",
  项目金额: "20万元",
  预计招标时间: "2027-03-01T09:30",
  产品类型: "交换机、服务器, 路由器",
} as const;

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const step = (page: Page, name: string) =>
  page.getByRole("heading", { name, exact: true }).and(page.locator(":focus")).waitFor();

async function type(page: Page, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(texts)) await field(page, label).fill(text);
}

async function fillUpToFiles(page: Page, own: Readonly<Record<string, string>> = typed): Promise<void> {
  await type(page, own);
  await button(page, "下一步").tap();
  await step(page, "项目信息");
  await type(page, project);
  await field(page, "是否授权").selectOption("是");
  await button(page, "下一步").tap();
  await step(page, "说明与附件");
}

async function fillWhole(page: Page, own?: Readonly<Record<string, string>>): Promise<void> {
  await fillUpToFiles(page, own);
  await button(page, "下一步").tap();
  await step(page, "核对并提交");
}

async function openForm(options?: PhoneOptions, address = "/h5/report/") {
  const phone = await phones.open(options);
  await phone.visit(address);
  return phone;
}

const listReports = async () =>
  (await app.call("GET", `${prefix}/list`, { token, query: { pageSize: 1000 } })).json.data.list as Record<
    string,
    unknown
  >[];
const countFiles = (report: Record<string, unknown> | undefined): number => [report?.["bFile"] ?? []].flat().length;
const pdf = (name: string, bytes = 1000) => ({
  name,
  mimeType: "application/pdf",
  buffer: Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(bytes, 32)]),
});

describe("registering a project", () => {
  test("from the first word to the receipt, with a file", async () => {
    const { page, check } = await openForm();
    await check("report-first");
    await fillUpToFiles(page);
    await field(page, "项目简介").fill("第一行\n第二行");
    await page.getByLabel("附件").setInputFiles([pdf("方案.pdf"), pdf("清单.pdf")]);
    await page.getByText("已上传").nth(1).waitFor();
    await check("report-files");
    await button(page, "下一步").tap();
    await page.getByText("2027-03-01 09:30:00").waitFor();
    await check("report-review");
    await button(page, "提交").tap();
    const link = page.getByRole("link", { name: "查看报备状态" });
    await link.waitFor();
    const code = page.getByRole("img", { name: "回执二维码" });
    await code.waitFor();
    await check("report-done");

    const [report] = await listReports();
    assert.deepEqual(
      [report?.["entryName"], report?.["tenderTime"], report?.["bProduct"], report?.["content"], report?.["licensing"]],
      [project.项目名称, "2027-03-01 09:30:00", ["交换机", "服务器", "路由器"], "第一行\n第二行", "是"],
    );
    const files = report?.["bFile"] as string[];
    assert.equal(files.length, 2);
    for (const file of files) assert.equal((await app.call("GET", file, { token })).status, 200);

    await link.tap();
    await page.getByText(project.项目名称).waitFor();
    await page.getByText("待审核").waitFor();
    assert.match(new URL(page.url()).pathname, /^\/h5\/report\/r\/[0-9a-f]{32}$/);
    await check("report-receipt");
    await page.goto(`${app.url}/h5/report/`);
    assert.equal(await field(page, "报备人").inputValue(), "");
  });

  test("what is wrong stands at its field, and is led to", async () => {
    const { page, check } = await openForm({ size: { width: 320, height: 640 } });
    await button(page, "下一步").tap();
    await page.getByText("有 3 项需要修改").waitFor();
    const name = field(page, "报备人");
    await name.and(page.locator(":focus")).waitFor();
    assert.equal(await name.getAttribute("aria-invalid"), "true");
    assert.equal(await page.getByRole("alert").first().textContent(), "请填写此项");
    await check("report-faults");
    await type(page, { ...typed, 联系电话: "abc" });
    await page.getByText("有 1 项需要修改").waitFor();
    assert.match((await page.getByRole("alert").textContent()) ?? "", /5到32位/);
    await field(page, "联系电话").fill(typed.联系电话);
    await button(page, "下一步").tap();
    await step(page, "项目信息");
    await field(page, "项目金额").fill("很多钱");
    await button(page, "下一步").tap();
    await page.getByRole("alert").filter({ hasText: "请填写金额" }).waitFor();
    await page.goBack();
    await step(page, "您的信息");
  });
});

describe("a draft", () => {
  test("is there again after a reload, with what was uploaded, until it is submitted or cleared", async () => {
    const { page } = await openForm();
    await fillUpToFiles(page);
    await page.getByLabel("附件").setInputFiles(pdf("方案.pdf"));
    await page.getByText("已上传").waitFor();
    await page.reload();
    await page.getByText("方案.pdf").waitFor();
    await button(page, "上一步").tap();
    assert.equal(await field(page, "产品类型").inputValue(), project.产品类型);
    assert.equal(await field(page, "是否授权").inputValue(), "是");
    page.on("dialog", (dialog) => void dialog.accept());
    await button(page, "清空重填").tap();
    await step(page, "您的信息");
    await page.reload();
    assert.equal(await field(page, "报备人").inputValue(), "");
  });
});

describe("an upload", () => {
  test("of a wrong type, an empty or a large one is refused with the reason, and removed", async () => {
    const { page, check } = await openForm();
    await fillUpToFiles(page);
    const input = page.getByLabel("附件");
    await input.setInputFiles({ name: "页面.pdf", mimeType: "application/pdf", buffer: Buffer.from("<html><script>") });
    await page.getByRole("alert").waitFor();
    assert.equal(await button(page, "重试 页面.pdf").count(), 0);
    await input.setInputFiles(pdf("大.pdf", 2_000_000));
    await page.getByText("超过 1 MB，不能上传").waitFor();
    await check("report-files-refused");
    await button(page, "移除 页面.pdf").tap();
    await button(page, "移除 大.pdf").tap();
    await button(page, "下一步").tap();
    await button(page, "提交").tap();
    await page.getByText("报备已提交").waitFor();
  });

  test("that is cut off half-way is tried again, and the report names it once", atLength, async () => {
    const { page, check } = await openForm();
    await fillUpToFiles(page);
    let cuts = 0;
    await page.route("**/reporting/file/fileUpDown", (route) => (++cuts <= 1 ? cutLine(route) : route.continue()));
    await page.getByLabel("附件").setInputFiles(pdf("方案.pdf"));
    await page.getByText("上传中断：网络断开或过慢").waitFor();
    await check("report-files-cut");
    await button(page, "重试 方案.pdf").tap();
    await page.getByText("已上传").waitFor();
    await button(page, "下一步").tap();
    await button(page, "提交").tap();
    await page.getByText("报备已提交").waitFor();
    const [report] = await listReports();
    assert.equal(countFiles(report), 1);
  });
});

describe("a submission", () => {
  test("whose answer is lost makes one report, when it is sent again after a reload too", async () => {
    const { page, check } = await openForm();
    const before = (await listReports()).length;
    await fillWhole(page);
    await page.route("**/informationReporting/add", async (route) => {
      await route.fetch();
      await cutLine(route);
    });
    await button(page, "提交").tap();
    await button(page, "重试").waitFor();
    await check("report-not-sent");
    await page.unroute("**/informationReporting/add");
    await page.reload();
    await button(page, "提交").tap();
    await page.getByText("报备已提交").waitFor();
    assert.equal((await listReports()).length, before + 1);
  });
});

describe("a receipt", () => {
  const submit = async (given = {}) => {
    const { headers, json } = await app.call("POST", `${prefix}/add`, { body: sampleReport(given) });
    return { id: Number(json.data), receipt: headers.get("report_receipt") ?? "" };
  };
  const act = (operation: string, body: unknown) => app.call("DELETE", `${prefix}/${operation}`, { token, body });

  test("shows the verdict and its remark, and what is closed or withdrawn", async () => {
    const { id, receipt } = await submit({ entryName: "智慧教室" });
    await act("valid", { itemId: id, ps: "资料齐全" });
    await act("close", { itemId: id });
    const { page, visit, check } = await phones.open({ theme: "dark" });
    await visit(`/h5/report/r/${receipt}`);
    for (const text of ["智慧教室", "有效", "已关闭", "资料齐全"])
      await page.getByText(text, { exact: true }).waitFor();
    await page.getByRole("img", { name: "回执二维码" }).waitFor();
    await check("report-receipt-closed-dark");
    await act("delete", { ids: [id] });
    await button(page, "刷新").tap();
    await page.getByText("已撤销").waitFor();
    await visit(`/h5/report/?receipt=${receipt}`);
    await page.getByText("已撤销").waitFor();
  });
});

describe("a returned report", () => {
  test("is completed on its page, and found again on this device", async () => {
    const { page, visit, check } = await openForm();
    await fillWhole(page);
    await button(page, "提交").tap();
    const link = page.getByRole("link", { name: "查看报备状态" });
    await link.waitFor();
    const receipt = (await link.getAttribute("href"))?.split("/").at(-1) ?? "";
    const [report] = await listReports();
    const body = { itemId: report?.["id"], ps: "请写明金额" };
    assert.equal((await app.call("PUT", `${prefix}/returned`, { token, body })).json.code, "0");
    await visit("/h5/report/");
    await check("report-device");
    await page.getByRole("link", { name: project.项目名称 }).first().tap();
    await page.getByRole("definition").getByText("请写明金额").waitFor();
    await field(page, "项目金额").waitFor();
    await check("report-supplement");
    await button(page, "提交").tap();
    await page.getByText("还没有修改任何内容").waitFor();
    await field(page, "项目金额").fill("30万元");
    await page.getByLabel("附件", { exact: true }).setInputFiles(pdf("预算.pdf"));
    await page.getByText("已上传").waitFor();
    await page.reload();
    await page.getByText("预算.pdf").waitFor();
    assert.equal(await field(page, "项目金额").inputValue(), "30万元");
    await button(page, "提交").tap();
    await page.getByText("待审核").waitFor();
    await page.getByText("补充提交").waitFor();
    await page.getByRole("listitem").filter({ hasText: "退回补充" }).getByText("请写明金额").waitFor();
    await check("report-supplemented");
    const { data } = (await app.call("GET", `${prefix}/info/${String(report?.["id"])}`, { token })).json;
    assert.deepEqual([data.valid, data.projectAmount, data.receipt, data.bFile.length], [0, "30万元", receipt, 1]);
    assert.equal(await page.evaluate(`sessionStorage.getItem("quintet.report.supplement.${receipt}")`), null);
  });
});

describe("one's own reports", () => {
  test("come with the platform's code, and a report of this visit is among them", async () => {
    const { page, visit, check } = await phones.open();
    await visit("/h5/report/mine?code=code-own1&state=report");
    await page.getByText("还没有报备过项目").waitFor();
    assert.equal(new URL(page.url()).search, "");
    await check("report-mine-empty");
    await page.getByRole("link", { name: "去报备" }).tap();
    await page.getByText("报备会记在您的名下").waitFor();
    await fillWhole(page);
    await button(page, "提交").tap();
    await page.getByText("报备已提交").waitFor();
    await visit("/h5/report/mine");
    await page.getByText("共 1 条").waitFor();
    await check("report-mine");
    await page.getByRole("link", { name: project.项目名称 }).tap();
    await page.getByText("待审核").waitFor();
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readTable } from "#platform/workbooks/index.ts";
import { atLength } from "#test/at-length.ts";
import { cutLine, download, readRows, startConsole } from "#test/browser/console.ts";
import { importFile, samplePayable, type SheetRow, writePayables } from "#test/tuition-payment.ts";

const { app, open } = await startConsole();
const as = await app.signIn("tuition-payment", { isSuper: true });
const { token } = as;
const { page, visit, check } = await open({ as, stays: true });

const xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const workbook = async (rows: readonly SheetRow[]) => ({
  name: "2026学年缴费信息.xlsx",
  mimeType: xlsx,
  buffer: await writePayables(rows),
});
const headings = ["学号", "收费项目", "应缴金额", "是否已缴"].map((text) => ({
  key: text,
  texts: [text],
  required: true,
}));

async function sendFeedback(feedbackPersonName: string, feedbackInfo: string, card = "2022010002"): Promise<void> {
  const body = { feedbackPersonName, feedbackPersonPhone: "555 0100 0001", feedbackInfo };
  const { status } = await app.call("POST", "/tuitionpayment/feedbackmsg/save", {
    body,
    headers: { card_number: card },
  });
  assert.equal(status, 200);
}

test("a workbook is previewed, mended, imported, and a payable of it found, changed, recorded as paid and exported", async () => {
  await visit("/tuition-payment/payables");
  await page.getByRole("button", { name: "导入" }).first().click();
  const wizard = page.getByRole("dialog", { name: "导入缴费信息" });
  const template = page.waitForEvent("download");
  await wizard.getByRole("button", { name: "下载模板" }).click();
  assert.match((await template).suggestedFilename(), /\.xlsx$/);

  const others: SheetRow[] = [
    { 学号: "2022010001", 收费年度: "2025" },
    { 学号: "2022010002", 姓名: "李四", 收费项目: "学费:4800.10\\住宿费:1200.20", 应缴金额: 6000.3 },
  ];
  const file = wizard.locator("input[type=file]");
  await file.setInputFiles(await workbook([{ 应缴金额: 6100 }, ...others]));
  await wizard.getByRole("button", { name: "预览" }).click();
  await wizard.getByText("发现 1 处错误，没有写入任何数据").waitFor();
  await wizard.getByRole("cell", { name: "收费项目合计¥6,000.00，与应缴金额¥6,100.00不符" }).waitFor();
  await wizard.getByRole("cell", { name: "2", exact: true }).waitFor();
  await wizard.getByRole("cell", { name: "应缴金额", exact: true }).waitFor();
  await check("tuition-import-faulty");

  await file.setInputFiles(await workbook([{}, ...others]));
  await wizard.getByRole("button", { name: "预览" }).click();
  await wizard.getByText("检查通过：3 行，没有错误").waitFor();
  assert.equal((await app.pool`select 1 from tuition_payment.payable`).length, 0, "a preview stores nothing");
  await check("tuition-import-preview");
  await wizard.getByRole("button", { name: "确认导入 3 行" }).click();
  await wizard.getByText("已导入 3 行").waitFor();
  await wizard.getByRole("button", { name: "完成" }).click();
  await page.getByText("第 1-3 条 / 共 3 条").waitFor();
  await check("tuition-payables");

  await page.getByRole("textbox", { name: "姓名或学号" }).fill("李四");
  await page.getByRole("button", { name: "查询" }).click();
  await page.getByText("第 1-1 条 / 共 1 条").waitFor();
  await page.getByRole("cell", { name: "6,000.30", exact: true }).first().waitFor();

  await page.getByRole("button", { name: "编辑缴费信息：李四" }).click();
  const form = page.getByRole("dialog", { name: "编辑缴费信息：李四" });
  await form.getByText("与应缴金额一致").waitFor();
  await form.getByRole("button", { name: "添加项目" }).click();
  await form.getByRole("textbox", { name: "第 3 项的名称" }).fill("教材费");
  await form.getByRole("textbox", { name: "第 3 项的金额" }).fill("0.1");
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByText("项目合计 ¥6,000.40 与应缴金额 ¥6,000.30 不一致").waitFor();
  await check("tuition-form-differs");
  await form.getByRole("button", { name: "将合计填入应缴金额" }).click();
  await form.getByText("与应缴金额一致").waitFor();
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByRole("cell", { name: "6,000.40", exact: true }).first().waitFor();

  await page.getByRole("button", { name: "查看 李四" }).click();
  const drawer = page.getByRole("dialog", { name: "李四 2026 年度" });
  await drawer.getByRole("cell", { name: "教材费" }).waitFor();
  await check("tuition-payable");
  await drawer.getByRole("button", { name: "登记已缴" }).click();
  const paid = page.getByRole("dialog", { name: "调整：李四（2022010002）" });
  await paid.getByRole("button", { name: "调整", exact: true }).click();
  await paid.getByText("请填写凭据").waitFor();
  await paid.getByRole("radio", { name: "现金缴费" }).check();
  await paid.getByRole("textbox", { name: "凭据" }).fill("收据 0117");
  await check("tuition-record");
  await paid.getByRole("button", { name: "现金缴费 ¥6,000.40" }).click();
  await page.getByRole("dialog", { name: "现金缴费 ¥6,000.40：李四（2022010002）？" }).waitFor();
  await page.keyboard.press("Enter");
  await drawer.getByText("凭据 收据 0117").waitFor();
  for (const name of ["删除", "登记已缴", "调整"])
    assert.equal(await drawer.getByRole("button", { name, exact: true }).count(), 0, name);
  await paid.waitFor({ state: "hidden" });
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "hidden" });
  await page.getByRole("cell", { name: "已缴", exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "编辑缴费信息：李四" }).count(), 0);

  const { path } = await download(page, "导出");
  const rows = (await Array.fromAsync(readTable({ path, headings }))).flat();
  assert.deepEqual(
    rows.map(({ cells }) => ({ ...cells })),
    [
      {
        学号: "2022010002",
        收费项目: "学费:4800.10\\住宿费:1200.20\\教材费:0.10",
        应缴金额: 6000.4,
        是否已缴: "是",
      },
    ],
  );
});

test("only what is in sight and is still to be dealt with stays selected", async () => {
  const names = ["赵一", "赵二", "赵三", "钱四"];
  await importFile(app, token, await writePayables(names.map((姓名, n) => ({ 学号: `202101002${n}`, 姓名 }))));
  const ordered = await app.call("GET", "/tuitionpayment/order/payables", { headers: { card_number: "2021010022" } });
  const payables = [{ payableId: ordered.json.data[0].id }];
  const headers = { card_number: "2021010022" };
  const order = await app.call("POST", "/tuitionpayment/order/create", { headers, body: { payables, amount: 6000 } });
  assert.equal(order.json.code, "0");
  await visit(`/tuition-payment/payables?keyword=${encodeURIComponent("赵")}`);
  await page.getByText("第 1-3 条 / 共 3 条").waitFor();
  await page.getByRole("checkbox", { name: "选择本页全部" }).check();
  await page.getByText("已选 3 项").waitFor();
  const drawer = page.getByRole("dialog", { name: "赵一 2026 年度" });
  await page.getByRole("button", { name: "查看 赵一" }).click();
  await drawer.getByRole("button", { name: "删除" }).click();
  await page.locator(".ant-modal-confirm").getByRole("button", { name: "删除" }).click();
  await page.getByText("第 1-2 条 / 共 2 条").waitFor();
  await page.getByText("已选 2 项").waitFor();
  await page.locator(".q-list-bar").getByRole("button", { name: "删除" }).click();
  await page.locator(".ant-modal-confirm").getByRole("button", { name: "删除" }).click();
  await page.getByText(/完成 1 项，1 项未完成/).waitFor();
  await page.getByText("已选 1 项").waitFor();
  await page.getByRole("textbox", { name: "姓名或学号" }).fill("钱四");
  await page.getByRole("button", { name: "查询" }).click();
  await page.getByRole("checkbox", { name: "选择 钱四 2026" }).check();
  await page.goBack();
  await page.getByRole("link", { name: "赵三的学生账户" }).waitFor();
  await page.getByText("已选 1 项").waitFor({ state: "detached" });
});

test(
  "what several students have paid outside is recorded once, with its evidence and the sum of what is due",
  atLength,
  async () => {
    const rows = ["2024", "2025", "2026"].map((years) => ({ 学号: "2021010009", 姓名: "王五", 收费年度: years }));
    await importFile(app, token, await writePayables(rows));
    await visit(`/tuition-payment/payables?keyword=${encodeURIComponent("王五")}`);
    await page.getByText("第 1-3 条 / 共 3 条").waitFor();
    await page.getByRole("checkbox", { name: "选择本页全部" }).check();
    await page.getByRole("button", { name: "登记已缴 3 笔" }).click();
    const form = page.getByRole("dialog", { name: "登记 3 笔已缴" });
    await form.getByRole("radio", { name: "银行转账" }).check();
    await form.getByRole("textbox", { name: "凭据" }).fill("汇款 88");
    await form.getByRole("button", { name: "全部未缴 ¥18,000.00" }).click();
    await page.getByRole("dialog", { name: "银行转账：3 笔的全部未缴金额，合计 ¥18,000.00？" }).waitFor();
    await page.keyboard.press("Enter");
    await form.waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "王五的学生账户" }).first().click();
    const items = page.getByRole("region", { name: "收费项目" });
    await items.getByRole("cell", { name: "2024", exact: true }).first().waitFor();
    assert.equal(await items.locator("tbody tr.ant-table-row").count(), 6);
  },
);

test("what is due is adjusted with its evidence, seen paid in part, and undone with a reason", async () => {
  const body = samplePayable({ studentNo: "2023010001", studentName: "吴九", dueDate: "2026-01-31" });
  assert.equal((await app.call("POST", "/tuitionpayment/payableinfo/save", { token, body })).status, 200);
  await visit("/tuition-payment/payables?overdue=1");
  await page.getByRole("cell", { name: "未缴，已逾期" }).waitFor();
  await page.getByRole("button", { name: "查看 吴九" }).click();
  const drawer = page.getByRole("dialog", { name: "吴九 2026 年度" });
  await drawer.getByRole("button", { name: "调整", exact: true }).click();
  const form = page.getByRole("dialog", { name: "调整：吴九（2023010001）" });
  await form.getByRole("radio", { name: "助学贷款" }).check();
  await form.getByRole("button", { name: "助学贷款 ¥0.00" }).click();
  await form.getByText("请至少填写一项金额").waitFor();
  await form.getByRole("textbox", { name: "学费的调整金额" }).fill("4800.01");
  await form.getByText("学费：不能超过未缴的 ¥4,800.00").waitFor();
  await form.getByRole("button", { name: "全部未缴 ¥6,000.00" }).click();
  await form.getByRole("textbox", { name: "住宿费的调整金额" }).fill("");
  await form.getByRole("textbox", { name: "凭据" }).fill("贷款合同 2026-117");
  await check("tuition-adjust");
  await form.getByRole("button", { name: "助学贷款 ¥4,800.00" }).click();
  const readBack = page.getByRole("dialog", { name: "助学贷款 ¥4,800.00：吴九（2023010001）？" });
  await readBack.waitFor();
  await page.keyboard.press("Enter");
  await form.waitFor({ state: "hidden" });
  await drawer.getByText("部分缴纳，已逾期").first().waitFor();
  const made = drawer.getByRole("region", { name: "2026 年度的调整" });
  await made.getByText("凭据 贷款合同 2026-117").waitFor();
  await check("tuition-adjusted");

  await made.getByRole("button", { name: "撤销助学贷款" }).click();
  const undo = page.getByRole("dialog", { name: "撤销助学贷款 ¥4,800.00" });
  await undo.getByRole("button", { name: "撤销", exact: true }).click();
  await undo.getByText("请填写撤销原因").waitFor();
  await undo.getByLabel("撤销原因").fill("合同未放款");
  await undo.getByRole("button", { name: "撤销", exact: true }).click();
  await made.getByText(/撤销：合同未放款/).waitFor();
  await drawer.getByText("未缴，已逾期").first().waitFor();
  await undo.waitFor({ state: "hidden" });

  await drawer.getByRole("button", { name: "调整", exact: true }).click();
  await form.getByRole("radio", { name: "缓缴" }).check();
  const until = form.getByRole("textbox", { name: "缓缴至" });
  await until.fill("2099-12-31");
  await until.press("Tab");
  await form.getByRole("textbox", { name: "凭据" }).fill("校办〔2026〕9号");
  await form.getByRole("button", { name: "缓缴", exact: true }).click();
  await page
    .getByRole("dialog", { name: "吴九（2023010001） 缓缴至 2099-12-31？" })
    .getByRole("button", { name: "缓缴" })
    .click();
  await made.getByText("缓缴至 2099-12-31").waitFor();

  await visit("/tuition-payment/adjustments");
  await page.getByRole("cell", { name: "贷款合同 2026-117" }).waitFor();
  await page.getByRole("cell", { name: /撤销：合同未放款/ }).waitFor();
  await check("tuition-adjustments");
  const { path } = await download(page, "导出");
  assert.match(JSON.stringify(await readRows(path)), /贷款合同 2026-117/);
});

test("a grade is switched off after a question, and a refusal leaves the switch as it is", async () => {
  await app.call("POST", "/tuitionpayment/payableinfo/save", {
    token,
    body: samplePayable({ studentNo: "grade-1", grade: "2022" }),
  });
  await visit("/tuition-payment/grades");
  const toggle = page.getByRole("switch", { name: "2022级 允许缴费" });
  const question = page.getByRole("dialog", { name: "暂停 2022级 缴费？" });
  await page.route("**/enablePayLimit/setting/**", cutLine);
  await toggle.click();
  await question.getByRole("button", { name: "暂停缴费" }).click();
  await page.getByText("无法连接").waitFor();
  assert.equal(await toggle.getAttribute("aria-checked"), "true");
  await question.waitFor({ state: "hidden" });
  await page.unroute("**/enablePayLimit/setting/**");
  await toggle.click();
  await question.waitFor();
  await check("tuition-grade-question");
  await question.getByRole("button", { name: "暂停缴费" }).click();
  await page.getByRole("cell", { name: "暂停缴费", exact: true }).waitFor();
  assert.equal(await toggle.getAttribute("aria-checked"), "false");
  await question.waitFor({ state: "hidden" });
  await check("tuition-grades");
});

test("feedback is a queue: the longest waiting first, answered by keyboard, undone and processed", async () => {
  await sendFeedback("钱七", "住宿费与宿舍不符，请核对。");
  await sendFeedback("孙八", "已缴费，状态仍显示未缴。\n请尽快处理，谢谢。");
  await visit("/tuition-payment/feedback");
  const pane = page.getByRole("region", { name: "反馈内容" });
  await pane.getByText("住宿费与宿舍不符").waitFor();
  await page.getByText("待处理 2", { exact: true }).waitFor();
  await check("tuition-feedback");
  const answer = async (text: string) => {
    await page.keyboard.press("r");
    await pane.getByRole("textbox").fill(text);
    await page.keyboard.press("Enter");
  };
  await answer("写错了");
  await pane.getByText("请尽快处理，谢谢。").waitFor();
  await page.keyboard.press("z");
  await pane.getByText("住宿费与宿舍不符").waitFor();
  await answer("已核对，住宿费已退。");
  await pane.getByText("请尽快处理，谢谢。").waitFor();
  await page.keyboard.press("d");
  await page.getByText("没有待处理的反馈").waitFor();
  const sent = ["/reply/", "/info/"].map((part) =>
    page.waitForResponse((response) => response.request().method() === "PUT" && response.url().includes(part)),
  );
  await visit("/tuition-payment/grades");
  await Promise.all(sent);
  await visit("/tuition-payment/feedback?status=2");
  const search = page.getByRole("searchbox", { name: "反馈人姓名或电话" });
  await search.fill("钱");
  await page.keyboard.press("Enter");
  await pane.getByRole("heading", { name: "钱七" }).waitFor();
  await pane.getByText("已核对，住宿费已退。").waitFor();
  await page.keyboard.type("七");
  // The list is read once the page has rendered the new address; going back before that would have no effect.
  const read = page.waitForResponse((response) => new URL(response.url()).searchParams.get("keyword") === "钱七");
  await page.keyboard.press("Enter");
  await read;
  await page.goBack();
  await page.waitForURL((url) => url.searchParams.get("keyword") === "钱");
  await page.locator('input[type="search"][value="钱"]').waitFor();
  await check("tuition-feedback-processed");
  await pane.getByRole("link", { name: /2022010002/ }).click();
  await page.waitForURL(/payables\?keyword=2022010002/);
  await page.getByRole("heading", { name: "缴费信息" }).waitFor();
  await sendFeedback("新生", "还没有学号。", "11010119900307123X");
  await visit("/tuition-payment/feedback");
  await pane.getByRole("link", { name: /11010119900307123X/ }).click();
  await page.waitForURL((url) => url.searchParams.get("keyword") === "新生");
});

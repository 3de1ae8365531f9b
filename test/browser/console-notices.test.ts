import assert from "node:assert/strict";
import { after, test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { startConsole } from "#test/browser/console.ts";
import { findZone } from "#test/notices/zones.ts";
import { startDingtalkApp } from "#test/stand-ins/work-apps.ts";

const dingtalk = await startDingtalkApp("key", "app-secret", "77");
const { app, open } = await startConsole({
  settings: {
    TIME_ZONE: findZone(12),
    DINGTALK_APP_KEY: "key",
    DINGTALK_APP_SECRET: "app-secret",
    DINGTALK_AGENT_ID: "77",
    DINGTALK_BASE_URL: dingtalk.url,
  },
});
after(() => dingtalk.close());
const operator = await app.signIn("platform");
const { page, visit, check } = await open({ as: operator, stays: true });

test("a kind is switched on, previewed and tried, and what was sent is listed", async () => {
  await app.pool`
    insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen, due_date)
    values ('2026009', '李示例', '2026', '2026', 480000, '{学费}', '{480000}', current_date + 7)`;
  await visit("/platform/notices");
  const row = page.getByRole("row", { name: /缴费提醒/ });
  await row.getByRole("switch", { name: "开启通知：缴费提醒" }).click();
  await page.getByText("已保存").waitFor();
  await row.getByRole("switch", { checked: true }).waitFor();
  await check("notices");
  await row.getByRole("button", { name: "预览与试发：缴费提醒" }).click();
  const dialog = page.getByRole("dialog", { name: "预览与试发：缴费提醒" });
  await dialog.getByText(/^李示例同学：收费年度 2026 还有 4800 元待缴/).waitFor();
  for (const [to, outcome] of [
    ["nobody-1", "被拒绝"],
    ["operator-1", "已发送"],
  ] as const) {
    await dialog.getByRole("textbox", { name: "钉钉 UserId" }).fill(to);
    await dialog.getByRole("button", { name: /试\s*发/ }).click();
    await dialog.getByText(outcome).waitFor();
  }
  await check("notice-preview");
  assert.deepEqual(
    dingtalk.told.map(({ to }) => to),
    ["operator-1"],
  );
  await page.keyboard.press("Escape");
  await app.pool`
    insert into platform.notice (kind, key_hash, channel, whom, state, error, due_at)
    select 'tuition-payment.due', state, 'dingtalk', '202****6009', state, nullif(state, 'sent'), now()
    from unnest('{sent,refused,unknown,expired,unreachable}'::text[]) as state`;
  await page.getByRole("link", { name: "通知记录" }).first().click();
  await page
    .getByRole("row", { name: /202\*{4}6009/ })
    .first()
    .waitFor();
  await check("notices-sent");
});

test("an account says where it is told, and what is no address stands at its field", async () => {
  await visit("/security");
  const card = page.locator(".ant-card", { hasText: "接收通知" });
  const save = card.getByRole("button", { name: /保\s*存/ });
  await card.getByLabel("邮箱").fill("nobody");
  await card.getByLabel("钉钉或企业微信的 UserId").fill("operator-1");
  await save.click();
  await card.getByText("应为邮箱地址").waitFor();
  await check("own-contact-wrong");
  await card.getByLabel("邮箱").fill("one@example.edu");
  await card.getByLabel("手机号").fill("55501007777");
  await card.getByRole("switch", { name: "接收通知" }).click();
  const saved = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await save.click();
  await saved;
  const own = await app.call("GET", "/platform/notice/own", { token: operator.token });
  assert.deepEqual(own.json.data, { mail: "one@example.edu", userId: "operator-1", phone: "55501007777", told: false });
});

test("the pages in the dark, in English, on a phone", atLength, async () => {
  const size = { width: 390, height: 844 };
  const phone = await open({ as: operator, language: "en", theme: "dark", size });
  await phone.visit("/platform/notices");
  await phone.page.getByText("Payment reminder").waitFor();
  await phone.check("notices-phone");
  await phone.visit("/security");
  await phone.page.getByLabel("DingTalk or WeCom UserId").scrollIntoViewIfNeeded();
  await phone.check("own-contact-phone");
});

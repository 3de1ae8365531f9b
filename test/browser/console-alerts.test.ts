import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { buildWeb, openConsoleTests } from "#test/browser/console.ts";
import { startReceiver } from "#test/relay/receiver.ts";

await buildWeb();
const receiver = await startReceiver();
after(() => receiver.stop());
const app = await startTestApp({
  settings: {
    ALERT_WEBHOOK_URL: receiver.url,
    ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  },
});
const tests = await openConsoleTests(app);
after(() => tests.close());

test("the channels are tested; an alert is seen, muted and heard of again", async () => {
  const { userName } = await app.signIn("platform");
  const { page, visit, check } = await tests.open({ as: { account: "platform", userName } });
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

  await visit("/platform/alert-conditions");
  await page.getByRole("button", { name: "编辑条件 医院今日未上报" }).click();
  const condition = page.getByRole("dialog", { name: "编辑条件 医院今日未上报" });
  await condition.getByRole("spinbutton", { name: "阈值" }).fill("0");
  await condition.getByRole("button", { name: "保存" }).click();
  await page.getByRole("cell", { name: "0 点以后" }).waitFor();
  await check("alert-conditions");

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
  await check("alert-muted");
  await row.getByRole("button", { name: /^取消静音/ }).click();
  await row.getByText("告警中").waitFor();
});

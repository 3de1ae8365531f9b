import assert from "node:assert/strict";
import { after, test } from "node:test";
import { encrypt } from "#services/push-relay/cipher.ts";
import { atLength } from "#test/at-length.ts";
import { button, startConsole } from "#test/browser/console.ts";
import { startReceiver } from "#test/relay/receiver.ts";

const { app, open } = await startConsole({
  settings: {
    PUSH_ALLOWED_NETWORKS: "127.0.0.0/8",
    PUSH_POLL_MS: "100",
    // After a failure the next attempt is a day away, so that only a replay can cause another.
    PUSH_RETRY_SECONDS: "86400",
  },
});
const receiver = await startReceiver();
after(() => receiver.stop());
const { page, context, visit, load, check } = await open({ as: await app.signIn("platform"), stays: true });

const application = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };
const schoolCode = "1000000001";

async function tell(event: string, data: Record<string, unknown>): Promise<void> {
  const raw_data = encrypt(JSON.stringify(data), application);
  const body = { app_key: application.appKey, school_code: schoolCode, event, raw_data };
  const { json } = await app.call("POST", "/wx/wxc/receive", { body });
  assert.deepEqual(json, { code: 0, message: "ok" });
}

test("an application and a project are registered, a change is pushed, fails, and is replayed", async () => {
  await visit("/push-relay/projects");
  await page.getByRole("link", { name: "登记校园应用" }).click();
  await page.getByText(`${app.url}/wx/wxc/receive`).waitFor();
  await page.getByRole("button", { name: "登记校园应用" }).first().click();
  const form = page.getByRole("dialog", { name: "登记校园应用" });
  await form.getByRole("textbox", { name: "应用名称" }).fill("示例校园");
  await form.getByRole("textbox", { name: "app_key" }).fill("short");
  await form.getByRole("textbox", { name: "app_secret" }).fill(application.appSecret);
  await form.getByRole("textbox", { name: "学校编码" }).fill(schoolCode);
  await form.getByRole("combobox", { name: "允许的来源网段" }).fill("127.0.0.0/8");
  await page.keyboard.press("Enter");
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByText("应为16个字节").waitFor();
  await check("relay-application-form");
  await form.getByRole("textbox", { name: "app_key" }).fill(application.appKey);
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByRole("cell", { name: "127.0.0.0/8" }).waitFor();
  assert.equal(await page.getByText(application.appSecret).count(), 0);
  await check("relay-applications");

  await page.getByRole("link", { name: "推送项目" }).click();
  await page.getByRole("button", { name: "新建推送项目" }).first().click();
  const project = page.getByRole("dialog", { name: "新建推送项目" });
  await project.getByRole("textbox", { name: "推送地址" }).fill("http://169.254.169.254/");
  await project.getByRole("textbox", { name: "项目名称" }).fill("图书馆系统");
  await project.getByRole("button", { name: "保存" }).click();
  await project.getByText("不允许推送到该网络地址").waitFor();
  await check("relay-project-form");
  await project.getByRole("textbox", { name: "推送地址" }).fill(receiver.url);
  await project.getByRole("button", { name: "保存" }).click();
  const drawer = page.getByRole("dialog", { name: "图书馆系统" });
  await drawer.getByRole("button", { name: "测试推送" }).click();
  const trial = page.getByRole("dialog", { name: "测试推送 图书馆系统" });
  await trial.getByRole("button", { name: "发送测试" }).click();
  await trial.getByText(/接收方应答 200，用时/).waitFor();
  await check("relay-test-push");
  await page.keyboard.press("Escape");
  await trial.waitFor({ state: "hidden" });
  await drawer.getByRole("button", { name: "显示密钥" }).click();
  const first = await drawer.getByText(/^whsec_/).textContent();
  await drawer.getByRole("button", { name: "轮换密钥" }).click();
  await page.getByRole("dialog", { name: "生成新的签名密钥？" }).getByRole("button", { name: "轮换密钥" }).click();
  await drawer.getByText("旧密钥在 24 小时内仍然有效").waitFor();
  await drawer
    .getByText(/^whsec_/)
    .filter({ hasNotText: first ?? "" })
    .waitFor();

  await tell("addOrg", { id: 101, name: "示例学院", parent_id: "0" });
  await tell("addUser", { card_number: "07302590", name: "测试员甲", organization: [101, 102] });
  await receiver.await(3);
  receiver.behave((_push, response) => void response.writeHead(500, { "retry-after": "1" }).end("busy, 稍后再试"));
  await tell("updateUser", { card_number: "07302590", name: "测试员乙", organization: [101] });
  await drawer.getByRole("link", { name: "查看投递记录" }).click();
  await page.getByText("第 1-3 条 / 共 3 条").waitFor();
  await page.getByRole("cell", { name: "接收方应答 HTTP 500" }).waitFor();
  assert.equal(await page.getByRole("cell", { name: "已送达" }).count(), 2);
  await check("relay-deliveries");
  await page.getByRole("textbox", { name: "对象编号" }).fill("07302590");
  await page.getByRole("button", { name: "查询" }).click();
  await page.getByText("第 1-2 条 / 共 2 条").waitFor();
  assert.match(page.url(), /projectId=\d+&subject=07302590$/);
  await button(page, /^查看投递/).click();
  const detail = page.getByRole("dialog", { name: /^投递 \d+$/ });
  await detail.getByText("接收方应答 HTTP 500").waitFor();
  await detail.getByText(/下次投递：/).waitFor();
  receiver.behave(() => 200);
  await detail.getByRole("button", { name: "重发" }).click();
  await page.getByRole("dialog", { name: "重发 1 条投递？" }).getByRole("button", { name: "重发" }).click();
  await detail.getByText("成功，应答 200").waitFor();
  await detail.getByText("接收方应答 HTTP 500").waitFor();
  await check("relay-delivery");
  const [failed, succeeded] = [detail.getByRole("listitem").nth(0), detail.getByRole("listitem").nth(1)];
  await failed.getByText("请求与应答").click();
  await failed.getByText("busy, 稍后再试").waitFor();
  await failed.getByText(/^retry-after: 1$/m).waitFor();
  await succeeded.getByText("请求与应答").click();
  await succeeded.getByText("应答没有内容").waitFor();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await failed.getByRole("button", { name: "复制为 curl" }).click();
  await page.getByText("已复制").waitFor();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  const pushed = receiver.pushes[3];
  assert.ok(copied.startsWith(`curl -i -X POST '${receiver.url}'`), copied);
  assert.ok(copied.endsWith(`--data-raw '${pushed?.body}'`), copied);
  assert.ok(
    copied.includes(`-H 'webhook-id: ${pushed?.json.id}'`) && copied.includes("-H 'webhook-signature: v1,***'"),
  );
  assert.deepEqual(
    receiver.pushes.map(({ json }) => json.event),
    ["test", "addOrg", "addUser", "updateUser", "updateUser"],
  );

  await detail.getByText("与前一次投递对照").click();
  const [before, own] = [
    detail.getByRole("region", { name: /^前一次：投递 \d+$/ }),
    detail.getByRole("region", { name: /^本次：投递 \d+$/ }),
  ];
  await before.locator("mark", { hasText: "测试员甲" }).waitFor();
  await own.locator("mark", { hasText: "测试员乙" }).waitFor();
  assert.equal(await own.locator("mark", { hasText: "07302590" }).count(), 0, "what is the same is not marked");
  await own.getByText("应答没有内容").waitFor();
  await own.scrollIntoViewIfNeeded();
  await check("relay-delivery-compared");

  await detail.getByRole("link", { name: "07302590" }).click();
  await page.getByRole("button", { name: "查看 测试员乙" }).click();
  await page.getByRole("dialog", { name: "测试员乙" }).getByText("所属机构").waitFor();
  await check("relay-person");
});

test("an application that anybody may push to is warned of, unless it wants its secret", atLength, async () => {
  await visit("/push-relay/applications");
  const warning = page.getByText("看到过其中一次推送的人就能伪造其他推送");
  const edit = page.getByRole("dialog", { name: "编辑校园应用 示例校园" });
  const change = async (act: () => Promise<void>) => {
    await page.getByRole("button", { name: "编辑校园应用 示例校园" }).click();
    await act();
    await edit.getByRole("button", { name: "保存" }).click();
    await edit.waitFor({ state: "hidden" });
  };
  assert.equal(await warning.count(), 0);
  await change(async () => {
    await edit.getByRole("combobox", { name: "允许的来源网段" }).focus();
    await page.keyboard.press("Backspace");
  });
  await warning.waitFor();
  await change(() => edit.getByRole("switch", { name: "推送必须带 app_secret" }).click());
  await warning.waitFor({ state: "hidden" });
  await page.getByRole("cell", { name: "强制校验" }).waitFor();
  await page.getByRole("button", { name: "编辑校园应用 示例校园" }).click();
  await edit.getByRole("switch", { name: "推送必须带 app_secret" }).click();
  await edit.getByRole("button", { name: "保存" }).click();
  await edit.waitFor({ state: "hidden" });
  await page.getByRole("cell", { name: "不强制校验" }).waitFor();
});

test("a project fetches with a key that is shown once, and has somebody to tell", async () => {
  await visit("/push-relay/projects");
  await page.getByRole("button", { name: "新建推送项目" }).click();
  const form = page.getByRole("dialog", { name: "新建推送项目" });
  await form.getByRole("textbox", { name: "推送地址" }).fill("http://127.0.0.1:9/fetched");
  await form.getByRole("textbox", { name: "项目名称" }).fill("门禁系统");
  await form.getByRole("switch", { name: "由接收方拉取" }).click();
  await form.getByRole("textbox", { name: "联系方式" }).fill("门禁");
  await form.getByRole("button", { name: "保存" }).click();
  await form.getByText("应为邮箱地址或手机号").waitFor();
  await check("relay-project-form-pull");
  await form.getByRole("textbox", { name: "联系方式" }).fill("gate@example.edu");
  await form.getByRole("button", { name: "保存" }).click();
  const drawer = page.getByRole("dialog", { name: "门禁系统", exact: true });
  await drawer.getByText("gate@example.edu").waitFor();
  await drawer.getByText("由接收方拉取").waitFor();
  const makeKey = async () => {
    await drawer.getByRole("button", { name: "生成新密钥" }).click();
    await page
      .getByRole("dialog", { name: "生成新的接收方密钥？" })
      .getByRole("button", { name: "生成新密钥" })
      .click();
  };
  const pullWith = async (key: string | null) =>
    (await app.call("GET", "/wx/push/pull", { headers: { authorization: `Bearer ${key}` } })).json;
  await makeKey();
  const shown = drawer.getByText(/^qr_/);
  const first = await shown.textContent();
  await makeKey();
  await shown.filter({ hasNotText: first ?? "" }).waitFor();
  assert.equal((await pullWith(first)).code, "10003");
  assert.deepEqual((await pullWith(await shown.textContent())).data.events, []);
  await shown.scrollIntoViewIfNeeded();
  await check("relay-receiver-key");
  await drawer.getByRole("button", { name: "编辑" }).click();
  const edit = page.getByRole("dialog", { name: /^编辑.*门禁系统/ });
  assert.equal(await edit.getByRole("switch", { name: "由接收方拉取" }).isChecked(), true);
  await edit.getByRole("switch", { name: "由接收方拉取" }).click();
  await edit.getByRole("button", { name: "保存" }).click();
  await drawer.getByText("推送到地址").waitFor();
  await drawer.getByRole("button", { name: "删除" }).click();
  await page.getByRole("dialog", { name: "删除推送项目“门禁系统”？" }).getByRole("button", { name: "删除" }).click();
  await drawer.waitFor({ state: "hidden" });
});

test("dead letters are replayed; a late project waits, is backfilled, resumed and deleted", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 1920, height: 1080 });
  await app.pool`
    with given_up as (
      update push_relay.delivery set status = 'dead', delivered_at = null, error = 'no connection, ECONNREFUSED',
        status_code = null returning id, project_id)
    insert into push_relay.dead (delivery_id, project_id) select id, project_id from given_up`;
  await load("/push-relay/projects");
  await page.getByRole("link", { name: "3", exact: true }).click();
  await page.getByRole("cell", { name: "投递失败" }).first().waitFor();
  await check("relay-dead-dark");
  await page.getByRole("button", { name: "重发失败的投递" }).click();
  const replaying = page.getByRole("dialog", { name: "重发失败的投递" });
  await replaying.getByText("图书馆系统（投递失败 3）").waitFor();
  await check("relay-replay-dark");
  await replaying.getByRole("button", { name: "重发", exact: true }).click();
  await page.getByText("已重新加入 3 条投递").waitFor();

  await visit("/push-relay/projects");
  await page.getByRole("button", { name: "新建推送项目" }).click();
  const form = page.getByRole("dialog", { name: "新建推送项目" });
  await form.getByRole("textbox", { name: "推送地址" }).fill("http://127.0.0.1:9/later");
  await form.getByRole("button", { name: "保存" }).click();
  const drawer = page.getByRole("dialog", { name: "127.0.0.1:9", exact: true });
  await drawer.getByRole("button", { name: "暂停" }).click();
  await drawer.getByText("此项目已暂停").waitFor();
  await drawer.getByRole("button", { name: "全量补发" }).click();
  const question = page.getByRole("dialog", { name: "向“127.0.0.1:9”全量补发？" });
  await question.getByText("将推送 2 条").waitFor();
  await question.getByRole("button", { name: "全量补发" }).click();
  await page.getByText("已加入 2 条投递").waitFor();
  await check("relay-project-paused-dark");
  await drawer.getByRole("button", { name: "恢复" }).click();
  await drawer.getByText("无法连接：对方没有监听该端口").waitFor();
  await drawer.getByRole("button", { name: "删除" }).click();
  await page.getByRole("dialog", { name: "删除推送项目“127.0.0.1:9”？" }).getByRole("button", { name: "删除" }).click();
  await drawer.waitFor({ state: "hidden" });
  await check("relay-projects-dark");
});

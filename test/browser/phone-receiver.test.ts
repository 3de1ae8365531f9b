import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { buildWeb } from "#test/browser/console.ts";
import { openPhoneTests } from "#test/browser/phone.ts";
import { registerCampus } from "#test/relay/campus.ts";

await buildWeb();
const app = await startTestApp({ services: ["push-relay"], settings: { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32" } });
const phones = await openPhoneTests(app);
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });

test("a receiver sees its project and what it was given, and has one given again; a changed key ends it", async () => {
  const body = { url: "http://127.0.0.1:9/", project: "图书馆", pull: true };
  const added = await app.call("POST", "/wx/push/addPushProject", { token, body });
  const rotate = async () =>
    (await app.call("PUT", "/wx/push/project/rotateKey", { token, query: { id: added.json.data } })).json.data.key;
  const key = await rotate();
  const headers = { authorization: `Bearer ${key}` };
  await campus.tell("addUser", { card_number: "07302590", name: "陈小明", long: "x".repeat(300) });
  const take = async () => {
    const { cursor } = (await app.call("GET", "/wx/push/pull", { headers })).json.data;
    await app.call("PUT", "/wx/push/pull", { headers, body: { cursor } });
  };
  await take();

  for (const [locale, theme] of [
    ["zh-CN", "light"],
    ["en", "dark"],
  ] as const) {
    const { page, visit, check } = await phones.open({ locale, theme });
    const t = (zh: string, en: string) => (locale === "en" ? en : zh);
    await visit("/h5/receiver/");
    const field = page.getByLabel(t("接收方密钥", "Receiver key"));
    await field.fill("qr_1_wrong");
    const open = page.getByRole("button", { name: t("打开", "Open"), exact: true });
    await open.tap();
    await page.getByRole("alert").waitFor();
    await check(`receiver-refused-${theme}`);
    await field.fill(key);
    await open.tap();
    await page.getByRole("heading", { name: "图书馆" }).waitFor();
    const one = page.getByRole("article");
    await one.getByText(t("已送达", "Delivered")).waitFor();
    await one.getByText(t("内容", "Payload")).tap();
    await one.getByText("陈小明").waitFor();
    await check(`receiver-${theme}`);
    await one.getByRole("button", { name: t("再发一次", "Send again") }).tap();
    await one.getByText(t("待投递", "Pending")).waitFor();
    const pending = page.locator(".facts div", { hasText: t("待投递", "Pending") });
    await pending.getByText("1", { exact: true }).waitFor();
    if (theme === "light") {
      await take();
      await page.getByRole("button", { name: "刷新" }).tap();
      await one.getByText("已送达").waitFor();
      await pending.getByText("0", { exact: true }).waitFor();
      continue;
    }
    await rotate();
    await page.getByRole("button", { name: "Refresh" }).tap();
    await page.getByText("The key is no longer valid").waitFor();
  }
  const [waiting] = await app.pool.values<number>`select count(*)::int from push_relay.queue`;
  assert.equal(waiting, 1);
});

test("a changed key ends the page where every answer has status 200, and without storage", async () => {
  const settings = { STATUS_STYLE: "always-200" };
  const old = await openPhoneTests(await startTestApp({ services: ["push-relay"], settings, beside: app }));
  const body = { url: "http://127.0.0.1:9/", project: "档案馆", pull: true };
  const id = (await app.call("POST", "/wx/push/addPushProject", { token, body })).json.data;
  const rotate = async () =>
    (await app.call("PUT", "/wx/push/project/rotateKey", { token, query: { id } })).json.data.key;
  const key = await rotate();
  const { page, visit } = await old.open();
  await page.addInitScript(
    `Object.defineProperty(window, "sessionStorage", { get: () => { throw new DOMException("", "SecurityError"); } });`,
  );
  await visit("/h5/receiver/");
  await page.getByLabel("接收方密钥").fill(key);
  await page.getByRole("button", { name: "打开", exact: true }).tap();
  await page.getByRole("heading", { name: "档案馆" }).waitFor();
  await rotate();
  await page.getByRole("button", { name: "刷新" }).tap();
  await page.getByText("密钥已失效").waitFor();
  await page.getByRole("button", { name: "退出" }).tap();
  await page.getByLabel("接收方密钥").waitFor();
});

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { testPassword } from "#test/app.ts";
import { button, startConsole } from "#test/browser/console.ts";
import { findPorts } from "#test/high-availability/programs.ts";
import { startCasStandIn } from "#test/stand-ins/cas.ts";
import { startOidcStandIn } from "#test/stand-ins/oidc.ts";

const [oidc, cas] = [await startOidcStandIn(), await startCasStandIn()];
const SIGN_ON_ROLES = "memberOf: heads = reporting/super";
const [port] = await findPorts(1);
const place = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` };
// OUTSIDE_TIMEOUT_MS is long, since this machine may be busy; another file tests slow providers.
const settings = { ...place, SIGN_ON_ROLES, ...oidc.settings, ...cas.settings, OUTSIDE_TIMEOUT_MS: "60000" };
const { app, open } = await startConsole({ services: ["reporting"], settings });
afterEach(() => {
  [oidc.lies, cas.lie] = [{}, undefined];
});
await app.signIn("platform", { userName: "head" });

const forgiven = [oidc.issuer, cas.url];

const forgive = (faults: string[]): void =>
  void faults.splice(
    0,
    faults.length,
    ...faults.filter((fault) => !forgiven.some((url) => fault.startsWith(`asks for ${url}`))),
  );

test("an operator lists identities; those sign on from the button to the page that was asked for, others are refused", async () => {
  const first = await open({ as: { account: "platform", userName: "head" } });
  await first.visit("/platform/campus-identities");
  await first.page.getByText("没有登记的身份", { exact: true }).waitFor();
  await first.check("campus-identities-empty");
  for (const [kind, identity] of [
    ["OpenID Connect", "li"],
    ["CAS", "zhang"],
  ] as const) {
    await button(first.page, "登记身份").click();
    const form = first.page.getByRole("dialog", { name: "登记身份" });
    await form.getByText(kind, { exact: true }).click();
    await form.getByRole("textbox", { name: "校园身份" }).fill(identity);
    await form.getByRole("textbox", { name: "用户名" }).fill("nobody");
    await form.getByRole("button", { name: "保存" }).click();
    await form.getByText(/数据不存在/).waitFor();
    if (kind === "CAS") await first.check("campus-identity-form");
    await form.getByRole("textbox", { name: "用户名" }).fill("head");
    await form.getByRole("button", { name: "保存" }).click();
    await first.page.getByRole("cell", { name: identity, exact: true }).waitFor();
  }
  await first.visit("/platform/health");
  await first.page.getByRole("region", { name: "统一身份认证" }).getByText("OpenID Connect 可用").waitFor();
  await first.check("campus-health");

  const { page, visit, check, faults } = await open();
  await visit("/platform/sessions?userName=head");
  await button(page, "统一身份认证（OpenID Connect）").waitFor();
  await check("campus-sign-in");
  await button(page, "统一身份认证（OpenID Connect）").click();
  await button(page, "Person wang").click();
  await page.getByText(/尚未开通账号/).waitFor();
  forgive(faults);
  await check("campus-refused");
  assert.equal(new URL(page.url()).pathname, "/console/platform/sessions");
  await button(page, "统一身份认证（OpenID Connect）").click();
  await button(page, "Person li").click();
  await page.getByRole("heading", { name: "会话" }).waitFor();
  assert.match(page.url(), /\/console\/platform\/sessions\?userName=head$/);
  await page.getByRole("button", { name: /head/ }).first().click();
  const ends = oidc.countOf("/logout");
  await page.getByRole("menuitem", { name: "退出登录" }).click();
  // The test waits for the page to which the provider redirects after logout, since a click on the old page would be
  // lost.
  await page.waitForURL(/\/console\/?$/);
  await button(page, "统一身份认证（CAS）").click();
  await button(page, "zhang").click();
  await page.getByRole("button", { name: /head/ }).first().waitFor();
  assert.equal(oidc.countOf("/logout"), ends + 1);
  await page.reload();
  await page.getByRole("button", { name: /head/ }).first().waitFor();
  forgive(faults);
  await check("campus-signed-in");
});

test(
  "a link signs nobody in unasked; what comes back to who began nothing is told so beside the form, and a password opens the console",
  atLength,
  async () => {
    const { page, visit, check } = await open({
      language: "en",
      theme: "dark",
      size: { width: 390, height: 844 },
    });
    // A link from another site must not begin a sign-on unless the user presses the button.
    const asked = oidc.countOf("/authorize");
    for (const link of ["/sign-on?begin=oidc", "/sign-on?begin=oidc&press=x", "/sign-on?begin=nobody"]) {
      await visit(link);
      await button(page, "Campus sign-on (OpenID Connect)").waitFor();
      assert.match(page.url(), /\/console\/?$/);
    }
    assert.equal(oidc.countOf("/authorize"), asked);
    await visit("/sign-on?state=x&code=y");
    await page.getByText(/sign in again/).waitFor();
    await check("campus-not-begun");
    await page.getByRole("textbox", { name: "User name" }).fill("head");
    await page.getByRole("textbox", { name: "Password" }).fill(testPassword);
    await button(page, "Sign in").click();
    await page.getByRole("button", { name: /head/ }).first().waitFor();
  },
);

test("whose identity has several accounts is asked which one is meant", atLength, async () => {
  const operator = await app.signIn("platform");
  await app.signIn("reporting", { userName: "chen" });
  await app.signIn("platform", { userName: "chen-operator" });
  for (const [service, userName] of [
    ["reporting", "chen"],
    ["platform", "chen-operator"],
  ])
    await app.call("POST", "/platform/sign-on/identity/save", {
      token: operator.token,
      body: { provider: "oidc", identity: "zhang", service, userName },
    });
  const { page, visit, check, faults } = await open();
  await visit("/reporting/reports");
  await button(page, "统一身份认证（OpenID Connect）").click();
  await button(page, "Person zhang").click();
  await page.getByRole("alert").getByText("您有多个账号，请选择登录身份").waitFor();
  forgive(faults);
  await check("campus-choice");
  await button(page.getByRole("alert"), "项目报备管理员").click();
  await button(page, "Person zhang").click();
  await page.getByRole("heading", { name: "报备记录" }).waitFor();
  await page.getByRole("button", { name: /chen$/ }).first().waitFor();
});

test("everybody sees where they are signed in, and signs out there and everywhere else", atLength, async () => {
  const { token } = await app.signIn("reporting", { userName: "clerk", isSuper: false });
  const login = () =>
    app.call("POST", "/reporting/user/login", { body: { userName: "clerk", password: testPassword } });
  await Promise.all([login(), login()]);
  const as = { account: "reporting", userName: "clerk" };
  const { page, visit, check } = await open({ as, size: { width: 390, height: 844 }, theme: "dark" });
  await visit("/security");
  const end = page.getByRole("button", { name: /^退出 / });
  await page.getByText("当前设备").waitFor();
  assert.equal(await end.count(), 3);
  await check("own-sessions");
  const confirm = async () => {
    await page.getByRole("dialog").getByRole("button", { name: "退出", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await end.first().click();
  await confirm();
  await page.getByText("已退出 1 处登录").waitFor();
  await button(page, "退出其他全部设备").click();
  await confirm();
  await page.getByText("已退出 2 处登录").waitFor();
  await end.first().waitFor({ state: "detached" });
  assert.equal((await app.call("GET", "/platform/session/own", { token })).json.code, "10006");
  await page.reload();
  await page.getByText("当前设备").waitFor();
});

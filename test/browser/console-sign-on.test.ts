import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { after, afterEach, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { addSeed } from "#platform/accounts/second-factor/enrol.ts";
import { insertIdentity } from "#platform/accounts/sign-on/identity-store.ts";
import { atLength } from "#test/at-length.ts";
import { startTestApp, testPassword } from "#test/app.ts";
import { buildWeb, openConsoleTests } from "#test/browser/console.ts";
import { startCasStandIn } from "#test/stand-ins/cas.ts";
import { startOidcStandIn } from "#test/stand-ins/oidc.ts";

await buildWeb();
const [oidc, cas] = [await startOidcStandIn(), await startCasStandIn()];
// Longer than a busy machine takes: what is slow is tried with a process of its own.
const SIGN_ON_ROLES = "memberOf: heads = reporting/super";
const settings = { SIGN_ON_ROLES, ...oidc.settings, ...cas.settings, OUTSIDE_TIMEOUT_MS: "60000" };
const app = await startTestApp({ services: ["reporting"], settings });
const tests = await openConsoleTests(app);
after(() => tests.close());
afterEach(() => {
  [oidc.lies, cas.lie] = [{}, undefined];
});
const head = await app.signIn("platform", { userName: "head" });

/** Has these identities open these accounts, and no others any. */
async function listOnly(
  ...those: readonly { provider: "oidc" | "cas"; identity: string; id: number }[]
): Promise<void> {
  await app.pool`delete from platform.external_identity`;
  for (const { provider, identity, id } of those)
    await insertIdentity(app.pool, { provider, identity, issuer: provider === "oidc" ? oidc.issuer : cas.url }, id);
}

const forgiven = [oidc.issuer, cas.url];

/** What a page asks of the providers is what it is there for. */
const forgive = (faults: string[]): void =>
  void faults.splice(
    0,
    faults.length,
    ...faults.filter((fault) => !forgiven.some((url) => fault.startsWith(`asks for ${url}`))),
  );

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("an operator lists identities; those sign on from the button to the page that was asked for, others are refused", async () => {
  await listOnly();
  const first = await tests.open({ as: { account: "platform", userName: "head" } });
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
  await first.check("campus-identities");
  await first.visit("/platform/health");
  await first.page.getByRole("region", { name: "统一身份认证" }).getByText("OpenID Connect 可用").waitFor();
  await first.check("campus-health");

  const { page, visit, check, faults } = await tests.open();
  await visit("/platform/sessions?userName=head");
  await button(page, "统一身份认证（OpenID Connect）").waitFor();
  await check("campus-sign-in");
  await button(page, "统一身份认证（OpenID Connect）").click();
  await button(page, "Person wang").click();
  await page.getByText(/没有为它开通账号/).waitFor();
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
  // By way of the provider's own end, where the page that was open is gone: a button of it would be pressed in vain.
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
    const { page, visit, check } = await tests.open({
      language: "en",
      theme: "dark",
      size: { width: 390, height: 844 },
    });
    // A link that was pressed somewhere else, as portals have it, asks for a press here.
    const asked = oidc.countOf("/authorize");
    for (const link of ["/sign-on?begin=oidc", "/sign-on?begin=oidc&press=x", "/sign-on?begin=nobody"]) {
      await visit(link);
      await button(page, "Campus sign-on (OpenID Connect)").waitFor();
      assert.match(page.url(), /\/console\/?$/);
    }
    assert.equal(oidc.countOf("/authorize"), asked);
    await visit("/sign-on?state=x&code=y");
    await page.getByText(/sign in once more/).waitFor();
    await check("campus-not-begun");
    await page.getByRole("textbox", { name: "User name" }).fill("head");
    await page.getByRole("textbox", { name: "Password" }).fill(testPassword);
    await button(page, "Sign in").click();
    await page.getByRole("button", { name: /head/ }).first().waitFor();
  },
);

test(
  "while one provider is gone and the other silent, both say so, and the operator of last resort gets in, alone",
  atLength,
  async () => {
    const other = await app.signIn("platform", { userName: "zhang-operator" });
    await listOnly({ provider: "cas", identity: "zhang", id: other.id });
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const OIDC_ISSUER = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
    gone.close();
    await once(gone, "close");
    const outage = await startTestApp({
      services: ["reporting"],
      settings: { ...settings, OIDC_ISSUER, OUTSIDE_TIMEOUT_MS: "500", PASSWORD_LOGIN_ONLY: "head" },
      beside: app,
    });
    cas.lie = "silent";
    const { page, check, faults } = await tests.open({ provokes: 502 });
    await page.goto(`${outage.url}/console/`);
    await button(page, "统一身份认证（OpenID Connect）").click();
    await page.getByText(/统一身份认证平台暂时无法使用/).waitFor();
    await button(page, "统一身份认证（CAS）").click();
    await button(page, "zhang").click();
    await page.waitForURL(/\/console\/?$/);
    await page.getByText(/统一身份认证平台暂时无法使用/).waitFor();
    forgiven.push(outage.url);
    forgive(faults);
    await check("campus-down");
    const signIn = async (userName: string) => {
      await page.getByRole("textbox", { name: "用户名" }).fill(userName);
      await page.getByRole("textbox", { name: "密码" }).fill(testPassword);
      await page.getByRole("button", { name: "登录", exact: true }).click();
    };
    await signIn("zhang-operator");
    await page.getByText(/只能通过统一身份认证登录/).waitFor();
    await signIn("head");
    await page.getByRole("button", { name: /head/ }).first().waitFor();
  },
);

test(
  "whom the campus calls a head is one, is marked in the list, and can only be disabled there",
  atLength,
  async () => {
    await listOnly();
    oidc.lies = { claims: (claims) => ({ ...claims, sub: "s-2041", name: "教务处", memberOf: ["heads"] }) };
    const { page, visit } = await tests.open();
    await visit("/");
    await button(page, "统一身份认证（OpenID Connect）").click();
    await button(page, "Person li").click();
    await page
      .getByRole("button", { name: /教务处/ })
      .first()
      .waitFor();

    const other = await tests.open({ as: { account: "platform", userName: "head" } });
    await other.visit("/reporting/administrators");
    await other.page.getByRole("cell", { name: /^s-2041\s*由统一身份认证开通$/ }).waitFor();
    await other.check("campus-made-account");
    await button(other.page, "编辑管理员 s-2041").click();
    const form = other.page.getByRole("dialog", { name: "编辑管理员 s-2041" });
    await form.getByText(/只能停用或启用/).waitFor();
    assert.equal(await form.getByRole("textbox").count(), 0);
    await other.check("campus-made-form");
    await form.getByText("已停用", { exact: true }).click();
    await form.getByRole("button", { name: "保存" }).click();
    await form.waitFor({ state: "detached" });
    const again = await tests.open();
    await again.visit("/");
    await button(again.page, "统一身份认证（OpenID Connect）").click();
    await button(again.page, "Person li").click();
    await again.page.getByText(/没有为它开通账号/).waitFor();
  },
);

test("everybody sees where they are signed in, and signs out there and everywhere else", atLength, async () => {
  const { token } = await app.signIn("reporting", { userName: "clerk", isSuper: false });
  const login = () =>
    app.call("POST", "/reporting/user/login", { body: { userName: "clerk", password: testPassword } });
  await Promise.all([login(), login()]);
  const as = { account: "reporting", userName: "clerk" };
  const { page, visit, check } = await tests.open({ as, size: { width: 390, height: 844 }, theme: "dark" });
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

test(
  "when a session is over, the campus signs in again in another tab, and what was typed stays",
  atLength,
  async () => {
    const { page, context, visit, faults, check } = await tests.open({ as: { account: "platform", userName: "head" } });
    await visit("/platform/campus-identities");
    await listOnly({ provider: "oidc", identity: "li", id: head.id });
    await button(page, "登记身份").click();
    const form = page.getByRole("dialog", { name: "登记身份" });
    await form.getByRole("textbox", { name: "校园身份" }).fill("20260101");
    await form.getByRole("textbox", { name: "用户名" }).fill("head");
    await app.pool`delete from platform.session`;
    await form.getByRole("button", { name: "保存" }).click();
    const again = page.getByRole("dialog", { name: "登录已过期" });
    const [tab] = await Promise.all([
      context.waitForEvent("page"),
      again.getByRole("button", { name: "统一身份认证（OpenID Connect）" }).click(),
    ]);
    await button(tab, "Person li").click();
    await page.getByRole("cell", { name: "20260101", exact: true }).waitFor();
    forgive(faults);
    await check("campus-again");
  },
);

test("an account with a second factor is asked for it as soon as the campus has said who it is", atLength, async () => {
  const { id, userName } = await app.signIn("platform", { userName: "guarded" });
  await listOnly({ provider: "oidc", identity: "li", id });
  const { secret } = await addSeed(app.pool, { id, userName });
  const { page, visit, check, faults } = await tests.open({ size: { width: 390, height: 844 } });
  await visit("/platform/sessions?userName=head");
  await button(page, "统一身份认证（OpenID Connect）").click();
  await button(page, "Person li").click();
  const code = page.getByLabel("验证码或恢复码");
  await code.fill("no such code");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("恢复码错误或已使用").waitFor();
  forgive(faults);
  await check("campus-second-factor");
  await code.fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "会话" }).waitFor();
  assert.match(page.url(), /\/console\/platform\/sessions\?userName=head$/);
  forgive(faults);
  await check("campus-second-factor-shown");
});

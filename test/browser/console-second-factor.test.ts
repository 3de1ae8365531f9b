import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { buildWeb, button, openConsoleTests } from "#test/browser/console.ts";
import { findOverflow, settle } from "#test/browser/pages.ts";

await buildWeb();
const app = await startTestApp({ services: ["reporting"], settings: { SECOND_FACTOR: "console" } });
// Passkeys need a host name instead of an IP address.
const tests = await openConsoleTests({ ...app, url: app.url.replace("127.0.0.1", "localhost") });

interface Person {
  readonly userName: string;
  readonly password: string;
}

const words = {
  zh: { name: "用户名", password: "密码", submit: "登录", account: "账号", out: "退出登录" },
  en: { name: "User name", password: "Password", submit: "Sign in", account: "Account", out: "Sign out" },
} as const;
type Language = keyof typeof words;

async function fillSignIn(page: Page, { userName, password }: Person, language: Language): Promise<void> {
  const say = words[language];
  await page.getByLabel(say.name, { exact: true }).fill(userName);
  await page.getByLabel(say.password, { exact: true }).fill(password);
  await page.getByRole("button", { name: say.submit, exact: true }).click();
}

async function signOut(page: Page, { userName }: Person, language: Language): Promise<void> {
  const say = words[language];
  await page.getByRole("button", { name: `${say.account} ${userName}` }).click();
  await page.getByRole("menuitem", { name: say.out }).click();
  await page.getByLabel(say.password, { exact: true }).waitFor();
}

/** Returns the current code, and resets the counters, so that this code is accepted even if it was already used. */
async function nextCode(secret: string): Promise<string> {
  await app.pool`update platform.factor set counter = 0 where kind = 'totp'`;
  return new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) }).generate();
}

const ageFactors = () => app.pool`update platform.session set factor_at = factor_at - interval '1 hour'`;

test("a one-time code is set up at the first sign-in, and asked for at the next and before an account is made", async () => {
  const person = await app.signIn("platform");
  const { page, visit, check } = await tests.open({ size: { width: 390, height: 844 } });
  await visit("/platform/operators");
  await fillSignIn(page, person, "zh");
  await page.getByText("此账号必须启用两步验证").waitFor();
  await check("second-factor-choose");
  await page.getByRole("radio", { name: /^验证器应用/ }).check();
  await page.getByRole("img", { name: "供验证器应用扫描的二维码" }).waitFor();
  const secret = await page.locator(".q-second-secret code").innerText();
  const link = page.getByRole("link", { name: "在本机的验证器应用中打开" });
  assert.match((await link.getAttribute("href")) ?? "", /^otpauth:\/\/totp\//);
  await page.getByLabel("6 位验证码").fill("12345");
  await page.getByRole("button", { name: "启用", exact: true }).click();
  await page.getByText("验证码错误").waitFor();
  await check("second-factor-enrol");
  await page.getByLabel("6 位验证码").fill(await nextCode(secret));
  await page.keyboard.press("Enter");
  const codes = page.getByRole("region", { name: "恢复码" });
  await codes.getByRole("listitem").first().waitFor();
  const recovery = await codes.getByRole("listitem").allInnerTexts();
  assert.equal(recovery.length, 10);
  await check("second-factor-recovery");
  await codes.getByRole("button", { name: "已保存，继续" }).click();
  await page.getByRole("heading", { name: "操作员" }).waitFor();
  await signOut(page, person, "zh");

  await fillSignIn(page, person, "zh");
  await page.getByLabel("验证码或恢复码").fill("no such code");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("恢复码错误或已使用").waitFor();
  await check("second-factor-show");
  await page.getByLabel("验证码或恢复码").fill(await nextCode(secret));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "新建操作员" }).waitFor();
  await ageFactors();
  await page.getByRole("button", { name: "新建操作员" }).click();
  const form = page.getByRole("dialog", { name: "新建操作员" });
  await form.getByLabel("用户名").fill("made-with-a-code");
  await form.getByRole("button", { name: /保存|创建|新建/ }).click();
  const step = page.getByRole("dialog", { name: "两步验证" });
  await step.getByLabel("验证码或恢复码").fill(recovery[0] ?? "");
  await check("second-factor-step-up");
  await page.keyboard.press("Enter");
  await form.waitFor({ state: "hidden" });
  const [made] = await app.pool`select 1 from platform.account where user_name = 'made-with-a-code'`;
  assert.ok(made);

  await ageFactors();
  await page.getByRole("button", { name: `账号 ${person.userName}` }).click();
  await page.getByRole("menuitem", { name: "修改密码" }).click();
  const own = page.getByRole("dialog", { name: "修改密码" });
  await own.getByLabel("原密码").fill(person.password);
  await own.getByLabel("新密码", { exact: true }).fill("another-pass-phrase-1");
  await own.getByLabel("再次输入新密码").fill("another-pass-phrase-1");
  await own.getByRole("button", { name: "确认修改" }).click();
  await step.getByLabel("验证码或恢复码").fill(recovery[1] ?? "");
  await check("second-factor-own-password");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "登录", exact: true }).waitFor();
});

test("a passkey is made, signs in, confirms what is dangerous, and is seen and taken away", async () => {
  const person = await app.signIn("platform");
  const { page, context, visit, check } = await tests.open({ language: "en", theme: "dark" });
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
  await visit("/security");
  await fillSignIn(page, person, "en");
  await page.getByRole("radio", { name: /^Passkey/ }).check();
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("button", { name: "Saved, continue" }).click();
  await page.getByRole("heading", { name: "Account security" }).waitFor();
  await page.getByText("This device", { exact: true }).waitFor();
  await page.getByText("10 not used yet").waitFor();
  await check("security-dark-en");
  await page.setViewportSize({ width: 390, height: 844 });
  await settle(page);
  assert.deepEqual(await findOverflow(page), []);
  await signOut(page, person, "en");

  await fillSignIn(page, person, "en");
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Account security" }).waitFor();
  await ageFactors();
  await page.getByRole("button", { name: "Generate new codes" }).click();
  await button(page.getByRole("dialog", { name: "Generate new recovery codes?" }), "Generate new codes").click();
  await button(page.getByRole("dialog", { name: "Two-step verification" }), "Use a passkey").click();
  await page.getByRole("button", { name: "Saved, continue" }).click();
  await page.getByRole("button", { name: "Remove This device" }).click();
  await button(page.getByRole("dialog", { name: /^Remove/ }), "Remove").click();
  await page.getByText("add another one first").waitFor();
});

test("a list of accounts shows who has one, and a lost phone is helped", atLength, async () => {
  const [helper, lost] = [await app.signIn("platform"), await app.signIn("platform")];
  await app.pool`
    insert into platform.factor (account_id, kind, name, seed, confirmed_at)
    select id, 'totp', 'phone', '\\x00', now() from platform.account where id = any(${[helper.id, lost.id]})`;
  await app.pool`update platform.session set factor_at = now()`;
  const { page, visit, check } = await tests.open({ as: { account: "platform", userName: helper.userName } });
  await app.pool`update platform.session set factor_at = now()`;
  await visit(`/platform/operators?userName=${lost.userName}`);
  await page.getByText("验证器应用", { exact: true }).waitFor();
  await check("operators-second-factor");
  await page.getByRole("button", { name: `重置 ${lost.userName} 的两步验证` }).click();
  await page.getByRole("dialog", { name: /重置/ }).getByRole("button", { name: "重置", exact: true }).click();
  await page.getByText("未启用", { exact: true }).waitFor();
  assert.equal((await app.call("GET", "/platform/session/own", { token: lost.token })).json.code, "10006");
});

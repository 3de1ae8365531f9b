import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { buildWeb, openConsoleTests } from "#test/browser/console.ts";

await buildWeb();
const app = await startTestApp({ services: ["reporting"] });
const strict = await startTestApp({ services: ["reporting"], settings: { SECOND_FACTOR: "all" }, beside: app });
const tests = await openConsoleTests(app);
const strictTests = await openConsoleTests(strict);
after(() => Promise.all([tests.close(), strictTests.close()]));
const root = await app.signIn("platform");

const given = "given-by-another-1";
const chosen = "chosen-by-oneself-1";

interface Person {
  readonly id: number;
  readonly userName: string;
}

async function addOperator(userName: string): Promise<Person> {
  const body = { userName, password: given };
  const { json } = await app.call("POST", "/platform/operator/save", { token: root.token, body });
  return { id: Number(json.data), userName };
}

const giveAgain = ({ id, userName }: Person) =>
  app.call("PUT", "/platform/operator/update", { token: root.token, body: { id, userName, password: given } });

const words = {
  zh: { name: "用户名", password: "密码", submit: "登录", next: "新密码", repeat: "再次输入新密码", go: "设置并继续" },
  en: {
    name: "User name",
    password: "Password",
    submit: "Sign in",
    next: "New password",
    repeat: "Repeat new password",
    go: "Set and go on",
  },
} as const;
type Language = keyof typeof words;

async function signIn(page: Page, userName: string, password: string, language: Language = "zh"): Promise<void> {
  const say = words[language];
  await page.getByLabel(say.name, { exact: true }).fill(userName);
  await page.getByLabel(say.password, { exact: true }).fill(password);
  await page.getByRole("button", { name: say.submit, exact: true }).click();
}

async function choose(page: Page, password: string, language: Language = "zh", repeat = password): Promise<void> {
  const say = words[language];
  await page.getByLabel(say.next, { exact: true }).fill(password);
  await page.getByLabel(say.repeat).fill(repeat);
  await page.getByRole("button", { name: say.go }).click();
}

test("a given password leads to another, which opens the page; the given one opens nothing any more", async () => {
  const { userName } = await addOperator("asked-on-a-phone");
  const { page, visit, check } = await tests.open({ size: { width: 390, height: 844 } });
  await visit("/platform/operators");
  await signIn(page, userName, given);
  const form = page.getByRole("region", { name: "请设置自己的密码" });
  await form.waitFor();
  await check("given-password-phone");
  await choose(page, chosen, "zh", "something-else-1");
  await form.getByText("两次输入的新密码不一致").waitFor();
  await choose(page, given);
  await form.getByText("不能继续使用初始密码，请换一个").waitFor();
  await check("given-password-refused-phone");
  // Whoever goes away is where they were.
  await page.reload();
  await signIn(page, userName, given);
  await form.waitFor();
  await choose(page, chosen);
  await page.getByRole("heading", { name: "操作员" }).waitFor();
  await check("given-password-chosen-phone");
  await page.getByRole("button", { name: `账号 ${userName}` }).click();
  await page.getByText("退出登录").click();
  // The list has a field for names too.
  await page.getByLabel("密码", { exact: true }).waitFor();
  await signIn(page, userName, given);
  await page.getByRole("alert").waitFor();
  await signIn(page, userName, chosen);
  await page.getByRole("heading", { name: "操作员" }).waitFor();
});

test("who is given another password in the middle of work chooses in place, and goes on", atLength, async () => {
  const person = await addOperator("asked-in-place");
  const { page, visit, check } = await tests.open({ language: "en", theme: "dark" });
  await visit("/platform/operators");
  await signIn(page, person.userName, given, "en");
  await page.getByRole("region", { name: "Choose your own password" }).waitFor();
  await check("given-password-dark-en");
  await choose(page, chosen, "en");
  await page.getByRole("button", { name: "New operator" }).waitFor();
  await giveAgain(person);
  await page.getByRole("button", { name: "New operator" }).click();
  const form = page.getByRole("dialog", { name: "New operator" });
  await form.getByLabel("User name").fill("made-meanwhile");
  await form.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has expired" });
  await dialog.getByLabel("Password", { exact: true }).fill(given);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.getByRole("region", { name: "Choose your own password" }).waitFor();
  await check("given-password-dialog-dark-en");
  await choose(page, "chosen-once-more-1", "en");
  await form.waitFor({ state: "hidden" });
  const made = await app.pool`select 1 from platform.account where user_name = 'made-meanwhile'`;
  assert.equal(made.length, 1);
});

test("where a second factor is asked for everywhere, it is shown before the password is chosen", atLength, async () => {
  const person = await addOperator("asked-for-both");
  const { json } = await app.call("POST", "/platform/login", { body: { userName: person.userName, password: given } });
  const { token } = json.data;
  const begun = await app.call("POST", "/platform/factor/totp/begin", { token, body: { name: "phone" } });
  const totp = new TOTP({ secret: Secret.fromBase32(begun.json.data.secret) });
  await app.call("POST", "/platform/factor/totp/confirm", { token, body: { code: totp.generate() } });
  const nextCode = async () => {
    await app.pool`update platform.factor set counter = 0 where account_id = ${person.id}`;
    return totp.generate();
  };
  const { page, visit, check } = await strictTests.open();
  await visit("/platform/operators");
  await signIn(page, person.userName, given);
  await choose(page, chosen);
  const code = page.getByLabel("验证码或恢复码");
  await code.fill(await nextCode());
  await check("given-password-second-factor");
  const changed = page.waitForResponse((answer) => answer.url().endsWith("/updatePassword"));
  await page.keyboard.press("Enter");
  assert.equal((await changed).status(), 200);
  // Of the session that the new password has opened.
  await page.locator("input[autocomplete=one-time-code][value='']").waitFor();
  await code.fill(await nextCode());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "操作员" }).waitFor();
});

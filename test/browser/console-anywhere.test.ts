import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import { button, findAxeFaults } from "#test/browser/console.ts";
import { openDemoPages } from "#test/browser/demo-pages.ts";
import { findOverflow, go, leave, settle, walkByKeyboard } from "#test/browser/pages.ts";
import { walkWithRights } from "#test/browser/rights-walk.ts";

/** Returns what overflows while the first picker is open; a calendar or clock does not limit its own width. */
async function openPicker(page: Page, where = ""): Promise<string[]> {
  const picker = page.locator(`${where}.ant-picker input`).first();
  if ((await picker.count()) === 0) return [];
  await picker.click();
  const panel = page.locator(".ant-picker-panel").filter({ visible: true }).first();
  await panel.waitFor();
  const found = await findOverflow(page);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "hidden" });
  return found;
}

type Keep = (what: string, wrong: readonly string[]) => void;

async function trySearch(page: Page, address: string, keep: Keep): Promise<number> {
  const search = page.locator("form[role=search]");
  if ((await search.count()) === 0) return 0;
  const more = search.getByRole("button", { name: "More" });
  if ((await more.count()) > 0) {
    await more.click();
    await search.getByRole("button", { name: "Less" }).waitFor();
  }
  keep(`the search of ${address}`, await walkByKeyboard(page, "form[role=search]"));
  keep(`the whole search of ${address}`, [...(await findOverflow(page)), ...(await openPicker(page))]);
  return 1;
}

// Buttons with these names act immediately instead of opening a form.
const atOnce = /print|download|analyse|preview|export \w/i;

async function tryForms(page: Page, address: string, keep: Keep): Promise<number> {
  let forms = 0;
  const openers = page.locator(".q-page-head-end button, .q-record:first-child .q-record-actions button");
  for (let index = 0; index < (await openers.count()); index++) {
    const opener = openers.nth(index);
    const name = (await opener.getAttribute("aria-label")) ?? (await opener.innerText());
    if (atOnce.test(name)) continue;
    await opener.click();
    await settle(page, address);
    keep(`${name} of ${address}`, [...(await findOverflow(page)), ...(await walkByKeyboard(page, "[role=dialog]"))]);
    keep(`a date for ${name} of ${address}`, await openPicker(page, "[role=dialog] "));
    forms++;
    if (new URL(page.url()).pathname.endsWith(address)) {
      await leave(page);
    } else {
      await go(page, address);
      await settle(page);
    }
  }
  return forms;
}

describe("the console, anywhere", atLength, async () => {
  const { app, tests, userName, month, all: pages } = await openDemoPages();
  const operator = { account: "platform", userName };

  test("no page is wider than the screen, whatever the screen; on a phone its forms are passed by keyboard", async (context) => {
    const { page, visit, faults } = await tests.open({ as: operator, language: "en" });
    const found: Record<string, readonly string[]> = {};
    const keep: Keep = (what, wrong) => {
      if (wrong.length > 0) found[what] = wrong;
    };
    let forms = 0;
    await visit("/platform/operators");
    await settle(page);
    for (const address of pages) {
      await go(page, address);
      for (const width of [1366, 820, 320, 390]) {
        await page.setViewportSize({ width, height: width < 600 ? 844 : 768 });
        await settle(page);
        keep(`${address} at ${width}`, await findOverflow(page));
      }
      keep(`axe on ${address}`, await findAxeFaults(page));
      forms += await trySearch(page, address, keep);
      forms += await tryForms(page, address, keep);
    }
    context.diagnostic(`${pages.length} pages, ${forms} forms`);
    assert.ok(forms >= pages.length / 4, "the test must have found the forms");
    assert.deepEqual(found, {});
    assert.deepEqual(faults, []);
  });

  test("a console that offers what one may not is found out", async () => {
    const { refused } = await walkWithRights(app, tests, {
      rights: ["disease-command.read"],
      addresses: ["/disease-command/broadcasts"],
      mostOnPage: 8,
      unknown: true,
    });
    assert.match(refused.join("\n"), /^Save at \/disease-command\/broadcasts: \w+ \S+ is refused$/m);
  });

  test("without room the menu lies over the page, and a record has one column", async () => {
    const { page, visit, check } = await tests.open({
      as: operator,
      language: "en",
      size: { width: 820, height: 1180 },
    });
    await visit("/");
    await settle(page);
    assert.equal(await page.getByRole("navigation").count(), 0);
    const opener = page.getByRole("button", { name: "Expand the menu" });
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("navigation").waitFor();
    await check("menu-tablet");
    await page.keyboard.press("Escape");
    await page.getByRole("navigation").waitFor({ state: "detached" });
    await opener.click();
    await page.getByRole("menuitem", { name: "Reporting" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Reports" }).click();
    await page.getByRole("heading", { name: "Reports" }).waitFor();
    await page.getByRole("navigation").waitFor({ state: "detached" });

    await button(page, /^Open /).click();
    const labels = page.getByRole("dialog").locator(".ant-descriptions-item-label");
    await labels.first().waitFor();
    const places = await Promise.all((await labels.all()).map((label) => label.boundingBox()));
    assert.equal(new Set(places.map((box) => box?.x)).size, 1, "one below another");
  });

  test("on a phone a list is cards, which are chosen and sorted; who is not signed in sees no more than the screen", async () => {
    const { page, visit, check } = await tests.open({
      as: operator,
      language: "en",
      size: { width: 390, height: 844 },
    });
    await visit("/reporting/reports");
    await settle(page);
    assert.equal(await page.getByRole("table").count(), 0);
    await page.getByRole("checkbox", { name: "Select all on this page" }).check();
    await page.getByText("20 selected").waitFor();
    await check("cards-selected");
    await page.getByRole("button", { name: "Clear selection" }).click();
    await page.getByRole("combobox", { name: "Sort" }).click();
    await page
      .getByText(/, ascending$/)
      .first()
      .click();
    await page.waitForURL(/sort=\w+&order=asc/);

    const stranger = await tests.open({ language: "en", size: { width: 320, height: 640 } });
    await stranger.visit("/reporting/reports");
    await stranger.page.getByRole("button", { name: "Sign in" }).waitFor();
    assert.deepEqual(await findOverflow(stranger.page), []);
  });

  test("heads and what is chosen stay in sight; the last day of a month is whole", async () => {
    const { page, visit } = await tests.open({ as: operator, language: "en" });
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      assert.ok(box, selector);
      return box;
    };
    await visit("/reporting/reports?size=100");
    await settle(page);
    const first = page.locator("tbody tr.ant-table-row").first();
    await first.getByRole("checkbox").check();
    await page.getByText("1 selected").waitFor();
    await page.evaluate("scrollTo(0, 900)");
    const [header, bar, head] = [await boxOf("header"), await boxOf(".q-list-bar"), await boxOf("thead th")];
    assert.equal(bar.y, header.y + header.height);
    assert.equal(head.y, bar.y + bar.height);
    assert.ok(head.y < 120);
    const buttons = await Promise.all(
      (await page.locator(".q-list-bar .q-buttons button").all()).map((one) => one.boundingBox()),
    );
    for (const [index, button] of buttons.slice(1).entries()) {
      const before = buttons[index];
      assert.ok(before && button && button.x - before.x - before.width >= 8, "buttons do not touch");
    }
    await page.setViewportSize({ width: 1000, height: 600 });
    await settle(page);
    await page.evaluate("scrollTo(0, 900)");
    const held = await boxOf(".ant-table-sticky-holder");
    assert.ok(held.y > 80 && held.y < 120, `at ${held.y}`);

    await page.setViewportSize({ width: 1366, height: 768 });
    await visit(`/attendance/months/${month}`);
    await page.getByText("120 of 120 people").waitFor();
    const grid = await boxOf(".q-attendance-grid");
    const last = await boxOf(".q-attendance-grid thead th:last-child");
    assert.match(await page.locator(".q-attendance-grid thead th:last-child").innerText(), /^31/);
    assert.ok(last.x + last.width <= grid.x + grid.width, "day 31 is in sight");
  });
});

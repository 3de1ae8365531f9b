import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { hangMs } from "#test/browser/browser.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export async function listPages(given: Readonly<Record<string, string>>): Promise<string[]> {
  const pages = ["/"];
  for await (const file of glob("web/console/src/pages/*/pages.ts", { cwd: root })) {
    const section = path.basename(path.dirname(file));
    const paths = [...(await readFile(root + file, "utf8")).matchAll(/\bpath: "([^"]*)"/g)].map(
      ([, path = ""]) => path,
    );
    const fill = (path: string) => path.replaceAll(/:(\w+)/g, (_all, name: string) => given[name] ?? `:${name}`);
    pages.push(...paths.map((path) => `/${section}/${fill(path)}`));
  }
  const unknown = pages.filter((page) => page.includes(":"));
  assert.deepEqual(unknown, [], "the test must know what to fill in");
  assert.ok(pages.length > 30, "the test must have found the pages");
  return pages.toSorted();
}

export const go = (page: Page, address: string): Promise<void> =>
  page.evaluate(`{
    for (const part of document.querySelectorAll("#main > *")) part.dataset.left = "";
    const base = location.pathname.slice(0, location.pathname.indexOf("/console") + "/console".length);
    history.pushState({ idx: (history.state?.idx ?? 0) + 1, key: "test" }, "", base + ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
  }`);

/**
 * Waits until the page has loaded its content.
 * @param after the path at which a control was pressed; until the path changes, an open dialog or menu counts as the
 * content
 */
export async function settle(page: Page, after?: string): Promise<void> {
  const pressed = after === undefined ? "false" : `location.pathname.endsWith(${JSON.stringify(after)})`;
  const left = await page.evaluate<string>(`new Promise((resolve) => {
    const until = performance.now() + ${hangMs};
    const look = () => {
      const late = document.querySelector('#main[aria-busy="true"], #main > [data-left], .ant-skeleton-active, .ant-spin-spinning, .q-nothing');
      const wanted = ${pressed} ? "[role=dialog], [role=menu]" : "h1, [role=alert], .ant-result";
      const something = [...document.querySelectorAll(wanted)].some((element) => element.checkVisibility());
      if ((!late && something) || performance.now() > until) resolve(late?.className ?? (something ? "" : "nothing"));
      else requestAnimationFrame(look);
    };
    // After a change of the width, the page is redrawn only in the next frames.
    requestAnimationFrame(() => requestAnimationFrame(look));
  })`);
  assert.equal(left, "", `${page.url()} does not come to an end`);
}

export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    const name = (element) =>
      element.tagName.toLowerCase() + "." + String(element.className.baseVal ?? element.className).split(" ")[0] +
      " " + (element.textContent ?? "").trim().slice(0, 30);
    const isScrolled = (element) => {
      for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== "visible" && box.getBoundingClientRect().right <= width + 0.5) return true;
      return false;
    };
    const page = document.scrollingElement.scrollWidth - width;
    const wide = [...document.body.querySelectorAll("*")].filter((element) => {
      const { width: own, height, left, right } = element.getBoundingClientRect();
      const isOut = right > width + 0.5 || (left < -0.5 && element.closest(".ant-picker-dropdown, .ant-select-dropdown"));
      return own > 1 && height > 1 && isOut && element.checkVisibility() && !isScrolled(element);
    });
    const cut = [...document.querySelectorAll(".q-page-head button, .q-buttons button, .ant-drawer-footer button, .ant-card-head-title")].filter(
      (button) => button.scrollWidth > button.clientWidth + 1,
    );
    return [
      ...(page > 0 ? ["the page by " + page] : []),
      ...wide.slice(0, 5).map((element) => "past the edge: " + name(element)),
      ...cut.map((element) => "cut: " + name(element)),
    ];
  })()`);

const staysMs = 3000;

const countLayers = `(() =>
  [...document.querySelectorAll("[role=dialog], [role=menu], .ant-picker-dropdown, .ant-select-dropdown")]
    .filter((element) => element.checkVisibility()).length
)`;

/**
 * Presses Escape up to three times until no layer is open; each press closes one, a control's popup before its form.
 */
export async function leave(page: Page): Promise<void> {
  let open = await page.evaluate<number>(`${countLayers}()`);
  for (let tries = 0; tries < 3 && open > 0; tries++) {
    await page.keyboard.press("Escape");
    open = await page.evaluate<number>(`new Promise((resolve) => {
      const until = performance.now() + ${hangMs};
      const look = () => {
        const open = ${countLayers}();
        if (open < ${open} || performance.now() > until) resolve(open);
        else requestAnimationFrame(look);
      };
      look();
    })`);
  }
  assert.equal(open, 0, "it is left by Escape, and nothing was typed that it might ask about");
}

const beginWalk = (form: string): string => `(() => {
  const root = [...document.querySelectorAll(${JSON.stringify(form)})].filter((element) => element.checkVisibility()).at(-1);
  const isReached = (control) =>
    control.tabIndex >= 0 &&
    !control.disabled &&
    control.checkVisibility({ visibilityProperty: true }) &&
    control.offsetWidth > 0 &&
    !control.closest("[inert], [aria-hidden=true]") &&
    // Tab reaches only the checked radio button of a group; the arrow keys reach the others.
    !(control.type === "radio" && !control.checked);
  const all = root?.querySelectorAll("input, select, textarea, button, a[href], [tabindex]");
  const controls = [...(all ?? [])].filter(isReached);
  controls[0]?.focus();
  globalThis.walked = { root, controls, seen: new Set(), last: undefined };
  return controls.length;
})()`;

/**
 * Walks a form by Tab from its first control. Returns the control that traps the focus, or those that are never
 * reached.
 * @param form a selector, of which the last visible match is used
 */
export async function walkByKeyboard(page: Page, form: string): Promise<string[]> {
  const count = await page.evaluate<number>(beginWalk(form));
  if (count === 0) return [];
  let last = -2;
  for (let step = 0; step <= count + 5; step++) {
    // Some controls move the focus a while after the key press, so the focus counts as staying only after three
    // seconds.
    const [at, isInside, name] = await page.evaluate<[number, boolean, string]>(`new Promise((resolve) => {
      const { root, controls, seen, last } = walked;
      const until = performance.now() + ${staysMs};
      const look = () => {
        const now = document.activeElement;
        if (now === last && performance.now() < until) return requestAnimationFrame(look);
        walked.last = now;
        seen.add(now);
        resolve([controls.indexOf(now), root.contains(now), now.outerHTML.slice(0, 120)]);
      };
      look();
    })`);
    if (at >= 0 && at === last) return [`the focus stays at ${name}`];
    if (!isInside || (step > 0 && at === 0)) break;
    last = at;
    await page.keyboard.press("Tab");
  }
  return page.evaluate<string[]>(
    `walked.controls.filter((control) => !walked.seen.has(control)).map((control) => "never at " + control.outerHTML.slice(0, 120))`,
  );
}

import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { TestApp } from "#test/app.ts";
import { openFileBrowser } from "#test/browser/browser.ts";
import { openWatched } from "#test/browser/console.ts";

export interface PhoneOptions {
  readonly locale?: string;
  readonly theme?: "light" | "dark";
  readonly size?: { readonly width: number; readonly height: number };
  readonly onDesk?: boolean;
  readonly timezoneId?: string;
  readonly position?: { readonly latitude: number; readonly longitude: number };
}

export async function openPhoneTests(app: TestApp) {
  const { browser } = await openFileBrowser();
  return { open: (options?: PhoneOptions) => openPhone(browser, app, options) };
}

async function openPhone(browser: Browser, app: TestApp, options: PhoneOptions = {}) {
  const { locale = "zh-CN", theme = "light", onDesk = false, position, timezoneId } = options;
  const { size = onDesk ? { width: 1366, height: 768 } : { width: 390, height: 844 } } = options;
  const watched = await openWatched(browser, app.url, {
    viewport: size,
    hasTouch: !onDesk,
    isMobile: !onDesk,
    deviceScaleFactor: onDesk ? 1 : 2,
    colorScheme: theme,
    locale,
    ...(timezoneId !== undefined && { timezoneId }),
    ...(position && { geolocation: position, permissions: ["geolocation"] }),
  });
  const { page } = watched;
  const visit = async (address: string) => {
    await page.goto(app.url + address);
    await page.locator("[data-ready]").waitFor();
  };
  const check = async (name: string) => {
    await watched.check(name);
    assert.deepEqual(await findMisfits(page), [], `${name}: size`);
  };
  return { ...watched, visit, check };
}

export async function listPages(address: string): Promise<string[]> {
  const entrances = await (await fetch(`${address}/`, { headers: { accept: "text/html" } })).text();
  const links = [...entrances.matchAll(/href="(\/(?:h5|screen)\/[^"]*)"/g)].map(([, link = ""]) => link);
  return ["/", ...new Set(links)];
}

/**
 * Finds whether the page is wider than the screen, and which controls are too small to touch (below 44 px). Links in
 * texts are exempt, since they are only as high as their line.
 */
export const findMisfits = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
    const touchable = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button], [tabindex='0']")];
    const target = (element) => element.closest("label") ?? element;
    const small = touchable.filter(seen).filter((element) => {
      if (element.matches("p a, li p a, dd a")) return false;
      const { width, height } = target(element).getBoundingClientRect();
      return width < 43.5 || height < 43.5;
    });
    return [
      ...(wide > 0 ? ["wider than the screen by " + wide] : []),
      ...small.map((element) => "smaller than a finger: " + element.outerHTML.slice(0, 120)),
    ];
  })()`);

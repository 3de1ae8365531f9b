import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { TestApp } from "#test/app.ts";
import { openFileBrowser } from "#test/browser/browser.ts";
import { openWatched } from "#test/browser/console.ts";

// Drives the public pages by touch, on a phone, against a real server.

export interface PhoneOptions {
  /** The browser's language, by default zh-CN. */
  readonly locale?: string;
  readonly theme?: "light" | "dark";
  /** In CSS pixels; by default 390 × 844. */
  readonly size?: { readonly width: number; readonly height: number };
  /** A desktop browser with a mouse instead, 1366 × 768. */
  readonly onDesk?: boolean;
  /** The phone's position, if geolocation is permitted. */
  readonly position?: { readonly latitude: number; readonly longitude: number };
}

export async function openPhoneTests(app: TestApp) {
  const { browser } = await openFileBrowser();
  return { open: (options?: PhoneOptions) => openPhone(browser, app, options) };
}

async function openPhone(browser: Browser, app: TestApp, options: PhoneOptions = {}) {
  const { locale = "zh-CN", theme = "light", onDesk = false, position } = options;
  const { size = onDesk ? { width: 1366, height: 768 } : { width: 390, height: 844 } } = options;
  const watched = await openWatched(browser, app.url, {
    viewport: size,
    hasTouch: !onDesk,
    isMobile: !onDesk,
    deviceScaleFactor: onDesk ? 1 : 2,
    colorScheme: theme,
    locale,
    ...(position && { geolocation: position, permissions: ["geolocation"] }),
  });
  const { page } = watched;
  const visit = async (address: string) => {
    await page.goto(app.url + address);
    await page.locator("[data-ready]").waitFor();
  };
  /** Also fails if something overflows the screen or is smaller than a touch target. */
  const check = async (name: string) => {
    await watched.check(name);
    assert.deepEqual(await findMisfits(page), [], `${name}: size`);
  };
  return { ...watched, visit, check };
}

/** A server's public pages: "/" itself and its links. */
export async function listPages(address: string): Promise<string[]> {
  const entrances = await (await fetch(`${address}/`, { headers: { accept: "text/html" } })).text();
  const links = [...entrances.matchAll(/href="(\/(?:h5|screen)\/[^"]*)"/g)].map(([, link = ""]) => link);
  return ["/", ...new Set(links)];
}

/** Elements that overflow the screen or are too small for touch; inline links are as high as their line. */
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

import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { TestApp } from "#test/app.ts";
import { openFileBrowser } from "#test/browser/browser.ts";
import { openWatched } from "#test/browser/console.ts";

// How the tests use the pages for everybody: with a finger, on a phone, against the real server.

export interface PhoneOptions {
  /** What the browser prefers; zh-CN unless it says otherwise. */
  readonly locale?: string;
  readonly theme?: "light" | "dark";
  /** In CSS pixels; 390 × 844 unless it says otherwise. */
  readonly size?: { readonly width: number; readonly height: number };
  /** A browser with a mouse on a desk instead, 1366 × 768. */
  readonly onDesk?: boolean;
  /** Where the phone is, when it may be asked. */
  readonly position?: { readonly latitude: number; readonly longitude: number };
}

/** A browser for the tests of one file. */
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
  /** Fails too when something is wider than the screen or smaller than a finger. */
  const check = async (name: string) => {
    await watched.check(name);
    assert.deepEqual(await findMisfits(page), [], `${name}: size`);
  };
  return { ...watched, visit, check };
}

/** The pages for everybody of a server, by their entrances: "/" itself, and where its links lead. */
export async function listPages(address: string): Promise<string[]> {
  const entrances = await (await fetch(`${address}/`, { headers: { accept: "text/html" } })).text();
  const links = [...entrances.matchAll(/href="(\/(?:h5|screen)\/[^"]*)"/g)].map(([, link = ""]) => link);
  return ["/", ...new Set(links)];
}

/** What does not fit the screen, or a finger: links within a sentence are as high as their line. */
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

import type { Page, Request, Route } from "playwright-core";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { mayUse, requiredGroup } from "#platform/contract/rights.ts";
import { contracts } from "#quintet/app.ts";
import type { TestApp } from "#test/app.ts";
import type { ConsoleTests } from "#test/browser/console.ts";
import { openDemoPages } from "#test/browser/demo-pages.ts";
import { go, settle } from "#test/browser/pages.ts";

// A user with restricted rights presses the controls that the console offers; no call may be refused for lack of
// rights.

const services = contracts.map(({ name }) => name);
const each = (...groups: string[]) => services.flatMap((service) => groups.map((group) => `${service}.${group}`));

/** Each walker has a different selection of rights, since a page may check some rights but not others. */
const walkers: Readonly<Record<string, readonly string[]>> = {
  // The longest walk comes first, since two walks run in parallel.
  "who may read and write": each("read", "write", "accounts", "audit"),
  "who may only read": each("read"),
  "who may read and export": each("read", "export"),
  "who may only look after accounts": each("accounts"),
  ...Object.fromEntries(services.map((service) => [`who may only read at ${service}`, [`${service}.read`]])),
};

export interface Walk {
  readonly pages: number;
  readonly pressed: number;
  readonly refused: readonly string[];
}

export interface WalkOptions {
  readonly rights: readonly string[];
  readonly addresses: readonly string[];
  readonly mostOnPage: number;
  /** If true, the restriction is hidden from the console, which then offers everything. */
  readonly unknown?: boolean;
}

const walksAtOnce = 2;

export async function walkAll(say: (line: string) => void): Promise<Record<string, readonly string[]>> {
  const { app, tests, all } = await openDemoPages();
  const found: Record<string, readonly string[]> = {};
  const waiting = Object.entries(walkers);
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, rights] = next;
      const { pages, pressed, refused } = await walkWithRights(app, tests, { rights, addresses: all, mostOnPage: 60 });
      say(`${name} presses ${pressed} times on ${pages} of ${all.length} pages`);
      if (refused.length > 0) found[name] = refused;
      if (pages === 0 || pressed === 0) found[name] = ["there was nothing to press"];
    }
  };
  try {
    await Promise.all(Array.from({ length: walksAtOnce }, work));
  } finally {
    await tests.close();
  }
  return found;
}

export async function walkWithRights(
  app: TestApp,
  tests: ConsoleTests,
  { rights, addresses, mostOnPage, unknown = false }: WalkOptions,
): Promise<Walk> {
  const { userName, id } = await app.signIn("platform");
  const narrow = () => app.pool`update platform.account set rights = ${[...rights]} where id = ${id}`;
  if (!unknown) await narrow();
  const { page, context, visit } = await tests.open({ as: { account: "platform", userName }, language: "en" });
  if (unknown) await narrow();
  await page.addInitScript(`window.print = window.open = () => null; ${leaveTyped}`);
  const walker = new Walker(page, rights, mostOnPage);
  await walker.watch();
  await visit("/");
  await settle(page);
  let pages = 0;
  for (const address of addresses) if (await walker.visit(address)) pages++;
  // The page is closed, since it would keep polling and rendering while the next walkers run.
  await context.close();
  return { pages, pressed: walker.pressed, refused: [...walker.refused] };
}

interface Served {
  readonly service: string;
  readonly endpoint: Endpoint;
  readonly pattern: RegExp;
}

const served: readonly Served[] = contracts.flatMap(({ name: service, endpoints }) =>
  Object.values<Endpoint>(endpoints).map((endpoint) => ({
    service,
    endpoint,
    pattern: new RegExp(`^${endpoint.url.replaceAll(/:\w+/g, "[^/]+")}$`),
  })),
);

const findServed = (method: string, { pathname }: URL): Served | undefined =>
  served.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(pathname));

/** Discards a changed form whenever the console asks whether to do so, which may be at any time. */
const leaveTyped = `new MutationObserver(() =>
  [...document.querySelectorAll(".ant-modal-confirm button")].find((one) => one.textContent === "Discard")?.click()
).observe(document, { childList: true, subtree: true });`;

/**
 * Lists what can be pressed in the topmost layer, or in the page if no layer is open, except searches, page numbers,
 * and buttons with names such as Close, Refresh or Print.
 */
const pressable = `(() => {
  const layers = [...document.querySelectorAll("[role=dialog], .ant-dropdown, .ant-popover")].filter((element) =>
    element.checkVisibility({ visibilityProperty: true }),
  );
  const layer = layers.at(-1) ?? document.querySelector("#main");
  const spared = ".ant-pagination, form[role=search], .ant-modal-close, .ant-drawer-close";
  const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent.trim();
  const found = [...layer.querySelectorAll("button, [role=tab], [role=menuitem], a[href^='/console/']")].filter(
    (element) =>
      !element.disabled && element.ariaDisabled !== "true" && !element.closest(spared) && element.checkVisibility() &&
      !/^(cancel|close|keep|clear selection|refresh|print|columns|home)/i.test(nameOf(element)),
  );
  return { depth: layers.length, found, nameOf };
})()`;

interface Pressable {
  readonly name: string;
  readonly to: string | null;
}

// Of a page's buttons that differ only in a record's name, the first three are pressed: more than one, since records in
// different states may behave differently.
const mostAlike = 3;

/** Keeps only Latin letters, which drops numbers and the Chinese names of records. */
const kindOf = (name: string): string => name.replaceAll(/[^A-Za-z]+/g, " ");

function shapeOf(address: string): string {
  const { pathname, searchParams } = new URL(address, "http://console");
  return [pathname.replaceAll(/\d+/g, "0"), ...[...searchParams.keys()].toSorted()].join(" ");
}

const forbidden = ".ant-result-403, .q-may-not";
const missing = ".ant-result-404";
const nowhere = "/nowhere";
const deepest = 3;
const longestCallMs = 5000;

class Walker {
  readonly refused = new Set<string>();
  pressed = 0;
  #at = "";
  #address = "";
  #left = 0;
  readonly #times = new Map<string, number>();
  readonly #underWay = new Set<Request>();
  readonly #page: Page;
  readonly #rights: readonly string[];
  readonly #mostOnPage: number;
  constructor(page: Page, rights: readonly string[], mostOnPage: number) {
    this.#mostOnPage = mostOnPage;
    this.#page = page;
    this.#rights = rights;
  }

  async watch(): Promise<void> {
    this.#page.on("request", (request) => {
      const found = findServed(request.method(), new URL(request.url()));
      if (found?.endpoint.answer.as !== "events") this.#underWay.add(request);
    });
    this.#page.on("requestfinished", (request) => this.#underWay.delete(request));
    this.#page.on("requestfailed", (request) => this.#underWay.delete(request));
    this.#page.on("response", (response) => {
      const method = response.request().method();
      if (response.status() === 403)
        this.refused.add(`${this.#at}: ${method} ${new URL(response.url()).pathname} is refused`);
    });
    await this.#page.route(
      (url) => served.some(({ pattern }) => pattern.test(url.pathname)),
      (route) => this.#holdBack(route),
    );
  }

  /**
   * Permitted writes are blocked, so that the records stay for later buttons; forbidden writes reach the server, which
   * must refuse them.
   */
  #holdBack(route: Route): Promise<void> {
    const request = route.request();
    const found = findServed(request.method(), new URL(request.url()));
    if (found === undefined || request.method() === "GET") return route.continue();
    if (!mayUse({ rights: this.#rights, scope: null }, found.service, requiredGroup(found.endpoint)))
      return route.continue();
    return route.fulfill({ status: 409, json: { code: "held", msg: "held back by the test" } });
  }

  async visit(address: string): Promise<boolean> {
    this.#address = address;
    this.#at = address;
    this.#left = this.#mostOnPage;
    await this.#open();
    if (await this.#shows(forbidden)) return false;
    await this.#pressLayer([], () => this.#open());
    return true;
  }

  async #open(): Promise<void> {
    await this.#leaveLayers();
    // A page keeps its state unless another address is visited before it is opened again.
    for (const address of (await this.#shows(missing)) ? [this.#address] : [nowhere, this.#address]) {
      await go(this.#page, address);
      await settle(this.#page);
    }
    await this.#page.evaluate(`document.querySelector("#main thead .ant-checkbox-input:not(:checked)")?.click()`);
    await this.#rest();
  }

  async #pressLayer(path: readonly string[], reopen: () => Promise<void>): Promise<void> {
    const depth = await this.#depth();
    for (const one of await this.#listPressable()) {
      if (this.#left === 0) return;
      if (!this.#isAnother(path, one)) continue;
      if (!(await this.#press(one.name))) {
        await reopen();
        if (!(await this.#press(one.name))) continue;
      }
      if ((await this.#depth()) > depth && path.length < deepest)
        await this.#pressLayer([...path, kindOf(one.name)], async () => {
          await reopen();
          await this.#press(one.name);
        });
      await this.#leaveLayers(depth);
      if ((await this.#depth()) !== depth || !this.#isThere()) await reopen();
    }
  }

  /**
   * Whether the element is to be pressed. Of links whose targets differ only in numbers and query values, one is
   * pressed in the whole walk.
   */
  #isAnother(path: readonly string[], { name, to }: Pressable): boolean {
    const key = to === null ? [this.#address, ...path, kindOf(name)].join(" > ") : shapeOf(to);
    const times = this.#times.get(key) ?? 0;
    this.#times.set(key, times + 1);
    return times < (to === null && path.length === 0 ? mostAlike : 1);
  }

  #listPressable(): Promise<Pressable[]> {
    return this.#page.evaluate<Pressable[]>(
      `(({ found, nameOf }) =>
        [...new Map(found.map((one) => [nameOf(one), { name: nameOf(one), to: one.getAttribute("href") }])).values()]
      )(${pressable})`,
    );
  }

  async #press(name: string): Promise<boolean> {
    this.#at = `${name} at ${this.#address}`;
    const found = await this.#page.evaluate<boolean>(
      `(({ found, nameOf }) => {
        const one = found.find((element) => nameOf(element) === ${JSON.stringify(name)});
        one?.click();
        return one !== undefined;
      })(${pressable})`,
    );
    if (!found) return false;
    this.pressed++;
    this.#left--;
    await this.#rest();
    if (await this.#shows(forbidden)) this.refused.add(`${this.#at}: leads where one may not be`);
    if (await this.#shows(missing)) this.refused.add(`${this.#at}: leads where nothing is`);
    return true;
  }

  readonly #shows = (selector: string): Promise<boolean> =>
    this.#page.evaluate<boolean>(`document.querySelector("${selector}") !== null`);

  readonly #depth = (): Promise<number> => this.#page.evaluate<number>(`${pressable}.depth`);

  #isThere(): boolean {
    return new URL(this.#page.url()).pathname.endsWith(this.#address);
  }

  async #leaveLayers(left = 0): Promise<void> {
    for (let tries = 0; tries < deepest && (await this.#depth()) > left; tries++) {
      await this.#page.keyboard.press("Escape");
      await this.#rest();
    }
  }

  /** The wait for pending requests has a limit, since some requests never report their end. */
  async #rest(): Promise<void> {
    const untilMs = performance.now() + longestCallMs;
    do {
      await this.#page.evaluate(
        `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 30))))`,
      );
    } while (this.#underWay.size > 0 && performance.now() < untilMs);
    this.#underWay.clear();
  }
}

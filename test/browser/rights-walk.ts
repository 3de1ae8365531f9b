import type { Page, Request, Route } from "playwright-core";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { mayTake, takenBy } from "#platform/contract/rights.ts";
import { contracts } from "#quintet/app.ts";
import type { TestApp } from "#test/app.ts";
import type { ConsoleTests } from "#test/browser/console.ts";
import { go, settle } from "#test/browser/pages.ts";

// Somebody whose rights are narrowed presses whatever the console offers: nothing of it may be refused for want of rights.

const services = contracts.map(({ name }) => name);
const each = (...groups: string[]) => services.flatMap((service) => groups.map((group) => `${service}.${group}`));

/** Who walks: what each lacks is another part of what a page may forget. */
export const walkers: Readonly<Record<string, readonly string[]>> = {
  "who may only read": each("read"),
  "who may read and export": each("read", "export"),
  "who may read and write": each("read", "write"),
  ...Object.fromEntries(services.map((service) => [`who may only read at ${service}`, [`${service}.read`]])),
};

export interface Walk {
  /** How many pages there were for the one who walks, and how much on them was pressed. */
  readonly pages: number;
  readonly pressed: number;
  readonly refused: readonly string[];
}

export interface WalkOptions {
  readonly rights: readonly string[];
  readonly addresses: readonly string[];
  readonly mostOnPage: number;
  /** True: the console does not know of them, and offers everything. */
  readonly unknown?: boolean;
}

/** Walks over the pages as an operator of these rights, and presses what is there. */
export async function walkWithRights(
  app: TestApp,
  tests: ConsoleTests,
  { rights, addresses, mostOnPage, unknown = false }: WalkOptions,
): Promise<Walk> {
  const { userName, id } = await app.signIn("platform");
  const narrow = () => app.pool`update platform.account set rights = ${[...rights]} where id = ${id}`;
  if (!unknown) await narrow();
  const { page, visit } = await tests.open({ as: { account: "platform", userName }, language: "en" });
  if (unknown) await narrow();
  await page.addInitScript("window.print = window.open = () => null");
  const walker = new Walker(page, rights, mostOnPage);
  await walker.watch();
  await visit("/");
  await settle(page);
  let pages = 0;
  for (const address of addresses) if (await walker.visit(address)) pages++;
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

/** What is pressed: of rows the first three, as all have the same; what leaves, searches or turns pages is not. */
const pressable = `(() => {
  const layers = [...document.querySelectorAll("[role=dialog], .ant-dropdown, .ant-popover")].filter((element) =>
    element.checkVisibility({ visibilityProperty: true }),
  );
  const layer = layers.at(-1) ?? document.querySelector("#main");
  const spared = ".ant-pagination, form[role=search], tbody tr:nth-child(n + 5), .q-record:nth-child(n + 4), .ant-modal-close, .ant-drawer-close";
  const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent.trim();
  const found = [...layer.querySelectorAll("button, [role=tab], [role=menuitem], a[href^='/console/']")].filter(
    (element) =>
      !element.disabled && element.ariaDisabled !== "true" && !element.closest(spared) && element.checkVisibility() &&
      !/^(cancel|close|keep|clear selection|refresh|print|columns|home)/i.test(nameOf(element)),
  );
  return { depth: layers.length, found, nameOf };
})()`;

const nowhere = "/nowhere";
const deepest = 3;
const longestCallMs = 5000;

class Walker {
  readonly refused = new Set<string>();
  pressed = 0;
  #at = "";
  #address = "";
  #left = 0;
  #underWay = 0;
  readonly #page: Page;
  readonly #rights: readonly string[];
  readonly #mostOnPage: number;
  constructor(page: Page, rights: readonly string[], mostOnPage: number) {
    this.#mostOnPage = mostOnPage;
    this.#page = page;
    this.#rights = rights;
  }

  async watch(): Promise<void> {
    const isAsked = (request: Request) => {
      const found = findServed(request.method(), new URL(request.url()));
      return found !== undefined && found.endpoint.answer.as !== "events";
    };
    const count = (step: number) => (request: Request) => {
      if (isAsked(request)) this.#underWay += step;
    };
    this.#page.on("request", count(1));
    this.#page.on("requestfinished", count(-1));
    this.#page.on("requestfailed", count(-1));
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

  /** What may be done is not done, for what is pressed next to be there; what may not be comes to the server. */
  #holdBack(route: Route): Promise<void> {
    const request = route.request();
    const found = findServed(request.method(), new URL(request.url()));
    if (found === undefined || request.method() === "GET") return route.continue();
    if (!mayTake({ rights: this.#rights }, found.service, takenBy(found.endpoint))) return route.continue();
    return route.fulfill({ status: 409, json: { code: "held", msg: "held back by the test" } });
  }

  async visit(address: string): Promise<boolean> {
    this.#address = address;
    this.#at = address;
    this.#left = this.#mostOnPage;
    await this.#open();
    if (await this.#isForbidden()) return false;
    await this.#pressLayer(0, () => this.#open());
    return true;
  }

  /** The page as one finds it, with its rows selected. */
  async #open(): Promise<void> {
    await this.#leaveLayers();
    // From elsewhere, as the page would stay what it has become.
    for (const address of [nowhere, this.#address]) {
      await go(this.#page, address);
      await this.#rest();
      await this.#page.evaluate(
        `[...document.querySelectorAll(".ant-modal button")].find((one) => one.textContent === "Discard")?.click()`,
      );
      await settle(this.#page);
    }
    await this.#page.evaluate(`document.querySelector("#main thead .ant-checkbox-input:not(:checked)")?.click()`);
    await this.#rest();
  }

  async #pressLayer(depth: number, reopen: () => Promise<void>): Promise<void> {
    const names = await this.#page.evaluate<string[]>(
      `(({ found, nameOf }) => [...new Set(found.map(nameOf))])(${pressable})`,
    );
    for (const name of names) {
      if (this.#left === 0) return;
      if (!(await this.#press(name))) {
        await reopen();
        if (!(await this.#press(name))) continue;
      }
      const now = await this.#depth();
      if (now > depth && depth < deepest)
        await this.#pressLayer(now, async () => {
          await reopen();
          await this.#press(name);
        });
      await this.#leaveLayers(depth);
      if ((await this.#depth()) !== depth || !this.#isThere()) await reopen();
    }
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
    if (await this.#isForbidden()) this.refused.add(`${this.#at}: leads where one may not be`);
    return true;
  }

  readonly #isForbidden = (): Promise<boolean> =>
    this.#page.evaluate<boolean>(`document.querySelector(".ant-result-403, .q-may-not") !== null`);

  readonly #depth = (): Promise<number> => this.#page.evaluate<number>(`${pressable}.depth`);

  #isThere(): boolean {
    return new URL(this.#page.url()).pathname.endsWith(this.#address);
  }

  /** Leaves what is open by Escape, until so many layers are left. */
  async #leaveLayers(left = 0): Promise<void> {
    for (let tries = 0; tries < deepest && (await this.#depth()) > left; tries++) {
      await this.#page.keyboard.press("Escape");
      await this.#rest();
    }
  }

  /** Until nothing is asked of the server any more, and what follows from it is drawn; the end of some calls is never told. */
  async #rest(): Promise<void> {
    const untilMs = performance.now() + longestCallMs;
    do {
      await this.#page.evaluate(
        `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 30))))`,
      );
    } while (this.#underWay > 0 && performance.now() < untilMs);
    this.#underWay = 0;
  }
}

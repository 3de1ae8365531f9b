import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import type { BrowserContextOptions } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { commonHeaders } from "#platform/http/connections.ts";
import { serveDocuments } from "#platform/http/documents.ts";
import { servePlainPages } from "#platform/http/plain-pages.ts";
import { noInstitution } from "#test/no-institution.ts";
import { contracts } from "#quintet/app.ts";
import { openFileBrowser } from "#test/browser/browser.ts";
import { openWatched } from "#test/browser/console.ts";

const base = "/base";
let app: FastifyInstance;
const { browser } = await openFileBrowser();
let origin: string;
const answered: string[] = [];
// Only public operations of two services, without a request body, are served, so that the page is short: the page
// renders what is further down only when it is scrolled.
const served = ["reporting", "platform"].flatMap((wanted) =>
  contracts.flatMap(({ name, endpoints, ...rest }) => {
    const open = Object.entries<Endpoint>(endpoints).filter(([, { access, body }]) => access.who === "anyone" && !body);
    return name === wanted ? [{ ...rest, name, endpoints: Object.fromEntries(open) }] : [];
  }),
);

const samplePage = {
  entry: "public/library",
  paths: ["/h5/library/"],
  title: { zh: "借书 <书>", en: "Borrow <a book>" },
  about: { zh: "查找图书并预约", en: "Find a book and reserve it" },
} as const;

before(async () => {
  app = Fastify({ forceCloseConnections: true });
  // The real server sends these headers too. They include a strict CSP, which each page replaces with its own.
  app.addHook("onRequest", async (_request, reply) => void reply.headers(commonHeaders));
  servePlainPages(app, { base, contracts: served, pages: [samplePage], hasConsole: true, institution: noInstitution });
  serveDocuments(app, served, base, noInstitution);
  app.get(`${base}/platform/publicKey`, (request) => {
    answered.push(String(request.headers["sec-fetch-site"]));
    return { success: true, message: "操作成功", code: "0", data: "tried-4.5.6" };
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});

after(() => app.close());

async function open(path: string, options: BrowserContextOptions = {}) {
  const { page, faults } = await openWatched(browser, origin, { locale: "en-GB", ...options });
  await page.goto(origin + path);
  return { page, faults };
}

test("the entrances name what a visitor looks for, and lead the staff and developers on, these to a service's reference", async () => {
  const { page, faults } = await open(`${base}/`);
  await page.getByRole("link", { name: "Borrow <a book>" }).waitFor();
  const addresses = await page.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  assert.deepEqual(addresses, [`${base}/h5/library/`, `${base}/console/`, `${base}/developers`]);
  await page.getByRole("link", { name: "Developers" }).click();
  await page.getByText("Five services of a university").waitFor();
  await page.getByRole("link", { name: "Reporting" }).click();
  await page.getByRole("heading", { name: /^Upload a file/ }).waitFor();
  assert.deepEqual(faults, []);
});

test("the entrances speak Chinese, follow the dark scheme and fit a phone", atLength, async () => {
  const { page, faults } = await open(`${base}/`, { locale: "zh-CN", colorScheme: "dark" });
  await page.getByText("您要办理什么").waitFor();
  for (const width of [320, 390, 820]) {
    await page.setViewportSize({ width, height: 844 });
    const seen = await page.evaluate<{ back: string; overflow: number; low: number }>(
      `({ back: getComputedStyle(document.body).backgroundColor,
        overflow: document.documentElement.scrollWidth - innerWidth,
        low: [...document.links].filter((link) => link.getBoundingClientRect().height < 44).length })`,
    );
    assert.deepEqual(seen, { back: "rgb(15, 17, 21)", overflow: 0, low: 0 });
    assert.deepEqual(faults, []);
  }
});

test("the reference shows the operations of all services, in the reader's language", async () => {
  const { page, faults } = await open(`${base}/docs`, { locale: "zh-CN" });
  await page.getByRole("heading", { name: /^Upload a file/ }).waitFor();
  await page.getByText("全部服务").first().waitFor();
  await page.getByText("搜索").first().waitFor();
  assert.deepEqual(faults, []);
});

test("an open operation can be tried, and its answer is shown", async () => {
  const { page, faults } = await open(`${base}/docs?api=platform`);
  await page.getByRole("button", { name: /Test Request.*\/platform\/publicKey/s }).click();
  await page.getByRole("button", { name: /^Send get request/ }).click();
  await page.getByText("tried-4.5.6").first().waitFor();
  assert.deepEqual(answered, ["same-origin"]);
  assert.deepEqual(faults, []);

  // This request proves that the test would detect a request to another host.
  const told = page.waitForEvent("console");
  await page.evaluate("fetch('http://192.0.2.1/').catch(() => undefined)");
  await told;
  assert.match(faults.join("\n"), /Content Security Policy/);
});

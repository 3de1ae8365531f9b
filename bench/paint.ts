// Measures the first contentful paint of the public pages on a slow phone: a CPU slowed down six times, 1.6 Mbit/s, 300
// ms of latency, empty cache. The baseline (`floor`) is a bare page with one style sheet. Rounds alternate.
// `node bench/paint.ts [rounds]`
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, CDPSession } from "playwright-core";
import { openBrowser } from "#test/browser/browser.ts";
import { buildWeb } from "#test/browser/console.ts";
import { listPages } from "#test/browser/phone.ts";
import { fillCity, openGround, startServer } from "./ground.ts";
import { median } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 5);
const slowness = 6;
const latencyMs = 300;
const bytesPerSecond = 1_600_000 / 8;
const toilets = 2000;
const limitMs = 1500;

const floorPage = `<!doctype html><html lang="zh-CN"><title>底</title><link rel="stylesheet" href="/floor.css"><body>正在加载…`;
const floor = http.createServer(({ url }, response) => {
  const isSheet = url === "/floor.css";
  response.setHeader("content-type", isSheet ? "text/css" : "text/html; charset=utf-8");
  response.end(isSheet ? "body { margin: 1rem }" : floorPage);
});
floor.listen(0, "127.0.0.1");
await once(floor, "listening");

await buildWeb();
const ground = await openGround();
await fillCity(ground.pool, toilets);
const server = await startServer(ground, {
  BENCH_SERVICE: "reporting,attendance,push-relay,tuition-payment,disease-command",
  STUDENT_IDENTITY: "demo",
});
const browser = await openBrowser({ optimises: true });

async function paint(from: Browser, url: string): Promise<number> {
  const context = await from.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
    locale: "zh-CN",
  });
  try {
    const page = await context.newPage();
    await slowDown(await context.newCDPSession(page));
    await page.goto(url);
    return await page.evaluate<number>(`new Promise((resolve) => new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime);
    }).observe({ type: "paint", buffered: true }))`);
  } finally {
    await context.close();
  }
}

async function slowDown(session: CDPSession): Promise<void> {
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
}

const bare = `http://127.0.0.1:${(floor.address() as AddressInfo).port}/`;
const pages = await listPages(server.address);
const addresses = new Map([["floor", bare], ...pages.map((path) => [path, server.address + path] as const)]);
const times = new Map<string, number[]>([...addresses.keys()].map((name) => [name, []]));
try {
  // A browser's first page includes the browser's own start-up, so it is not counted.
  await paint(browser, bare);
  for (let round = 0; round < rounds; round++)
    for (const [name, address] of addresses) times.get(name)?.push(await paint(browser, address));
  const least = median(times.get("floor") ?? []);
  for (const [name, taken] of times) {
    const best = Math.min(...taken.slice(0, 2));
    const ratio = (median(taken) / least).toFixed(2);
    const verdict = best > limitMs ? `, over ${limitMs} ms` : "";
    console.log(
      `${name.padEnd(16)} median ${median(taken).toFixed(0)} ms, ${ratio} of the floor; the better of two ${best.toFixed(0)} ms${verdict}`,
    );
  }
} finally {
  await browser.close();
  await server.end();
  await ground.end();
  floor.close();
}

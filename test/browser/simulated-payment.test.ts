import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { after, test } from "node:test";
import { readSettings } from "#quintet/settings.ts";
import { createGateways } from "#services/tuition-payment/gateways/configured.ts";
import { renderSimulatedPage, simulatedPagePolicy } from "#services/tuition-payment/gateways/simulated-page.ts";
import type { SimulatedAct } from "#services/tuition-payment/gateways/simulated.ts";
import { openSimulatedBooks } from "#test/stand-ins/simulated-books.ts";
import { hangMs, openFileBrowser } from "./browser.ts";

const server = createServer((request, response) => void serve(request, response)).listen(0, "127.0.0.1");

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const orderNo = request.url?.split("/").at(-1) ?? "";
  if (orderNo === "back") return void response.end("<title>back</title>");
  if (request.method === "POST") {
    const { notice } = await simulated.act(orderNo, (await json(request)) as SimulatedAct);
    return void response.writeHead(notice ? 200 : 502).end();
  }
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": simulatedPagePolicy("n") };
  const language = request.headers["accept-language"]?.startsWith("en") ? "en" : "zh";
  response.writeHead(200, headers).end(renderSimulatedPage(language, await simulated.find(orderNo), "n"));
}

await once(server, "listening");
const address = server.address();
assert.ok(address !== null && typeof address === "object");
const url = `http://127.0.0.1:${address.port}`;
const tools = {
  clock: Date.now,
  simulatedBooks: openSimulatedBooks(),
  toSimulatedPage: (orderNo: string) => `${url}/simulated/${orderNo}`,
};
const { simulated = assert.fail("not there") } = createGateways(readSettings({}), tools);
const { browser, close } = await openFileBrowser();
after(async () => {
  await close();
  server.close();
});

const begin = async (orderNo: string, returnUrl = `${url}/back`) => {
  const order = { orderNo, amountFen: 480_050, createdAt: new Date() };
  const answer = await simulated.pay({ ...order, description: "", expiresAt: new Date(), notifyUrl: "", returnUrl });
  assert.ok(answer.kind === "redirect");
  return { order, page: answer.url };
};

async function open(address: string, options: { locale: string; colorScheme?: "dark" | "light"; width?: number }) {
  const { locale, colorScheme = "light", width = 390 } = options;
  const page = await browser.newPage({ locale, colorScheme, viewport: { width, height: 700 } });
  page.setDefaultTimeout(hangMs);
  const complaints: string[] = [];
  page.on("console", (message) => void complaints.push(message.text()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  await page.goto(address);
  const shots = process.env["CONSOLE_SHOTS"];
  if (shots) await page.screenshot({ path: `${shots}/simulated-${locale}-${colorScheme}-${width}.png` });
  return { page, complaints };
}

test("a payer pays on the page, and is back where they came from", async () => {
  const { order, page: pageUrl } = await begin("SIM000001");
  const { page, complaints } = await open(pageUrl, { locale: "zh-CN" });
  assert.match(await page.locator("main").innerText(), /模拟支付.*SIM000001.*¥4,800\.50/s);
  await page.getByRole("button", { name: "确认支付" }).click();
  await page.waitForURL(`${url}/back`);
  assert.equal((await simulated.query(order)).state, "paid");
  assert.deepEqual(complaints, []);
  await page.goto(pageUrl);
  assert.equal(await page.getByRole("button").count(), 0);
  await page.close();
});

test("a payment may fail, and the order is open still", async () => {
  const { order, page: pageUrl } = await begin("SIM000002");
  const { page } = await open(pageUrl, { locale: "en-US", colorScheme: "dark", width: 1280 });
  await page.getByRole("button", { name: "Let it fail" }).click();
  await page.waitForURL(`${url}/back`);
  assert.equal((await simulated.query(order)).state, "pending");
  await page.close();
});

test("an order that nobody knows has no button, and an address is no markup", async () => {
  const { page } = await open(`${url}/simulated/SIM000009`, { locale: "en-US" });
  assert.match(await page.locator("main").innerText(), /There is no such order/);
  assert.equal(await page.getByRole("button").count(), 0);
  const { page: pageUrl } = await begin("SIM000003", `${url}/back?a="><script>document.title="x"</script>`);
  await page.goto(pageUrl);
  assert.equal(await page.title(), "Simulated payment");
  await page.close();
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { openFileBrowser } from "#test/browser/browser.ts";
import { buildWeb, openConsoleTests } from "#test/browser/console.ts";
import { measureHeld, playDay } from "#test/browser/screen-days.ts";
import { fillCity, findCutTexts, findSmallTexts, openWall } from "#test/browser/screen.ts";
import { startFront } from "#test/front.ts";
import { until } from "#test/until.ts";

await buildWeb();
const app = await startTestApp({ services: ["disease-command"] });
const empty = await startTestApp({ services: ["disease-command"] });
const { browser } = await openFileBrowser();
const { call, userName } = await fillCity(app);

const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const isLive = (page: Page) => page.getByRole("status").filter({ hasText: "实时" }).waitFor();

// English texts are longer than Chinese ones, so English is tested at the smallest and at the widest size.
for (const [width, height, locale] of [
  [1366, 768, "zh-CN"],
  [1366, 768, "en-GB"],
  [1920, 1080, "zh-CN"],
  [3840, 1080, "en-GB"],
] as const)
  test(
    `at ${width} × ${height} in ${locale} all of it is seen, and nothing is cut`,
    width === 1366 && locale === "zh-CN" ? {} : atLength,
    async () => {
      const { page, check } = await openWall(browser, app.url, { size: { width, height }, locale, query: "?still=1" });
      await page.getByRole("button", { name: "虚构湖1" }).waitFor();
      assert.equal(await page.locator("html").getAttribute("lang"), locale === "zh-CN" ? "zh-CN" : "en");
      assert.deepEqual(await findCutTexts(page), []);
      // The map draws small labels of the whole world until it shows the city.
      await until("every text is large enough", async () => (await findSmallTexts(page)).length === 0);
      for (const text of ["日常值守", "18:00-19:00", "示例市第6医院", "健康宣讲", "演练广播2", "人群2", "餐饮"])
        await page.getByText(text, { exact: true }).first().waitFor();
      const zoom = await page.getByRole("button", { name: locale === "zh-CN" ? "放大" : "Zoom in" }).boundingBox();
      assert.ok(zoom && zoom.height >= (height / 1080) * 44, "the map's buttons grow with the wall");
      assert.equal(await page.getByText("示例市第7医院").count(), 0, "the six with most patients");
      await check(`screen-${width}-${locale}`);
    },
  );

test("what changes is on the wall, and moves to it; on a still one nothing moves", async () => {
  const moving = await openWall(browser, app.url);
  const still = await openWall(browser, app.url, { query: "?still=1" });
  await Promise.all([isLive(moving.page), isLive(still.page)]);
  await still.page.evaluate(`
    window.moved = [];
    new MutationObserver(() => window.moved.push(...document.getAnimations())).observe(document, { subtree: true, childList: true, characterData: true });`);
  const lit = moving.page.locator(".s-area-broadcast .s-light").waitFor({ state: "attached" });
  await call("PUT", "/broadcast/statistics/update", { id: 1, numOfDevice: 4321, rateOfInline: 0.5 });
  await call("PUT", "/consumptionCategoryStatistics/update", { id: 1, value: 12_345.5 });
  for (const { page, faults } of [moving, still]) {
    await panel(page, "应急广播").getByText("4,321", { exact: true }).waitFor();
    await panel(page, "应急广播").getByText("50%", { exact: true }).waitFor();
    await panel(page, "消费分类（万元）").getByText("12,345.5", { exact: true }).first().waitFor();
    assert.deepEqual(faults, []);
  }
  await lit;
  assert.deepEqual(await still.page.evaluate("[window.moved.length, document.getAnimations().length]"), [0, 0]);
  assert.equal(await still.page.locator(".s-light").count(), 0);
});

test(
  "a spot opens its card by keyboard, whatever it is called, and a wrong panorama is no link",
  atLength,
  async () => {
    const [lake] = await app.pool<{ id: number }[]>`
    update disease_command.scenic_spot set vr_url = 'javascript:alert(1)' where name = '虚构湖1' returning id::int`;
    await call("PUT", "/scenicSpotOverview/update", {
      id: lake?.id,
      scenicSpotDesc: "<script>document.title = 'broken'</script>",
    });
    const { page, check, faults } = await openWall(browser, app.url, { query: "?still=1" });
    const mark = page.locator(".city-map").getByRole("button", { name: "虚构湖1" });
    await mark.focus();
    await page.keyboard.press("Enter");
    const card = page.getByRole("dialog", { name: "虚构湖1" });
    for (const text of ["测试员乙", "555 0100 0003", "12 人", "300 件", "全景地址无效"])
      await card.getByText(text).waitFor();
    await card.getByText("<script>document.title = 'broken'</script>").waitFor();
    await card.getByRole("img", { name: "虚构湖1 的图片" }).waitFor();
    assert.equal(await card.getByRole("link").count(), 0);
    assert.notEqual(await page.title(), "broken");
    await check("screen-spot");
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await mark.and(page.locator(":focus")).waitFor();
    await page.getByRole("list", { name: "未匹配地图的景区" }).getByRole("button", { name: "虚构湖2" }).tap();
    const other = page.getByRole("dialog", { name: "虚构湖2" });
    const link = other.getByRole("link", { name: "打开全景（VR）" });
    assert.deepEqual(
      [await link.getAttribute("href"), await link.getAttribute("rel")],
      ["https://vr.example/1", "noopener noreferrer"],
    );
    await other.getByRole("button", { name: "关闭" }).tap();
    assert.deepEqual(faults, []);
  },
);

test("a clinic opens what was before; a history that cannot be read can be tried again", atLength, async () => {
  const { page, check } = await openWall(browser, app.url, { query: "?still=1" });
  await page.route("**/feverClinicOfHospitalStatistics/list*", (route) => route.fulfill({ status: 500 }));
  await page.getByRole("button", { name: /^示例市第1医院/ }).tap();
  const card = page.getByRole("dialog", { name: "示例市第1医院 发热门诊历史" });
  await card.getByRole("alert").getByText("无法读取历史数据").waitFor();
  await page.unroute("**/feverClinicOfHospitalStatistics/list*");
  await card.getByRole("button", { name: "重试" }).tap();
  await card.getByRole("img", { name: "2026-11-19 100; 2026-11-20 101" }).waitFor();
  await check("screen-clinic").catch((error: Error) => assert.match(error.message, /500/));
});

test("a line that falls silent is told with the time of the data, and mends when it is back", atLength, async (t) => {
  const front = await startFront(app.url);
  t.after(() => front.stop());
  const { port } = new URL(front.url);
  await call("PUT", "/broadcast/statistics/update", { id: 1, numOfDevice: 4321 });
  const { page, check } = await openWall(browser, `http://127.0.0.1:${port}`);
  await isLive(page);
  front.hush("all");
  await page.getByText(/连接已断开，正在重连 · 数据截至 \d\d-\d\d \d\d:\d\d:\d\d（\d+ 秒前）/).waitFor();
  await panel(page, "应急广播").getByText("4,321", { exact: true }).waitFor();
  await check("screen-cut");
  await call("PUT", "/broadcast/statistics/update", { id: 1, numOfDevice: 1234 });
  front.open();
  await isLive(page);
  await panel(page, "应急广播").getByText("1,234", { exact: true }).waitFor();
  front.lead((await startTestApp({ beside: app, services: ["disease-command"] })).url);
  await call("PUT", "/broadcast/statistics/update", { id: 1, numOfDevice: 2345 });
  await panel(page, "应急广播").getByText("2,345", { exact: true }).waitFor();
});

test(
  "a browser that knows it is offline tells at once, and a wall that finds another version of itself loads it",
  atLength,
  async () => {
    const { page, context } = await openWall(browser, app.url);
    await isLive(page);
    await page.evaluate("window.isOld = true");
    await context.setOffline(true);
    await page.getByText(/连接已断开，正在重连 · 数据截至/).waitFor();
    const asked = page.waitForRequest((request) => request.url() === `${app.url}/screen/`);
    await context.setOffline(false);
    await isLive(page);
    await asked;
    assert.equal(await page.evaluate("window.isOld"), true, "the same version stays");
    await page.route("**/screen/", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ body: (await answer.text()).replace(/src="[^"]+"/, 'src="/assets/newer.js"') });
    });
    await context.setOffline(true);
    await page.getByText(/连接已断开，正在重连 · 数据截至/).waitFor();
    const loaded = page.waitForEvent("domcontentloaded");
    await context.setOffline(false);
    await loaded;
    assert.equal(await page.evaluate("window.isOld"), undefined);
  },
);

test(
  "a city without anything says so in each place, and a wall that can read nothing says that",
  atLength,
  async () => {
    const { page, check } = await openWall(browser, empty.url, { query: "?still=1" });
    for (const text of [
      "还没有广播",
      "还没有发热门诊统计",
      "还没有检测统计",
      "还没有消费数据",
      "本月没有活动",
      "未设置",
    ])
      await page.getByText(text).waitFor();
    assert.deepEqual(await findCutTexts(page), []);
    await check("screen-empty");
    const other = await page.context().newPage();
    await other.route("**/disease-command/overview", (route) => route.fulfill({ status: 503, body: "" }));
    await other.goto(`${empty.url}/screen/`);
    await other.getByRole("alert").getByText("无法读取数据，正在自动重试").waitFor();
    await other.unroute("**/disease-command/overview");
    await other.getByRole("button", { name: "重试" }).tap();
    await other.getByText("还没有广播").waitFor();
  },
);

test(
  "the console opens a preview of a theme that is not enabled; alone the wall shows the enabled one",
  atLength,
  async () => {
    const id = Number(await call("POST", "/theme/save", { themeName: "节日保障", enable: "2" }));
    const alone = await openWall(browser, app.url, { query: `?preview=${id}` });
    await alone.page.getByText("日常值守").waitFor();
    assert.equal(await alone.page.getByText("节日保障").count(), 0);
    const console = await openConsoleTests(app);
    const { page, visit, context } = await console.open({ as: { account: "disease-command", userName } });
    await visit("/disease-command/themes");
    const opening = context.waitForEvent("page");
    await page.getByRole("button", { name: "预览 节日保障" }).click();
    const preview = await opening;
    await preview.getByText("预览：节日保障").waitFor();
    await isLive(preview);
    await page.evaluate("sessionStorage.clear()");
    await page.reload();
    await preview.reload();
    await preview.getByText("无法预览，显示的是启用中的主题").waitFor();
  },
);

test("a map that could not be read is read again by itself", async () => {
  const { page } = await openWall(browser, app.url, { query: "?still=1" });
  const other = await page.context().newPage();
  await other.route("**/disease-command/map", (route) => route.fulfill({ status: 503, body: "" }));
  await other.goto(`${app.url}/screen/?still=1`);
  await other.getByRole("list", { name: "未匹配地图的景区" }).getByRole("button", { name: "虚构湖1" }).waitFor();
  await other.unroute("**/disease-command/map");
  await other.locator(".city-map").getByRole("button", { name: "虚构湖1" }).waitFor();
});

// `node bench/screen.ts` simulates thirty days; this test simulates twelve.
test("days of changes leave the page as large as it was", atLength, async () => {
  const { page, faults } = await openWall(browser, app.url);
  // The first days fill bounded caches, such as the newest ten broadcasts and compiled code. After a warm-up of three
  // days, the heap still grows by 5 % in the next four days; after a warm-up of eight days, it grows by only 1 %.
  for (let day = 0; day < 8; day++) await playDay(page, call, day);
  const before = await measureHeld(page);
  for (let day = 8; day < 12; day++) await playDay(page, call, day);
  const held = await measureHeld(page);
  const said = `${JSON.stringify(before)} became ${JSON.stringify(held)}`;
  assert.ok(held.heap < before.heap * 1.1, said);
  assert.ok(held.nodes < before.nodes * 1.1, said);
  assert.ok(held.listeners <= before.listeners + 5, said);
  assert.deepEqual(faults, []);
});

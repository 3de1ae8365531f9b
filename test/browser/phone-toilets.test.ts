import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { atLength } from "#test/at-length.ts";
import { startTestApp } from "#test/app.ts";
import { buildWeb, tabTo } from "#test/browser/console.ts";
import { openPhoneTests } from "#test/browser/phone.ts";
import { type Body, sampleToilet } from "#test/disease-command.ts";

await buildWeb();
const app = await startTestApp({ services: ["disease-command"] });
const phones = await openPhoneTests(app);

/** At this position map coordinates are not shifted (GCJ-02), so distances need no conversion. */
const position = { longitude: 150.1, latitude: 25.1 };
let token = "";
before(async () => {
  ({ token } = await app.signIn("disease-command"));
});
beforeEach(async () => {
  await app.pool.script("truncate disease_command.toilet");
});

let numbers = 0;
const add = async (given: Body) => {
  const body = { ...sampleToilet(++numbers), status: "1", thirdOpenFlag: "", ...given };
  assert.equal((await app.call("POST", "/disease-command/toilet/save", { token, body })).json.code, "0");
};
const north = (metres: number) => `150.100000,${(25.1 + metres / 111_195).toFixed(6)}`;
const isSeen = (page: Page, selector: string) =>
  page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.querySelector("${selector}").getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);
const names = (page: Page) => page.locator("li h2").allTextContents();

test("the nearest come first, with distance, places and the way there; a touch shows one on the map", async () => {
  await add({ name: "远处", longitudeAndLatitude: north(2540), sort: 0, thirdOpenFlag: "k" });
  await add({ name: "关着", longitudeAndLatitude: north(1), status: "2" });
  await add({ name: "近处", longitudeAndLatitude: north(356), sort: 5, numOfThird: 0, thirdOpenFlag: "3" });
  await add({ name: "满的", longitudeAndLatitude: north(1400), sort: 6, numOfBarrierFree: 0, thirdOpenFlag: "0" });
  const { page, visit, check } = await phones.open({ position });
  await visit("/h5/toilets/");
  await page.getByText("356 米").waitFor();
  assert.deepEqual(await names(page), ["近处", "满的", "远处"]);
  await page.getByText("2.5 公里").waitFor();
  const near = page.getByRole("listitem").filter({ hasText: "近处" });
  assert.match(await near.innerText(), /示例路1号[^]*无障碍 1[^]*男 6[^]*女 10[^]*实时：空闲 3 位/);
  assert.doesNotMatch(await near.innerText(), /第三卫生间/);
  await page.getByText("实时：暂无空位").waitFor();
  await page.getByText("已接入实时数据").waitFor();
  const way = page.getByRole("link", { name: "导航到近处" });
  const target = new URL((await way.getAttribute("href")) ?? "");
  assert.deepEqual([target.protocol, target.searchParams.get("to")], ["https:", `${north(356)},近处`]);
  await page.getByRole("button", { name: "满的", exact: true }).tap();
  await page.locator("li[aria-current]", { hasText: "满的" }).waitFor();
  assert.equal(await isSeen(page, "li[aria-current]"), true);
  await page.getByRole("button", { name: "在地图上看远处" }).tap();
  await page.locator("li[aria-current]", { hasText: "远处" }).waitFor();
  assert.equal(await isSeen(page, ".toilets-map"), true);
  await check("toilets");
});

test("more than a hundred are gathered on the map of an older WebView too", async () => {
  await app.pool`
    insert into disease_command.toilet (name, address, level, area, barrier_free_stalls, third_restrooms, men_stalls,
      women_stalls, common_stalls, longitude_latitude)
    select '公厕' || n, '示例路1号', '一类', '80', 1, 0, 1, 1, 0, '150.1,' || 25.1 + n * 0.0001
    from generate_series(1, 120) as n`;
  const { page, visit, faults } = await phones.open({ position });
  await page.addInitScript("delete Map.groupBy");
  await visit("/h5/toilets/");
  await page.getByText("由近到远").waitFor();
  const rows = page.locator("li h2");
  for (const place of [49, 99]) await rows.nth(place).scrollIntoViewIfNeeded();
  await rows.nth(119).waitFor({ state: "attached" });
  await page.locator(".city-map-bubble").first().waitFor();
  assert.deepEqual(faults, []);
});

test("what somebody needs is looked for, and kept for the next time", atLength, async () => {
  await add({ name: "全", longitudeAndLatitude: north(900) });
  await add({ name: "无第三", longitudeAndLatitude: north(100), numOfThird: 0 });
  await add({ name: "都没有", longitudeAndLatitude: north(50), numOfThird: 0, numOfBarrierFree: 0 });
  const { page, visit } = await phones.open({ position });
  await visit("/h5/toilets/");
  await page.getByRole("checkbox", { name: "无障碍" }).tap();
  await page.getByText("2 座开放的公厕").waitFor();
  assert.deepEqual(await names(page), ["无第三", "全"]);
  await page.getByRole("checkbox", { name: "第三卫生间" }).tap();
  await page.getByText("1 座开放的公厕").waitFor();
  await page.reload();
  await page.getByText("1 座开放的公厕").waitFor();
  await app.pool.script("update disease_command.toilet set third_restrooms = 0");
  await page.reload();
  await page.getByRole("button", { name: "显示全部" }).tap();
  await page.getByText("3 座开放的公厕").waitFor();
});

test(
  "without leave to know where somebody is, they stand in the city's order, and that is said",
  atLength,
  async () => {
    await add({ name: "<script>alert(1)</script>", longitudeAndLatitude: "150.1,25.1", sort: 2 });
    await add({ name: "先", longitudeAndLatitude: "150.2,25.2", sort: 1 });
    const { page, context, visit, check } = await phones.open({ theme: "dark" });
    await visit("/h5/toilets/");
    await page.getByText("按默认顺序").waitFor();
    assert.deepEqual(await names(page), ["先", "<script>alert(1)</script>"]);
    await page.getByRole("button", { name: "定位" }).tap();
    await page.getByText("没有获得位置权限").waitFor();
    assert.deepEqual(await names(page), ["先", "<script>alert(1)</script>"]);
    await check("toilets-denied");
    await context.setGeolocation(position);
    await context.grantPermissions(["geolocation"]);
    await page.getByRole("button", { name: "定位" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("由近到远").waitFor();
    assert.deepEqual(await names(page), ["<script>alert(1)</script>", "先"]);
    await tabTo(page, page.getByRole("checkbox", { name: "无障碍" }));
    await page.keyboard.press("Space");
    await page.getByText("2 座开放的公厕").waitFor();
    assert.equal(await page.getByRole("checkbox", { name: "无障碍" }).isChecked(), true);
  },
);

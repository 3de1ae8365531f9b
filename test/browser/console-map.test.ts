import assert from "node:assert/strict";
import { test } from "node:test";
import { openLocalServer } from "#demo/local-server.ts";
import { atLength } from "#test/at-length.ts";
import { getData, startTestApp } from "#test/app.ts";
import { openConsoleTests, startConsole, turnDark } from "#test/browser/console.ts";
import { listModules, pngBytes, square, toGeoJson, upload, uploadImage } from "#test/disease-command.ts";

const { app, open } = await startConsole();

const as = await app.signIn("disease-command");
const { token } = as;
const { page, visit, load, check } = await open({ as, stays: true });
const script = "<script>alert(1)</script>";

const addSpot = async (scenicSpotName: string) => {
  const image = await uploadImage(app, token);
  const { sample } = listModules(image, 0).find(({ name }) => name === "scenic spot") ?? assert.fail("no scenic spots");
  const body = { ...sample(1), scenicSpotName };
  getData(await app.call("POST", "/disease-command/scenicSpotOverview/add", { token, body }));
};
const saveMap = async (map: unknown) => {
  getData(await upload(app, "/map/save", token, JSON.stringify(map), "map.geojson"));
};

const choose = (map: unknown) =>
  page
    .getByRole("dialog")
    .locator("input[type=file]")
    .setInputFiles({
      name: "城市.geojson",
      mimeType: "application/geo+json",
      buffer: Buffer.from(typeof map === "string" ? map : JSON.stringify(map)),
    });

test("the city's map is uploaded: a broken one is refused with its place, the mended one is drawn, and names that do not match are listed", async () => {
  await addSpot("东湖");
  await addSpot("江滩");
  await addSpot(script);
  await visit("/disease-command/map");
  await page.getByText("还没有城市地图。").waitFor();
  await check("map-empty");
  await page.getByRole("button", { name: "上传地图" }).click();
  const dialog = page.getByRole("dialog", { name: "上传地图" });

  const broken = toGeoJson(["江滩", "东 湖", script]);
  broken.features[1]?.geometry.coordinates[0]?.pop();
  await choose(broken);
  await dialog.getByRole("button", { name: "保存地图" }).click();
  await dialog.getByText("“东 湖”: coordinates[0]: 环未闭合").waitFor();
  await check("map-broken");
  await choose('{"type": "FeatureCollection", "features": [');
  await dialog.getByRole("button", { name: "保存地图" }).click();
  await dialog.getByText(/不是有效的 JSON/).waitFor();

  await choose(toGeoJson(["江滩", "东 湖", script]));
  await dialog.getByRole("button", { name: "保存地图" }).click();
  await dialog.getByText("已保存 3 个区域和地点").waitFor();
  await dialog.getByRole("button", { name: "完成" }).click();
  const map = page.getByRole("region", { name: "城市地图" });
  await map.getByText("东 湖", { exact: true }).waitFor();
  await map.getByText(script, { exact: true }).waitFor();
  assert.equal(await map.locator("path.city-map-area").count(), 3);
  const alone = page.getByRole("region", { name: "未匹配地图的景区" });
  await alone.getByText("东湖", { exact: true }).waitFor();
  assert.deepEqual(await alone.getByText("江滩", { exact: true }).count(), 0);
  await page.getByRole("region", { name: "没有对应景区的区域" }).getByText("东 湖", { exact: true }).waitFor();
  await check("map-saved");

  await visit("/disease-command/scenic-spots");
  await page.getByRole("button", { name: "编辑 东湖" }).click();
  const form = page.getByRole("dialog", { name: /编辑/ });
  await form.getByLabel("景区名称").fill("东 ");
  await page.getByTitle("东 湖", { exact: true }).click();
  await form.getByRole("button", { name: "保存" }).click();
  await page.getByRole("button", { name: "编辑 东 湖" }).waitFor();
  await app.pool`update disease_command.scenic_spot set name = '东湖' where name = '东 湖'`;
});

test("a map of 500 areas is drawn, its names do not lie on one another, and it moves", atLength, async () => {
  const map = toGeoJson(Array.from({ length: 500 }, (_, n) => `示例区域${n + 1}`));
  await saveMap({
    ...map,
    features: [
      ...map.features,
      {
        type: "Feature",
        properties: { name: "全市" },
        geometry: { type: "Polygon", coordinates: square(114.2, 30.4, 0.5) },
      },
    ],
  });
  await visit("/disease-command/map");
  const region = page.getByRole("region", { name: "城市地图" });
  await region.getByText("全市").waitFor();
  assert.equal(await region.locator("path.city-map-area").count(), 501);
  const boxes = await page.locator(".city-map-name > span").evaluateAll((names) =>
    names.map((name) => {
      const { left, right, top, bottom } = name.getBoundingClientRect();
      return [left, right, top, bottom] as const;
    }),
  );
  assert.ok(boxes.length >= 10, `${boxes.length} names`);
  const overlapping = boxes.flatMap((a, place) =>
    boxes.slice(place + 1).filter((b) => a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3]),
  );
  assert.deepEqual(overlapping, []);
  await check("map-500");
  const before = await region.locator(".leaflet-control-scale-line").textContent();
  await region.getByRole("button", { name: "放大" }).click();
  await region.locator(".leaflet-control-scale-line", { hasNotText: before ?? "" }).waitFor();
  await check("map-500-nearer");
});

test("a spot on the map beside the list opens its record, by touch, by keyboard and by its area", async () => {
  await saveMap(toGeoJson(["江滩", "东湖"]));
  await turnDark(page);
  await load("/disease-command/scenic-spots");
  const map = page.getByRole("region", { name: "Map of the scenic spots" });
  const spot = map.getByRole("button", { name: "东湖", exact: true });
  await spot.focus();
  await page.keyboard.press("Enter");
  const detail = page.getByRole("dialog", { name: "东湖" });
  await detail.waitFor();
  await check("map-spot-opened");
  await page.keyboard.press("Escape");
  await detail.waitFor({ state: "hidden" });
  await map
    .locator("path.city-map-marked")
    .first()
    .click({ position: { x: 4, y: 4 } });
  await page.getByRole("dialog", { name: "江滩" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("1 scenic spot has no map feature of the same name").waitFor();
  await page.getByRole("dialog", { name: "江滩" }).waitFor({ state: "hidden" });
  await check("map-spots");
});

// This test comes last, since closing a second app's pages also closes the pages of the file's app.
test(
  "tiles come from the host that is set, and from no other; whose they are stands on the map",
  atLength,
  async () => {
    const asked: string[] = [];
    const { url: host, close } = await openLocalServer((request, response) => {
      asked.push(request.url ?? "");
      response.setHeader("content-type", "image/png").end(pngBytes);
    });
    const settings = { MAP_TILES: `${host}/{z}/{x}/{y}.png`, MAP_ATTRIBUTION: script, MAP_CENTER: "114.36,30.56,12" };
    const tiled = await startTestApp({ beside: app, settings });
    const others = await openConsoleTests(tiled);
    try {
      const { page, visit, faults } = await others.open({ as });
      await visit("/disease-command/map");
      await page.locator("img.leaflet-tile-loaded").first().waitFor();
      await page.getByText(script, { exact: true }).first().waitFor();
      assert.ok(
        asked.every((path) => /^\/12\/\d+\/\d+\.png$/.test(path)),
        asked.join(),
      );
      assert.deepEqual(
        faults.filter((fault) => !fault.startsWith(`asks for ${host}/12/`)),
        [],
      );
      const policies = await Promise.all(
        ["/console/", "/h5/toilets/", "/screen/"].map(async (path) => (await fetch(tiled.url + path)).headers),
      );
      for (const headers of policies)
        assert.match(headers.get("content-security-policy") ?? "", new RegExp(`img-src 'self' data: blob: ${host};`));
    } finally {
      await close();
    }
  },
);

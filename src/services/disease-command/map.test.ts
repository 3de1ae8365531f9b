import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { convertPosition, type Position } from "#platform/contract/datum.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { listModules, square, toGeoJson, upload, uploadImage } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const path = "/disease-command/map";

const read = (headers: Record<string, string> = {}, at: TestApp = app) => at.call("GET", path, { headers });
const readMap = async () => JSON.parse((await read()).text) as unknown;

function save(map: unknown, fields: Record<string, string> = {}, at: TestApp = app) {
  const content = typeof map === "string" ? map : JSON.stringify(map);
  return at.call("POST", `${path}/save`, { token, file: ["map.geojson", content], fields });
}

const withFeature = (change: object, name = "湖") => {
  const map = toGeoJson(["山", name]);
  return { ...map, features: map.features.map((feature, n) => (n === 1 ? { ...feature, ...change } : feature)) };
};

const withGeometry = (type: string, coordinates: unknown) => withFeature({ geometry: { type, coordinates } });

test("before there is a map it is not found, for anybody", async () => {
  const { status, json, headers } = await read();
  assert.deepEqual([status, json.code, headers.get("cache-control")], [404, "10005", "no-store"]);
});

const wide = "x".repeat(256);

describe("a broken map is refused with its place, and the last one stays", () => {
  const refused: Readonly<Record<string, readonly [map: unknown, says: RegExp]>> = {
    "no JSON": ['{"type": "FeatureCollection",\n  "features": [}', /JSON/],
    "nested beyond all measure": ["[".repeat(4_000_000), /JSON/],
    "a single feature": [{ type: "Feature", properties: { name: "湖" } }, /FeatureCollection/],
    "none among them": [{ type: "FeatureCollection", features: [] }, /features: 不能为空/],
    "too many": [toGeoJson(Array.from({ length: 5001 }, (_, n) => `区${n}`)), /最多5000/],
    "what is no feature": [{ type: "FeatureCollection", features: [null] }, /features\[0\]: 应为 Feature/],
    "a feature without a name": [withFeature({ properties: null }), /features\[1\]: 缺少名称/],
    "a name that is too long": [withFeature({ properties: { name: wide } }), /features\[1\]: 名称最多255/],
    "a name that cannot be stored": [withFeature({ properties: { name: "a\0" } }), /features\[1\]: 名称含有/],
    "a name that is there twice": [
      withFeature({ properties: { name: "山" } }),
      /“山”: 名称重复（features\[0\] 与 features\[1\]）/,
    ],
    "no geometry": [withFeature({ geometry: null }), /“湖”: 缺少 geometry/],
    "a line": [withGeometry("LineString", square(114, 30)[0]), /“湖”: geometry 应为/],
    "a collection of geometries": [withFeature({ geometry: { type: "GeometryCollection", geometries: [] } }), /“湖”/],
    "a polygon without a ring": [withGeometry("Polygon", []), /“湖”: coordinates: 应为至少1项/],
    "a ring of three": [withGeometry("Polygon", [square(1, 1)[0]?.slice(0, 3)]), /“湖”: coordinates\[0\]: 应为至少4项/],
    "a ring that is not closed": [
      withGeometry("Polygon", [square(1, 1)[0]?.slice(0, 4)]),
      /“湖”: coordinates\[0\]: 环未闭合/,
    ],
    "a hole that is not closed": [
      withGeometry("MultiPolygon", [[square(1, 1)[0], square(1, 1)[0]?.slice(0, 4)]]),
      /“湖”: coordinates\[0\]\[1\]: 环未闭合/,
    ],
    "metres for degrees": [withGeometry("Point", [12_724_000, 3_560_000]), /“湖”: coordinates: 应为以度为单位/],
    "a number beyond all numbers": [
      JSON.stringify(withGeometry("Point", ["@", 30])).replace('"@"', "1e999"),
      /“湖”: coordinates/,
    ],
    "texts for numbers": [withGeometry("MultiPoint", [["114", "30"]]), /“湖”: coordinates\[0\]/],
    "a name that looks like a script": [
      withFeature({ geometry: null }, "<script>alert(1)</script>"),
      /“<script>alert\(1\)<\/script>”/,
    ],
  };
  test("(a good one is saved before)", async () => {
    assert.deepEqual((await save(toGeoJson(["前", "后"]))).json.data, "2");
  });
  for (const [what, [map, says]] of Object.entries(refused))
    test(what, async () => {
      const { status, json } = await save(map);
      assert.deepEqual([status, json.code], [400, "10030"]);
      assert.match(json.message, says);
    });
  test("what is not UTF-8", async () => {
    const { status, json } = await upload(app, "/map/save", token, Buffer.from([0x7b, 0xff, 0x7d]));
    assert.deepEqual([status, json.code], [400, "10030"]);
  });
  test("more than 8 MiB", async () => {
    const { status, json } = await save(JSON.stringify(toGeoJson(["湖"])).padEnd(8 * 1024 * 1024 + 1));
    assert.deepEqual([status, json.code], [413, "10030"]);
  });
  test("no file, and a datum that nobody knows", async () => {
    const raw = new FormData();
    raw.append("datum", "gcj02");
    assert.equal((await app.call("POST", `${path}/save`, { token, raw })).json.code, "10030");
    const { status, json } = await save(toGeoJson(["湖"]), { datum: "bd09" });
    assert.deepEqual([status, json.code], [400, "10001"]);
  });
  test("in English for whoever reads it", async () => {
    const file = ["a.json", JSON.stringify(withGeometry("Point", [30, 114]))] as const;
    const { json } = await app.call("POST", `${path}/save`, { token, file, headers: { "accept-language": "en" } });
    assert.match(json.message, /“湖”: coordinates: must be \[longitude, latitude\] in degrees/);
  });
  test("(it is still there)", async () => assert.deepEqual(await readMap(), toGeoJson(["前", "后"])));
});

test("a name has 255 characters at most, whatever they take", async () => {
  assert.equal((await save(toGeoJson(["𠮷".repeat(255)]))).json.data, "1");
  assert.equal((await save(toGeoJson(["𠮷".repeat(256)]))).json.code, "10030");
});

test("a map of all kinds is served as it was saved, without what no map draws", async () => {
  const feature = (name: string, type: string, coordinates: unknown) => {
    return { type: "Feature", properties: { name }, geometry: { type, coordinates } };
  };
  const point = feature("点", "Point", [114, 30]);
  const features = [
    { ...point, id: 7, properties: { name: "点", adcode: 420_100, open: true } },
    feature("点群", "MultiPoint", square(114, 30)[0]),
    feature("洞", "Polygon", [...square(114, 30, 1), ...square(114.2, 30.2, 0.1)]),
    feature("岛", "MultiPolygon", [square(114, 30), square(115, 31)]),
  ];
  const saved = await save({
    type: "FeatureCollection",
    bbox: [114, 30, 115, 31],
    crs: { type: "name" },
    features: features.map((feature) => ({
      ...feature,
      bbox: [1, 2, 3, 4],
      properties: { ...feature.properties, parent: { adcode: 1 }, center: [114, 30] },
    })),
  });
  assert.equal(saved.json.data, "4");
  const { headers, text } = await read();
  assert.deepEqual(JSON.parse(text), { type: "FeatureCollection", features });
  assert.deepEqual(
    ["content-type", "cache-control"].map((name) => headers.get(name)),
    ["application/geo+json", "public, max-age=60"],
  );
  const [line] = await app.pool`
    select detail from platform.audit where action = 'saveCityMap' order by id desc limit 1`;
  assert.deepEqual(line?.["detail"], { features: 4, datum: "gcj02" });
});

test("who has the map is told that it is still the same, until it is another, in every process", async () => {
  const other = await startTestApp({ services: ["disease-command"], beside: app });
  await save(toGeoJson(["一"]));
  const etag = (await read()).headers.get("etag") ?? "";
  assert.ok(etag.startsWith('"'));
  const headers = { "if-none-match": etag };
  assert.deepEqual([(await read(headers)).status, (await read(headers)).text], [304, ""]);
  assert.equal((await read(headers, other)).status, 304);
  await save(toGeoJson(["二"]));
  for (const at of [app, other]) {
    const answer = await read(headers, at);
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, toGeoJson(["二"])]);
  }
});

test("names that stand on one side only are told", async () => {
  const image = await uploadImage(app, token);
  const { sample } = listModules(image, 0).find(({ name }) => name === "scenic spot") ?? assert.fail("no scenic spots");
  for (const scenicSpotName of ["东湖", "江滩", "<script>"])
    await app.call("POST", "/disease-command/scenicSpotOverview/add", {
      token,
      body: { ...sample(1), scenicSpotName },
    });
  await save(toGeoJson(["江滩", "东 湖", "北山"]));
  const { json } = await app.call("GET", `${path}/mismatches`, { token });
  assert.deepEqual(json.data, { spots: ["<script>", "东湖"], features: ["东 湖", "北山"] });
  await app.pool`delete from disease_command.city_map`;
  const without = await app.call("GET", `${path}/mismatches`, { token });
  assert.deepEqual(without.json.data, { spots: ["<script>", "江滩", "东湖"], features: [] });
});

describe("what it is measured against", () => {
  const place: Position = [114.3055, 30.5928];
  const point = (coordinates: Position) => ({
    type: "FeatureCollection",
    features: [{ type: "Feature", properties: { name: "点" }, geometry: { type: "Point", coordinates } }],
  });
  const coordinatesOf = async (at: TestApp) =>
    JSON.parse((await read({}, at)).text).features[0].geometry.coordinates as Position;
  const metres = (a: Position, b: Position) => Math.hypot(a[0] - b[0], a[1] - b[1]) * 111_000;

  test("a map of satellites is moved to MAP_DATUM, one of a Chinese map stays", async () => {
    await save(point(place));
    assert.deepEqual(await coordinatesOf(app), place);
    await save(point(place), { datum: "wgs84" });
    const moved = await coordinatesOf(app);
    assert.ok(metres(moved, convertPosition(place, "wgs84", "gcj02")) < 0.02);
    assert.ok(metres(moved, place) > 100);
  });

  test("where MAP_DATUM is set otherwise later, the saved map follows", async () => {
    const other = await startTestApp({ services: ["disease-command"], beside: app, settings: { MAP_DATUM: "wgs84" } });
    await save(point(place));
    const moved = convertPosition(place, "gcj02", "wgs84");
    assert.ok(metres(await coordinatesOf(other), moved) < 0.02);
    await save(point(place), { datum: "wgs84" }, other);
    assert.deepEqual(await coordinatesOf(other), place);
    assert.ok(metres(await coordinatesOf(app), convertPosition(place, "wgs84", "gcj02")) < 0.02);
  });
});

test("the settings of maps are there for everybody, and null where they are not set", async () => {
  const settingsOf = async (settings: Record<string, string>) => {
    const other = await startTestApp({ services: ["disease-command"], beside: app, settings });
    return (await other.call("GET", "/map/settings")).json.data;
  };
  const none = { tiles: null, attribution: null, center: null, zoom: null, datum: "gcj02" };
  assert.deepEqual(await settingsOf({ MAP_CENTER: "-0.5,51" }), { ...none, center: [-0.5, 51] });
  const tiles = "https://tiles.example/{z}/{x}/{y}.png";
  const settings = {
    MAP_TILES: tiles,
    MAP_ATTRIBUTION: "© 示例",
    MAP_CENTER: "114.3055, 30.5928,11",
    MAP_DATUM: "wgs84",
  };
  const told = { tiles, attribution: "© 示例", center: [114.3055, 30.5928], zoom: 11, datum: "wgs84" };
  assert.deepEqual(await settingsOf(settings), told);
});

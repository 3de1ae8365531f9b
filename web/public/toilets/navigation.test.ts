import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseApp, tellDevice, toNavigation } from "./navigation.ts";

const userAgents = {
  iphone: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1",
  android: "Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36",
  wechat: "Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Mobile Safari/537.36 MicroMessenger/8.0.50",
  desk: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36",
};
const destination = { name: "东湖(北), 1号", at: [114.3055, 30.5928] } as const;

test("each device begins the way with what it has", () => {
  const choose = (userAgent: string) => [tellDevice({ userAgent }), chooseApp({ userAgent })];
  assert.deepEqual(choose(userAgents.iphone), ["apple", "phone"]);
  assert.deepEqual(choose(userAgents.android), ["android", "phone"]);
  assert.deepEqual(choose(userAgents.wechat), ["android", "amap"]);
  assert.deepEqual(choose(userAgents.desk), ["other", "amap"]);
});

test("a geo address is of WGS 84, and its label cannot end it", () => {
  const address = toNavigation("phone", "android", destination, "gcj02");
  const [, latitude = "", longitude = ""] = /^geo:([\d.]+),([\d.]+)\?q=\1,\2\([^()]*\)$/.exec(address) ?? [];
  assert.ok(Number(latitude) > 30.594 && Number(latitude) < 30.5965, address);
  assert.ok(Number(longitude) > 114.298 && Number(longitude) < 114.302, address);
  assert.ok(toNavigation("phone", "android", destination, "wgs84").startsWith("geo:30.592800,114.305500?"));
});

test("Apple's and Amap's maps are of GCJ-02", () => {
  const apple = new URL(toNavigation("phone", "apple", destination, "gcj02"));
  assert.equal(apple.origin, "https://maps.apple.com");
  assert.equal(apple.searchParams.get("daddr"), "30.592800,114.305500");
  assert.equal(apple.searchParams.get("q"), destination.name);
  const amap = new URL(toNavigation("amap", "android", destination, "gcj02"));
  assert.equal(amap.searchParams.get("to"), "114.305500,30.592800,东湖(北)  1号");
  const moved = new URL(toNavigation("amap", "apple", destination, "wgs84")).searchParams.get("to") ?? "";
  assert.ok(Number(moved.split(",")[0]) > 114.305_5 + 0.004, moved);
});

test("a name is a name, whatever is in it", () => {
  const name = `<script>"'&#?x=1</script>`;
  for (const device of ["apple", "android", "other"] as const) {
    const address = toNavigation("phone", device, { ...destination, name }, "gcj02");
    assert.doesNotMatch(address, /[<>"'#\s]/);
    assert.ok(URL.canParse(address));
  }
});

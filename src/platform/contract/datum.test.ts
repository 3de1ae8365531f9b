import assert from "node:assert/strict";
import { test } from "node:test";
import { convertPosition, type Position } from "./datum.ts";

const metresOfDegree = 111_320;
const metresBetween = ([a, b]: Position, [c, d]: Position): number =>
  Math.hypot((a - c) * metresOfDegree * Math.cos((b / 180) * Math.PI), (b - d) * metresOfDegree);

test("a place in China is moved by some hundred metres", () => {
  const moved = convertPosition([116.404, 39.915], "wgs84", "gcj02");
  assert.ok(metresBetween(moved, [116.410_244_499_167_63, 39.916_404_281_501_64]) < 0.01, String(moved));
});

test("there and back is the same place to a millimetre, all over the country", () => {
  for (let longitude = 73; longitude < 137; longitude += 1.7)
    for (let latitude = 2; latitude < 55; latitude += 1.3) {
      const place: Position = [longitude, latitude];
      const back = convertPosition(convertPosition(place, "wgs84", "gcj02"), "gcj02", "wgs84");
      assert.ok(metresBetween(place, back) < 0.001, `${longitude},${latitude}`);
    }
});

test("abroad, and within one datum, nothing moves", () => {
  for (const place of [
    [2.35, 48.86],
    [-74, 40.7],
    [139.7, 35.7],
  ] as const)
    assert.deepEqual(convertPosition(convertPosition(place, "wgs84", "gcj02"), "gcj02", "wgs84"), place);
  assert.deepEqual(convertPosition([114, 30], "gcj02", "gcj02"), [114, 30]);
});

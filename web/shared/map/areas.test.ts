import assert from "node:assert/strict";
import { test } from "node:test";
import { type Areas, findPlace, listAreas } from "#shared/map/areas.ts";

const collection = (...features: [string, Areas["features"][number]["geometry"]][]): Areas => ({
  type: "FeatureCollection",
  features: features.map(([name, geometry]) => ({ properties: { name }, geometry })),
});

const square = (west: number, south: number, width: number): [number, number][] => [
  [west, south],
  [west + width, south],
  [west + width, south + width],
  [west, south + width],
  [west, south],
];

test("a name stands within its area, in a bent one and in one with a hole too", () => {
  const bent: [number, number][] = [
    [0, 0],
    [10, 0],
    [10, 2],
    [2, 2],
    [2, 10],
    [0, 10],
    [0, 0],
  ];
  const areas = listAreas(
    collection(
      ["square", { type: "Polygon", coordinates: [square(0, 0, 2)] }],
      ["bent", { type: "Polygon", coordinates: [bent] }],
      ["hole", { type: "Polygon", coordinates: [square(0, 0, 10), square(3, 3, 4)] }],
      ["islands", { type: "MultiPolygon", coordinates: [[square(0, 0, 1)], [square(20, 20, 4)]] }],
    ),
  );
  assert.deepEqual(findPlace(areas, "square"), [1, 1]);
  assert.deepEqual(findPlace(areas, "bent"), [1, 3.2222222222222223]);
  assert.deepEqual(findPlace(areas, "hole"), [1.5, 5]);
  assert.deepEqual(findPlace(areas, "islands"), [22, 22]);
});

test("points are where they are, and what has no extent is still somewhere", () => {
  const areas = listAreas(
    collection(
      ["gate", { type: "Point", coordinates: [114, 30] }],
      [
        "gates",
        {
          type: "MultiPoint",
          coordinates: [
            [1, 2],
            [3, 4],
          ],
        },
      ],
      [
        "line",
        {
          type: "Polygon",
          coordinates: [
            [
              [1, 1],
              [2, 1],
              [1, 1],
              [1, 1],
            ],
          ],
        },
      ],
    ),
  );
  assert.deepEqual(
    areas.map(({ name, middle }) => [name, middle]),
    [
      ["gate", [114, 30]],
      ["gates", [1, 2]],
      ["line", [1, 1]],
    ],
  );
  assert.equal(findPlace(areas, "nowhere"), undefined);
  assert.deepEqual(listAreas(undefined), []);
});

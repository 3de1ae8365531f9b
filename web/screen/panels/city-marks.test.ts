import assert from "node:assert/strict";
import { test } from "node:test";
import { toMarks } from "#screen/panels/city-marks.ts";

const spot = (id: number, scenicSpotName: string) => ({
  id,
  scenicSpotName,
  scenicSpotDesc: "湖光",
  responsibler: "测试员",
  responsiblerPhone: "555 0100 0003",
  numOfEmergencyCrew: 1,
  numOfEmergencMaterial: 1,
  image: "x.png",
  urlOfVr: null,
});

test("a spot stands where the map has its very name, and nowhere else", () => {
  const areas = {
    type: "FeatureCollection",
    features: [{ properties: { name: "东湖" }, geometry: { type: "Point", coordinates: [150.1, 25.2] } }],
  } as const;
  const toilets = [
    { id: 7, name: "公厕", longitudeAndLatitude: "150.2, 25.3", flag: "-1" },
    { id: 8, name: "无处", longitudeAndLatitude: "x", flag: "-1" },
  ];
  const { marks, dots, unplaced } = toMarks([spot(1, "东湖"), spot(2, "东湖 ")], toilets, areas);
  assert.deepEqual(
    marks.map(({ id, at }) => [id, at]),
    [[1, [150.1, 25.2]]],
  );
  assert.deepEqual(dots, [[150.2, 25.3]]);
  assert.deepEqual(
    unplaced.map(({ id }) => id),
    [2],
  );
  assert.equal(toMarks([spot(1, "东湖")], [], undefined).unplaced.length, 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { countFree, type Facilities, findNearby, joinFacilities, metresBetween } from "./nearby.ts";

const has: Omit<Facilities, "id"> = {
  addrDesc: "示例路1号",
  numOfBarrierFree: 1,
  numOfThird: 0,
  numOfMan: 2,
  numOfWoman: 3,
  numOfCommon: 0,
};
const row = (id: number, longitudeAndLatitude: string, flag = "-1") => ({
  id,
  name: `公厕${id}`,
  longitudeAndLatitude,
  flag,
});
const anything = { barrierFree: false, third: false };

test("a degree of latitude is 111.2 km, one of longitude as much as its latitude leaves", () => {
  assert.ok(Math.abs(metresBetween([114, 30], [114, 31]) - 111_195) < 10);
  assert.ok(Math.abs(metresBetween([114, 60], [115, 60]) - 55_597) < 10);
  assert.equal(metresBetween([114, 30], [114, 30]), 0);
  assert.ok(metresBetween([-179.9995, 0], [179.9995, 0]) < 112, "across the line where days change");
});

test("nearest first from somewhere, in their own order from nowhere", () => {
  const toilets = joinFacilities([row(1, "114.4,30.5"), row(2, "114.3001, 30.5"), row(3, "114.31,30.5")], undefined);
  const list = (here?: [number, number]) => findNearby(toilets, anything, here).map(({ toilet }) => toilet.id);
  assert.deepEqual(list([114.3, 30.5]), [2, 3, 1]);
  assert.deepEqual(list(), [1, 2, 3]);
});

test("what is wanted must be there, and known to be", () => {
  const known = new Map([
    [1, { ...has, id: 1 }],
    [2, { ...has, id: 2, numOfThird: 1 }],
  ]);
  const toilets = joinFacilities([row(1, "0,0"), row(2, "0,0"), row(3, "0,0")], known);
  const list = (wanted: object) => findNearby(toilets, { ...anything, ...wanted }, undefined).length;
  assert.equal(list({}), 3);
  assert.equal(list({ barrierFree: true }), 2);
  assert.equal(list({ barrierFree: true, third: true }), 1);
});

test("a flag tells of free places where it can be a number of them", () => {
  const free = (flag: string, known = true) =>
    countFree({ id: 1, name: "", at: [0, 0], flag, has: known ? { ...has, id: 1 } : undefined });
  assert.equal(free("0"), 0);
  assert.equal(free("6"), 6);
  for (const flag of ["7", "-1", "-2", "1.5", "k", "", "1e0", "９"]) assert.equal(free(flag), undefined, flag);
  assert.equal(free("3", false), undefined);
});

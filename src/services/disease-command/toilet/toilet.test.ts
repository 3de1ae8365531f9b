import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { type Body, sampleToilet } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command/toilet${path}`, { token, body, query })).json;
let numbers = 0;
const save = async (given: Body) => call("POST", "/save", { ...sampleToilet(++numbers), ...given });

test("the map shows the open ones in their order, with a flag", async () => {
  assert.deepEqual((await call("GET", "/list/mini")).data, []);
  const given: Body[] = [
    { name: "丙", status: "1", sort: 2, thirdOpenFlag: undefined },
    { name: "甲", status: "1", sort: -1, thirdOpenFlag: "" },
    { name: "关", status: "2", sort: 0 },
    { name: "乙", status: undefined, sort: undefined, thirdOpenFlag: "0" },
    { name: "丁", status: "1", sort: 2, thirdOpenFlag: "k", longitudeAndLatitude: "-180,90" },
  ];
  const ids: number[] = [];
  for (const one of given) ids.push(Number((await save(one)).data));
  const place = "114.305500,30.592800";
  assert.deepEqual((await call("GET", "/list/mini")).data, [
    { id: ids[1], name: "甲", longitudeAndLatitude: place, flag: "-1" },
    { id: ids[3], name: "乙", longitudeAndLatitude: place, flag: "0" },
    { id: ids[0], name: "丙", longitudeAndLatitude: place, flag: "-1" },
    { id: ids[4], name: "丁", longitudeAndLatitude: "-180,90", flag: "k" },
  ]);
  await call("PUT", "/update", { id: ids[4], thirdOpenFlag: "", sort: -2 });
  assert.equal((await call("GET", "/list/mini")).data[0].flag, "-1");
});

test("who looks for one nearby is told what it has, with the open ones in the map's order", async () => {
  const nearby = await startTestApp({ services: ["disease-command"] });
  const read = async () => (await nearby.call("GET", "/disease-command/toilet/nearby")).json.data;
  assert.deepEqual(await read(), []);
  const { token: own } = await nearby.signIn("disease-command");
  const add = async (body: Body) =>
    Number((await nearby.call("POST", "/disease-command/toilet/save", { token: own, body })).json.data);
  const later = await add({ ...sampleToilet(1), status: "1", sort: 3, thirdOpenFlag: "", numOfThird: 0 });
  await add({ ...sampleToilet(2), status: "2" });
  const first = await add({ ...sampleToilet(3), name: "<script>", status: "1", sort: -1, thirdOpenFlag: "4" });
  const given = { addrDesc: "示例路1号", longitudeAndLatitude: "114.305500,30.592800", numOfBarrierFree: 1 };
  const places = { numOfMan: 6, numOfWoman: 10, numOfCommon: 0 };
  assert.deepEqual(await read(), [
    { id: first, name: "<script>", ...given, numOfThird: 1, ...places, flag: "4" },
    { id: later, name: "公厕1", ...given, numOfThird: 0, ...places, flag: "-1" },
  ]);
});

test("a keyword stands in the name or the address", async () => {
  const ids = new Map<string, number>();
  for (const [name, addrDesc] of [
    ["Park 100%", "x"],
    ["y", "the PARK"],
    ["z_1", "w"],
  ] as const)
    ids.set(name, Number((await save({ name, addrDesc })).data));
  const find = async (keyword: string) =>
    (await call("GET", "/page", undefined, { keyword })).data.list.map((row: Body) => row["id"]);
  assert.deepEqual(await find("park"), [ids.get("y"), ids.get("Park 100%")]);
  assert.deepEqual(await find("%"), [ids.get("Park 100%")]);
  assert.deepEqual(await find("_"), [ids.get("z_1")]);
  assert.deepEqual(await find("nothing"), []);
});

test("lies on the globe", async () => {
  const right = ["0,0", "-0.5,-0.5", "180,-90", "180.000,90.0", "114.3055, 30.5928", "99.999999,89.999999"];
  for (const longitudeAndLatitude of right) assert.equal((await save({ longitudeAndLatitude })).code, "0");
  const wrong = [
    "180.1,0",
    "-181,0",
    "0,90.0001",
    "0,-91",
    "200,100",
    "30.59,114.30",
    "114.3",
    "114.3,",
    ",30",
    "a,b",
    "1e2,1",
    "114.3，30.5",
    "114.3;30.5",
    "114.3,30.5,1",
    "+1,1",
    " 1,1",
    "1 ,1",
    "1.,1",
    "NaN,NaN",
    "0x1,1",
    "１,１",
  ];
  for (const longitudeAndLatitude of wrong)
    assert.equal((await save({ longitudeAndLatitude })).code, "10001", longitudeAndLatitude);
});

test("sort and status have their ranges", async () => {
  for (const given of [{ sort: 2 ** 31 }, { sort: "1" }, { status: "0" }, { status: 1 }, { numOfMan: 2 ** 31 }])
    assert.equal((await save(given)).code, "10001", JSON.stringify(given));
});

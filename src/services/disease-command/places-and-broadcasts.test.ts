import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { type Body, listModules, sampleToilet, uploadImage } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"], settings: { BASE_PATH: "/city" } });
const { token } = await app.signIn("disease-command");

describe("broadcasts", async () => {
  const call = async (method: string, path: string, body?: unknown, query = {}) =>
    (await app.call(method, `/disease-command/broadcast${path}`, { token, body, query })).json;
  const image = await uploadImage(app, token);
  const sample = listModules(image, 1)[0]?.sample ?? (() => ({}));
  const add = async (given: Body) => call("POST", "/record/add", { ...sample(1), ...given });

  describe("the statistics", () => {
    test("are one record from the start", async () => {
      const { data } = await call("GET", "/statistics/info");
      const { id, ...figures } = data;
      assert.ok(id >= 1);
      const none = { numOfDevice: 0, rateOfInline: 0, numOfBroadcasts: 0, broadcastDuration: 0 };
      assert.deepEqual(figures, { ...none, broadcastTime: "" });
    });

    test("are changed, and stand above the list of records", async () => {
      const { id } = (await call("GET", "/statistics/info")).data;
      const figures = {
        numOfDevice: 2_147_483_647,
        rateOfInline: 0.975,
        numOfBroadcasts: Number.MAX_SAFE_INTEGER,
        broadcastTime: "07:00-08:30,18:00-19:00",
      };
      assert.equal((await call("PUT", "/statistics/update", { id, ...figures, broadcastDuration: 3200 })).data, "1");
      assert.equal((await call("PUT", "/statistics/update", { id, ...figures })).data, "1");
      assert.deepEqual((await call("GET", "/statistics/info")).data, { id, ...figures, broadcastDuration: 3200 });
      const { data } = await call("GET", "/record/page");
      assert.deepEqual(Object.keys(data), ["numOfBroadcasts", "broadcastDuration", "recordPage"]);
      assert.deepEqual([data.numOfBroadcasts, data.broadcastDuration], [figures.numOfBroadcasts, 3200]);
    });

    test("must be right", async () => {
      const { id } = (await call("GET", "/statistics/info")).data;
      const wrong = {
        rateOfInline: [1.01, -0.1, "0.5"],
        numOfDevice: [2_147_483_648, -1],
        numOfBroadcasts: [1.5],
        broadcastTime: ["7:00-8:00", "07:00-24:00", "07:00-08:00,", "07:00–08:00"],
      };
      for (const [field, values] of Object.entries(wrong))
        for (const value of values) {
          const { code } = await call("PUT", "/statistics/update", { id, [field]: value });
          assert.equal(code, "10001", `${field} ${value}`);
        }
    });
  });

  describe("records", () => {
    test("are found by title, kind of broadcast and kind of message", async () => {
      const titles = ["100% Alarm", "alarm_1", "测试演练"];
      for (const [index, title] of titles.entries())
        assert.equal((await add({ title, broadcastType: `t${index}`, messageType: `m${index % 2}` })).code, "0");
      const find = async (query: object) =>
        (await call("GET", "/record/page", undefined, query)).data.recordPage.list
          .map((row: Body) => titles.indexOf(String(row["title"])))
          .sort();
      const cases: [object, number[]][] = [
        [{ title: "ALARM" }, [0, 1]],
        [{ title: "%" }, [0]],
        [{ title: "_" }, [1]],
        [{ title: "试" }, [2]],
        [{ title: "" }, [0, 1, 2]],
        [{ broadcastType: "t" }, []],
        [{ broadcastType: "t1" }, [1]],
        [{ messageType: "m0" }, [0, 2]],
        [{ messageType: "m0", title: "alarm" }, [0]],
        [{ messageType: "' or 1=1 --" }, []],
      ];
      for (const [query, expected] of cases) assert.deepEqual(await find(query), expected, JSON.stringify(query));
    });

    test("say where their file is", async () => {
      const { data: id } = await add({});
      const { data } = await call("GET", `/record/info/${id}`);
      assert.deepEqual([data.extraFile, data.extraFileShowUrl], [image, "/city/disease-command/file/"]);
      const answer = await fetch(new URL(data.extraFileShowUrl + data.extraFile, app.url));
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "image/png"]);
    });

    test("name only what was uploaded", async () => {
      const two = `${image},${await uploadImage(app, token)}`;
      for (const extraFile of ["none.png", `/disease-command/file/${image}`, `${image},`, two, ` ${image}`, "..", "%"])
        assert.equal((await add({ extraFile })).code, "10007", extraFile);
      const { data: id } = await add({ extraFile: "" });
      assert.equal((await call("GET", `/record/info/${id}`)).data.extraFile, null);
      assert.equal((await call("POST", "/record/update", { id: Number(id), extraFile: "none.png" })).code, "10007");
    });
  });
});

describe("a scenic spot", async () => {
  const call = async (method: string, path: string, body?: unknown) =>
    (await app.call(method, `/disease-command/scenicSpotOverview${path}`, { token, body })).json;
  const image = await uploadImage(app, token);
  const sample = listModules(image, 1).find(({ name }) => name === "scenic spot")?.sample ?? (() => ({}));
  const add = async (given: Body) => call("POST", "/add", { ...sample(1), ...given });

  test("is found by its name, whatever that is", async () => {
    const plain = ["虚构湖", "info", "👩‍👩‍👧‍👦", " 前后 ", "名\n行"];
    const names = [...plain, "A/B 区", "100%", "%2F", "50%25", "a+b c", "?x=1&y=2#z", "\\"];
    for (const scenicSpotName of names) {
      const { data: id, message } = await add({ scenicSpotName });
      assert.ok(id, `${scenicSpotName} ${message}`);
      const { data } = await call("GET", `/info/name/${encodeURIComponent(scenicSpotName)}`);
      assert.deepEqual([data?.id, data?.scenicSpotName], [Number(id), scenicSpotName]);
    }
    for (const name of ["虚构", "虚构湖 ", "%E8%99%9A", "A"])
      assert.equal((await call("GET", `/info/name/${encodeURIComponent(name)}`)).code, "10005", name);
  });

  test("has an address that a screen may open, or none", async () => {
    for (const urlOfVr of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "vr", "ftp://x", 5])
      assert.equal((await add({ scenicSpotName: "VR", urlOfVr })).code, "10001", String(urlOfVr));
    for (const urlOfVr of ["HTTPS://vr.example/?a=1#b", "/vr/1.html", "", null]) {
      const { data: id } = await add({ scenicSpotName: `VR ${String(urlOfVr)}`, urlOfVr });
      assert.equal((await call("GET", `/info/id/${id}`)).data.urlOfVr, urlOfVr || null);
    }
  });

  test("loses the address that an update empties, and keeps the one that it leaves out", async () => {
    const { data: id } = await add({ scenicSpotName: "VR 换", urlOfVr: "/vr/2.html" });
    const change = async (body: object) => {
      assert.equal((await call("PUT", "/update", { id: Number(id), ...body })).data, "1");
      return (await call("GET", `/info/id/${id}`)).data.urlOfVr;
    };
    assert.equal(await change({ responsibler: "乙" }), "/vr/2.html");
    assert.equal(await change({ urlOfVr: "" }), null);
  });
});

describe("toilets", async () => {
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

  test("sorts by status as the status reads", async () => {
    for (const status of ["1", "2"]) assert.equal((await save({ name: `按状态${status}`, status })).code, "0");
    const read = async (order: string) =>
      (await call("GET", "/page", undefined, { keyword: "按状态", orderField: "status", order })).data.list.map(
        (row: Body) => row["status"],
      );
    assert.deepEqual(
      [await read("asc"), await read("desc")],
      [
        ["1", "2"],
        ["2", "1"],
      ],
    );
  });

  test("lies on the globe", async () => {
    const right = ["0,0", "-0.5,-0.5", "180,-90", "180.000,90.0", "114.3055, 30.5928", "99.999999,89.999999"];
    for (const longitudeAndLatitude of right) assert.equal((await save({ longitudeAndLatitude })).code, "0");
    const beyond = ["180.1,0", "0,-91", "30.59,114.30"];
    const wrong = [...beyond, "114.3", "114.3,", "a,b", "1e2,1", "114.3，30.5", "1,1,1", " 1,1"];
    for (const longitudeAndLatitude of wrong)
      assert.equal((await save({ longitudeAndLatitude })).code, "10001", longitudeAndLatitude);
  });
});

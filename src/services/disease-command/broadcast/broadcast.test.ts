import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { type Body, listModules, upload, uploadImage } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"], settings: { BASE_PATH: "/city" } });
const { token } = await app.signIn("disease-command");
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
    assert.deepEqual(figures, {
      numOfDevice: 0,
      rateOfInline: 0,
      numOfBroadcasts: 0,
      broadcastDuration: 0,
      broadcastTime: "",
    });
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
    const wrong: Body[] = [
      { rateOfInline: 1.01 },
      { rateOfInline: -0.1 },
      { rateOfInline: "0.5" },
      { numOfDevice: 2_147_483_648 },
      { numOfDevice: -1 },
      { numOfBroadcasts: 1.5 },
      { broadcastTime: "7:00-8:00" },
      { broadcastTime: "07:00-24:00" },
      { broadcastTime: "07:00-08:00," },
      { broadcastTime: "07:00–08:00" },
    ];
    for (const change of wrong)
      assert.equal((await call("PUT", "/statistics/update", { id, ...change })).code, "10001", JSON.stringify(change));
    assert.equal((await call("PUT", "/statistics/update", { rateOfInline: 1 })).code, "10023");
    assert.equal((await call("PUT", "/statistics/update", { id: id + 1, rateOfInline: 1 })).code, "10005");
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

  test("name only what was uploaded, and keep it", async () => {
    for (const extraFile of ["none.png", `/disease-command/file/${image}`, `${image},`, "..", "%"])
      assert.equal((await add({ extraFile })).code, "10007", extraFile);
    const { data: id } = await add({ extraFile: "" });
    assert.equal((await call("GET", `/record/info/${id}`)).data.extraFile, null);
    assert.equal((await call("POST", "/record/update", { id: Number(id), extraFile: "none.png" })).code, "10007");
    const fresh = await uploadImage(app, token);
    const isClaimed = async () =>
      (await app.pool`select claimed from platform.upload where name = ${fresh}`)[0]?.["claimed"];
    assert.equal(await isClaimed(), false);
    assert.equal((await call("POST", "/record/update", { id: Number(id), extraFile: fresh })).code, "0");
    assert.equal(await isClaimed(), true);
    assert.equal((await call("POST", "/record/update", { id: Number(id), extraFile: "" })).code, "0");
    assert.equal((await call("GET", `/record/info/${id}`)).data.extraFile, null);
  });

  test("name no upload of another service", async () => {
    const name = "0123456789abcdef0123456789abcdef.png";
    await app.pool`
      insert into platform.upload (name, service, mime, image, bytes, original_name)
      values (${name}, 'reporting', 'image/png', true, 0, 'x')`;
    assert.equal((await add({ extraFile: name })).code, "10007");
    assert.equal((await app.call("GET", `/disease-command/file/${name}`)).json.code, "10005");
  });

  test("are played at a time that exists", async () => {
    for (const playTime of ["2026-02-29 00:00:00", "2026-11-20", "2026-11-20 24:00:00", "07:00", 5])
      assert.equal((await add({ playTime })).code, "10001", String(playTime));
  });
});

test("an upload that is no image is none", async () => {
  assert.equal(
    (await upload(app, "/file/imageUpload", token, "<!doctype html><script>alert(1)</script>", "a.png")).json.code,
    "10030",
  );
});

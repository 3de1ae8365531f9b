import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { withinOneMinute } from "#test/one-minute.ts";

const app = await startTestApp({ services: ["tuition-payment"] });
const { token } = await app.signIn("tuition-payment");
const prefix = "/tuitionpayment/feedbackmsg";
const sample = (change: object = {}) => ({
  feedbackPersonName: "张三",
  feedbackPersonPhone: "555 0100 0001",
  feedbackInfo: "金额不对。",
  ...change,
});
const save = (card: string, body: unknown = sample(), headers: Record<string, string> = {}) =>
  app.call("POST", `${prefix}/save`, { body, headers: { card_number: card, ...headers } });
const own = (card: string, query: Record<string, string> = {}) =>
  app.call("GET", `${prefix}/listOfCurrentUser`, { headers: { card_number: card }, query });
const remove = (card: string, id: number | string) =>
  app.call("DELETE", `${prefix}/delete/${id}`, { headers: { card_number: card } });
const list = (query: Record<string, string> = {}) => app.call("GET", `${prefix}/list`, { token, query });
const info = (id: number | string) => app.call("GET", `${prefix}/info/${id}`, { token });
const process = (id: number | string) => app.call("PUT", `${prefix}/info/${id}`, { token });

describe("save", () => {
  test("needs a card, and every field in its form", async () => {
    assert.equal((await app.call("POST", `${prefix}/save`, { body: sample() })).json.code, "10012");
    assert.equal((await app.call("POST", `${prefix}/save`, { headers: { card_number: "1" } })).json.code, "10002");
    const wrong = [
      sample({ feedbackPersonName: undefined }),
      sample({ feedbackPersonName: " " }),
      sample({ feedbackPersonPhone: "12" }),
      sample({ feedbackPersonPhone: "１２３４５６" }),
      sample({ feedbackPersonPhone: 5_550_100 }),
      sample({ feedbackInfo: "" }),
      sample({ feedbackInfo: null }),
      sample({ feedbackInfo: "\0" }),
      [],
    ];
    for (const body of wrong) assert.equal((await save("1", body)).json.code, "10001", JSON.stringify(body));
  });

  test("takes 512 characters and not one more, counted as people count", async () => {
    assert.equal((await save("512", sample({ feedbackInfo: "👍".repeat(512) }))).status, 200);
    const { status, json } = await save("512", sample({ feedbackInfo: "字".repeat(513) }));
    assert.deepEqual([status, json.code], [400, "10026"]);
  });

  test("keeps whose it is by the card, whatever the body says", async () => {
    const { json } = await save("2022010001", sample({ feedbackPersonIdentify: "other", statu: "2", id: 7 }));
    const { data } = (await info(json.data)).json;
    assert.match(data.publishTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.deepEqual(data, {
      id: Number(json.data),
      feedbackPersonIdentify: "2022010001",
      ...sample(),
      statu: "1",
      publishTime: data.publishTime,
      handleTime: null,
    });
  });

  test("once a key and card", async () => {
    const key = { "Idempotency-Key": "retry" };
    const first = await save("key-1", sample(), key);
    assert.equal((await save("key-1", sample(), key)).json.data, first.json.data);
    assert.notEqual((await save("key-2", sample(), key)).json.data, first.json.data);
    assert.equal((await save("key-1", sample({ feedbackInfo: "anders" }), key)).json.code, "10004");
  });

  test("is counted by card, not by address", async () => {
    const strict = await startTestApp({
      services: ["tuition-payment"],
      settings: { RATE_LIMIT_OPEN: "2" },
      beside: app,
    });
    const send = (card: string) =>
      strict.call("POST", `${prefix}/save`, { body: sample(), headers: { card_number: card } });
    const { status, json, headers } = await withinOneMinute(app.pool, async () => {
      await send("busy");
      await send("busy");
      return send("busy");
    });
    assert.deepEqual([status, json.code], [429, "20001"]);
    assert.ok(Number(headers.get("retry-after")) >= 1);
    assert.equal((await send("calm")).status, 200);
  });
});

describe("one's own", () => {
  test("is listed alone, newest first", async () => {
    const first = (await save("mine")).json.data;
    const second = (await save("mine")).json.data;
    await save("yours");
    const { data } = (await own("mine")).json;
    assert.deepEqual([data.totalCount, data.list.map(({ id }: { id: number }) => String(id))], [2, [second, first]]);
    assert.equal((await own("nobody")).json.data.totalCount, 0);
    const past = (await own("mine", { curPage: "9" })).json.data;
    assert.deepEqual([past.totalCount, past.totalPage, past.list], [2, 1, []]);
    assert.equal((await own("mine", { orderField: "feedbackInfo" })).json.code, "10007");
  });

  test("can be deleted, and nobody else's", async () => {
    const id = (await save("author")).json.data;
    assert.deepEqual([(await remove("thief", id)).status, (await remove("thief", id)).json.code], [404, "10005"]);
    assert.equal((await info(id)).status, 200);
    assert.equal((await remove("author", id)).json.data, "1");
    assert.equal((await remove("author", id)).json.code, "10005");
    assert.equal((await remove("author", "0")).json.code, "10001");
  });
});

describe("administrators", () => {
  test("move feedback from unprocessed to processed, once", async () => {
    const id = (await save("1")).json.data;
    const before = (await app.call("GET", `${prefix}/counts`, { token })).json.data;
    const outcomes = await Promise.all([process(id), process(id), process(id)]);
    const codes = outcomes.map(({ json }) => json.code).toSorted();
    assert.deepEqual(codes, ["0", "10007", "10007"]);
    const { data } = (await info(id)).json;
    assert.equal(data.statu, "2");
    assert.match(data.handleTime, /^\d{4}-/);
    const after = (await app.call("GET", `${prefix}/counts`, { token })).json.data;
    assert.deepEqual(after, { unprocessed: before.unprocessed - 1, processed: before.processed + 1 });
    assert.equal((await process(999_999)).json.code, "10005");
    assert.equal((await info(999_999)).json.code, "10005");
  });

  test("filter by state and keyword, of name and phone, with % and _ as they are", async () => {
    await save("k", sample({ feedbackPersonName: "欧阳100%_x", feedbackPersonPhone: "555 0199 7777" }));
    const count = async (query: Record<string, string>): Promise<number> => (await list(query)).json.data.totalCount;
    assert.equal(await count({ keyword: "阳100%_X" }), 1);
    assert.equal(await count({ keyword: "0199" }), 1);
    assert.equal(await count({ keyword: "1__%" }), 0);
    assert.equal(await count({ keyword: "" }), await count({}));
    assert.equal((await count({ status: "1" })) + (await count({ status: "2" })), await count({}));
    assert.equal(await count({ status: "" }), await count({}));
    assert.equal((await list({ status: "3" })).json.code, "10001");
    const sorted = (await list({ orderField: "statu", order: "desc", pageSize: "100" })).json.data.list;
    const status = sorted.map(({ statu }: { statu: string }) => statu);
    assert.deepEqual(status, status.toSorted().toReversed());
  });
});

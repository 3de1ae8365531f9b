import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDateTime } from "#platform/contract/times.ts";
import { startTestApp } from "#test/app.ts";
import { uploadImage } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command/eventPlanningMonthSummary${path}`, { token, body, query })).json;
const images = [await uploadImage(app, token), await uploadImage(app, token)];
const presentMonth = () => formatDateTime(new Date(), "Asia/Shanghai").slice(0, 7);

test("is of the present month unless it says another", async () => {
  const before = presentMonth();
  const { data: id } = await call("POST", "/save", { title: "本月", content: "c" });
  const { data } = await call("GET", `/info/${id}`);
  assert.ok([before, presentMonth()].includes(data.month));
  assert.deepEqual((await call("GET", `/${data.month}/info`)).data, data);
  assert.equal((await call("POST", "/save", { title: "又", content: "c", month: "" })).code, "10004");
});

test("is found by its month, and a month of any other shape is none", async () => {
  const { data: id } = await call("POST", "/save", { title: "t", content: "<p>全文</p>", month: "2020-02" });
  const { data } = await call("GET", "/2020-02/info");
  assert.deepEqual([data.id, data.content], [Number(id), "<p>全文</p>"]);
  assert.equal((await call("GET", "/2020-03/info")).code, "10005");
  const shapes = [
    "2020-2",
    "2020-00",
    "2020-13",
    "202002",
    "2020",
    "20-02",
    "2020-02-01",
    "2020-002",
    "02-2020",
    "2020_02",
    "2020-02%20",
    "%202020-02",
    "2020%2F02",
    "2020-02%0A",
    "2020-0a",
    "-2020-02",
    "%00",
    "NaN",
    "0000-01",
    "list",
    encodeURIComponent("２０２０-02"),
    encodeURIComponent("2020年02月"),
    encodeURIComponent("'; drop table x --"),
    "2".repeat(500),
  ];
  for (const month of shapes) {
    const { code } = await call("GET", `/${month}/info`);
    assert.equal(code, "10001", month);
    assert.equal((await call("GET", "/list", undefined, { month: decodeURIComponent(month) })).code, "10001", month);
  }
  for (const month of [202_002, {}, [], "2020-13", "2020-02-30"])
    assert.equal((await call("POST", "/save", { title: "t", content: "c", month })).code, "10001");
});

test("lists are of a month, with content", async () => {
  await call("POST", "/save", { title: "三月", content: "c", month: "2021-03" });
  const { data } = await call("GET", "/list", undefined, { month: "2021-03" });
  assert.deepEqual(
    data.list.map(({ title, content }: Record<string, unknown>) => [title, content]),
    [["三月", "c"]],
  );
  assert.equal((await call("GET", "/list", undefined, { month: "2021-04" })).data.totalCount, 0);
});

test("names images that were uploaded", async () => {
  const send = (given: object) => call("POST", "/save", { title: "t", content: "c", ...given });
  const list = `${images[0]}, ${images[1]}`;
  const { data: id } = await send({ month: "2019-01", images: list });
  assert.equal((await call("GET", `/info/${id}`)).data.images, list);
  const [row] = await app.pool`select count(*) as claimed from platform.upload where claimed`;
  assert.equal(row?.["claimed"], 2);
  for (const wrong of ["x.png", `${images[0]},x.png`, `${images[0]},`, ",", " "]) {
    assert.equal((await send({ month: "2019-02", images: wrong })).code, "10007", wrong);
    assert.equal((await call("PUT", "/update", { id: Number(id), images: wrong })).code, "10007", wrong);
  }
  assert.equal((await call("GET", "/2019-02/info")).code, "10005");
  assert.equal((await call("PUT", "/update", { id: Number(id), images: "" })).code, "0");
  assert.equal((await call("GET", `/info/${id}`)).data.images, null);
});

test("of several saves of one month at once one wins", async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => call("POST", "/save", { title: `第${n}`, content: "c", month: "2018-08" })),
  );
  const winners = answers.flatMap(({ code }, n) => (code === "0" ? [n] : []));
  assert.equal(winners.length, 1);
  assert.deepEqual(answers.filter(({ code }) => code === "10004").length, 7);
  assert.equal((await call("GET", "/2018-08/info")).data.title, `第${winners[0]}`);
});

test("content may be 2 MiB, in bytes", async () => {
  const most = 2 * 1024 * 1024;
  const send = async (content: string, month: string) => call("POST", "/save", { title: "t", content, month });
  const content = "<p>好</p>".padEnd(most - 2, "x");
  assert.equal(Buffer.byteLength(content), most);
  const { data: id } = await send(content, "2017-01");
  assert.equal((await call("GET", `/info/${id}`)).data.content, content);
  assert.equal((await send(`${content}x`, "2017-02")).code, "10026");
  assert.equal((await send("好".repeat(most / 3 + 1), "2017-02")).code, "10026");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command/consumptionCategoryStatistics${path}`, { token, body, query })).json;
const list = async (query = {}) => (await call("GET", "/list", undefined, query)).data;
const names = ["餐饮", "住宿", "交通", "购物", "娱乐", "旅游"];

test("the six categories are there from the start, on one page", async () => {
  const { list: categories, ...page } = await list();
  assert.deepEqual(page, { totalCount: 6, pageSize: 10, totalPage: 1, currPage: 1 });
  assert.deepEqual(
    categories.map(({ categoryName, value }: Record<string, unknown>) => [categoryName, value]),
    names.map((name) => [name, 0]),
  );
});

test("the value changes, the name does not", async () => {
  const [first] = (await list()).list;
  assert.equal((await call("PUT", "/update", { id: first.id, categoryName: "别的", value: 1234.56 })).data, "1");
  assert.deepEqual((await list()).list[0], { id: first.id, categoryName: "餐饮", value: 1234.56 });
  const sorted = await list({ orderField: "value", order: "desc", pageSize: 1 });
  assert.deepEqual(
    sorted.list.map(({ id }: { id: number }) => id),
    [first.id],
  );
});

test("a value is a number, of a category that exists", async () => {
  const [{ id }] = (await list()).list;
  for (const value of ["5", -0.01, {}, true]) assert.equal((await call("PUT", "/update", { id, value })).code, "10001");
  assert.equal((await call("PUT", "/update", { value: 1 })).code, "10023");
  assert.equal((await call("PUT", "/update", { id: 987_654, value: 1 })).code, "10005");
});

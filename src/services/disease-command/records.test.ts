import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { type Body, listModules, type RecordModule, uploadImage } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command${path}`, { token, body, query })).json;

const image = await uploadImage(app, token);
const team = await call("POST", "/emergencyTeam/save", { teamName: "一队" });
const modules = listModules(image, Number(team.data));

let numbers = 0;
async function save({ save: path, sample }: RecordModule, given: Body = {}): Promise<number> {
  const { code, data, message } = await call("POST", path, { ...sample(++numbers), ...given });
  assert.equal(code, "0", message);
  assert.match(data, /^[1-9]\d*$/);
  return Number(data);
}

const readPage = async ({ list }: RecordModule, query: Record<string, unknown> = {}) => {
  const { code, data, message } = await call("GET", list, undefined, query);
  assert.equal(code, "0", message);
  return data.recordPage ?? data;
};

const find = async (module: RecordModule, id: number) => {
  const { list } = await readPage(module, { pageSize: 1000 });
  const listed = list.find((row: Body) => row["id"] === id);
  return module.info ? { listed, ...(await call("GET", `${module.info}/${id}`)) } : { listed, data: listed };
};

const pick = (record: Body, like: Body): Body =>
  Object.fromEntries(Object.keys(like).map((field) => [field, record[field]]));

for (const module of modules) {
  describe(`a ${module.name}`, () => {
    const { save: savePath, update, remove, sample, key, optional = {}, unlisted } = module;

    test("is saved, read, changed and deleted", async () => {
      const given = sample(++numbers);
      const { data } = await call("POST", savePath, { ...given, id: "not read", unknown: { a: 1 } });
      const id = Number(data);
      const { listed, data: read } = await find(module, id);
      assert.deepEqual(pick(read, given), given);
      assert.deepEqual(listed, unlisted === undefined ? read : { ...read, [unlisted]: null });
      assert.equal("unknown" in read, false);

      assert.equal((await call(update[0], update[1], { id, ...module.change, unknown: 1 })).data, "1");
      const changed = (await find(module, id)).data;
      assert.deepEqual(pick(changed, given), { ...given, ...module.change });
      assert.equal((await call(update[0], update[1], { id })).data, "1");
      assert.deepEqual(pick((await find(module, id)).data, given), { ...given, ...module.change });

      const other = await save(module);
      assert.equal((await call("DELETE", remove, [id, other, id, 987_654_321])).data, "2");
      assert.equal((await find(module, id)).listed, undefined);
      assert.equal((await call("DELETE", remove, [id])).code, "10005");
    });

    test("may leave out what is optional", async () => {
      const given = sample(++numbers);
      for (const field of Object.keys(optional)) delete given[field];
      const { data } = await call("POST", savePath, given);
      const read = (await find(module, Number(data))).data;
      for (const [field, value] of Object.entries(optional)) {
        if (value === "now") assert.match(read[field], /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
        else assert.equal(read[field], value, field);
      }
    });

    test("needs the rest, and its types", async () => {
      const given = sample(++numbers);
      const fields = Object.keys(given).filter((field) => !(field in optional));
      for (const field of fields) {
        if (field === "month") continue;
        for (const value of [undefined, null, {}, [], typeof given[field] === "string" ? 5 : "5", ""]) {
          const { code, message } = await call("POST", savePath, { ...given, [field]: value });
          assert.equal(code, "10001", `${field} ${JSON.stringify(value)}`);
          assert.match(message, new RegExp(`：${field}: `));
        }
        if (typeof given[field] === "number")
          for (const value of [-1, 1.5, 2 ** 53, true]) {
            const { code } = await call("POST", savePath, { ...given, [field]: value });
            assert.equal(code, "10001", `${field} ${value}`);
          }
      }
      for (const [field, value] of Object.entries(given)) {
        if (typeof value !== "string" || /Time$|Date$|status|month/.test(field)) continue;
        const long = "x".repeat(module.rich === field ? 2 * 1024 * 1024 + 1 : 4001);
        assert.equal((await call("POST", savePath, { ...given, [field]: long })).code, "10026", field);
      }
    });

    test("is deleted by ids", async () => {
      const many = Array.from({ length: 10_001 }, (_, index) => 900_000_000 + index);
      assert.equal((await call("DELETE", remove, many.slice(1))).code, "10005");
      assert.equal((await call("DELETE", remove, many)).code, "10001");
      const id = await save(module);
      assert.equal((await call("DELETE", remove, [...many.slice(2), id])).data, "1");
    });

    if (key)
      test("has a key that is unique, also when several come at once", async () => {
        const given = sample(++numbers);
        const attempts = await Promise.all([1, 2, 3].map(() => call("POST", savePath, given)));
        assert.deepEqual(attempts.map(({ code }) => code).sort(), ["0", "10004", "10004"]);
        const id = await save(module);
        const taken = pick(given, Object.fromEntries(key.map((field) => [field, 0])));
        const { code, message } = await call(update[0], update[1], { id, ...taken });
        assert.equal(code, "10004");
        assert.match(message, new RegExp(`：(?:${key.join("|")}): 已存在$`));
        const own = pick((await find(module, id)).data, taken);
        assert.equal((await call(update[0], update[1], { id, ...own })).code, "0");
      });

    test("stands in a list of pages, newest first", async () => {
      const ids = [await save(module), await save(module), await save(module)];
      const { totalCount, list, ...rest } = await readPage(module, { pageSize: 2 });
      assert.deepEqual(
        [list.map((row: Body) => row["id"]), rest],
        [[ids[2], ids[1]], { pageSize: 2, totalPage: Math.ceil(totalCount / 2), currPage: 1 }],
      );
      const past = await readPage(module, { pageSize: 2, curPage: 9_000_000 });
      assert.deepEqual([past.list, past.totalCount, past.currPage], [[], totalCount, 9_000_000]);
      assert.equal((await readPage(module)).pageSize, 10);
    });

    test("is sorted by each of its fields", async () => {
      for (const orderField of ["id", ...Object.keys(sample(1))]) {
        const sorted = async (order: string) =>
          (await readPage(module, { orderField, order, pageSize: 1000 })).list.map((row: Body) => row["id"]);
        assert.deepEqual((await sorted("ASC")).toReversed(), await sorted("desc"), orderField);
      }
    });
  });
}

test("every write left a line in the audit log", async () => {
  const [row] = await app.pool`
    select count(*) filter (where outcome = 'done') as done, count(*) filter (where records = '{}') as blank
    from platform.audit where service = 'disease-command' and action <> 'login'`;
  assert.ok(row?.["done"] > 100);
  assert.equal(row?.["blank"], 0);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command/eventPlanning${path}`, { token, body, query })).json;

const times = [
  "2026-01-31 23:59:59",
  "2026-02-01 00:00:00",
  "2026-02-28 12:00:00",
  "2026-02-02 08:00:00",
  "2025-12-31 23:59:59",
  "2026-02-01 00:00:00",
];
for (const [n, startTime] of times.entries())
  assert.equal((await call("POST", "/save", { title: String(n), startTime, content: `c${n}` })).code, "0");

interface Plan {
  readonly title: string;
  readonly content: null;
}
const titles = (plans: Plan[]) => plans.map(({ title }) => Number(title));
const list = async (query: object) => titles((await call("GET", "/list", undefined, query)).data.list);

describe("a list", () => {
  const cases: [object, number[]][] = [
    [{}, [5, 4, 3, 2, 1, 0]],
    [{ startTime: "2026-02-01 00:00:00" }, [5, 3, 2, 1]],
    [{ endTime: "2026-02-01 00:00:00" }, [5, 4, 1, 0]],
    [{ startTime: "2026-02-01 00:00:00", endTime: "2026-02-01 00:00:00" }, [5, 1]],
    [{ startTime: "2026-03-01 00:00:00", endTime: "2026-02-01 00:00:00" }, []],
    [{ startTime: "", endTime: "" }, [5, 4, 3, 2, 1, 0]],
    [{ orderField: "startTime" }, [4, 0, 1, 5, 3, 2]],
    [{ orderField: "startTime", order: "desc" }, [2, 3, 5, 1, 0, 4]],
    [{ orderField: "content", order: "desc" }, [5, 4, 3, 2, 1, 0]],
  ];
  for (const [query, expected] of cases)
    test(`of ${JSON.stringify(query)}`, async () => assert.deepEqual(await list(query), expected));

  for (const path of ["/list", "/list/groupByMonth"]) {
    test(`${path} takes times that exist`, async () => {
      for (const startTime of ["2026-02-29 00:00:00", "2026-02-01", "2026-13-01 00:00:00", "x", "2026-02-01T00:00:00"])
        for (const query of [{ startTime }, { endTime: startTime }])
          assert.equal((await call("GET", path, undefined, query)).code, "10001", startTime);
    });
  }
});

describe("by month", () => {
  const group = async (query: object = {}) => {
    const { data } = await call("GET", "/list/groupByMonth", undefined, query);
    const months = data.list.map(({ month, plannings }: { month: string; plannings: Plan[] }) => {
      assert.ok(plannings.every(({ content }) => content === null));
      return [month, ...titles(plannings)];
    });
    return { ...data, list: months };
  };

  test("months are newest first, and plans in their order", async () => {
    const months = [
      ["2026-02", 1, 5, 3, 2],
      ["2026-01", 0],
      ["2025-12", 4],
    ];
    assert.deepEqual(await group(), { totalCount: 3, pageSize: 10, totalPage: 1, currPage: 1, list: months });
    assert.deepEqual((await group({ order: "asc" })).list, months.toReversed());
    assert.deepEqual((await group({ orderField: "month" })).list, months.toReversed());
    const second = await group({ curPage: 2, pageSize: 2 });
    assert.deepEqual(second, { totalCount: 3, pageSize: 2, totalPage: 2, currPage: 2, list: [months[2]] });
    assert.deepEqual((await group({ curPage: 9, pageSize: 2 })).list, []);
  });

  test("times narrow both months and plans", async () => {
    const query = { startTime: "2026-01-31 23:59:59", endTime: "2026-02-01 23:59:59" };
    const { totalCount, list: months } = await group(query);
    assert.deepEqual(
      [totalCount, months],
      [
        2,
        [
          ["2026-02", 1, 5],
          ["2026-01", 0],
        ],
      ],
    );
  });

  test("sorts by the month alone", async () => {
    assert.equal((await call("GET", "/list/groupByMonth", undefined, { orderField: "title" })).code, "10007");
  });
});

test("the detail has the content, up to 2 MiB", async () => {
  const content = "x".repeat(2 * 1024 * 1024);
  const body = { title: "t", startTime: "2027-01-01 00:00:00", content };
  const { data: id } = await call("POST", "/save", body);
  assert.equal((await call("GET", `/info/${id}`)).data.content, content);
  assert.equal((await call("PUT", "/update", { id: Number(id), content: `${content}x` })).code, "10026");
  assert.equal((await call("DELETE", "/delete", [Number(id)])).data, "1");
  assert.equal((await call("GET", `/info/${id}`)).code, "10005");
});

test("a plan starts at a time that exists", async () => {
  for (const startTime of ["2026-02-29 00:00:00", "2026-11-31 00:00:00", "2026-11-20", "", 5])
    assert.equal((await call("POST", "/save", { title: "t", content: "c", startTime })).code, "10001");
});

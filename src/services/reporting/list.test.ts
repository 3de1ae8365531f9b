import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";
import { report } from "./report-contract.ts";

const app = await startTestApp({ services: ["reporting"] });
const { token } = await app.signIn("reporting");
const prefix = "/reporting/informationReporting";

interface Seed extends Record<string, unknown> {
  /** The time of the report in UTC. Responses show it eight hours later. */
  readonly at: string;
}

// A day in Shanghai starts at 16:00 UTC of the previous day.
const seeds: readonly Seed[] = [
  {
    at: "2024-12-31T15:59:59.999Z",
    name: "Ärzte 100%",
    company: "a_b",
    trade: "教育",
    wxPhone: "1",
    product: "p",
    bFile: ["b"],
  },
  {
    at: "2024-12-31T16:00:00Z",
    name: "ärzte 100",
    company: "a-b",
    trade: "医疗",
    wxPhone: "2",
    file: "f",
    entryName: "校园网_改造",
  },
  {
    at: "2025-01-31T15:59:59Z",
    name: "欧阳测试",
    company: "A_B 有限公司",
    trade: "教育",
    content: "c",
    phone: "555 0188",
  },
  { at: "2025-01-31T16:00:00Z", name: "测试", company: "100%", trade: "教育 ", bProduct: ["a"] },
  {
    at: "2025-02-28T10:00:00Z",
    name: "Test",
    company: "back\\slash",
    trade: "教",
    parameters: "q",
    customerName: "City Hospital",
    entryName: "100% LED",
  },
  {
    at: "2025-02-28T10:00:00Z",
    name: "tESTing 🙂",
    company: "it's",
    trade: "edu",
    customerName: "hospital 2",
    entryName: "Lab",
    file: "e",
    tenderTime: "2020-01-01 00:00:00",
  },
];
const verdicts = [0, 1, 2];
const ids: number[] = [];
for (const { at, ...given } of seeds) {
  const { json } = await app.call("POST", `${prefix}/add`, { body: sampleReport(given) });
  ids.push(Number(json.data));
  await app.pool`
    update reporting.report set created_at = ${at}, updated_at = ${at}, verdict = ${verdicts[ids.length - 1] ?? 0}
    where id = ${json.data}`;
}

type Query = Record<string, string | number | readonly (string | number)[]>;
const list = (query: Query = {}) => app.call("GET", `${prefix}/list`, { token, query: { pageSize: 100, ...query } });

async function found(query: Query): Promise<number[]> {
  const { json } = await list(query);
  assert.equal(json.code, "0", json.message);
  assert.equal(json.data.totalCount, json.data.list.length);
  return json.data.list.map((row: { id: number }) => ids.indexOf(row.id)).sort();
}

describe("filters", () => {
  const cases: [Query, number[]][] = [
    [{}, [0, 1, 2, 3, 4, 5]],
    [{ name: "" }, [0, 1, 2, 3, 4, 5]],
    [{ name: "测" }, [2, 3]],
    [{ name: "阳测试" }, [2]],
    [{ name: "试测" }, []],
    [{ name: "test" }, [4, 5]],
    [{ name: "ÄRZTE" }, [0, 1]],
    [{ name: "%" }, [0]],
    [{ name: "100%" }, [0]],
    [{ name: "🙂" }, [5]],
    [{ company: "_" }, [0, 2]],
    [{ company: "\\" }, [4]],
    [{ company: "t's" }, [5]],
    [{ company: "公司", name: "欧" }, [2]],
    [{ trade: "教育" }, [0, 2]],
    [{ trade: "教" }, [4]],
    [{ trade: "EDU" }, []],
    [{ reportingTime: "2024" }, [0]],
    [{ reportingTime: "2025" }, [1, 2, 3, 4, 5]],
    [{ reportingTime: "2025-01" }, [1, 2]],
    [{ reportingTime: "2025-02-01" }, [3]],
    [{ reportingTime: "2024-12-31 23:59:59" }, [0]],
    [{ reportingTime: "2025-02-28 18:00:00" }, [4, 5]],
    [{ reportingTime: "2024-12-31,2025-01" }, [0, 1, 2]],
    [{ reportingTime: "2025-01-01 00:00:01,2025-02-01 00:00:00" }, [2, 3]],
    [{ reportingTime: "2025-02,2024" }, []],
    [{ reportingTime: "9999" }, []],
    [{ reportingTime: "2025-02", name: "test", trade: "edu" }, [5]],
    [{ keyword: "智慧" }, [0, 2, 3]],
    [{ keyword: "网_改" }, [1]],
    [{ keyword: "100%" }, [4]],
    [{ keyword: "HOSPITAL" }, [4, 5]],
    [{ keyword: "hospital", name: "🙂" }, [5]],
    [{ keyword: "0188" }, [2]],
    [{ keyword: "室5" }, []],
    [{ keyword: "" }, [0, 1, 2, 3, 4, 5]],
    [{ valid: 0 }, [0, 3, 4, 5]],
    [{ valid: 1 }, [1]],
    [{ valid: 2 }, [2]],
    [{ valid: 1, trade: "教育" }, []],
    [{ valid: 2, reportingTime: "2025-01-31 23:59:59" }, [2]],
    [{ valid: 0, keyword: "hospital", company: "s" }, [4, 5]],
    [{ valid: "" }, [0, 1, 2, 3, 4, 5]],
  ];
  for (const [query, expected] of cases) {
    test(JSON.stringify(query), async () => assert.deepEqual(await found(query), expected));
  }

  const refused: [Query, string][] = [
    [{ reportingTime: "25" }, "10001"],
    [{ reportingTime: "2025-13" }, "10001"],
    [{ reportingTime: "2025-02-29" }, "10001"],
    [{ reportingTime: "2025,2025,2025" }, "10001"],
    [{ reportingTime: "2025," }, "10001"],
    [{ name: "a\0" }, "10001"],
    [{ name: "x".repeat(256) }, "10026"],
    [{ name: ["a", "b"] }, "10001"],
    [{ status: 2 }, "10001"],
    [{ status: "true" }, "10001"],
    [{ delStatus: "1.0" }, "10001"],
    [{ valid: 4 }, "10001"],
    [{ keyword: "a\0" }, "10001"],
  ];
  for (const [query, code] of refused) {
    test(`refuses ${JSON.stringify(query).slice(0, 60)}`, async () => {
      const { json, status } = await list(query);
      assert.deepEqual([json.code, status], [code, 400]);
    });
  }

  test("status and delStatus; left out, the deleted are not shown", async () => {
    const [closed, deleted, both] = [ids[0], ids[1], ids[2]];
    for (const itemId of [closed, both]) await app.call("DELETE", `${prefix}/close`, { token, body: { itemId } });
    await app.call("DELETE", `${prefix}/delete`, { token, body: { ids: [deleted, both] } });
    const expected: [Query, number[]][] = [
      [{}, [0, 3, 4, 5]],
      [{ delStatus: 1 }, [0, 3, 4, 5]],
      [{ delStatus: 0 }, [1, 2]],
      [{ status: 0 }, [0]],
      [{ status: 1 }, [3, 4, 5]],
      [{ status: "", delStatus: "" }, [0, 3, 4, 5]],
      [{ status: 0, delStatus: 0 }, [2]],
      [{ status: 1, delStatus: 0, reportingTime: "2025-01" }, [1]],
      [{ delStatus: 0, name: "ä" }, [1]],
    ];
    for (const [query, seedNumbers] of expected)
      assert.deepEqual(await found(query), seedNumbers, JSON.stringify(query));
    await app.pool`update reporting.report set deleted = false, closed = false`;
  });
});

describe("pages", () => {
  test("default ten, newest first, ties by id, and true totals past the end", async () => {
    const { data } = (await app.call("GET", `${prefix}/list`, { token })).json;
    assert.deepEqual(
      { ...data, list: data.list.map((row: { id: number }) => ids.indexOf(row.id)) },
      { totalCount: 6, pageSize: 10, totalPage: 1, currPage: 1, list: [5, 4, 3, 2, 1, 0] },
    );
    for (const query of [{}, { name: "t" }, { trade: "教育" }] as Query[]) {
      const total = (await found(query)).length;
      const past = (await list({ ...query, pageSize: 1, currPage: 9_007_199_254_740_991 })).json.data;
      assert.deepEqual(past, {
        totalCount: total,
        pageSize: 1,
        totalPage: total,
        currPage: 9_007_199_254_740_991,
        list: [],
      });
    }
    assert.deepEqual((await list({ name: "nobody" })).json.data, {
      totalCount: 0,
      pageSize: 100,
      totalPage: 0,
      currPage: 1,
      list: [],
    });
  });

  test("from 1, of 1 to 1000", async () => {
    for (const value of [0, -1, 1.5, "1.0", "x", "01", "+1", "1e1", "1.00000000000000000001", "9007199254740992"]) {
      assert.equal((await list({ currPage: value })).json.code, "10001", `currPage ${value}`);
      assert.equal((await list({ pageSize: value })).json.code, "10001", `pageSize ${value}`);
    }
    assert.equal((await list({ pageSize: 1001 })).json.code, "10001");
    assert.equal((await list({ pageSize: 1000, currPage: "" })).json.code, "0");
  });
});

describe("order", () => {
  type Row = Record<string, unknown> & { id: number };
  const fields = Object.keys(report.shape);
  const rank = (value: unknown): unknown => (Array.isArray(value) ? value.join() : value);

  for (const orderField of fields) {
    test(`by ${orderField}, both ways, in any case`, async () => {
      const rows = async (order: string): Promise<Row[]> => (await list({ orderField, order })).json.data.list;
      const [up, down] = [await rows("asc"), await rows("DESC")];
      assert.equal(up.length, seeds.length);
      assert.deepEqual(down, up.toReversed());
      for (const [index, row] of up.slice(1).entries()) {
        const before = up[index] as Row;
        const [a, b] = [rank(before[orderField]), rank(row[orderField])];
        assert.ok(a === b ? before.id < row.id : b === null || isBelow(a, b), `${String(a)} before ${String(b)}`);
      }
      assert.deepEqual(await rows("AsC"), up);
      assert.deepEqual((await list({ orderField })).json.data.list, up);
    });
  }

  // PostgreSQL compares texts by code points, JavaScript by UTF-16 units.
  const isBelow = (a: unknown, b: unknown): boolean =>
    typeof a === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) < 0 : Number(a) < Number(b);

  test("by anything else is refused", async () => {
    for (const orderField of ["code", "open_id", "ID", "id desc", "password", "constructor", "__proto__"]) {
      assert.equal((await list({ orderField })).json.code, "10007", orderField);
    }
    for (const order of ["up", "asc ", "ascending", "1"])
      assert.equal((await list({ order, orderField: "id" })).json.code, "10001", order);
    assert.deepEqual((await list({ orderField: "", order: "" })).json, (await list()).json);
    assert.deepEqual((await list({ order: "asc" })).json.data.list, (await list()).json.data.list.toReversed());
  });
});

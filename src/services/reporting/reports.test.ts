import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { meetAtLock } from "#test/meeting.ts";
import { sampleReport } from "#test/sample-report.ts";
import { report } from "./report-contract.ts";

const app = await startTestApp({ services: ["reporting"] });
const { token } = await app.signIn("reporting");
const prefix = "/reporting/informationReporting";

const add = (body: unknown) => app.call("POST", `${prefix}/add`, { body });
const act = (operation: string, body: unknown) => app.call("DELETE", `${prefix}/${operation}`, { body, token });

async function submit(given: Record<string, unknown> = {}): Promise<number> {
  const answer = await add(sampleReport(given));
  assert.equal(answer.json.code, "0", answer.text);
  return Number(answer.json.data);
}

async function findOne(id: number, query = {}): Promise<Record<string, unknown>> {
  const answer = await app.call("GET", `${prefix}/list`, { token, query: { pageSize: 1000, ...query } });
  return answer.json.data.list.find((row: { id: number }) => row.id === id);
}

const read = (id: number) => app.call("GET", `${prefix}/info/${id}`, { token });

test("one report is what the list shows of it, and is there when it has been deleted", async () => {
  const id = await submit({ entryName: "单条读取" });
  const { events, receipt, ...listed } = (await read(id)).json.data;
  assert.match(receipt, /^[0-9a-f]{32}$/);
  assert.deepEqual(listed, await findOne(id));
  assert.equal(events.length, 1);
  await act("delete", { ids: [id] });
  assert.equal((await read(id)).json.data.delStatus, 0);
});

describe("submission", () => {
  test("gives back every field but the code, and nothing else", async () => {
    const given = {
      wxPhone: "+86 (100) 1234",
      content: "第一行\n第二行 <b>🙂</b>",
      parameters: "",
      product: "=1+1",
      bFile: ["/reporting/file/none.png", ""],
      file: "https://files.example/a?b#c",
    };
    const states = { status: 0, delStatus: 0, valid: 2, ps: "x" };
    const extras = { code: "some-code", id: 77, ...states, openId: "o", __proto__x: 1 };
    const id = await submit({ ...given, ...extras });
    assert.notEqual(id, 77);
    const stored = await findOne(id);
    assert.deepEqual(Object.keys(stored).sort(), Object.keys(report.shape).sort());
    const { reportingTime, updateTime, ...rest } = stored;
    assert.deepEqual(rest, { ...sampleReport(given), id, status: 1, delStatus: 1, valid: 0, ps: null });
    assert.match(String(reportingTime), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.equal(reportingTime, updateTime);
    const [row] = await app.pool`select row_to_json(report)::text as text from reporting.report where id = ${id}`;
    assert.doesNotMatch(String(row?.["text"]), /some-code/);
  });

  test("null in an optional field is the field left out", async () => {
    const optional = ["wxPhone", "content", "parameters", "product", "bFile", "file"];
    const nulls = Object.fromEntries([...optional, "code"].map((key) => [key, null]));
    const stored = await findOne(await submit(nulls));
    for (const key of optional) assert.equal(stored[key], null, key);
  });

  const limits = {
    32: "name wxPhone",
    64: "trade licensing product projectAmount",
    128: "company customerName entryName",
    4000: "content parameters",
  };
  test("each text may have its length in characters and no more", async () => {
    for (const [most, fields] of Object.entries(limits)) {
      for (const field of fields.split(" ")) {
        // The emoji is one character for a reader, but two UTF-16 units and four bytes in UTF-8.
        const longest = "🙂".repeat(Number(most));
        assert.equal((await findOne(await submit({ [field]: longest })))[field], longest, field);
        const answer = await add(sampleReport({ [field]: `${longest}🙂` }));
        assert.deepEqual([answer.status, answer.json.code], [400, "10026"], field);
        assert.match(answer.json.message, new RegExp(field));
      }
    }
  });

  const required = "name phone company customerName entryName projectAmount tenderTime trade licensing bProduct".split(
    " ",
  );
  test("what is required must be there, as text that says something", async () => {
    for (const field of required) {
      for (const value of [undefined, null, "", "  ", 5, true, {}, ["x", 1], "a\0b", "\ud800"]) {
        const { json } = await add(sampleReport({ [field]: value }));
        assert.equal(json.code, "10001", `${field}: ${JSON.stringify(value)} gave ${json.code}`);
        assert.ok(json.message.includes(field), json.message);
      }
    }
  });

  const refused: [string, Record<string, unknown>, string][] = [
    ["an array for a text", { name: ["x"] }, "10001"],
    ["NUL in an optional text", { content: "a\0" }, "10001"],
    ["a phone of 4", { phone: "1234" }, "10001"],
    ["a phone of 33 characters", { phone: "1".repeat(33) }, "10026"],
    ["letters in a phone", { phone: "phone 12345" }, "10001"],
    ["an extension that is none", { phone: "8765 4321 转" }, "10001"],
    ["an extension by itself", { phone: "转80018001" }, "10001"],
    ["two extensions", { phone: "87654321转1转2" }, "10001"],
    ["no product", { bProduct: [] }, "10001"],
    ["an empty product", { bProduct: [""] }, "10001"],
    ["51 products", { bProduct: Array(51).fill("x") }, "10001"],
    ["a product of 65", { bProduct: ["x", "y".repeat(65)] }, "10026"],
    ["21 files", { bFile: Array(21).fill("x") }, "10001"],
    ["a file reference of 257", { bFile: ["x".repeat(257)] }, "10026"],
    ["a code of 256", { code: "x".repeat(256) }, "10026"],
    ["29 February of no leap year", { tenderTime: "2027-02-29 00:00:00" }, "10001"],
    ["24 o'clock", { tenderTime: "2027-02-01 24:00:00" }, "10001"],
    ["a date without time", { tenderTime: "2027-02-01" }, "10001"],
    ["ISO 8601", { tenderTime: "2027-02-01T00:00:00" }, "10001"],
  ];
  for (const [what, given, code] of refused) {
    test(`refuses ${what}`, async () => {
      const { json, status } = await add(sampleReport(given));
      assert.deepEqual([json.code, status, json.data], [code, 400, null]);
    });
  }

  test("a phone may have an extension, and is kept as it was written", async () => {
    for (const phone of ["027-8765 4321转8001", "(027) 87654321 X 12", "+86 27 8765 4321 ext. 80 01", "55501x1"])
      assert.equal((await findOne(await submit({ phone })))["phone"], phone);
  });

  test("50 products, 20 files and 29 February are taken, and a message names the entry", async () => {
    const given = {
      bProduct: Array(50).fill("x".repeat(64)),
      bFile: Array(20).fill("y".repeat(256)),
      tenderTime: "2028-02-29 23:59:59",
    };
    const stored = await findOne(await submit(given));
    for (const [key, value] of Object.entries(given)) assert.deepEqual(stored[key], value);
    assert.match((await add(sampleReport({ bProduct: ["x", ""] }))).json.message, /bProduct\[1\]/);
  });
});

describe("transitions", () => {
  const make = {
    normal: async () => submit(),
    closed: async () => afterwards("close"),
    deleted: async () => afterwards("delete"),
  };
  async function afterwards(operation: "close" | "delete"): Promise<number> {
    const id = await submit();
    assert.equal((await act(operation, operation === "close" ? { itemId: id } : { ids: [id] })).json.data, "1");
    return id;
  }
  const allowed: Record<string, readonly string[]> = {
    close: ["normal"],
    valid: ["normal", "closed"],
    invalid: ["normal", "closed"],
  };
  for (const [operation, states] of Object.entries(allowed)) {
    for (const [state, makeOne] of Object.entries(make)) {
      test(`${operation} of a ${state} report`, async () => {
        const itemId = await makeOne();
        const before = await readRow(itemId);
        const { json } = await act(operation, { id: 3, name: "who", itemId });
        const may = states.includes(state);
        assert.deepEqual([json.code, json.data], may ? ["0", "1"] : ["10007", null]);
        if (!may) assert.deepEqual(await readRow(itemId), before);
      });
    }
  }

  const readRow = async (id: number) => ({ ...(await app.pool`select * from reporting.report where id = ${id}`)[0] });

  test("delete passes over what is not normal and counts what it deleted", async () => {
    const [first, second, gone, closed] = [await submit(), await submit(), await make.deleted(), await make.closed()];
    assert.equal((await act("delete", { ids: [first, first, gone, second, 987_654, closed] })).json.data, "3");
    assert.equal((await act("delete", { ids: [first, gone] })).json.code, "10005");
    const [row] =
      await app.pool`select records from platform.audit where action = 'deleteReports' and outcome = 'done' order by id desc limit 1`;
    assert.deepEqual(new Set(row?.["records"].map(Number)), new Set([first, second, closed]));
    assert.equal(row?.["records"].length, 3);
  });

  test("the last verdict stays, with its remark or none", async () => {
    const itemId = await submit();
    const steps: [string, object, number, string | null][] = [
      ["valid", { ps: "资料齐全" }, 1, "资料齐全"],
      ["invalid", { ps: "🙂".repeat(200) }, 2, "🙂".repeat(200)],
      ["invalid", {}, 2, null],
      ["valid", { ps: "again" }, 1, "again"],
      ["valid", { ps: "" }, 1, null],
    ];
    for (const [operation, more, valid, ps] of steps) {
      assert.equal((await act(operation, { itemId, ...more })).json.data, "1");
      const stored = await findOne(itemId);
      assert.deepEqual([stored["valid"], stored["ps"]], [valid, ps]);
    }
    assert.equal((await act("valid", { itemId, ps: "x".repeat(201) })).json.code, "10026");
    assert.equal((await act("valid", { itemId, ps: 5 })).json.code, "10001");
    const [row] = await app.pool`select count(*) as lines from platform.audit where records = ${[String(itemId)]}`;
    assert.equal(row?.["lines"], steps.length);
  });

  test("of four at once one wins", async () => {
    for (const [operation, toBody, loser] of [
      ["close", (id: number) => ({ itemId: id }), "10007"],
      ["delete", (id: number) => ({ ids: [id] }), "10005"],
    ] as const) {
      const id = await submit();
      const answers = await meetAtLock(
        app.pool,
        (tx) => tx`select 1 from reporting.report where id = ${id} for update`,
        () => [1, 2, 3, 4].map(() => act(operation, toBody(id))),
      );
      assert.deepEqual(answers.map(({ json }) => json.code).sort(), ["0", loser, loser, loser]);
    }
  });
});

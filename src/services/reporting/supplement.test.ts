import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { pick } from "#test/pick.ts";
import { sampleReport } from "#test/sample-report.ts";

const app = await startTestApp({ services: ["reporting"] });
const judge = await app.signIn("reporting");
const { token } = judge;
const prefix = "/reporting/informationReporting";

async function submit(given: Record<string, unknown> = {}): Promise<{ id: number; receipt: string }> {
  const { headers, json } = await app.call("POST", `${prefix}/add`, { body: sampleReport(given) });
  return { id: Number(json.data), receipt: headers.get("report_receipt") ?? "" };
}
const giveBack = (itemId: number | undefined, ps: unknown = "请补充授权书", as: string | undefined = token) =>
  app.call("PUT", `${prefix}/returned`, { ...(as !== "" && { token: as }), body: { itemId, ps } });
const supplement = (receipt: string, body: object) => app.call("PUT", `${prefix}/supplement/${receipt}`, { body });
const read = async (path: string, as?: string) =>
  (await app.call("GET", `${prefix}/${path}`, { ...(as && { token: as }) })).json;
const listed = async (path: string, id: number) =>
  ((await read(path, token)).data.list as { id: number; valid: number; ps: string | null }[]).find(
    (report) => report.id === id,
  );
const act = (operation: string, body: object) => app.call("DELETE", `${prefix}/${operation}`, { token, body });

describe("returning a report", () => {
  test("is refused without an id, a remark, or a report in progress", async () => {
    const { id } = await submit();
    const code = async (call: ReturnType<typeof giveBack>) => (await call).json.code;
    assert.equal(await code(giveBack(undefined)), "10023");
    assert.equal(await code(giveBack(999_999)), "10005");
    for (const wrong of ["", " ", null, 7]) assert.equal(await code(giveBack(id, wrong)), "10001");
    assert.equal(await code(giveBack(id, "长".repeat(201))), "10026");
    await act("close", { itemId: id });
    assert.equal(await code(giveBack(id)), "10007");
    await act("delete", { ids: [id] });
    assert.equal(await code(giveBack(id)), "10007");
  });

  test("is not judged to documented operations, and returned to our own", async () => {
    const { id, receipt } = await submit();
    assert.equal((await giveBack(id)).json.data, "1");
    const documented = await listed("list", id);
    assert.deepEqual([documented?.valid, documented?.ps], [0, "请补充授权书"]);
    assert.equal((await listed("review?valid=3", id))?.valid, 3);
    assert.equal(await listed("review?valid=0", id), undefined, "it waits for its submitter");
    assert.equal((await read(`info/${id}`, token)).data.valid, 3);
    const { data } = await read(`receipt/${receipt}`);
    assert.deepEqual([data.valid, data.ps, pick(data.changes, "what")], [3, "请补充授权书", ["submitted", "returned"]]);
    assert.equal((await read("review?valid=3&pageSize=1", token)).data.totalCount, 1);
  });
});

describe("a returned report", () => {
  test("is changed by its receipt alone, goes back to the queue, and its history has both", async () => {
    const { id, receipt } = await submit({ content: "旧" });
    await giveBack(id);
    const { data } = await read(`supplement/${receipt}`);
    assert.deepEqual([data.content, data.phone, data.name], ["旧", undefined, undefined]);
    const body = { content: "新", tenderTime: "2027-05-01 09:00:00", phone: "555 0100 0000" };
    assert.equal((await supplement(receipt, body)).json.data, "1");
    const report = (await read(`info/${id}`, token)).data;
    assert.deepEqual([report.valid, report.ps, report.content], [0, null, "新"]);
    assert.equal(report.phone, sampleReport().phone, "who they are is not theirs to change");
    assert.deepEqual(
      report.events.map(({ what, valid, by }: Record<string, unknown>) => [what, valid, by !== null]),
      [
        ["submitted", null, false],
        ["judged", 3, true],
        ["supplemented", null, false],
      ],
    );
    const { ps, changes } = (await read(`receipt/${receipt}`)).data;
    assert.deepEqual(pick(changes, "what"), ["submitted", "returned", "supplemented"]);
    assert.deepEqual([ps, pick(changes, "ps")], [null, [undefined, "请补充授权书", undefined]]);
    assert.deepEqual(report.events[2].changes[1], { field: "content", before: "旧", after: "新" });
    assert.ok(await listed("review?valid=0", id));
  });

  test("is not changed by a wrong receipt, wrongly, by nothing, or twice", async () => {
    const { id, receipt } = await submit();
    const code = async (body: object, by = receipt) => (await supplement(by, body)).json.code;
    assert.equal(await code({ content: "x" }), "10007", "nobody has returned it");
    await giveBack(id);
    assert.equal(await code({ content: "x" }, "0".repeat(32)), "10005");
    assert.equal((await read(`supplement/${"0".repeat(32)}`)).code, "10005");
    assert.equal(await code({ content: 7 }), "10001");
    assert.equal(await code({ entryName: "长".repeat(129) }), "10026");
    for (const nothing of [{}, { phone: "555 0100 0000" }, { company: sampleReport().company }])
      assert.equal(await code(nothing), "10001");
    const both = await Promise.all([supplement(receipt, { content: "a" }), supplement(receipt, { content: "b" })]);
    assert.deepEqual(pick(pick(both, "json") as { code: string }[], "code").toSorted(), ["0", "10007"]);
    assert.equal((await read(`supplement/${receipt}`)).code, "10007");
  });

  test("that was deleted or closed meanwhile stays as it was", async () => {
    for (const [operation, toBody] of [
      ["close", (itemId: number) => ({ itemId })],
      ["delete", (id: number) => ({ ids: [id] })],
    ] as const) {
      const { id, receipt } = await submit();
      await giveBack(id);
      await act(operation, toBody(id));
      assert.equal((await supplement(receipt, { content: "x" })).json.code, "10007");
    }
  });

  test("holds the files that it names now, and lets the others go", async () => {
    const upload = async (): Promise<string> =>
      (await app.call("POST", "/reporting/file/fileUpDown", { file: ["a.txt", Buffer.from("a")] })).json.data;
    const [old, added] = [await upload(), await upload()];
    const { id, receipt } = await submit({ bFile: [old] });
    await giveBack(id);
    await supplement(receipt, { bFile: [added] });
    const status = async (path: string) => (await app.call("GET", path, { query: { receipt } })).status;
    assert.deepEqual([await status(old), await status(added)], [404, 200]);
  });
});

test("reasons are at most nine, kept in their order, and for those who may judge", async () => {
  const set = (reasons: unknown, as = token) => app.call("PUT", `${prefix}/reasons`, { token: as, body: { reasons } });
  assert.equal((await set(Array(10).fill("a"))).json.code, "10001");
  for (const wrong of [undefined, "a", [""], [7]]) assert.equal((await set(wrong)).json.code, "10001");
  const reader = await app.signIn("reporting");
  await app.pool`update platform.account set rights = '{reporting.read}' where id = ${reader.id}`;
  assert.equal((await set(["a"], reader.token)).json.code, "10008");
  await set(["重复报备", "缺授权书", "不在范围"]);
  await set(["缺授权书", "重复报备"]);
  assert.deepEqual((await read("reasons", reader.token)).data, ["缺授权书", "重复报备"]);
});

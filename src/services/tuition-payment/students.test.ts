import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { withinOneMinute } from "#test/one-minute.ts";
import { samplePayable } from "#test/tuition-payment.ts";

const app = await startTestApp({ services: ["tuition-payment"] });
const { token } = await app.signIn("tuition-payment");
const prefix = "/tuitionpayment/payableinfo";
const save = async (change: Record<string, unknown>): Promise<number> => {
  const { json } = await app.call("POST", `${prefix}/save`, { token, body: samplePayable(change) });
  return Number(json.data);
};
const own = (card: string) => app.call("GET", `${prefix}/payableInfo`, { headers: { card_number: card } });
const years = (card: string) => app.call("GET", `${prefix}/years`, { headers: { card_number: card } });
const match = (
  number: string,
  name: string,
  card = `parent-${number}-${name}`.replaceAll(/[^\w-]/g, "").slice(0, 60),
) => app.call("GET", `${prefix}/payableInfo/${number}/${name}`, { headers: { card_number: card } });
const pay = (id: number) => app.call("PUT", `${prefix}/pay/${id}/true`, { token });

describe("one's own payable", () => {
  test("needs a card, and is 10013 where there is none", async () => {
    assert.equal((await app.call("GET", `${prefix}/payableInfo`)).json.code, "10012");
    assert.deepEqual([(await own("nobody")).status, (await own("nobody")).json.code], [404, "10013"]);
    assert.deepEqual((await years("nobody")).json.data, []);
  });

  test("is the earliest unpaid year, and the latest once all are paid", async () => {
    const ids: Record<string, number> = {};
    for (const year of ["2025", "2024", "2026"]) ids[year] = await save({ studentNo: "S1", years: year });
    const dueYear = async (): Promise<string> => (await own("S1")).json.data.years;
    assert.equal(await dueYear(), "2024");
    await pay(ids["2024"] ?? 0);
    assert.equal(await dueYear(), "2025");
    await pay(ids["2026"] ?? 0);
    assert.equal(await dueYear(), "2025");
    await pay(ids["2025"] ?? 0);
    const { data } = (await own("S1")).json;
    assert.deepEqual([data.years, data.pay], ["2026", true]);
    const all = (await years("S1")).json.data.map((one: { years: string }) => one.years);
    assert.deepEqual(all, ["2024", "2025", "2026"]);
  });

  test("has the documented fields and no identity card", async () => {
    const id = await save({ studentNo: "S2", idCard: "990000200801010033" });
    assert.deepEqual((await own("S2")).json.data, { id, ...samplePayable({ studentNo: "S2" }), pay: false });
  });

  test("is found by the identity card of new students, in any case", async () => {
    const id = await save({ studentNo: "S3", idCard: "99000020080101004X" });
    for (const card of ["99000020080101004X", "99000020080101004x"]) {
      assert.equal((await own(card)).json.data.id, id);
      assert.equal((await years(card)).json.data.length, 1);
    }
  });

  test("is found by the identity card where there is no number yet, by name as well", async () => {
    const id = await save({ studentNo: null, studentName: "新生", idCard: "99000020080101046X" });
    const { json } = await own("99000020080101046x");
    assert.deepEqual([json.data.id, json.data.studentNo], [id, null]);
    assert.equal((await match("99000020080101046X", encodeURIComponent("新生"))).json.data.id, id);
    assert.equal((await match("99000020080101046X", encodeURIComponent("老生"))).json.code, "10013");
  });

  test("is nobody else's: a card finds what is equal to it and nothing like it", async () => {
    await save({ studentNo: "S4" });
    for (const card of ["S", "s4", "S4%", "S_", "'or'1'='1"]) assert.equal((await own(card)).json.code, "10013", card);
  });
});

describe("a payable by number and name", async () => {
  const id = await save({ studentNo: "N1", studentName: "欧阳·娜娜", idCard: "99000020080101005X" });
  const name = encodeURIComponent("欧阳·娜娜");

  test("needs a card, and both to be right", async () => {
    assert.equal((await app.call("GET", `${prefix}/payableInfo/N1/${name}`)).json.code, "10012");
    for (const [number, given] of [
      ["N1", encodeURIComponent("欧阳")],
      ["N1", encodeURIComponent("欧阳·娜娜娜")],
      ["N2", name],
      ["n1", name],
      ["N1%25", name],
    ] as const) {
      const { status, json } = await match(number, given);
      assert.deepEqual([status, json.code], [404, "10013"], `${number}/${given}`);
    }
    assert.equal((await match("N1", name)).json.data.id, id);
  });

  test("is found by the identity card of new students", async () => {
    assert.equal((await match("99000020080101005x", name)).json.data.id, id);
  });

  test("takes Chinese, slashes, percent signs, spaces and backslashes as they were encoded", async () => {
    for (const [number, given] of [
      ["2026/01", "张/三"],
      ["50%", "100%"],
      ["a b", "Anna Maria"],
      ["\\1", "张\\三"],
      ["?#&", "O'Hara <b>"],
      ["𠮷1", "𠮷野👍"],
    ] as const) {
      const saved = await save({ studentNo: number, studentName: given });
      const { json } = await match(encodeURIComponent(number), encodeURIComponent(given));
      assert.equal(json.data?.id, saved, `${number} ${given}: ${json.message}`);
    }
  });

  test("refuses what is not encoded as UTF-8, is empty, too long, or cannot be", async () => {
    assert.equal((await match("N1", "%D5%C5%C8")).json.code, "10001");
    assert.equal((await match("N1", "%00")).json.code, "10001");
    assert.equal((await match("N1", "%20")).json.code, "10001");
    assert.equal((await match("N1", "x".repeat(65))).json.code, "10026");
    assert.equal((await match("N1", "")).json.code, "20003");
    assert.equal((await match("N1", "x".repeat(20_000))).json.code, "10001");
  });

  test("may be asked for 20 times a minute a card", async () => {
    const answers = await withinOneMinute(app.pool, () =>
      Promise.all(Array.from({ length: 22 }, () => match("N1", name, "curious"))),
    );
    const codes = answers.map(({ json }) => json.code).toSorted();
    assert.deepEqual(codes, [...Array.from({ length: 20 }, () => "0"), "20001", "20001"]);
    assert.equal((await match("N1", name, "another")).status, 200);
    assert.equal((await own("curious")).json.code, "10013");
  });
});

describe("one's own grades", () => {
  test("need a card, and are those of the own payables, each with whether it may pay", async () => {
    const grades = (headers: Record<string, string>) => app.call("GET", "/enablePayLimit/own", { headers });
    assert.deepEqual([(await grades({})).status, (await grades({})).json.code], [401, "10012"]);
    assert.deepEqual((await grades({ card_number: "nobody" })).json.data, []);
    await save({ studentNo: "S-grade", grade: "2019", years: "2025" });
    await save({ studentNo: "S-grade", grade: "预科", years: "2026" });
    await save({ studentNo: "S-other", grade: "2018" });
    const limits: { id: number; grade: string }[] = (await app.call("GET", "/enablePayLimit/list", { token })).json
      .data;
    const { id } = limits.find(({ grade }) => grade === "预科") ?? assert.fail("no row");
    await app.call("PUT", `/enablePayLimit/setting/${id}/2`, { token });
    const own: Record<string, unknown>[] = (await grades({ card_number: "S-grade" })).json.data;
    assert.deepEqual(
      own.map(({ grade, gradeName, enablePay }) => [grade, gradeName, enablePay]),
      [
        ["2019", "2019级", "1"],
        ["预科", "预科", "2"],
      ],
    );
  });
});

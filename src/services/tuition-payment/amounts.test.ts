import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseItems, parseYuan, toFen, toYuan, writeItems, writeYuan } from "./amounts.ts";

const problemOf = (detail: string): string | undefined => {
  const items = parseItems(detail);
  return "problem" in items ? items.problem : undefined;
};

test("what is no amount with at most two decimals is refused", () => {
  for (const text of ["", "-1", "+1", "0.001", "1.", ".5", "1e9", "１２", "NaN", "1,000", "0x10", "999999999", "12元"])
    assert.equal(parseYuan(text), undefined, text);
});

test("amounts are read to the fen", () => {
  const amounts = {
    "0": 0,
    "0.01": 1,
    "0.1": 10,
    "19.99": 1999,
    "4800": 480_000,
    "4800.50": 480_050,
    "99999999.99": 9_999_999_999,
  };
  for (const [text, fen] of Object.entries(amounts)) assert.equal(parseYuan(text), fen, text);
  assert.equal(toFen(19.99), 1999);
  assert.throws(() => toFen(0.1 + 0.2), RangeError);
});

test("every amount comes back from the wire as it was, as text and as JSON", () => {
  const fen = fc.integer({ min: 0, max: 9_999_999_999 });
  fc.assert(
    fc.property(fen, (amount) => {
      assert.equal(parseYuan(writeYuan(amount)), amount);
      assert.equal(toFen(JSON.parse(JSON.stringify(toYuan(amount))) as number), amount);
    }),
  );
});

test("items that cannot be told apart are refused", () => {
  const wrong = {
    badFormat: [
      "",
      "学费",
      "学费:",
      ":100",
      "学费:100\\",
      "学费\\杂费:100",
      "学:费:100",
      "学费：100",
      "学费:-1",
      "学费:NaN",
    ],
    paymentItemExists: ["学费:1\\学费:2", "学费:1\\ 学费 :2"],
    tooLong: [`${"学".repeat(65)}:1`],
  };
  for (const [problem, details] of Object.entries(wrong))
    for (const detail of details) assert.equal(problemOf(detail), problem, detail);
  assert.equal(problemOf(Array.from({ length: 51 }, (_, index) => `项目${index}:1`).join("\\")), "badFormat");
});

test("what is written is read back", () => {
  const name = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .map((text) => text.replaceAll(/[\\:]/g, "").trim())
    .filter((text) => text !== "");
  const item = fc.record({ name, amountFen: fc.integer({ min: 0, max: 1_000_000 }) }, { noNullPrototype: true });
  const items = fc.uniqueArray(item, { selector: (one) => one.name, minLength: 1, maxLength: 8 });
  fc.assert(fc.property(items, (given) => assert.deepEqual(parseItems(writeItems(given)), given)));
});

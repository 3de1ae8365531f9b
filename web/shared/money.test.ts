import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYuan, sumFen, toFen, toYuan, writeYuan } from "./money.ts";

test("what is no amount of money with at most two decimals is none", () => {
  for (const typed of ["", ".", "-1", "+1", "1.", ".5", "1.234", "1e3", "100000000", "一百", "0x10", "1.2.3"])
    assert.equal(parseYuan(typed), undefined, typed);
});

test("an amount is read as people type or paste it", () => {
  const read = ["0.01", "4800", " 4,800.5 ", "¥4，800.50", "99999999.99"].map(parseYuan);
  assert.deepEqual(read, [1, 480_000, 480_050, 480_050, 9_999_999_999]);
});

test("no fen is lost between the wire, the form and the sum", () => {
  for (const fen of [1, 10, 29, 57, 58, 115, 1999, 480_035, 9_999_999_999]) {
    assert.equal(toFen(toYuan(fen)), fen);
    assert.equal(parseYuan(writeYuan(fen)), fen);
  }
  assert.equal(sumFen(["0.1", "0.2"]), 30);
  assert.equal(sumFen(["0.1", "x"]), undefined);
  assert.equal(sumFen([]), 0);
});

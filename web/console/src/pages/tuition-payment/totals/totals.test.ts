import assert from "node:assert/strict";
import { test } from "node:test";
import { addUp, toShare, toSums } from "#console/pages/tuition-payment/totals/totals.ts";

const row = {
  grade: "2022",
  years: "2026",
  payables: 3,
  paidPayables: 1,
  dueAmount: 6000.3,
  orderAmount: 4800.1,
  decidedAmount: 0.1,
};

test("what is left is counted in fen, and rows add up without a remainder", () => {
  assert.equal(toSums(row).left, 120_010);
  const sums = addUp([row, row, row]);
  assert.deepEqual(sums, {
    payables: 9,
    paidPayables: 3,
    due: 1_800_090,
    order: 1_440_030,
    decided: 30,
    left: 360_030,
  });
});

test("the share is 100 only when nothing is left, and nothing due is no share", () => {
  const none = { ...row, dueAmount: 0, orderAmount: 0, decidedAmount: 0 };
  assert.equal(toShare(addUp([none])), 0);
  assert.equal(toShare(addUp([{ ...none, dueAmount: 99_999, orderAmount: 99_998.99 }])), 99.9);
  assert.equal(toShare(addUp([{ ...none, dueAmount: 2, orderAmount: 1, decidedAmount: 1 }])), 100);
});

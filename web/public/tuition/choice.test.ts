import assert from "node:assert/strict";
import { test } from "node:test";
import { byYear, type LimitOfWire, type PayableOfWire, revise, sumFen, toLines, toOrderBody } from "./choice.ts";

const limit = (grade: string, enablePay: "1" | "2"): LimitOfWire => ({ grade, gradeName: `${grade}级`, enablePay });
const payables: PayableOfWire[] = [
  {
    id: 1,
    years: "2025",
    grade: "2022",
    items: [
      { name: "学费", amount: 5000, due: 4800.1, state: "unpaid" },
      { name: "住宿费", amount: 1200.2, due: 1200.2, state: "held" },
    ],
  },
  { id: 2, years: "2026", grade: "2023", items: [{ name: "学费", amount: 0.3, due: 0.3, state: "unpaid" }] },
];

test("an item can be paid when it is unpaid, nobody holds it, and its grade may pay", () => {
  const states = (limits: LimitOfWire[]) => toLines(payables, limits).map(({ state }) => state);
  assert.deepEqual(states([limit("2022", "1"), limit("2023", "2")]), ["unpaid", "held", "off"]);
  assert.deepEqual(states([]), ["off", "held", "off"]);
});

test("sums are exact, and the order names items by their payable", () => {
  const lines = toLines(payables, [limit("2022", "1"), limit("2023", "1")]);
  assert.equal(sumFen(lines), 600_060);
  assert.deepEqual(toOrderBody(lines), {
    payables: [
      { payableId: 1, items: ["学费", "住宿费"] },
      { payableId: 2, items: ["学费"] },
    ],
    amount: 6000.6,
  });
  assert.deepEqual(
    byYear(lines).map(([years, own]) => [years, own.length]),
    [
      ["2025", 2],
      ["2026", 1],
    ],
  );
});

test("of a choice that was paid, held, dropped or repriced meanwhile the rest is left, at its new price", () => {
  const all = toLines(payables, [limit("2022", "1"), limit("2023", "1")]);
  const chosen = all.map((line) => ({ ...line, state: "unpaid" as const }));
  const items = [
    { name: "学费", amount: 5000, due: 5000, state: "unpaid" },
    { name: "住宿费", amount: 1200.2, due: 1200.2, state: "held" },
  ] as const;
  const now = toLines([{ id: 1, years: "2025", grade: "2022", items }], [limit("2022", "1")]);
  const { lines, dropped, isRepriced } = revise(chosen, now);
  assert.deepEqual(
    lines.map(({ name, amountFen }) => [name, amountFen]),
    [["学费", 500_000]],
  );
  assert.deepEqual(
    dropped.map(({ years, name, state }) => [years, name, state]),
    [
      ["2025", "住宿费", "held"],
      ["2026", "学费", "gone"],
    ],
  );
  assert.equal(isRepriced, true);
  assert.equal(revise(chosen.slice(0, 1), all).isRepriced, false);
});

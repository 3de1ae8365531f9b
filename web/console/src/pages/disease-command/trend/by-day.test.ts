import assert from "node:assert/strict";
import { test } from "node:test";
import { groupDays, listDays, sumDays } from "./by-day.ts";

const of = (statisticsDate: string, name: string, value: number) => ({ statisticsDate, name, value });
const records = [of("2026-05-03", "甲", 5), of("2026-05-03", "乙", 7), of("2026-05-01", "甲", 1)];
const valueOf = ({ value }: (typeof records)[number]) => value;
const nameOf = ({ name }: (typeof records)[number]) => name;

test("days come earliest first, and one that may lack records is left out", () => {
  assert.deepEqual(listDays([], false), []);
  assert.deepEqual(listDays(records, false), ["2026-05-01", "2026-05-03"]);
  assert.deepEqual(listDays(records, true), ["2026-05-03"]);
  assert.deepEqual(listDays(records.slice(0, 2), true), ["2026-05-03"]);
  const many = Array.from({ length: 40 }, (_, index) => of(`2026-05-${String(70 - index)}`, "甲", 1));
  assert.deepEqual([listDays(many, false).length, listDays(many, false).at(-1)], [30, "2026-05-70"]);
});

const given = { nameOf, sizeOf: valueOf, others: "其他" };
const [late, later, early] = records;

test("figures are summed by day, and records grouped by name, the largest first", () => {
  const days = listDays(records, false);
  assert.deepEqual(sumDays(records, days, valueOf), [1, 12]);
  assert.deepEqual(sumDays(records, ["2026-05-03"], valueOf), [12]);
  assert.deepEqual(groupDays(records, ["2026-05-01"], given), [{ name: "甲", records: [early] }]);
  assert.deepEqual(groupDays(records, days, given), [
    { name: "乙", records: [later] },
    { name: "甲", records: [late, early] },
  ]);
});

test("more than six names are five and the others", () => {
  const many = Array.from({ length: 8 }, (_, index) => of("2026-05-01", `人群${index}`, index));
  const groups = groupDays(many, ["2026-05-01"], given);
  assert.deepEqual(
    groups.map(({ name }) => name),
    ["人群7", "人群6", "人群5", "人群4", "人群3", "其他"],
  );
  assert.deepEqual(groups.at(-1)?.records.map(valueOf), [2, 1, 0]);
});

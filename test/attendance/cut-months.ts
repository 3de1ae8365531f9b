import { getData } from "#test/app.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Attendance } from "./calls.ts";
import { type Generation, makeMonth } from "./workbooks.ts";

interface CutRounds {
  readonly attendance: Attendance;
  readonly seed: number;
  readonly rounds: number;
}

const month = "2026-06";
const days = 30;

const plan = fc.record({
  form: fc.constantFrom<Generation>(2020, 2026),
  people: fc.integer({ min: 1, max: 12 }),
  seed: fc.integer({ min: 1, max: 1000 }),
  cuts: fc.uniqueArray(fc.integer({ min: 2, max: days }), { maxLength: 5 }),
  order: fc.infiniteStream(fc.nat()),
});

/** Checks that importing a month again, in random parts and in a random sequence, gives the same rows. */
export async function cutMonths({ attendance, seed, rounds }: CutRounds): Promise<void> {
  const { get, send, analyse } = attendance;
  const readRows = async () => {
    assert.equal((await analyse(month)).statu, 2);
    return (await get("downLoad", { month })).json.data;
  };
  await fc.assert(
    fc.asyncProperty(plan, async ({ form, people, seed: monthSeed, cuts, order }) => {
      const made = makeMonth({ month, people, seed: monthSeed, generation: form });
      await send("month", [made.monthSheet, made.dailySheet]);
      await send("original", [made.originalSheet]);
      const whole = await readRows();
      assert.equal(whole.length, people);
      for (const { to, sheets } of shuffle(listParts(made, cuts), order)) {
        getData(await send(to, sheets, { allowEmpty: "true" }));
      }
      assert.deepEqual(await readRows(), whole);
    }),
    { numRuns: rounds, seed },
  );
}

function listParts(made: ReturnType<typeof makeMonth>, cuts: readonly number[]) {
  const starts = [1, ...cuts.toSorted((left, right) => left - right)];
  return starts
    .map((first, index) => made.cut(first, (starts[index + 1] ?? days + 1) - 1))
    .flatMap(({ monthSheet, dailySheet, originalSheet }) => [
      { to: "month" as const, sheets: [monthSheet, dailySheet] },
      { to: "original" as const, sheets: [originalSheet] },
    ]);
}

function shuffle<Part>(parts: readonly Part[], order: Iterable<number>): Part[] {
  const luck = order[Symbol.iterator]();
  return parts
    .map((part) => ({ part, place: luck.next().value as number }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ part }) => part);
}

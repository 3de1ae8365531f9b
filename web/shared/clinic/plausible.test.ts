import assert from "node:assert/strict";
import { test } from "node:test";
import { findUnlike } from "#shared/clinic/plausible.ts";

test("a figure is asked about that is ten times or a tenth of what is usual, and more than 20 away", () => {
  for (const [figure, known, usual] of [
    [300, [12, 11, 30], 12],
    [120, [12, 12, 12], 12],
    [119, [12, 12, 12], undefined],
    [20, [2, 2, 2], undefined],
    [22, [2, 2, 2], undefined],
    [23, [2, 2, 2], 2],
    [0, [0, 0, 0], undefined],
    [21, [0, 0], 0],
    [3, [30, 30, 30], 30],
    [4, [30, 30, 30], undefined],
    [5000, [], undefined],
  ] as const)
    assert.equal(findUnlike(figure, known), usual, `${figure} of ${known.join()}`);
});

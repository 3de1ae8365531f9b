import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePosition, toLines, writePosition } from "#shared/map/coordinates.ts";

test("a place is read with either comma or a space, and nothing else is a place", () => {
  for (const text of ["114.3,-30.5", "114.3, -30.5", "114.3，-30.5", " 114.3\t-30.5 "])
    assert.deepEqual(parsePosition(text), [114.3, -30.5]);
  for (const text of ["", null, "114.3", "180.1,0", "0,90.1", "a,b", "1,2,3"])
    assert.equal(parsePosition(text), undefined);
});

test("a place is written to a tenth of a metre", () => {
  assert.equal(writePosition([114.30550049, -0.1]), "114.305500,-0.100000");
});

test("a grid has round degrees, as many as there is room for", () => {
  assert.deepEqual(
    toLines(114.28, 114.33, 6).map(({ text }) => text),
    ["114.28°", "114.29°", "114.30°", "114.31°", "114.32°", "114.33°"],
  );
  for (const span of [360, 41, 3.3, 0.07, 0.0012]) {
    const count = toLines(-span / 2, span / 2, 6).length;
    assert.ok(count >= 2 && count <= 14, `${count} lines over ${span} degrees`);
  }
});

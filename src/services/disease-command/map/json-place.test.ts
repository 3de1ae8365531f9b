import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findJsonFault } from "./json-place.ts";

test("the place is where a person would look", () => {
  const faults: readonly (readonly [text: string, rest: string])[] = [
    ['{"a": [}', "}"],
    ['{"a": 1,}', "}"],
    ["[1, 2,, 3]", ", 3]"],
    ["[1 2]", "2]"],
    ["{a: 1}", "a: 1}"],
    ['{"a" 1}', "1}"],
    ["[1]]", "]"],
    ["[01]", "1]"],
    ["[.5]", ".5]"],
    ["[NaN]", "NaN]"],
    ['["a\\q"]', '\\q"]'],
    ['["a\n"]', '\n"]'],
    ['["a]', ""],
    ["[1", ""],
    ["", ""],
    ["[1}", "}"],
    ["// no comments\n[1]", "// no comments\n[1]"],
  ];
  for (const [text, rest] of faults) {
    assert.throws(() => JSON.parse(text), text);
    assert.equal(text.slice(findJsonFault(text)), rest, text);
  }
});

test("all that JSON is has no fault, and what lacks its end has it there", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(findJsonFault(text), text.length);
      if (/^[[{"]/.test(text)) assert.equal(findJsonFault(text.slice(0, -1)), text.length - 1);
    }),
  );
});

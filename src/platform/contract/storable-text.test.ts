import assert from "node:assert/strict";
import { test } from "node:test";
import { isStorable, toStorable } from "#platform/contract/storable-text.ts";

test("a text is stored without what the database has no place for", () => {
  for (const [text, most, expected] of [
    ["", 3, ""],
    ["表格.xlsx", 255, "表格.xlsx"],
    ["a\0b\0", undefined, "ab"],
    ["\0\0abc", 3, "abc"],
    ["\ud800x", undefined, "\ufffdx"],
    ["ab😀", 4, "ab😀"],
    ["ab😀", 3, "ab\ufffd"],
  ] as const) {
    assert.equal(toStorable(text, most), expected);
    assert.ok(isStorable(toStorable(text, most)));
    assert.equal(isStorable(text), !/\0|^\ud800x/.test(text));
  }
});

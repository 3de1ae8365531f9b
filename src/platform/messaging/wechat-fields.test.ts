import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fitsField } from "#test/stand-ins/wechat.ts";
import { shapeField } from "./wechat-fields.ts";

const shaped: [key: string, text: string, value: string][] = [
  ["thing1", "资料齐全", "资料齐全"],
  ["thing1", "一".repeat(20), "一".repeat(20)],
  ["thing1", "一".repeat(21), `${"一".repeat(19)}…`],
  ["thing1", "第一行\r\n第二行\t末", "第一行 第二行 末"],
  ["thing1", `${"a".repeat(18)} bbb`, `${"a".repeat(18)}…`],
  ["thing1", "\u0000", "无"],
  ["thing12", "😀".repeat(20), "😀".repeat(20)],
  ["thing1", "😀".repeat(21), `${"😀".repeat(19)}…`],
  ["thing1", `${"a".repeat(18)}👨‍👩‍👧b`, `${"a".repeat(18)}…`],
  ["thing1", `${"a".repeat(18)}e\u0301zz`, `${"a".repeat(18)}…`],
  ["thing1", "a\ud800b", "a\ufffdb"],
  ["phrase1", "有效", "有效"],
  ["character_string3", "2026-01-05 09:30:15", "2026-01-05 09:30:15"],
  ["time2", "2026-01-05 09:30:15", "2026年1月5日 09:30"],
  ["date2", "2026-11-25 09:30:15", "2026年11月25日 09:30"],
];
test("a text that is not a time is sent as it is", () => {
  assert.equal(shapeField("date2", "2026-10"), "2026-10");
});

test("values are shaped to what the platform takes", () => {
  for (const [key, text, value] of shaped) {
    assert.equal(shapeField(key, text), value);
    assert.ok(fitsField(key, value), `the platform would refuse ${value}`);
  }
});

test("whatever a person types, free text becomes a value that the platform takes", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 60 }));
  fc.assert(fc.property(text, (typed) => fitsField("thing1", shapeField("thing1", typed))));
});

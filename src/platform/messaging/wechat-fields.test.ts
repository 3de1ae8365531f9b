import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fitsField } from "#test/stand-ins/wechat-limits.ts";
import { OutsideError } from "./outside-error.ts";
import { shapeField } from "./wechat-fields.ts";

const shaped: [key: string, text: string, value: string][] = [
  ["thing1", "资料齐全", "资料齐全"],
  ["thing1", "一".repeat(20), "一".repeat(20)],
  ["thing1", "一".repeat(21), `${"一".repeat(19)}…`],
  ["thing1", "第一行\r\n第二行\t末", "第一行 第二行 末"],
  ["thing1", `${"a".repeat(18)} bbb`, `${"a".repeat(18)}…`],
  ["thing1", "  ", "无"],
  ["thing1", "\u0000", "无"],
  ["thing12", "😀".repeat(20), "😀".repeat(20)],
  ["thing1", "😀".repeat(21), `${"😀".repeat(19)}…`],
  ["thing1", `${"a".repeat(18)}👨‍👩‍👧b`, `${"a".repeat(18)}…`],
  ["thing1", `${"a".repeat(18)}e\u0301zz`, `${"a".repeat(18)}…`],
  ["thing1", "a\ud800b", "a\ufffdb"],
  ["phrase1", "有效", "有效"],
  ["phrase1", "审核已经通过了", "审核已经通"],
  ["phrase1", "valid", "无"],
  ["name1", "欧阳娜娜欧阳娜娜欧阳娜", "欧阳娜娜欧阳娜娜欧阳"],
  ["name1", "Alexandria Montgomery-Smith", "Alexandria Montgomer"],
  ["name1", "测试 Alexandria", "测试 Alexandr".slice(0, 10)],
  ["name1", "12", "无"],
  ["character_string3", "订单 A-1001", "A-1001"],
  ["character_string3", "订单", "-"],
  ["character_string3", "x".repeat(40), "x".repeat(32)],
  ["symbol1", "ok!!!???", "!!!??"],
  ["letter1", "ABC", "ABC"],
  ["number1", "-12.50", "-12.50"],
  ["amount1", "¥100.50元", "¥100.50元"],
  ["phone_number01", "+86-0766-66888866", "+86-0766-66888866"],
  ["car_number1", "粤A8Z888挂", "粤A8Z888挂"],
  ["time2", "2026-01-05 09:30:15", "2026年1月5日 09:30"],
  ["time2", "2026-11-25T09:30", "2026年11月25日 09:30"],
  ["time2", "15:01", "15:01"],
  ["time2", "15:01:30", "15:01"],
  ["time2", "2019年10月1日 15:01", "2019年10月1日 15:01"],
  ["time2", "09:00 ~ 10:00", "09:00~10:00"],
  ["date2", "2026-01-05", "2026年1月5日"],
  ["date2", "2026-01-05 09:30:15", "2026年1月5日 09:30"],
  ["date2", "2026-01-05~2026-02-06", "2026年1月5日~2026年2月6日"],
  ["enum1", "通过", "通过"],
  ["novelty1", "一".repeat(30), `${"一".repeat(19)}…`],
];
for (const [key, text, value] of shaped) {
  test(`${key} of ${JSON.stringify(text)}`, () => {
    assert.equal(shapeField(key, text), value);
    if (!key.startsWith("novelty")) assert.ok(fitsField(key, value), "the platform would refuse it");
  });
}

const unfit: [key: string, text: string][] = [
  ["time1", "明天"],
  ["time1", "2026-01-05"],
  ["time1", ""],
  ["date1", "09:30"],
  ["date1", "2026-01-05 soon"],
  ["date1", "2026-01-01~2026-01-02~2026-01-03"],
  ["number1", "many"],
  ["number1", "1".repeat(33)],
  ["amount1", "12345678901元"],
  ["phone_number1", "none at all"],
  ["car_number1", "粤A8Z888挂挂挂"],
  ["letter1", "字"],
  ["enum1", " "],
];
for (const [key, text] of unfit) {
  test(`${key} cannot carry ${JSON.stringify(text)}, and the refusal does not repeat it`, () => {
    assert.throws(
      () => shapeField(key, text),
      (error) => {
        assert.ok(error instanceof OutsideError);
        assert.equal(error.message, `wechat: field ${key} cannot carry the value`);
        assert.deepEqual([error.kind, error.retryable], ["refused", false]);
        return true;
      },
    );
  });
}

test("whatever a person types, free text becomes a value that the platform takes", () => {
  const keys = fc.constantFrom("thing1", "phrase2", "name3", "character_string4", "symbol5");
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 60 }));
  fc.assert(
    fc.property(keys, text, (key, typed) => fitsField(key, shapeField(key, typed))),
    { numRuns: 3000 },
  );
});

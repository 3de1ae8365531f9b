import assert from "node:assert/strict";
import { test } from "node:test";
import { CallFailure } from "#shared/call/failure.ts";

const fail = (message: string, data: unknown = null) => new CallFailure({ code: "10001", status: 400, message, data });

test("the server's complaints find their fields, in both languages", () => {
  const zh = fail(
    "参数格式校验失败：name: 不能为空; bProduct[0]: 最多64个字符; phone: 应为5到32位的数字、空格或 + - ( )",
  );
  assert.deepEqual(
    zh.fields.map(({ field }) => field),
    ["name", "bProduct", "phone"],
  );
  assert.equal(zh.fields[0]?.message, "不能为空");
  const en = fail("Invalid parameter format: campuses[1].keywords[0]: must not be empty");
  assert.deepEqual(en.fields, [{ field: "campuses", message: "must not be empty" }]);
});

test("a sentence without a field is none", () => {
  assert.deepEqual(fail("数据已存在").fields, []);
  assert.deepEqual(fail("参数异常：只能关闭进行中的报备").fields, []);
  assert.deepEqual(fail("Wrong user name or password").fields, []);
});

test("the rows of a refused import are kept, and other data is not taken for them", () => {
  const rows = [{ row: 3, field: "姓名", message: "不能为空" }];
  assert.deepEqual(fail("文件导入失败", { errors: rows }).rows, rows);
  assert.deepEqual(fail("文件导入失败", { errors: "x" }).rows, []);
  assert.deepEqual(fail("文件导入失败").rows, []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromPersonKey, toPersonKey } from "#console/pages/attendance/grid/people.ts";

test("a person is asked for by what names them, and by the group of the row", () => {
  const person = { userId: "u1", workNumber: "w1", name: "张三", group: "行政班" };
  assert.deepEqual(fromPersonKey(toPersonKey(person)), { userId: "u1", groupOfCheck: "行政班" });
  assert.deepEqual(fromPersonKey(toPersonKey({ ...person, group: "" })), { userId: "u1" });
  assert.deepEqual(fromPersonKey(toPersonKey({ ...person, userId: "" })), { workNum: "w1", groupOfCheck: "行政班" });
  assert.deepEqual(fromPersonKey(toPersonKey({ ...person, userId: "", workNumber: "", group: "" })), { name: "张三" });
  assert.notEqual(toPersonKey(person), toPersonKey({ ...person, group: "弹性班" }));
  // An address from before the group was in it.
  assert.deepEqual(fromPersonKey("u-u1"), { userId: "u1" });
});

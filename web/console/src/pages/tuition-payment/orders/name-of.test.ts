import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf } from "#console/pages/tuition-payment/orders/name-of.ts";

test("a word that is known has its name; any other is shown as it is, whatever an object inherits", () => {
  assert.equal(nameOf({ poll: "system" }, "poll"), "system");
  for (const userName of ["zhangsan", "constructor", "toString", "__proto__"])
    assert.equal(nameOf({ poll: "system" }, userName), userName);
});

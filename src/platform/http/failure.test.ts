import assert from "node:assert/strict";
import { test } from "node:test";
import { toProblem } from "./failure.ts";

test("a full disk is a failure that passes, and says what it is", () => {
  for (const code of ["ENOSPC", "53100"]) {
    const { problem, extras } = toProblem(Object.assign(new Error("no space left on device"), { code }), {});
    assert.equal(problem, "unavailable", code);
    assert.match(extras.detail?.en ?? "", /disk is full/);
    assert.deepEqual(extras.headers, { "retry-after": "2" });
  }
});

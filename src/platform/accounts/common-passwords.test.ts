import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { findWeakness, rememberContext } from "./common-passwords.ts";

afterEach(() => rememberContext([]));

test("without words of its own a place refuses the commonest and the name alone", async () => {
  for (const password of ["library-2026", "Quintet2026", "北湖大学2026", "clerk-2026"])
    assert.equal(await findWeakness(password, "clerk"), undefined, password);
  assert.equal(await findWeakness("password1", "clerk"), "common");
  assert.equal(await findWeakness("ＣＬＥＲＫ", "clerk"), "name");
});

test("with them a password must be more than words of the place and a few characters", async () => {
  rememberContext(["tuition-payment", "Beihu", "北湖大学"]);
  const weak = `Beihu2026 beihu.2026! ＢＥＩＨＵ２０２６ 2026-Tuition payment-tuition-1 tuitionPAYMENT 北湖大学2026
    beihu-quintet-operator Clerk_2026 b.e.i.h.u.1.2`.split(/\s+/);
  for (const password of weak) assert.equal(await findWeakness(password, "clerk"), "context", password);
  const strong = [
    "beihu-horse-9",
    "tuition sunrise",
    "clerks go home",
    "correct-horse-9",
    "!!!!!!!!!",
    "北湖边的白鹭飞",
  ];
  for (const password of strong) assert.equal(await findWeakness(password, "clerk"), undefined, password);
  assert.equal(await findWeakness("Admin123", "clerk"), "common");
});

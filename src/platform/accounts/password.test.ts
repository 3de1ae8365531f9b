import assert from "node:assert/strict";
import { test } from "node:test";
import { useFullPasswordCosts } from "#test/app.ts";
import { hashPassword, verifyPassword } from "./password.ts";

test("a hash costs what OWASP asks for at least, and is that of its password", async (t) => {
  useFullPasswordCosts(t);
  const hash = await hashPassword("correct-horse-9");
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await verifyPassword("correct-horse-9", hash, "login"), true);
  assert.equal(await verifyPassword("wrong-horse-9", hash, "login"), false);
});

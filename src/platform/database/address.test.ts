import assert from "node:assert/strict";
import { test } from "node:test";
import { readDatabaseAddress } from "#platform/database/index.ts";

test("an address without what is ours stays as it is, to the letter", () => {
  const url = "postgres://u:%40p@%2Ftmp%2Fa%2Cb:5432/d?application_name=a b";
  assert.equal(readDatabaseAddress(url), url);
});

test("what is said of TLS is read as PostgreSQL's own tools read it, and of a socket not at all", () => {
  const address = "postgres://u@h:5/d?application_name=a&sslmode=require";
  assert.equal(readDatabaseAddress(address), `${address}&uselibpqcompat=true`);
  assert.equal(readDatabaseAddress("postgres://u@%2Ftmp/d?sslmode=require"), "postgres://u@%2Ftmp/d");
});

for (const wrong of [
  "",
  "localhost/d",
  "mysql://h/d",
  "postgres://h:99999/d",
  "postgres://one:1,two:99999/d",
  "postgresql://u:p@one,two:5433,[::1]:5434/d",
  "postgres://h/d?ssl=true",
  "postgres://h/d?sslmode=prefer",
  "postgres://h/d?sslrootcert=/x",
  "postgres://h/d?sslmode=verify-ca",
  "postgres://h/d?sslmode=require&sslrootcert=/nowhere/at/all",
])
  test(`${wrong || "nothing"} is refused in one line without the address`, () => {
    assert.throws(
      () => readDatabaseAddress(wrong),
      (error: Error) =>
        /^(?:ssl(?:mode|rootcert)(?:=\S+)? )?(?:must|requires) [^\n]+$/.test(error.message) &&
        !error.message.includes("99999"),
    );
  });

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp, testPassword } from "#test/app.ts";

const app = await startTestApp({ services: ["reporting", "tuition-payment"] });
const { pool } = app;
const { token } = await app.signIn("platform");
const password = "correct-horse-9";

const login = async (userName: string) =>
  (await app.call("POST", "/reporting/user/login", { body: { userName, password: testPassword } })).json;
const add = async (userName: string) =>
  (await app.call("POST", "/reporting/user/add", { token, body: { userName, name: "x", password } })).json.code;
const saveOperator = async (userName: string) =>
  (await app.call("POST", "/platform/operator/save", { token, body: { userName, password } })).json.code;
const alike = [
  "LIBRARY",
  "library ",
  "\u3000library",
  "ｌｉｂｒａｒｙ",
  "libr\u0430ry",
  "lib\u200Brary",
  "\u{1D425}ibrary",
];

describe("names that look alike", () => {
  test("are one name: a second account is refused, wherever a login would mix them up", async () => {
    assert.equal(await add("library"), "0");
    for (const name of alike) {
      assert.equal(await add(name), "10004", JSON.stringify(name));
      assert.equal(await saveOperator(name), "10004", JSON.stringify(name));
    }
    for (const name of ["library-2", "1ibrary", "lib rary", "lìbrary", "图书馆", "图书"])
      assert.equal(await add(name), "0", name);
    const [other] = await pool`select id from platform.account where user_name = 'library-2'`;
    const rename = async (userName: string) =>
      (await app.call("PUT", "/reporting/user/update", { token, body: { id: other?.["id"], userName } })).json.code;
    assert.equal(await rename("LIBRARY"), "10004");
    assert.equal(await rename("Library-2"), "0");
  });

  test("of two at once one is made", async () => {
    const codes = await Promise.all(alike.map((name) => add(name.replace(/l|ｌ|L/u, "M"))));
    assert.deepEqual(codes.sort(), ["0", ...Array<string>(alike.length - 1).fill("10004")]);
  });

  test("log in as the one", async () => {
    for (const name of ["library", ...alike]) {
      const { code, data } = await login(name);
      assert.deepEqual([code, data?.userName], ["0", "library"], JSON.stringify(name));
    }
  });

  test("of which nothing can be seen are none", async () => {
    for (const name of ["\u200B", "\u3164\u200D", "\u2800"])
      assert.equal(await add(name), "10001", JSON.stringify(name));
    assert.equal(await add("x".repeat(256)), "10026");
    assert.equal(await add("\u0315\u0316".repeat(500_000)), "10026");
  });
});

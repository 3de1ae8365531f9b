import assert from "node:assert/strict";
import { constants, createPublicKey, publicEncrypt } from "node:crypto";
import { test } from "node:test";
import { createOperator, setOperatorPassword } from "#platform/accounts/operators/index.ts";
import { Problem } from "#platform/contract/problem.ts";
import { startTestApp, testPassword } from "#test/app.ts";
import { startCommand } from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { everydayPasswords, passphrases } from "#test/password-lists.ts";
import { findWeakness } from "./password-strength.ts";

const app = await startTestApp({ services: ["reporting"] });
const { id, token, userName } = await app.signIn("platform");
const codeOf = async (method: string, path: string, body: object): Promise<string> =>
  (await app.call(method, path, { token, body })).json.code;

test("of everyday passwords none is accepted, of phrases that dice have made none is refused", () => {
  assert.ok(new Set(everydayPasswords).size >= 200 && new Set(passphrases).size >= 200);
  const isAccepted = (password: string) => findWeakness(password, "made") === undefined;
  assert.deepEqual(everydayPasswords.filter(isAccepted), []);
  assert.deepEqual(
    passphrases.filter((phrase) => !isAccepted(phrase)),
    [],
  );
});

test("it is the same at every door", async () => {
  const weak = "Aa@123456";
  const { json } = await app.call("GET", "/platform/publicKey");
  const key = createPublicKey({ key: Buffer.from(json.data, "base64"), format: "der", type: "spki" });
  const encrypt = (text: string): string =>
    publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, Buffer.from(text)).toString(
      "base64",
    );
  const clerk = await app.signIn("reporting");
  const own = { id, password: encrypt(testPassword), newPassword: encrypt(weak) };
  for (const [method, path, body] of [
    ["POST", "/platform/operator/save", { userName: "weak", password: weak }],
    ["PUT", "/platform/operator/update", { id, password: weak }],
    ["PUT", "/platform/updatePassword", own],
    ["POST", "/reporting/user/add", { userName: "weak", name: "weak", password: weak }],
    ["PUT", "/reporting/user/update", { id: clerk.id, password: weak }],
  ] as const)
    assert.equal(await codeOf(method, path, body), "10001", path);
  const isRefused = (error: unknown): boolean => error instanceof Problem && error.problem === "badFormat";
  await assert.rejects(createOperator(app.pool, [], { userName: "weak", password: weak }), isRefused);
  await assert.rejects(setOperatorPassword(app.pool, { userName, password: weak }), isRefused);
});

test("the first start ends with 2 and makes nobody for an OPERATOR_PASSWORD that is guessed early", async () => {
  const { pool, url } = await createTestDatabase();
  const settings = { PORT: "0", DATA_DIR: app.dataDir, STUDENT_IDENTITY: "demo", DATABASE_URL: url };
  const start = startCommand(["serve"], { ...settings, OPERATOR_PASSWORD: "Admin@123" }, app.dataDir);
  assert.equal((await start.ended).code, 2);
  assert.match(start.output().err, /^Invalid settings:\n {2}OPERATOR_PASSWORD: [^\n]+\nRun "quintet settings"/);
  assert.doesNotMatch(start.output().err, /Admin@123/);
  assert.equal((await pool`select from platform.account`).length, 0);
});

test("the name is weak, and what is made of it, of numbers of a person, or of what repeats", () => {
  for (const [password, weakness] of [
    ["ＣＬＥＲＫ", "name"],
    ["clerk-2026", "common"],
    ["abcabcabc", "common"],
    ["31415926535", "common"],
    ["wang13800138000", "common"],
    ["密码密码密码密码", "common"],
    ["correct-horse-9", undefined],
    ["p@ssw0rd".repeat(16), "common"],
  ] as const)
    assert.equal(findWeakness(password, "clerk"), weakness, password);
});

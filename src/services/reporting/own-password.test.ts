import assert from "node:assert/strict";
import { constants, createPublicKey, publicEncrypt, randomBytes } from "node:crypto";
import { test } from "node:test";
import { type SignedIn, startTestApp, testPassword } from "#test/app.ts";

const app = await startTestApp({ services: ["reporting"] });
const call = async (method: string, operation: string, by: SignedIn | undefined, body?: unknown) =>
  (await app.call(method, `/reporting/user/${operation}`, { token: by?.token, body })).json;
const login = async (userName: string, password: string, at = "/reporting/user/login") =>
  (await app.call("POST", at, { body: { userName, password } })).json;
const isSignedIn = async (who: SignedIn): Promise<boolean> => (await call("GET", "list", who)).code === "0";

const { data: spki } = await call("GET", "publicKey", undefined);
const key = createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" });
const oaep = (text: string) => publicEncrypt({ key, oaepHash: "sha256" }, Buffer.from(text)).toString("base64");
const v15 = (text: string) =>
  publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text)).toString("base64");
/** Encrypts as an old version of JSEncrypt does, which drops a leading zero byte of the cipher text. */
const short = (text: string): string => {
  for (let tries = 0; tries < 10_000; tries++) {
    const bytes = Buffer.from(v15(text), "base64");
    if (bytes[0] === 0) return bytes.subarray(1).toString("base64");
  }
  throw new Error("no cipher text began with a zero byte");
};
const change = (who: SignedIn, password: string, newPassword: string, id = who.id) =>
  call("PUT", "updatePassword", who, { id, password, newPassword });

test("the key is one of 2048 bits on one line, and stays", async () => {
  assert.equal(key.asymmetricKeyDetails?.modulusLength, 2048);
  assert.match(spki, /^[A-Za-z0-9+/]+=*$/);
  assert.equal((await call("GET", "publicKey", undefined)).data, spki);
});

for (const [how, encrypt] of Object.entries({ oaep, v15, short })) {
  test(`changes with ${how}, and every session ends`, async () => {
    const who = await app.signIn("reporting");
    assert.equal((await change(who, encrypt(testPassword), encrypt("新密码是旧的马九号"))).data, "1");
    assert.equal(await isSignedIn(who), false);
    assert.equal((await login(who.userName, testPassword)).code, "10009");
    assert.equal((await login(who.userName, "新密码是旧的马九号")).code, "0");
  });
}

test("what does not decrypt is answered as a wrong old password", async () => {
  const who = await app.signIn("reporting");
  const other = await app.signIn("reporting");
  const answers = [
    await change(who, oaep("wrong-horse"), oaep("newer-horse-8")),
    await change(who, "!", oaep("newer-horse-8")),
    await change(who, "plain text", "plain text"),
    await change(who, randomBytes(256).toString("base64"), oaep("newer-horse-8")),
    await change(other, randomBytes(257).toString("base64"), oaep("newer-horse-8")),
    await change(other, oaep(testPassword), randomBytes(300).toString("base64")),
  ];
  for (const answer of answers) assert.deepEqual(answer, { ...answers[0], code: "10007" });
  assert.equal((await change(who, oaep(testPassword), oaep("short"))).code, "10001");
  assert.equal((await change(who, oaep(testPassword), oaep("newer-horse-8"), who.id + 1)).code, "10008");
  const nobodys = { password: oaep(testPassword), newPassword: oaep("newer-horse-8") };
  assert.equal((await call("PUT", "updatePassword", who, nobodys)).code, "10023");
  assert.ok(await isSignedIn(who));
});

const wrong = (who: SignedIn) => change(who, oaep("wrong-horse"), oaep("next-horse-7"));
const right = (who: SignedIn) => change(who, oaep(testPassword), oaep("next-horse-7"));

test("wrong old passwords count like failed logins, are audited like them, and lock like them", async () => {
  const who = await app.signIn("reporting");
  for (let time = 0; time < 5; time++) assert.equal((await wrong(who)).code, "10007");
  const locked = await app.call("PUT", "/reporting/user/updatePassword", {
    token: who.token,
    body: { id: who.id, password: oaep(testPassword), newPassword: oaep("next-horse-7") },
  });
  assert.deepEqual([locked.status, locked.json.code], [423, "20002"]);
  assert.ok(Number(locked.headers.get("retry-after")) > 590);
  assert.equal((await login(who.userName, testPassword)).code, "20002");
  assert.ok(await isSignedIn(who));
  const lines = await app.pool`
    select outcome, detail->>'problem' as problem, service, address, account_id from platform.audit
    where action = 'updatePassword' and user_name = ${who.userName} order by id`;
  const problems = [...Array<string>(5).fill("notAllowedNow"), "accountLocked"];
  assert.deepEqual(
    lines.map((line) => Object.values(line)),
    problems.map((problem) => ["failed", problem, "reporting", "127.0.0.1", who.id]),
  );
  await app.pool`delete from platform.login_failure`;
  assert.equal((await right(who)).data, "1");
});

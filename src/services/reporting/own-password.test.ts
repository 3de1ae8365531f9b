import assert from "node:assert/strict";
import { constants, createPublicKey, publicEncrypt, randomBytes } from "node:crypto";
import { test } from "node:test";
import { type SignedIn, startTestApp, testPassword } from "#test/app.ts";

// One's own password is changed with both passwords encrypted.

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
/** As old JSEncrypt does: a cipher text that began with a zero byte, without it. */
const short = (text: string): string => {
  for (;;) {
    const bytes = Buffer.from(v15(text), "base64");
    if (bytes[0] === 0) return bytes.subarray(1).toString("base64");
  }
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
    assert.equal((await change(who, encrypt(testPassword), encrypt("新密码新密码新密码"))).data, "1");
    assert.equal(await isSignedIn(who), false);
    assert.deepEqual(
      [(await login(who.userName, testPassword)).code, (await login(who.userName, "新密码新密码新密码")).code],
      ["10009", "0"],
    );
  });
}

test("what does not decrypt is answered as a wrong old password", async () => {
  const who = await app.signIn("reporting");
  const answers = [
    await change(who, oaep("wrong-horse"), oaep("new-password")),
    await change(who, "!", oaep("new-password")),
    await change(who, "plain text", "plain text"),
    await change(who, randomBytes(256).toString("base64"), oaep("new-password")),
    await change(who, randomBytes(257).toString("base64"), oaep("new-password")),
    await change(who, oaep(testPassword), randomBytes(300).toString("base64")),
  ];
  for (const answer of answers) assert.deepEqual(answer, { ...answers[0], code: "10007" });
  assert.equal((await change(who, oaep(testPassword), oaep("short"))).code, "10001");
  assert.equal((await change(who, oaep(testPassword), oaep("new-password"), who.id + 1)).code, "10008");
  assert.equal(
    (await call("PUT", "updatePassword", who, { password: oaep(testPassword), newPassword: oaep("new-password") }))
      .code,
    "10001",
  );
  assert.ok(await isSignedIn(who));
});

test("an operator changes theirs here as well", async () => {
  const who = await app.signIn("platform");
  assert.equal((await change(who, oaep(testPassword), v15("operators-horse"))).data, "1");
  assert.equal((await login(who.userName, "operators-horse", "/platform/login")).code, "0");
});

import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { test } from "node:test";
import { decrypt, encrypt } from "./cipher.ts";

const keys = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };
const plain = '{"card_number":"07302590","name":"陈小明","identity_type":1}';
const hex =
  "b275c11a5807435842c5fcaaa282f46a6e1838b7220a57361731cdf7fcad3d77138781b16c818f038eef44eeff5dfb1df2e5985c8643d5546f2c1083d4753b71";

const encryptPadded = (padded: Buffer): Buffer => {
  const iv = keys.appSecret.slice(0, 16);
  const cipher = createCipheriv("aes-128-cbc", keys.appKey, iv).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded), cipher.final()]);
};

test("the published vectors, both ways", () => {
  const known = { appKey: "1234567890123456", appSecret: "0123456789123456" };
  assert.equal(decrypt("90b2c15e84cb78e5161f42867807c4bc", known)?.toString(), "12345");
  assert.equal(encrypt("12345", known), "90b2c15e84cb78e5161f42867807c4bc");
  assert.equal(decrypt(hex, keys)?.toString(), plain);
  assert.equal(encrypt(plain, keys), hex);
});

test("hex in capitals, base64, base64 in lines", () => {
  const base64 = Buffer.from(hex, "hex").toString("base64");
  for (const text of [hex.toUpperCase(), base64, base64.replace(/(.{40})/g, "$1\r\n")])
    assert.equal(decrypt(text, keys)?.toString(), plain);
});

test("any number of zeros, and PKCS#7, are cut off", () => {
  for (let length = 2; length <= 33; length++) {
    const text = `{${" ".repeat(length - 2)}}`;
    const zeros = Buffer.alloc(Math.ceil(length / 16) * 16 + 16);
    zeros.write(text);
    assert.equal(
      decrypt(encryptPadded(zeros).toString("hex"), keys)?.toString(),
      text,
      `${length} and a block of zeros`,
    );
    assert.equal(decrypt(encrypt(text, keys), keys)?.toString(), text, `${length} and zeros`);
    const count = 16 - (length % 16);
    const pkcs7 = Buffer.concat([Buffer.from(text), Buffer.alloc(count, count)]);
    assert.equal(decrypt(encryptPadded(pkcs7).toString("hex"), keys)?.toString(), text, `${length} and PKCS#7`);
  }
});

test("what is no whole number of blocks in hex or base64 is not decrypted", () => {
  for (const text of ["", "zz", "abc", hex.slice(1), hex.slice(0, -2), `${hex}!`, "=", "AAAA", "b2 75", "\u0000"])
    assert.equal(decrypt(text, keys), undefined, JSON.stringify(text.slice(0, 20)));
});

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { isSigned } from "./identify.ts";

const secret = "sixteen letters.";
const nowMs = Date.UTC(2026, 10, 20, 1, 30, 0);
const check = { secret, nowMs, zone: "Asia/Shanghai" };
const hmac = (text: string, key = secret): string => createHmac("sha256", key).update(text).digest("hex");
const signedAt = (time: string, sign = hmac(`2022010001.${time}`)) =>
  isSigned({ cardNumber: "2022010001", time, sign }, check);
const seconds = (offset: number): string => String(nowMs / 1000 + offset);

test("a known signature is taken", () => {
  // Worked out with openssl: printf '2022010001.1795138200' | openssl dgst -sha256 -hmac 'sixteen letters.'
  assert.equal(seconds(0), "1795138200");
  assert.ok(signedAt("1795138200", "5b72f8050554e05b60c179d6e42578d19d4968737f2f359f25278a14c0db821d"));
});

test("seconds, milliseconds and the wire's date and time name the moment", () => {
  for (const time of [seconds(0), String(nowMs), "2026-11-20 09:30:00"]) assert.ok(signedAt(time), time);
  assert.ok(signedAt(seconds(0), hmac(`2022010001.${seconds(0)}`).toUpperCase()));
});

test("five minutes are the limit, to both sides", () => {
  for (const offset of [-300, 300]) assert.ok(signedAt(seconds(offset)));
  for (const offset of [-301, 301]) assert.ok(!signedAt(seconds(offset)));
});

test("anything else is no signature", () => {
  const time = seconds(0);
  const wrong = [
    "",
    "0",
    hmac(`2022010001.${time}`).slice(1),
    `${hmac(`2022010001.${time}`)}0`,
    hmac(`2022010002.${time}`),
    hmac(`2022010001${time}`),
    hmac(`2022010001.${time}`, "another secret!!"),
    "0".repeat(64),
    "z".repeat(64),
  ];
  for (const sign of wrong) assert.ok(!signedAt(time, sign), sign);
  for (const odd of ["", "now", "1e9", "-1795138200", "17951382", "2026-02-30 09:30:00", `${time} `])
    assert.ok(!signedAt(odd), odd);
});

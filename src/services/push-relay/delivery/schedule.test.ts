import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, cutOff } from "#platform/outbound/send.ts";
import { openPace } from "./pace.ts";
import { planOutcome } from "./schedule.ts";
import { readKey, sign } from "#platform/outbound/signature.ts";

const stepsSeconds = [5, 300, 1800];
const answerOf = (statusCode: number | null, retryAfter: string | null = null): Answer => ({
  statusCode,
  retryAfter,
  error: "",
  response: null,
});
const plan = (answer: Answer, failures = 0, random = 0.5, nowMs = 0) =>
  planOutcome({ failures, answer, stepsSeconds, nowMs, random });

test("2xx is delivered, and nothing else", () => {
  for (const code of [200, 201, 204, 299]) assert.equal(plan(answerOf(code)).kind, "delivered");
  for (const code of [null, 300, 302, 304, 400, 401, 404, 410, 429, 500, 503])
    assert.equal(plan(answerOf(code)).kind, "retry");
});

test("each failure waits for its step, give or take a fifth, and after the last it is dead", () => {
  for (const [random, delayMs] of [4000, 5000, 6000].entries())
    assert.equal(plan(answerOf(500), 0, random / 2).delayMs, delayMs);
  for (const [failures, seconds] of stepsSeconds.entries())
    assert.equal(plan(answerOf(null), failures).delayMs, seconds * 1000);
  assert.equal(plan(answerOf(500), 3).kind, "dead");
});

test("Retry-After is obeyed with 429 and 503, up to twice the step and not below it", () => {
  assert.equal(plan(answerOf(429, "8")).delayMs, 8000);
  assert.equal(plan(answerOf(503, "3600")).delayMs, 10_000);
  assert.equal(plan(answerOf(503, "0")).delayMs, 5000);
  assert.equal(plan(answerOf(500, "8")).delayMs, 5000);
  const nowMs = Date.parse("2026-11-20T12:00:00Z");
  assert.equal(plan(answerOf(429, "Fri, 20 Nov 2026 12:00:09 GMT"), 0, 0.5, nowMs).delayMs, 9000);
  for (const text of ["soon", "-5", "1e9", "Fri, 99 Nov"]) assert.equal(plan(answerOf(429, text)).delayMs, 5000, text);
});

test("the gone receiver's event waits, even after the last step, and so does one that a stop cut off", () => {
  const waits = { kind: "retry", delayMs: 0 };
  assert.deepEqual(plan(answerOf(410), 3), waits);
  assert.deepEqual(plan({ ...answerOf(null), error: cutOff }, 3), waits);
});

test("the signature is that of the specification's example, and both secrets sign during a change", () => {
  const key = readKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const body = Buffer.from('{"test": 2432232314}');
  const headers = sign("msg_p5jXN8AQM9LWM0D4loKWxJek", body, [key, key], 1_614_265_330_500);
  assert.equal(headers["webhook-timestamp"], "1614265330");
  const expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
  assert.equal(headers["webhook-signature"], `${expected} ${expected}`);
});

test("a project that only fails is tried twenty times a second, until it answers", () => {
  let nowMs = 0;
  const pace = openPace(16, () => nowMs);
  for (let count = 0; count < 20; count++) {
    assert.equal(pace.begin(), 0);
    pace.finish(false, 1);
  }
  assert.equal(pace.begin(), 0);
  assert.equal(pace.begin(), 50);
  nowMs += 50;
  assert.equal(pace.begin(), 0);
  pace.finish(true, 1);
  assert.deepEqual([pace.begin(), pace.begin()], [0, 0]);
});

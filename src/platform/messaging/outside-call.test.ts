import assert from "node:assert/strict";
import { after, test } from "node:test";
import { z } from "zod";
import { startLoopback } from "#test/stand-ins/loopback.ts";
import type { Fault } from "#test/stand-ins/loopback.ts";
import { failOf as failureOf } from "#test/stand-ins/outside-failure.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { callOutside, OutsideError } from "./outside-call.ts";

const server = await startLoopback(({ path }) => ({ type: "text/plain", body: { path, surplus: 1 } }));
after(() => server.close());

function ask(baseUrl: string, more: { timeoutMs?: number; body?: object } = {}) {
  return callOutside({
    service: "wechat",
    url: joinUrl(baseUrl, "/call", { secret: "hidden-secret" }),
    timeoutMs: 2000,
    answer: z.object({ path: z.string() }),
    toError: (errcode) =>
      new OutsideError("said no", { service: "wechat", kind: "refused", retryable: false, errcode }),
    ...more,
  });
}

async function failOf(promise: Promise<unknown>): Promise<OutsideError> {
  const error = await failureOf(promise);
  assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /hidden-secret|127\.0\.0\.1/);
  assert.equal(error.cause, undefined);
  return error;
}

test("JSON as text/plain is read, and what the schema does not name is left out", async () => {
  assert.deepEqual(await ask(server.url), { path: "/call" });
});

const passing: [string, Fault, RegExp][] = [
  ["a connection cut off", "reset", /no connection, [A-Z_]+|closed without a response/],
  ["an HTML page", { status: 200, body: "<html></html>" }, /unexpected response/],
  ["an empty body", { status: 200, body: "" }, /unexpected response/],
  ["another shape", { status: 200, body: '{"path":7}' }, /unexpected response/],
  ["JSON null", { status: 200, body: "null" }, /unexpected response/],
  ["a body over the bound", "oversized", /larger than 65536 bytes/],
  [
    "a redirect",
    { status: 302, headers: { location: "http://127.0.0.1:1/" } },
    /a proxy instead of the service \(status 302\)/,
  ],
];
test("what is no usable answer is unavailable, and may be tried again", async () => {
  for (const [title, fault, message] of passing) {
    server.fail(fault);
    const { kind, retryable, message: said } = await failOf(ask(server.url));
    assert.deepEqual([kind, retryable], ["unavailable", true], title);
    assert.match(said, message, title);
  }
});

test("a redirect is not followed: the secret stays", async () => {
  server.fail({ status: 307, headers: { location: `${server.url}/elsewhere` } });
  await failOf(ask(server.url, { body: {} }));
  assert.equal(server.countOf("/elsewhere"), 0);
});

for (const fault of ["silent", "stalled"] as const) {
  test(`an answer that is ${fault} ends at the time-out`, async () => {
    server.fail(fault);
    const startedMs = performance.now();
    const { kind, retryable, message } = await failOf(ask(server.url, { timeoutMs: 100 }));
    assert.deepEqual([kind, retryable, message], ["unavailable", true, "wechat: no response within 100 ms"]);
    assert.ok(performance.now() - startedMs < 1500);
  });
}

test("a status of 500 without an errcode is unavailable, with its Retry-After", async () => {
  server.fail({ status: 503, body: "busy", headers: { "retry-after": "7" } });
  const { kind, status, retryable, retryAfterMs } = await failOf(ask(server.url));
  assert.deepEqual([kind, status, retryable, retryAfterMs], ["unavailable", 503, true, 7000]);
});

test("an errcode counts whatever the status, and as text too", async () => {
  for (const status of [200, 400, 500]) {
    server.fail({ status, body: '{"errcode":"40003"}' });
    const { kind, errcode } = await failOf(ask(server.url));
    assert.deepEqual({ kind, errcode }, { kind: "refused", errcode: 40003 });
  }
});

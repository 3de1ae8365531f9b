import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { createRandom } from "#test/crash/random.ts";
import { Malformed, readAnswers } from "./answers.ts";
import { fuzzEdge } from "./fuzz.ts";
import { shapes } from "./shapes.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const mutated = 150;

test("whatever comes for a request: no 500, no answer to another, and what is in doubt is closed", async (t) => {
  const app = await startTestApp();
  const callers = [await app.signIn("platform"), await app.signIn("platform")];
  const { shots, answers, faults } = await fuzzEdge(
    { url: app.url, logged: app.logged, callers },
    { random: createRandom(seed), least: mutated, forMs: 0 },
  );
  t.diagnostic(`SEED=${seed}: ${shots} connections, ${answers} answers`);
  assert.deepEqual(faults, [], `SEED=${seed}`);
  assert.ok(shots >= Object.keys(shapes).length + mutated);
});

const sound = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

for (const [what, text] of Object.entries({
  "no status": "HTTP/1.1 OK\r\n\r\n",
  "a header twice": "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nContent-Length: 0\r\n\r\n",
  "a body that is too short": sound.slice(0, -1),
  "a body that is too long": `${sound}{`,
  "an answer within another":
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\nHTTP/1.1 400 Bad Request\r\n\r\n",
}))
  test(`an answer that is none is found: ${what}`, () => {
    assert.throws(() => readAnswers(Buffer.from(text)), Malformed);
  });

test("answers that are some are read, one after the other", () => {
  const chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
  const bodies = readAnswers(Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${sound}${chunks}`)).map(({ body }) => body);
  assert.deepEqual(bodies, ["{}", "{}"]);
});

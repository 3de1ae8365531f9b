import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { batchLines } from "./batched-log.ts";

function collect() {
  const written: string[] = [];
  let flushed = 0;
  const target = { write: (text: string) => written.push(text), flushSync: () => flushed++ };
  return { written, lines: batchLines(target), countFlushed: () => flushed };
}

test("lines wait for one another, a quarter of a second at most", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { written, lines } = collect();
  lines.write("one\n");
  t.mock.timers.tick(200);
  lines.write("two\n");
  assert.deepEqual(written, []);
  t.mock.timers.tick(50);
  assert.deepEqual(written, ["one\ntwo\n"]);
  lines.write("three\n");
  t.mock.timers.tick(249);
  assert.equal(written.length, 1);
  t.mock.timers.tick(1);
  assert.deepEqual(written, ["one\ntwo\n", "three\n"]);
  t.mock.timers.tick(10_000);
  assert.equal(written.length, 2);
});

test("what has gathered is there when it is asked for, and before a fatal line returns", () => {
  const { written, lines, countFlushed } = collect();
  lines.write("one\n");
  lines.flushSync();
  assert.deepEqual(written, ["one\n"]);
  assert.equal(countFlushed(), 1);
  const log = pino({}, lines);
  log.info("a line");
  assert.equal(written.length, 1);
  log.fatal("the end");
  assert.match(written[1] ?? "", /"a line".*\n.*"the end"/);
});

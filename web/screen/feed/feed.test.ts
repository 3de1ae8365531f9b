import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Feed, type Line, keepUnchanged, type News, startFeed } from "#screen/feed/feed.ts";

function open(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  const lines: (Line & { readonly close: () => void })[] = [];
  const reads: PromiseWithResolvers<number>[] = [];
  const signals: AbortSignal[] = [];
  const news: News<number>[] = [];
  const feed: Feed = startFeed<number>(
    {
      follow: (line) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        lines.push({ ...line, close: resolve });
        line.signal.addEventListener("abort", () => resolve());
        return promise;
      },
      read: (signal) => {
        const read = Promise.withResolvers<number>();
        reads.push(read);
        signals.push(signal);
        signal.addEventListener("abort", () => read.reject(new Error("given up")));
        return read.promise;
      },
    },
    (one) => news.push(one),
  );
  t.after(() => feed.stop());
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const line = () => lines.at(-1) ?? assert.fail("no line was opened");
  return { feed, lines, reads, signals, news, line, pass };
}

test("what is there is read once the line is open, and again when it changes", async (t) => {
  const { line, reads, news, pass } = open(t);
  assert.equal(reads.length, 0, "nothing is read before changes are heard of");
  line().opened();
  await pass(100);
  reads[0]?.resolve(1);
  await pass(0);
  assert.deepEqual(news, [{ kind: "read", data: 1 }]);
  line().changed();
  await pass(1000);
  assert.equal(reads.length, 2);
});

test("a flood of changes is one read at a time, two a second, and the last change is read", async (t) => {
  const { line, reads, pass } = open(t);
  line().opened();
  for (let n = 0; n < 500; n++) {
    line().changed();
    line().heard();
    await pass(10);
    reads.at(-1)?.resolve(n);
  }
  assert.ok(reads.length >= 9 && reads.length <= 11, `${reads.length} reads in 5 s`);
  const before = reads.length;
  line().changed();
  await pass(1000);
  reads.at(-1)?.resolve(0);
  await pass(0);
  assert.equal(reads.length, before + 1);
  await pass(5000);
  assert.equal(reads.length, before + 1, "who is not told of a change reads nothing");
});

test("a change that comes while one is read is read after it", async (t) => {
  const { line, reads, news, pass } = open(t);
  line().opened();
  await pass(100);
  line().changed();
  await pass(3000);
  assert.equal(reads.length, 1);
  reads[0]?.resolve(1);
  await pass(0);
  await pass(1000);
  assert.equal(reads.length, 2);
  reads[1]?.resolve(2);
  await pass(0);
  assert.deepEqual(news.at(-1), { kind: "read", data: 2 });
});

test("silence is a cut line: told within 15 s, with the time until which the data were so, and tried again", async (t) => {
  const { line, lines, reads, news, pass } = open(t);
  line().opened();
  line().heard();
  await pass(100);
  reads[0]?.resolve(1);
  await pass(0);
  await pass(4900);
  line().heard();
  const untilMs = Date.now();
  await pass(11_999);
  assert.equal(news.length, 1);
  await pass(1);
  assert.deepEqual(news.at(-1), { kind: "cut", untilMs });
  // The browser's pooled connections are dead too; the feed gives up on each of the five after 2 s.
  for (let kept = 0; kept < 5; kept++) {
    assert.equal(lines.length, 2 + kept);
    await pass(2000);
  }
  await pass(3000);
  assert.equal(lines.length, 7);
  await pass(8000);
  await pass(3000);
  assert.equal(lines.length, 8);
  line().opened();
  await pass(1000);
  reads.at(-1)?.resolve(2);
  await pass(0);
  assert.deepEqual(news.at(-1), { kind: "read", data: 2 });
});

test("a read without an answer is given up, and tried once more", async (t) => {
  const { line, reads, signals, news, pass } = open(t);
  line().opened();
  await pass(100);
  for (let n = 0; n < 3; n++) {
    line().heard();
    await pass(2000);
  }
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
  reads[1]?.resolve(2);
  await pass(0);
  assert.deepEqual(news, [{ kind: "read", data: 2 }]);
});

test("what cannot be read is a cut line too, and no line is left open beside another", async (t) => {
  const { line, lines, reads, news, pass } = open(t);
  for (let n = 0; n < 5; n++) {
    line().opened();
    await pass(100);
    reads.at(-1)?.reject(new Error("503"));
    await pass(0);
    assert.deepEqual(news.at(-1), { kind: "cut", untilMs: undefined });
    await pass(3000);
  }
  assert.equal(lines.length, 6);
  assert.equal(lines.filter(({ signal }) => !signal.aborted).length, 1);
});

test("a line that may be back is tried at once, and a feed that has stopped tries none", async (t) => {
  const { feed, line, lines, news, pass } = open(t);
  line().close();
  await pass(0);
  feed.retry();
  await pass(0);
  assert.equal(lines.length, 2);
  feed.stop();
  await pass(60_000);
  assert.equal(lines.length, 2);
  assert.equal(news.length, 1);
});

test("parts that have not changed stay the very same", () => {
  const before = { spots: [{ id: 1 }], theme: null };
  const after = keepUnchanged(before, { spots: [{ id: 1 }], theme: { id: 2 } } as never);
  assert.equal(after.spots, before.spots);
  assert.deepEqual(after.theme, { id: 2 });
});

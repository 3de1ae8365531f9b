import assert from "node:assert/strict";
import { test } from "node:test";
import { openFraming, readLength } from "#platform/message-framing.ts";

const message = (letter: string, bytes: number): Buffer => {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeUInt32BE(bytes + 4, 1);
  return Buffer.concat([head, Buffer.alloc(bytes, 1)]);
};
const stream = Buffer.concat([
  message("T", 30),
  message("D", 300),
  message("C", 9),
  message("Z", 1),
  message("D", 70_000),
]);

/** Whether the bytes are whole messages to the end. */
function isWhole(bytes: Buffer): boolean {
  let at = 0;
  while (at + 5 <= bytes.length) at += 1 + bytes.readUInt32BE(at + 1);
  return at === bytes.length;
}

test("wherever a stream is cut off, it can be made whole", () => {
  for (let end = 0; end <= stream.length; end += end < 700 ? 1 : 997) {
    for (const step of [1, 3, 7, 64, stream.length]) {
      if (step < 64 && end > 700) continue;
      const framing = openFraming();
      for (let at = 0; at < end; at += step) framing.follow(stream.subarray(at, Math.min(end, at + step)));
      const whole = Buffer.concat([stream.subarray(0, end), framing.complete()]);
      assert.ok(isWhole(whole), `cut at ${end}, in steps of ${step}`);
      assert.equal(framing.countReady(), end >= 359 ? 1 : 0, `cut at ${end}`);
    }
  }
});

test("a message has a length once it is here to the end", () => {
  const first = message("T", 30);
  for (let end = 0; end < first.length; end++) assert.equal(readLength(first.subarray(0, end)), undefined);
  assert.equal(readLength(first), first.length);
  assert.equal(readLength(stream), first.length);
});

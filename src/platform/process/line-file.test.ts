import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { openLineFile } from "./line-file.ts";

const full = { skip: process.platform !== "linux" && "/dev/full is Linux's" };

for (const sync of [true, false])
  test(`a full disk costs lines, sync ${sync}, not the process`, full, async () => {
    const file = openLineFile("/dev/full", { sync });
    for (let line = 0; line < 3; line++) {
      const failed = once(file, "error");
      file.write(`${"x".repeat(1000)}\n`);
      await failed.catch(() => undefined);
    }
    file.flushSync();
    for (let line = 0; line < 2000; line++) file.write(`${"x".repeat(1000)}\n`);
    assert.ok(Reflect.get(file, "_len") <= 1024 ** 2, "no more than a MiB waits");
    file.flushSync();
  });

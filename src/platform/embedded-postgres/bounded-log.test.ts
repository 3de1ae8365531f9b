import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { openBoundedLog } from "./bounded-log.ts";

test("a log keeps its newest lines in two files of bounded size, and goes on with what is there", (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), "quintet-test-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "a.log");
  writeFileSync(file, "older\n");
  const log = openBoundedLog(file, 100);
  for (let line = 0; line < 100; line++) log.write(Buffer.from(`line ${line}\n`));
  log.close();
  log.write(Buffer.from("after the end\n"));
  const [current, last] = [readFileSync(file, "utf8"), readFileSync(`${file}.1`, "utf8")];
  assert.deepEqual(readdirSync(folder).sort(), ["a.log", "a.log.1"]);
  assert.ok(current.length <= 100 && last.length <= 100);
  assert.match(last + current, /^(line \d+\n)+line 99\n$/);
});

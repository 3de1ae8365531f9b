import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";

const waits = `import { test } from "node:test";
test("waits for ever", () => new Promise((resolve) => setInterval(() => {}, 1000)));`;
const spins = `import { spawn } from "node:child_process";
import { test } from "node:test";
process.on("SIGTERM", () => {});
spawn("sleep", ["600"], { stdio: "inherit" });
test("spins for ever", () => { for (;;); });`;

test(
  "a file that never ends is ended with whatever it started, and named",
  { skip: process.platform === "win32" || atLength.skip },
  async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), "quintet-watchdog-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const files = [path.join(folder, "waits.test.mjs"), path.join(folder, "spins.test.mjs")] as const;
    await writeFile(files[0], waits);
    await writeFile(files[1], spins);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = [
      "--import=./test/watchdog.ts",
      "--test",
      "--test-timeout=1000",
      "--test-reporter=./test/summary.ts",
      ...files,
    ];
    const printed = await new Promise<string>((resolve) => {
      const options = { env: { ...env, TEST_FILE_TIMEOUT_MS: "3000" }, cwd: path.join(import.meta.dirname, "..") };
      execFile(process.execPath, args, options, (_error, stdout) => resolve(stdout));
    });
    assert.match(printed, /waits for ever\ntest timed out/);
    assert.match(printed, /ENDED BY THE WATCHDOG: \S+spins\.test\.mjs did not end within 3 s/);
    assert.match(printed, /0 passed, [23] failed/);
  },
);

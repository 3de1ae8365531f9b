// What `npm test` runs: every gate, then every test file. All gates run, so that one call shows all that is wrong.
import { spawn } from "node:child_process";
import { glob } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const bin = (name: string): string => path.join(root, "node_modules", ".bin", name);

interface Gate {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const gates: readonly Gate[] = [
  { name: "types", command: bin("tsc"), args: ["--noEmit", "-p", "."] },
  { name: "types of the pages", command: bin("tsc"), args: ["--noEmit", "-p", "web"] },
  { name: "lint", command: bin("oxlint"), args: ["--type-aware", "--quiet"] },
  { name: "format", command: bin("oxfmt"), args: ["--check"] },
  { name: "unused", command: bin("knip"), args: [] },
];

// On two cores, the least machine: with two at once the cores had nothing to do for two fifths of the time, since much of a
// test is waiting.
const filesAtOnce = 3;

async function listTestFiles(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob("{src,test,bench,scripts,web}/**/*.test.ts", { cwd: root })) files.push(file);
  if (files.length === 0) throw new Error("no test file was found");
  return files.toSorted();
}

const tests = (files: readonly string[]): Gate => ({
  name: "tests",
  command: process.execPath,
  args: [
    "--test",
    "--test-global-setup=test/setup.ts",
    `--test-concurrency=${filesAtOnce}`,
    "--test-reporter=dot",
    "--test-reporter-destination=stdout",
    "--test-reporter=./test/summary.ts",
    "--test-reporter-destination=stdout",
    ...files,
  ],
});

// Each file is a process of its own, which would strip the types of the whole platform and compile it for itself: half a
// second of computing for each of two hundred files.
const env = { NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "compiled"), ...process.env };

function run({ command, args }: Gate): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: "inherit", shell: process.platform === "win32" });
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}

const failed: string[] = [];
const wanted = process.argv.slice(2);
const files = await listTestFiles();
const chosen = wanted.length === 0 ? files : files.filter((file) => wanted.some((part) => file.includes(part)));
for (const gate of [...(wanted.length === 0 ? gates : []), tests(chosen)]) {
  const started = performance.now();
  const passed = await run(gate);
  console.log(
    `${gate.name}: ${passed ? "passed" : "FAILED"} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  if (!passed) failed.push(gate.name);
}
if (failed.length > 0) {
  console.error(`FAILED: ${failed.join(", ")}`);
  process.exitCode = 1;
}

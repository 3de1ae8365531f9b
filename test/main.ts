// `npm test` runs every check and then every test file, or only the test files whose paths contain an argument. A
// failed check does not stop the rest, so that one run shows every failure.
import { spawn } from "node:child_process";
import { chmod, glob, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gather } from "./together.ts";

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

// Four files at a time suit a machine with two cores, since tests spend much of their time waiting.
const filesAtOnce = 4;

// On half a core, the slowest test takes a quarter of this timeout.
const testTimeoutMs = 120_000;

async function listTestFiles(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob("{src,demo,test,bench,scripts,web}/**/*.test.ts", { cwd: root })) files.push(file);
  if (files.length === 0) throw new Error("no test file was found");
  return files.toSorted();
}

const tests = (files: readonly string[]): Gate => ({
  name: "tests",
  command: process.execPath,
  args: [
    "--import=./test/watchdog.ts",
    "--test",
    `--test-timeout=${testTimeoutMs}`,
    "--test-global-setup=test/setup.ts",
    `--test-concurrency=${filesAtOnce}`,
    "--test-reporter=dot",
    "--test-reporter-destination=stdout",
    "--test-reporter=./test/summary.ts",
    "--test-reporter-destination=stdout",
    ...files,
  ],
});

// A database consists of 860 files and most test files have a database; keeping the databases in memory saves a sixth
// of the CPU time.
const memory = "/dev/shm";
const roomBytes = 4 * 2 ** 30;
const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
if (bavail * bsize > roomBytes) process.env["TMPDIR"] ??= memory;
// Test processes that are killed leave files in this folder, which is removed after the run. Other users may traverse
// the folder, since PostgreSQL does not run as root.
const folder = await mkdtemp(path.join(tmpdir(), "quintet-run-"));
await chmod(folder, 0o711);

// With the compile cache, a process need not strip the types of the whole platform and compile it again.
const env = {
  NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "compiled"),
  ...process.env,
  TMPDIR: folder,
};

async function run({ name, command, args }: Gate, quiet: boolean): Promise<void> {
  const started = performance.now();
  const stdio = quiet ? "pipe" : "inherit";
  const child = spawn(command, args, { cwd: root, env, stdio, shell: process.platform === "win32" });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Buffer) => void printed.push(bytes));
  const passed = await new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${Buffer.concat(printed)}${name}: ${passed ? "passed" : "FAILED"} in ${seconds} s`);
  if (!passed) failed.push(name);
}

const failed: string[] = [];
const wanted = process.argv.slice(2);
const files = await listTestFiles();
const chosen = wanted.length === 0 ? files : files.filter((file) => wanted.some((part) => file.includes(part)));
if (chosen.length === 0) throw new Error(`no test file has ${wanted.join(" or ")} in its path`);
const gathered = await gather(chosen, root, folder);
if (wanted.length === 0) await Promise.all(gates.map((gate) => run(gate, true)));
await run(tests(gathered), false);
await rm(folder, { recursive: true, force: true });
if (failed.length > 0) {
  console.error(`FAILED: ${failed.join(", ")}`);
  process.exitCode = 1;
}

import { execFileSync } from "node:child_process";
import { writeSync } from "node:fs";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

// Every test process loads this file. The runner's timeout fails a hanging test, but a process that spins or ignores
// the runner's signal must be killed from outside its event loop, so this file starts a thread that does so.

export const endedMark = "ENDED BY THE WATCHDOG:";

const limitMs = Number(process.env["TEST_FILE_TIMEOUT_MS"] ?? 240_000);

let watch: Worker | undefined;
if (!isMainThread && workerData?.watchdog) keepWatch();
else if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined) {
  watch = new Worker(new URL(import.meta.url), { workerData: { watchdog: true, file: process.argv[1] }, execArgv: [] });
  watch.unref();
  // When nothing is left to do, Node waits for operations that never complete, such as the end of a socket that was
  // just reset: Node 26.10 spins its event loop for ever, and the watchdog's thread has ended by then. So the process
  // exits here, after all other listeners.
  process.once("beforeExit", () => process.on("exit", () => process.exit()));
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a worker thread and not a window
export const watchFile = (file: string): void => watch?.postMessage(file);

function keepWatch(): void {
  let file = workerData.file as string;
  const end = (): void => {
    // Writes to the file descriptor, since a thread's process.stderr would pass through the blocked event loop.
    writeSync(2, `${endedMark} ${file} did not end within ${limitMs / 1000} s\n`);
    for (const pid of listDescendants(process.pid)) tryKill(pid);
    process.kill(process.pid, "SIGKILL");
  };
  const timer = setTimeout(end, limitMs);
  parentPort?.on("message", (next: string) => {
    file = next;
    timer.refresh();
  });
}

// The servers and databases of a test are killed too, since they keep the output of the test process open and the
// runner would wait for them.
function listDescendants(root: number): number[] {
  const parents = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const found = [root];
  for (const pid of found) found.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child));
  return found.slice(1);
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process may have ended by itself.
  }
}

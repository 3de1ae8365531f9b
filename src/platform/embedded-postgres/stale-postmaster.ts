import { execFile } from "node:child_process";
import { readFile, readdir, readlink } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const signalPlan: [afterMs: number, signal: NodeJS.Signals][] = [
  [0, "SIGINT"],
  [5000, "SIGQUIT"],
  [8000, "SIGKILL"],
];
const pollMs = 20;

/**
 * Sends increasingly strong signals to the PostgreSQL that a killed server left running on this cluster, and waits
 * until PostgreSQL ends. The caller must hold the directory lock, which proves that the process has no living owner.
 * Returns the id in postmaster.pid if another program now has that id.
 * @throws {Error} if PostgreSQL still runs after `timeoutMs`
 */
export async function awaitStalePostmaster(cluster: string, timeoutMs: number): Promise<number | undefined> {
  const startMs = performance.now();
  const plan = [...signalPlan];
  for (;;) {
    const pid = await readPostmasterId(cluster);
    if (pid === undefined || !isAlive(pid)) return undefined;
    if (!(await isPostmasterOf(pid, cluster))) return pid;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > timeoutMs)
      throw new Error(`PostgreSQL of an earlier server (process ${pid}) does not stop: stop it manually`);
    const next = plan[0];
    if (next && waitedMs >= next[0]) {
      plan.shift();
      signal(pid, next[1]);
    }
    await delay(pollMs);
  }
}

/**
 * Kills sessions that a killed postmaster left behind, because PostgreSQL does not start while such a session uses the
 * shared memory. On systems other than Linux, nothing is killed, and such a session ends only with its current
 * statement.
 */
export async function endOrphanSessions(cluster: string): Promise<void> {
  const entries = await readdir("/proc").catch(() => []);
  for (const entry of entries.filter((name) => /^\d+$/.test(name))) {
    const folder = await readlink(`/proc/${entry}/cwd`).catch(() => undefined);
    if (folder !== cluster) continue;
    const title = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    if (title.startsWith("postgres: ")) signal(Number(entry), "SIGKILL");
  }
}

export async function signalPostmaster(cluster: string, name: NodeJS.Signals): Promise<void> {
  const pid = await readPostmasterId(cluster);
  if (pid !== undefined && isAlive(pid) && (await isPostmasterOf(pid, cluster))) signal(pid, name);
}

async function readPostmasterId(cluster: string): Promise<number | undefined> {
  const text = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number(text.split("\n", 1)[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

// After a reboot, another program may have the postmaster's process id.
async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === "linux") {
    const words = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    return path.basename(words[0] ?? "") === "postgres" && words.includes(cluster);
  }
  const list = promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", `${pid}`]);
  const { stdout } = await list.catch(() => ({ stdout: "" }));
  return stdout.includes(cluster);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

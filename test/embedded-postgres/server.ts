import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readFile, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openConnection } from "#platform/database/index.ts";

export const nobody = { uid: 65534, gid: 65534 };

export type TestServer = {
  child: ChildProcess;
  url: string;
  administratorUrl: string;
  describe: string;
  refusal: string;
};

export interface Closing {
  after(close: () => unknown): void;
}

export async function makeFolder(context: Closing = { after }, owner?: { uid: number; gid: number }): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-test-"));
  if (owner) await chown(folder, owner.uid, owner.gid);
  context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}

/**
 * Starts the fixture in its own process group and kills the fixture after the test. Resolves when PostgreSQL runs or
 * has refused to start.
 */
export async function startServer(
  context: TestContext,
  dataDir: string,
  options: { as?: { uid: number; gid: number }; env?: NodeJS.ProcessEnv; fast?: boolean } = {},
): Promise<TestServer> {
  const program = fileURLToPath(import.meta.resolve("#test/embedded-postgres/fixture.ts"));
  const child = spawn(process.execPath, [program, dataDir, options.fast ? "fast" : "durable"], {
    ...options.as,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...options.env },
  });
  context.after(() => kill(child));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    url: "",
    administratorUrl: "",
    describe: "",
    refusal: "",
    ...(JSON.parse(line) as Partial<TestServer>),
    child,
  };
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}

export async function query(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const connection = await openConnection(url, { answerMs: 60_000 });
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await connection.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await connection.end();
  }
}

export async function readPostmasterId(dataDir: string): Promise<number> {
  const text = await readFile(path.join(dataDir, "postgres/cluster/postmaster.pid"), "utf8");
  return Number(text.split("\n", 1)[0]);
}

/** Finds the two shells that supervise PostgreSQL on this folder. Linux only. */
export async function findShells(folder: string): Promise<number[]> {
  const ids = await findProcesses(folder);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((_, index) => lines[index]?.startsWith("sh\0"));
}

/**
 * Finds the other processes whose command line contains the folder's path or whose working directory is in the folder,
 * such as PostgreSQL's sessions. Linux only.
 */
export async function findProcesses(folder: string): Promise<number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    ids.map(async (id) => {
      const words = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
      const workplace = await readlink(`/proc/${id}/cwd`).catch(() => "");
      return words.includes(folder) || workplace.startsWith(folder);
    }),
  );
  return ids.filter((_, index) => found[index]).map(Number);
}

export async function awaitNoProcess(folder: string, timeoutMs: number): Promise<number> {
  const startMs = performance.now();
  for (;;) {
    const ids = await findProcesses(folder);
    const tookMs = performance.now() - startMs;
    if (ids.length === 0) return tookMs;
    if (tookMs > timeoutMs) throw new Error(`still running: ${await describeProcesses(ids)}`);
    await delay(20);
  }
}

async function describeProcesses(ids: number[]): Promise<string> {
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return lines.map((line, index) => `${ids[index]} ${line.replaceAll("\0", " ").slice(0, 80)}`).join("; ");
}

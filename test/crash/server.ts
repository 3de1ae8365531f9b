import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// The server as its users start it: a process of its own, told what to do by its environment.

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
export const operatorPassword = "operator-of-tests-1";
const startTimeoutMs = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface CommandProcess {
  readonly child: ChildProcess;
  /** Resolves when the process has ended and all that it wrote is here. */
  readonly ended: Promise<Ended>;
  /** All that it has written until now. */
  output(): { readonly out: string; readonly err: string };
}

// A test that fails while its server runs must not keep the run of all tests waiting for that server.
const running = new Set<ChildProcess>();
after(() => running.forEach((child) => child.kill("SIGKILL")));

/** Starts a command of the platform. Of this process's environment only what starts a process comes along. */
export function startCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  cwd?: string,
  program = main,
): CommandProcess {
  const { PATH = "", HOME = "", SystemRoot = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME, SystemRoot, NODE_COMPILE_CACHE, ...settings },
    ...(cwd ? { cwd } : {}),
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.err += text));
  const ended = once(child, "close").then(([code, signal]): Ended => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  return { child, ended, output: () => ({ ...texts }) };
}

export interface RunningServer extends CommandProcess {
  readonly address: string;
  /** From the start of the process to its line that says where it runs. */
  readonly startMs: number;
  /** Ends the process as a power cut would. */
  kill(): Promise<void>;
}

/** Starts the whole server on the folder. @throws with what it wrote when it ends instead. */
export async function startServerProcess(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  services: readonly string[] = [],
  program = main,
): Promise<RunningServer> {
  const startedMs = performance.now();
  const limits = { RATE_LIMIT_OPEN: "1000000000", RATE_LIMIT_LOGIN: "1000000000" };
  const server = startCommand(
    ["serve", ...services],
    { PORT: "0", DATA_DIR: dataDir, OPERATOR_PASSWORD: operatorPassword, LOG_LEVEL: "error", ...limits, ...settings },
    dataDir,
    program,
  );
  const address = await findAddress(server);
  const kill = async () => {
    server.child.kill("SIGKILL");
    await server.ended;
  };
  return { ...server, address, startMs: Math.round(performance.now() - startedMs), kill };
}

function findAddress({ child, output }: CommandProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}: ${output().out}${output().err}`));
    const timer = setTimeout(() => fail("the server does not come up"), startTimeoutMs);
    child.stdout?.on("data", () => {
      const address = /Quintet runs at\s+(http:\S+)\/\n/.exec(output().out)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
    child.once("close", () => {
      clearTimeout(timer);
      fail("the server ended");
    });
  });
}

/** Processes whose command line names the folder: the server's PostgreSQL and its supervisor. */
export async function listProcessesOf(dataDir: string): Promise<number[]> {
  if (process.platform === "win32") return [];
  const found = await promisify(execFile)("pgrep", ["-f", dataDir]).catch(() => ({ stdout: "" }));
  return found.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
}

/** Waits until no process of the folder is left; the milliseconds that it took. */
export async function awaitNoProcessOf(dataDir: string, timeoutMs: number): Promise<number> {
  const startedMs = performance.now();
  while ((await listProcessesOf(dataDir)).length > 0) {
    if (performance.now() - startedMs > timeoutMs)
      throw new Error(`processes of the folder are left after ${timeoutMs} ms`);
  }
  return Math.round(performance.now() - startedMs);
}

/** The process id of the embedded PostgreSQL of a data directory. */
export const readPostmaster = async (dataDir: string): Promise<number> =>
  Number((await readFile(path.join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8")).split("\n")[0]);

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { send } from "#test/call.ts";
import { type Closing, readPostmasterId } from "#test/embedded-postgres/server.ts";
import { until } from "#test/until.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
export const operatorPassword = "operator-of-tests-1";
// In a test the limit is below the timeout of `npm test`, so that a start that hangs is reported with the server's
// output.
const startTimeoutMs = process.env["NODE_TEST_CONTEXT"] ? 110_000 : 600_000;
const run = promisify(execFile);

export interface CommandProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  output(): { readonly out: string; readonly err: string };
}

// A failed test must not leave its server running, which would block the test run.
const running = new Set<ChildProcess>();
after(() => running.forEach((child) => child.kill("SIGKILL")));

/**
 * Runs a command of Quintet. Its environment has the settings and only four variables of this process.
 * @param input standard input; none by default
 */
export function startCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  cwd?: string,
  program = main,
  input?: string,
): CommandProcess {
  const { PATH = "", HOME = "", SystemRoot = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME, SystemRoot, NODE_COMPILE_CACHE, ...settings },
    ...(cwd ? { cwd } : {}),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A command that reads no input may already have ended, so a write error is ignored.
  child.stdin.on("error", () => {}).end(input ?? "");
  running.add(child);
  child.once("exit", () => running.delete(child));
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.err += text));
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  return { child, ended, output: () => ({ ...texts }) };
}

export interface RunningServer extends CommandProcess {
  readonly address: string;
  readonly startMs: number;
  /** Kills the process with SIGKILL, so that it cannot finish anything. */
  kill(): Promise<void>;
}

/** @throws with the server's output if the server ends or does not start in time */
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

export async function logIn(address: string): Promise<string> {
  const body = { userName: "operator", password: operatorPassword };
  return (await send(address, "POST", "/platform/login", { body })).json.data.token;
}

export const isReady = (address: string): Promise<boolean> =>
  send(address, "GET", "/readyz", { signal: AbortSignal.timeout(5000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Collects resources and closes them in reverse order at the end of the block: `await using ending = openEnding()`. */
export function openEnding() {
  const stack = new AsyncDisposableStack();
  return {
    after: (close: () => unknown) => stack.defer(async () => void (await close())),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export async function makeServerFolder({ after: atEnd }: Closing = { after }): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-server-"));
  atEnd(async () => {
    await awaitNoProcessOf(folder, 15_000);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  return folder;
}

/** Mounts a disk in memory (tmpfs) of the given size if this process may; otherwise makes an ordinary folder. */
export async function openDisk(ending: Closing, megabytes: number): Promise<{ folder: string; isDisk: boolean }> {
  const folder = await makeServerFolder(ending);
  const mount = ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "tmpfs", folder];
  const isDisk = await run("mount", mount).then(
    () => true,
    () => false,
  );
  if (isDisk) ending.after(() => run("umount", ["-l", folder]));
  return { folder, isDisk };
}

export async function listProcessesOf(dataDir: string): Promise<number[]> {
  const found = await run("pgrep", ["-f", dataDir]).catch(() => ({ stdout: "" }));
  return found.stdout.split("\n").flatMap((line) => (line === "" ? [] : [Number(line)]));
}

export const awaitNoProcessOf = (dataDir: string, withinMs: number): Promise<boolean> =>
  until("no process of the folder is left", async () => (await listProcessesOf(dataDir)).length === 0, { withinMs });

export async function killPostgres(dataDir: string): Promise<void> {
  const killed = await readPostmasterId(dataDir);
  process.kill(killed, "SIGKILL");
  const isAnother = async () => (await readPostmasterId(dataDir).catch(() => killed)) !== killed;
  await until("another postmaster", isAnother);
}

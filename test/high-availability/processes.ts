import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

/** PostgreSQL refuses to run as root: then the user of Debian's package has it. */
export const isRoot = process.getuid?.() === 0;
const asPostgres = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];

export interface Started {
  readonly child: ChildProcess;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a program, as the user of the database, with its output in a file. */
export function startProgram(command: readonly string[], log: string, before: readonly string[] = []): Started {
  const [program = "", ...args] = [...before, ...asPostgres, ...command];
  const output = openSync(log, "a");
  const child = spawn(program, args, { stdio: ["ignore", output, output], env: { ...process.env, LC_ALL: "C.UTF-8" } });
  const ended = once(child, "exit");
  return {
    child,
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

/** The process and all that it has started, whatever they call themselves. */
export async function listFamily(pid: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const entry of await readdir("/proc")) {
    const own = Number(entry);
    if (!Number.isInteger(own)) continue;
    const parent = await readParent(own);
    children.set(parent, [...(children.get(parent) ?? []), own]);
  }
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

// The name, in brackets, may hold anything.
const readParent = (pid: number): Promise<number> =>
  readFile(`/proc/${pid}/stat`, "utf8").then(
    (text) => Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]),
    () => 0,
  );

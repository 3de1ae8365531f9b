import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface Started<T = string> {
  readonly child: ChildProcess;
  readonly first: T;
  readonly end: () => Promise<void>;
}

export async function start<T = string>(
  file: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Started<T>> {
  const child = fork(new URL(file, import.meta.url), [...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`${file} ended before it sent a message`);
  });
  const [first] = (await Promise.race([once(child, "message"), ended])) as [T];
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { child, first, end };
}

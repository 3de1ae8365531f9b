import { readdirSync, readFileSync } from "node:fs";
import type { Pool } from "#platform/database/index.ts";

// The kernel counts CPU time in hundredths of a second (Linux only).
const tickMs = 10;

function readTimes(pid: string): { parent: string; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const sum = (...places: number[]) => places.reduce((total, place) => total + Number(fields[place]), 0);
    return { parent: fields[1] ?? "", own: sum(11, 12), ended: sum(13, 14) };
  } catch {
    return undefined;
  }
}

export const readCpuMs = (pid: number): number => (readTimes(String(pid))?.own ?? 0) * tickMs;

export async function findPostmaster(pool: Pool): Promise<string> {
  const [session] = await pool<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return readTimes(String(session?.pid))?.parent ?? "";
}

export function readPostgresCpuMs(postmaster: string): number {
  const { own = 0, ended = 0 } = readTimes(postmaster) ?? {};
  const children = readdirSync("/proc")
    .map(readTimes)
    .filter((times) => times?.parent === postmaster);
  return children.reduce((total, times) => total + (times?.own ?? 0), own + ended) * tickMs;
}

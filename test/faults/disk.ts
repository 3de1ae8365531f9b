import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { makeServerFolder } from "#test/crash/server.ts";
import type { Closing } from "#test/embedded-postgres/server.ts";

const run = promisify(execFile);

/** A folder for a server; with megabytes a disk of that size, where one may be mounted, as root may. */
export async function openDisk(ending: Closing, megabytes?: number): Promise<{ folder: string; isDisk: boolean }> {
  const folder = await makeServerFolder(ending);
  if (megabytes === undefined) return { folder, isDisk: false };
  const isDisk = await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "tmpfs", folder]).then(
    () => true,
    () => false,
  );
  if (isDisk) ending.after(() => run("umount", ["-l", folder]));
  return { folder, isDisk };
}

import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Runner } from "./runner.ts";

/** initdb creates this superuser, which performs the tasks that the server itself must not perform. */
export const administrator = "quintet";
export const ownerRole = "quintet_owner";
export const serverRole = "quintet_server";

export interface Address {
  readonly toUrl: (database: string, role: typeof administrator | typeof ownerRole | typeof serverRole) => string;
  readonly settings: readonly string[];
}

const port = 5432;
// A socket's path is limited to 104 bytes on macOS and 108 on Linux, including the terminating zero; PostgreSQL appends
// the socket's name to the folder.
const maxSocketPathBytes = 100;

export async function openAddress(home: string, runner: Runner): Promise<Address> {
  const folder = await openSocketFolder(home, runner.ids);
  return {
    toUrl: (database, role) => `postgres://${role}@${encodeURIComponent(folder)}:${port}/${database}`,
    settings: [
      "listen_addresses=",
      // The path is quoted, since the setting is a list separated by commas and a path may contain a comma.
      `unix_socket_directories="${folder.replaceAll('"', '""')}"`,
      "unix_socket_permissions=0700",
      `port=${port}`,
    ],
  };
}

async function openSocketFolder(home: string, owner: Runner["ids"]): Promise<string> {
  let folder = path.join(home, "socket");
  if (Buffer.byteLength(path.join(folder, `.s.PGSQL.${port}`)) > maxSocketPathBytes) {
    const digest = createHash("sha256").update(home).digest("hex").slice(0, 16);
    // os.tmpdir() depends on the environment, so the folder could change between starts.
    folder = path.join(await realpath("/tmp").catch(() => tmpdir()), `quintet-${digest}-socket`);
  }
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  // If another user owned the folder, that user could listen on the socket instead of PostgreSQL.
  const found = await lstat(folder);
  if (!found.isDirectory() || (found.uid !== process.getuid?.() && found.uid !== owner?.uid))
    throw new Error(`${folder} belongs to another user: delete it, or choose a data directory with a shorter path`);
  if (owner) await chown(folder, owner.uid, owner.gid);
  // mkdir's mode is restricted by the umask, and an existing folder may be open to others.
  await chmod(folder, 0o700);
  return folder;
}

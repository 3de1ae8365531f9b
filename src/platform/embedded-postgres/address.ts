import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Runner } from "./runner.ts";

/** The cluster's superuser, created by initdb, for tasks that the server must not perform. */
export const administrator = "quintet";
/** Owns the tables and runs migrations. */
export const ownerRole = "quintet_owner";
/** The server's role. */
export const serverRole = "quintet_server";

export interface Address {
  /** The URL of a database for a role. */
  readonly toUrl: (database: string, role: typeof administrator | typeof ownerRole | typeof serverRole) => string;
  /** PostgreSQL's listen settings. */
  readonly settings: readonly string[];
}

const port = 5432;
// sockaddr_un holds 104 bytes on macOS and 108 on Linux, including the terminating zero.
const maxSocketPathBytes = 100;

/** Listens on a Unix socket in a private folder. */
export async function openAddress(home: string, runner: Runner): Promise<Address> {
  const folder = await openSocketFolder(home, runner.ids);
  return {
    toUrl: (database, role) => `postgres://${role}@${encodeURIComponent(folder)}:${port}/${database}`,
    settings: [
      "listen_addresses=",
      // Quoted, since the setting is a list and a path may hold a comma.
      `unix_socket_directories="${folder.replaceAll('"', '""')}"`,
      "unix_socket_permissions=0700",
      `port=${port}`,
    ],
  };
}

/** The folder `socket` of the home, or one under /tmp if the socket path would be too long. */
async function openSocketFolder(home: string, owner: Runner["ids"]): Promise<string> {
  let folder = path.join(home, "socket");
  if (Buffer.byteLength(path.join(folder, `.s.PGSQL.${port}`)) > maxSocketPathBytes) {
    const digest = createHash("sha256").update(home).digest("hex").slice(0, 16);
    // Not os.tmpdir(), which may differ in a command beside the server.
    folder = path.join(await realpath("/tmp").catch(() => tmpdir()), `quintet-${digest}-socket`);
  }
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  // Another user could listen there instead.
  const found = await lstat(folder);
  if (!found.isDirectory() || (found.uid !== process.getuid?.() && found.uid !== owner?.uid))
    throw new Error(`${folder} belongs to another user: delete it, or choose a data directory with a shorter path`);
  if (owner) await chown(folder, owner.uid, owner.gid);
  // The umask restricts mkdir's mode, and an existing folder may be less private.
  await chmod(folder, 0o700);
  return folder;
}

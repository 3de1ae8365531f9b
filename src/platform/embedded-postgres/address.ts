import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Runner } from "./runner.ts";

/** The cluster's superuser, whom initdb makes; for what the server itself must not do. */
export const administrator = "quintet";
/** Whose the tables are: migrations run as it. */
export const ownerRole = "quintet_owner";
/** Whom the server works as. */
export const serverRole = "quintet_server";

export interface Address {
  /** The URL of one of the cluster's databases, for one of the three. */
  readonly toUrl: (database: string, role: typeof administrator | typeof ownerRole | typeof serverRole) => string;
  /** What the postmaster must be told to listen there. */
  readonly settings: readonly string[];
}

const port = 5432;
// sockaddr_un holds 104 bytes on macOS and 108 on Linux, with the ending zero.
const maxSocketPathBytes = 100;

/** Where PostgreSQL listens: a Unix socket in a folder that only its owner may enter. */
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

/** The folder `socket` of the home, or one under /tmp where a socket there would get a path that is too long for the system. */
async function openSocketFolder(home: string, owner: Runner["ids"]): Promise<string> {
  let folder = path.join(home, "socket");
  if (Buffer.byteLength(path.join(folder, `.s.PGSQL.${port}`)) > maxSocketPathBytes) {
    const digest = createHash("sha256").update(home).digest("hex").slice(0, 16);
    // Not os.tmpdir(), which a command beside the server may have set otherwise.
    folder = path.join(await realpath("/tmp").catch(() => tmpdir()), `quintet-${digest}-socket`);
  }
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  // Another user could listen there in our place.
  const found = await lstat(folder);
  if (!found.isDirectory() || (found.uid !== process.getuid?.() && found.uid !== owner?.uid))
    throw new Error(`${folder} belongs to another user: remove it, or choose a data directory with a shorter path`);
  if (owner) await chown(folder, owner.uid, owner.gid);
  // mkdir's mode is cut by the umask, and an older folder may be open wider.
  await chmod(folder, 0o700);
  return folder;
}

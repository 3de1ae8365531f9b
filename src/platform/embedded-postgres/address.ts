import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, lstat, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
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
  /** Windows only: holds the password that initdb gives to the user. */
  readonly passwordFile?: string;
}

const port = 5432;
// sockaddr_un holds 104 bytes on macOS and 108 on Linux, with the ending zero.
const maxSocketPathBytes = 100;

/** Where PostgreSQL listens: a Unix socket in a folder that only its owner may enter; on Windows a loopback port. */
export async function openAddress(home: string, runner: Runner): Promise<Address> {
  if (process.platform === "win32") return openLoopback(home);
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

async function openLoopback(home: string): Promise<Address> {
  const passwordFile = path.join(home, "password");
  const made = randomBytes(32).toString("hex");
  const password = (await readFile(passwordFile, "utf8").catch(() => "")).trim() || made;
  if (password === made) await writeFile(passwordFile, `${made}\n`, { mode: 0o600 });
  const freePort = await findFreePort();
  return {
    toUrl: (database, role) => `postgres://${role}:${password}@127.0.0.1:${freePort}/${database}`,
    settings: ["listen_addresses=127.0.0.1", "unix_socket_directories=", `port=${freePort}`],
    passwordFile,
  };
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("the system gave no free port");
  return address.port;
}

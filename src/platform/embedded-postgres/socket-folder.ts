import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

// sockaddr_un holds 104 bytes on macOS and 108 on Linux, with the ending zero.
const maxSocketPathBytes = 100;

/**
 * Makes a folder (mode 0700) for Unix sockets and returns its real path: `<parent>/<name>`, or, when a socket called
 * `longestFile` would get a path that the system cannot bind there, `/tmp/quintet-<hash of parent>-<name>`. With
 * `owner` it is given to that user (this takes root).
 *
 * Throws when the folder under /tmp belongs to another user, who could listen in our place.
 */
export async function openSocketFolder(
  parent: string,
  name: string,
  longestFile: string,
  owner?: { uid: number; gid: number },
): Promise<string> {
  const near = path.join(await realpath(parent), name);
  const fits = Buffer.byteLength(path.join(near, longestFile)) <= maxSocketPathBytes;
  const folder = fits ? near : await farFolder(path.dirname(near), name);
  await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
  if (!fits) await refuseForeignFolder(folder, owner?.uid);
  if (owner) await chown(folder, owner.uid, owner.gid);
  // mkdir's mode is cut by the umask, and an older folder may be open wider.
  await chmod(folder, 0o700);
  return folder;
}

// Not os.tmpdir(): with another TMPDIR a second server would look elsewhere and not meet the first.
async function farFolder(parent: string, name: string): Promise<string> {
  const digest = createHash("sha256").update(parent).digest("hex").slice(0, 16);
  const root = await realpath("/tmp").catch(() => tmpdir());
  return path.join(root, `quintet-${digest}-${name}`);
}

async function refuseForeignFolder(folder: string, ownerUid: number | undefined): Promise<void> {
  const found = await lstat(folder);
  if (found.isDirectory() && (found.uid === process.getuid?.() || found.uid === ownerUid)) return;
  throw new Error(`${folder} belongs to another user: remove it, or choose a data directory with a shorter path`);
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

import { execFile } from "node:child_process";
import { chmod, chown, lchown, lstat, readdir, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Binaries } from "./cluster.ts";

const run = promisify(execFile);

type Ids = { uid: number; gid: number };

/** As whom PostgreSQL's programs run: it refuses to run as root. */
export type Runner = {
  /** "as this user" …, for the start log. */
  describe: string;
  /** Goes before the program and its arguments. */
  prefix: string[];
  /** The same for initdb, which (alone) insists that its user has a name. */
  initdbPrefix: string[];
  /** The user to become, when that is not this one. */
  ids?: Ids;
};

/** `home` is the folder in the data directory that holds all that PostgreSQL has. */
export type Places = { dataDir: string; home: string; cluster: string };

const advice = "start Quintet as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own";

/**
 * Throws an Error of one line when `home` was made by a user that this one cannot act for. Root could write there, but
 * would leave files that its owner cannot use.
 */
export async function refuseForeignHome(home: string): Promise<void> {
  const uid = process.getuid?.();
  const owner = (await stat(home)).uid;
  if (uid === undefined || owner === uid || (uid === 0 && owner === (await findNobody()).uid)) return;
  const found = `the database in ${home} was made by another user (uid ${owner})`;
  throw new Error(`${found}: start Quintet as that user, or set DATA_DIR to another directory`);
}

/**
 * An ordinary user runs PostgreSQL as itself. Root runs it in a user namespace, or, where the system refuses one, as
 * `nobody`, to whom it then gives `home`; what belongs to nobody stays so.
 *
 * Throws an Error of one line when no way is open.
 */
export async function chooseRunner(places: Places, binaries: Binaries): Promise<Runner> {
  if (process.getuid?.() !== 0) return { describe: "as this user", prefix: [], initdbPrefix: await nameUser() };
  const owner = (await stat(places.home)).uid;
  const ids = await findNobody();
  const prefix = toNamespacePrefix(ids);
  if (owner === 0 && (await runs(prefix)))
    return { describe: "as root in a user namespace", prefix, initdbPrefix: prefix };
  await requireReach(path.dirname(places.dataDir), binaries, ids);
  await letPass(places.dataDir, ids.gid);
  await requireReach(places.dataDir, binaries, ids);
  await giveTree(places.home, ids);
  return { describe: "as root, lent to the user nobody", prefix: [], initdbPrefix: [], ids };
}

// Inside the namespace this user's files appear to belong to nobody, and so does the process: PostgreSQL finds an
// ordinary user who owns its directory, and folders that only this user may enter stay within reach. Nobody, because
// initdb wants a user who has a name.
const toNamespacePrefix = (nobody: Ids): string[] => [
  "unshare",
  "-U",
  `--map-user=${nobody.uid}`,
  `--map-group=${nobody.gid}`,
  "--",
];

// A container may run under a number that no user has.
async function nameUser(): Promise<string[]> {
  try {
    userInfo();
    return [];
  } catch {
    const prefix = toNamespacePrefix(await findNobody());
    return (await runs(prefix)) ? prefix : [];
  }
}

/** Runs initdb to its end. Rejects with its complaint, as one line. */
export async function runInitdb(runner: Runner, program: string, args: string[]): Promise<void> {
  const [command = "", ...rest] = [...runner.initdbPrefix, program, ...args];
  const options = { ...runner.ids, env: programEnvironment(), cwd: "/" };
  await run(command, rest, options).catch((cause: Error & { stderr?: string }) => {
    const line = cause.stderr?.split("\n").find((text) => /error|fatal|could not/i.test(text));
    throw new Error(`PostgreSQL's initdb failed: ${line ?? cause.message}`, { cause });
  });
}

/** PostgreSQL sees none of our settings, which hold secrets, and no PG* variable, which would change what it does. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const kept = ["PATH", "SystemRoot", "TEMP", "TMP"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), LC_ALL: "C", TZ: "UTC" };
}

const runs = ([command = "", ...args]: string[]): Promise<boolean> =>
  run(command, [...args, "true"]).then(
    () => true,
    () => false,
  );

// 65534 on Linux, -2 (as unsigned) on macOS.
async function findNobody(): Promise<Ids> {
  const readId = async (option: string): Promise<number> => {
    const { stdout } = await run("id", [option, "nobody"]).catch(() => ({ stdout: "65534" }));
    return Number(stdout.trim());
  };
  const [uid, gid] = await Promise.all([readId("-u"), readId("-g")]);
  return { uid, gid };
}

async function requireReach(folder: string, binaries: Binaries, ids: Ids): Promise<void> {
  const args = ["-c", 'cd "$1" && exec "$2" --version', "sh", folder, binaries.postgres];
  await run("sh", args, { ...ids, env: programEnvironment(), cwd: "/" }).catch((cause: unknown) => {
    const reason =
      "the system refuses user namespaces, and the user nobody cannot reach the data directory or the program";
    throw new Error(`PostgreSQL does not run as root, ${reason}: ${advice}`, { cause });
  });
}

// Search permission for that one group, instead of opening the folder (which holds more than the database) to all.
async function letPass(dataDir: string, gid: number): Promise<void> {
  const found = await stat(dataDir);
  if (found.uid !== 0 || (found.mode & 0o001) !== 0) return;
  await chown(dataDir, found.uid, gid);
  await chmod(dataDir, (found.mode & 0o700) | 0o010);
}

async function giveTree(folder: string, ids: Ids): Promise<void> {
  if ((await lstat(folder)).uid === ids.uid) return;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    await (entry.isDirectory() ? giveTree(file, ids) : lchown(file, ids.uid, ids.gid));
  }
  // Last, so that an interrupted walk is done again.
  await chown(folder, ids.uid, ids.gid);
}

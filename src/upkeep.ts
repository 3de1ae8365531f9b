import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { commandLine, writeLocalAudit } from "#platform/accounts/audit.ts";
import {
  backupKeyFile,
  loadOrMakeBackupKeys,
  makeBackup,
  openBackup,
  restore,
  verify,
} from "#platform/backup/index.ts";
import { sealAll } from "#platform/data-keys/sealing.ts";
import { openPool, type Pool } from "#platform/database/index.ts";
import { markMoved } from "#platform/embedded-postgres/moved.ts";
import { openBucketFiles } from "#platform/files/bucket/bucket-store.ts";
import { readBucket } from "#platform/files/bucket/settings.ts";
import { type FileStore, openLocalFiles } from "#platform/files/file-store.ts";
import type { ServiceModule } from "#platform/process/service.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { loadKeyring } from "#platform/sealing/settings.ts";
import { modules, sealedColumns } from "./app.ts";
import type { BringOptions } from "./old-systems/bringing.ts";
import { findPostgres, withDatabase } from "./open-database.ts";
import { countOld, listKept, removeOld } from "./removal.ts";
import type { Settings } from "./settings.ts";

type Say = (line: string) => void;

const byCommand = { service: "platform", userName: commandLine };

const toFiles = (settings: Settings): FileStore => {
  const bucket = readBucket(settings);
  return bucket ? openBucketFiles(bucket) : openLocalFiles(path.join(settings.DATA_DIR, "files"));
};

/** @param keep the number of backups to keep; all of them if undefined */
export async function runBackup(
  settings: Settings,
  { to, keep, say }: { readonly to: string; readonly keep?: number | undefined; readonly say: Say },
): Promise<void> {
  await withDatabase(settings, async (pool) => {
    const keys = await loadOrMakeBackupKeys(pool.keys, settings.DATA_DIR);
    const { folder, manifest, key } = await makeBackup({ pool, files: toFiles(settings), keys }, to, { keep });
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    await writeLocalAudit(pool, {
      ...byCommand,
      action: "backup",
      records: [manifest.id],
      detail: { rows, files: manifest.files.length, encrypted: key.cipher !== undefined },
    });
    say(`Created the backup ${folder} with ${rows} rows and ${manifest.files.length} uploaded files.`);
    say(
      key.cipher
        ? "The backup is encrypted with the current DATA_KEY. Keep this key: a restore requires it."
        : `The backup is not encrypted, because DATA_KEY is not set. Keep a copy of ${backupKeyFile(settings.DATA_DIR)} elsewhere: a restore needs it to verify that the backup is unchanged.`,
    );
  });
}

interface FromBackup {
  readonly from: string;
  readonly anyKey?: boolean | undefined;
  readonly say: Say;
}

async function openChosen(settings: Settings, { from, anyKey, say }: FromBackup) {
  const backup = await openBackup(from, { keyring: await loadKeyring(settings), dataDir: settings.DATA_DIR, anyKey });
  say(`The backup ${backup.folder} matches its checksums.`);
  return backup;
}

const openAside = (url: string): Pool => openPool(url, { connections: 2, name: "quintet upkeep" });

export async function runRestore(settings: Settings, { say, ...chosen }: FromBackup): Promise<void> {
  const backup = await openChosen(settings, { say, ...chosen });
  await mkdir(path.join(settings.DATA_DIR, "files"), { recursive: true, mode: 0o700 });
  const server = await findPostgres(settings, "alone");
  const url = server.directUrl ?? server.url;
  const pool = openAside(server.ownerUrl ?? url);
  try {
    await restore(backup, { pool, url, files: toFiles(settings), spool: path.join(settings.DATA_DIR, "restoring") });
  } finally {
    await pool.end({ timeoutMs: 5000 });
    await server.stop();
  }
  const old = settings.DATABASE_URL === undefined ? undefined : await markMoved(settings.DATA_DIR);
  say(`The backup was restored into ${server.describe}, and all sessions were ended. Start the server.`);
  if (old !== undefined) say(`The embedded database in ${old} was kept, but can no longer be started.`);
}

export async function runVerify(
  settings: Settings,
  { aside = tmpdir(), ...chosen }: FromBackup & { readonly aside?: string | undefined },
): Promise<boolean> {
  const { say } = chosen;
  const backup = await openChosen(settings, chosen);
  const checks = (modules as readonly ServiceModule[]).flatMap(({ checkBooks }) => checkBooks ?? []);
  const found = await verify(backup, { aside, open: openAside, checks });
  say(`The trial restore succeeded: ${backup.manifest.tables.length} tables have all their rows.`);
  const width = Math.max(...found.map(({ what }) => what.length));
  for (const check of found) {
    const agrees = check.expected === check.found;
    say(`${agrees ? "agrees " : "DIFFERS"}  ${check.what.padEnd(width)}  ${check.expected}  ${check.found}`);
  }
  return found.every(({ expected, found: counted }) => expected === counted);
}

/**
 * Encrypts the sealed columns with the current data key, or decrypts them if `open` is set. Returns false if some
 * values are left to change.
 */
export async function runSeal(
  settings: Settings,
  { open: isOpening = false, say }: { readonly open?: boolean | undefined; readonly say: Say },
): Promise<boolean> {
  return withDatabase(settings, async (pool) => {
    requireRightKeys(pool.keys, isOpening);
    const { changed, left } = await sealAll(pool, sealedColumns, { say });
    await writeLocalAudit(pool, { ...byCommand, action: isOpening ? "openSealed" : "seal", detail: { changed, left } });
    say(
      left === 0
        ? `${changed} values were changed; no value is left to change.`
        : `${changed} values were changed; ${left} are left to change.`,
    );
    if (left > 0)
      say(
        "Rows were locked, or a server with other keys wrote values during this run: set the same keys on all servers, then run this command again.",
      );
    else if (!isOpening)
      say(
        `Everything is encrypted with the data key ${pool.keys.currentId}. After the next backup, DATA_KEY_OLD is needed only for older backups.`,
      );
    else say("All values are decrypted. After the next backup, the data key is needed only for older backups.");
    return left === 0;
  });
}

function requireRightKeys({ currentId, ids }: Keyring, isOpening: boolean): void {
  if (!isOpening && currentId === undefined)
    throw new Error(
      "DATA_KEY is not set. To encrypt values, set it; to decrypt them, set their key as DATA_KEY_OLD and add --open.",
    );
  if (isOpening && (currentId !== undefined || ids.length === 0))
    throw new Error(
      "To decrypt values, set their key as DATA_KEY_OLD and unset DATA_KEY on all servers first: otherwise servers keep encrypting what they write.",
    );
}

export async function runRetention(
  settings: Settings,
  { dry = false, say }: { readonly dry?: boolean | undefined; readonly say: Say },
): Promise<void> {
  await withDatabase(settings, async (pool) => {
    const found = await (dry
      ? countOld(pool, settings, Date.now())
      : removeOld(pool, settings, Date.now(), commandLine));
    for (const { service, kind, removed } of found)
      say(`${service}, ${kind}: ${removed} ${dry ? "would be deleted" : "deleted"}`);
    if (!dry && found.length === 0) say("No records have expired.");
    for (const { service, kind, setting } of listKept(settings))
      say(`${service}, ${kind}: kept indefinitely, because ${setting} is not set`);
  });
}

export async function runImport(settings: Settings, options: BringOptions): Promise<boolean> {
  const { runBring } = await import("./old-systems/bringing.ts");
  return withDatabase(settings, async (pool) => {
    const isSettled = await runBring(modules, { pool, files: toFiles(settings), settings }, options);
    const { step } = options;
    if (step === "run" || step === "again")
      await writeLocalAudit(pool, { ...byCommand, action: "importOld", detail: { step, isSettled } });
    return isSettled;
  });
}

import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Keyring, openDataKey, type ColumnKeys, readDataKey } from "#platform/sealing/keyring.ts";
import { makeKeyFile } from "#platform/sealing/settings.ts";

/** What a backup is authenticated by, and sealed where there is a data key. */
export interface BackupKey {
  readonly mac: KeyObject;
  /** Left out: the backup is readable to whoever has it. */
  readonly cipher?: KeyObject;
}

const place = "platform.backup";

/** Where the key lies that authenticates backups where no data key is set. */
export const backupKeyFile = (dataDir: string): string => path.join(dataDir, "backup-key");

/** The keys of this installation: that of new backups first, then those of older ones. */
export async function loadBackupKeys(keyring: Keyring, dataDir: string): Promise<BackupKey[]> {
  const derived = keyring.derive(place).map(({ blindIndex, cipher }: ColumnKeys) => ({ mac: blindIndex, cipher }));
  const text = await readFile(backupKeyFile(dataDir), "utf8").catch(() => undefined);
  const own = text === undefined ? [] : [{ mac: openDataKey(readDataKey(text.trim())).of(place).blindIndex }];
  return keyring.currentId === undefined ? [...own, ...derived] : [...derived, ...own];
}

/** The same; where no data key is set, a key of its own is made once, in DATA_DIR. */
export async function loadOrMakeBackupKeys(keyring: Keyring, dataDir: string): Promise<BackupKey[]> {
  if (keyring.currentId === undefined) await makeKeyFile(backupKeyFile(dataDir));
  return loadBackupKeys(keyring, dataDir);
}

export const authenticate = (key: BackupKey, content: Buffer): string =>
  createHmac("sha256", key.mac).update(content).digest("hex");

export const isAuthentic = (key: BackupKey, content: Buffer, code: string): boolean => {
  const expected = Buffer.from(authenticate(key, content));
  const given = Buffer.from(code);
  return given.length === expected.length && timingSafeEqual(given, expected);
};

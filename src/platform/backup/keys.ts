import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Keyring, openDataKey, type ColumnKeys, readDataKey } from "#platform/sealing/keyring.ts";
import { makeKeyFile } from "#platform/sealing/settings.ts";

/** A backup is always authenticated, and encrypted if there is a data key. */
export interface BackupKey {
  readonly mac: KeyObject;
  readonly cipher?: KeyObject;
}

const place = "platform.backup";

export const backupKeyFile = (dataDir: string): string => path.join(dataDir, "backup-key");

export async function loadBackupKeys(keyring: Keyring, dataDir: string): Promise<BackupKey[]> {
  const derived = keyring.derive(place).map(({ blindIndex, cipher }: ColumnKeys) => ({ mac: blindIndex, cipher }));
  const text = await readFile(backupKeyFile(dataDir), "utf8").catch(() => undefined);
  const own = text === undefined ? [] : [{ mac: openDataKey(readDataKey(text.trim())).of(place).blindIndex }];
  return keyring.currentId === undefined ? [...own, ...derived] : [...derived, ...own];
}

/** Without a data key, backups are authenticated by a key file in DATA_DIR, which is created if it does not exist. */
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

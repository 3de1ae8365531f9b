import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { secretOf, SettingsError, splitList } from "#platform/contract/setting-types.ts";
import { dataKeyBytes, type Keyring, openDataKey, openKeyring, readDataKey } from "./keyring.ts";

const what = "32 bytes in base64, as `openssl rand -base64 32` prints them";

export const sealingSettings = {
  DATA_KEY: secretOf(
    readDataKey,
    what,
    "Key that encrypts identity cards, phone numbers and secrets in the database: 32 bytes in base64 (openssl rand -base64 32); if not set, these values are stored unencrypted",
  ),
  DATA_KEY_FILE: z.string().optional().describe("File that contains the data key, as an alternative to DATA_KEY"),
  DATA_KEY_OLD: secretOf(
    (text) => splitList(text).map(readDataKey),
    `${what}; several keys are separated by commas`,
    'Former data keys, separated by commas, used only for decryption until "quintet seal" has re-encrypted everything',
  ),
};

export type SealingSettings = z.output<z.ZodObject<typeof sealingSettings>>;

export function checkSealingSettings(settings: Partial<SealingSettings>, context: z.RefinementCtx): void {
  if (settings.DATA_KEY === undefined || settings.DATA_KEY_FILE === undefined) return;
  const message = "cannot be combined with DATA_KEY";
  context.addIssue({ code: "custom", path: ["DATA_KEY_FILE"], message, input: undefined });
}

/**
 * The demonstration creates this key file. The file is beside the data, so the key protects only copies of the
 * database.
 */
export const ownKeyFile = (dataDir: string): string => path.join(dataDir, "data-key");

export async function makeKeyFile(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const text = `${randomBytes(dataKeyBytes).toString("base64")}\n`;
  await writeFile(file, text, { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/**
 * @throws {SettingsError} if DATA_KEY_FILE cannot be read or the key is invalid; the message does not repeat the key
 */
export async function loadKeyring(settings: SealingSettings & { readonly DATA_DIR?: string }): Promise<Keyring> {
  const [from, text] = await findKeyText(settings);
  const older = splitList(settings.DATA_KEY_OLD ?? "").map((text) => openDataKey(readDataKey(text)));
  if (text === undefined) return openKeyring(undefined, older);
  try {
    return openKeyring(openDataKey(readDataKey(text.trim())), older);
  } catch (error) {
    throw new SettingsError([`${from}: ${(error as Error).message}`]);
  }
}

async function findKeyText(
  settings: Parameters<typeof loadKeyring>[0],
): Promise<[from: string, text: string | undefined]> {
  const { DATA_KEY: text, DATA_KEY_FILE: file, DATA_KEY_OLD: old, DATA_DIR } = settings;
  if (text !== undefined) return ["DATA_KEY", text];
  if (file !== undefined) {
    const read = await readFile(file, "utf8").catch(({ code }: NodeJS.ErrnoException) => {
      throw new SettingsError([`DATA_KEY_FILE: cannot be read (${code})`]);
    });
    return ["DATA_KEY_FILE", read];
  }
  if (DATA_DIR === undefined || old !== undefined) return ["", undefined];
  const own = ownKeyFile(DATA_DIR);
  return [own, await readFile(own, "utf8").catch(() => undefined)];
}

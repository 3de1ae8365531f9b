import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from "node:crypto";

export const dataKeyBytes = 32;
const idBytes = 4;

/** The keys of one column. Every column has different keys, so that equal values of two columns differ when stored. */
export interface ColumnKeys {
  readonly cipher: KeyObject;
  readonly blindIndex: KeyObject;
  /**
   * Additional authenticated data (AAD) that names the column, so that a sealed value cannot be moved to another one.
   */
  readonly bound: Buffer;
}

export interface DataKey {
  /** Eight hexadecimal digits, which every sealed value contains and which reveal nothing about the key. */
  readonly id: string;
  of(place: string): ColumnKeys;
}

export function openDataKey(master: Buffer): DataKey {
  const derive = (info: string, bytes: number): Buffer => Buffer.from(hkdfSync("sha256", master, "", info, bytes));
  const id = derive("quintet id", idBytes).toString("hex");
  const places = new Map<string, ColumnKeys>();
  return {
    id,
    of(place) {
      let keys = places.get(place);
      if (!keys) {
        const toKey = (use: string) => createSecretKey(derive(`quintet ${use} ${place}`, 32));
        places.set(place, (keys = { cipher: toKey("seal"), blindIndex: toKey("find"), bound: Buffer.from(place) }));
      }
      return keys;
    },
  };
}

/** @throws {Error} for an invalid key; the message does not repeat the text */
export function readDataKey(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== dataKeyBytes || bytes.toString("base64") !== text.trim())
    throw new Error("is not 32 bytes in base64, as `openssl rand -base64 32` prints them");
  return bytes;
}

// A sealed value is "sealed:A256GCM:<key id>:<base64url of nonce, ciphertext, tag>", with the algorithm's name from RFC
// 7518. A blind index is "#<key id>#<base64url>". Any other text is plain. Plain text that looks like a sealed value is
// stored with the prefix "sealed:plain:".

const prefix = "sealed:";
const escape = `${prefix}plain:`;
export const sealedBy = (id: string): string => `${prefix}A256GCM:${id}:`;
const idStart = sealedBy("").length - 1;
const idEnd = idStart + 8;
/** Text that starts with "sealed:" but does not match is plain text that was stored without `seal`. */
const sealedForm = /^sealed:(?:plain|A256GCM:[\da-f]{8}):/;
const nonceBytes = 12;
const tagBytes = 16;
// The hash is truncated to 128 bits, as RFC 2104 allows, which keeps millions of values distinct and the database's
// index small.
const findBytes = 16;
const maxCached = 4096;
// Longer values are not cached. Numbers, cards and secrets are shorter, and one longer value would take the space of
// many.
const maxCachedChars = 512;
const nonces = Buffer.alloc(512 * nonceBytes);
let nextNonce = nonces.length;

export interface Keyring {
  readonly currentId: string | undefined;
  readonly ids: readonly string[];
  seal(place: string, text: string): string;
  /**
   * Returns the plain text of a stored value.
   * @throws {Error} if the key is unknown, or the value was modified or moved to another column
   */
  open(place: string, stored: string): string;
  blindIndex(place: string, text: string): string;
  /**
   * Returns all forms in which a text may be stored: its blind index under every key, and the plain text unless it
   * looks like a blind index.
   */
  lookupTerms(place: string, text: string): string[];
  /**
   * Returns keys for uses other than columns, with the current key's first.
   * @param place the use, such as "platform.backup"
   */
  derive(place: string): ColumnKeys[];
  /** Whether all values of the column were sealed with the current key when last checked. */
  isUniform(place: string): boolean;
  markUniform(places: readonly string[]): void;
}

/**
 * @param current the key that seals values; if it is undefined, values are stored as plain text
 * @param older keys that only decrypt
 */
export function openKeyring(current: DataKey | undefined, older: readonly DataKey[] = []): Keyring {
  const keys = [...(current ? [current] : []), ...older];
  const byId = new Map(keys.map((key) => [key.id, key]));
  // Pages show the same values repeatedly, so decrypted values are cached: decrypting takes 4 µs, a cache hit 0.1 µs.
  const cache = new Map<string, string>();
  let uniform: ReadonlySet<string> = new Set();
  const openUncached = (place: string, stored: string): string => {
    if (!sealedForm.test(stored)) return stored;
    if (stored.startsWith(escape)) return stored.slice(escape.length);
    const id = stored.slice(idStart, idEnd);
    const key = byId.get(id);
    if (!key) throw new Error(`a value of ${place} is encrypted with the unknown data key ${id}`);
    return decipher(key.of(place), place, stored);
  };
  return {
    currentId: current?.id,
    ids: keys.map(({ id }) => id),
    seal(place, text) {
      if (text === "") return text;
      if (current) return sealedBy(current.id) + encipher(current.of(place), text);
      return text.startsWith(prefix) ? escape + text : text;
    },
    open(place, stored) {
      if (!stored.startsWith(prefix)) return stored;
      if (stored.length > maxCachedChars) return openUncached(place, stored);
      const name = place + stored;
      const known = cache.get(name);
      if (known !== undefined) return known;
      const text = openUncached(place, stored);
      const [oldest] = cache.keys();
      if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest);
      cache.set(name, text);
      return text;
    },
    blindIndex: (place, text) => (current ? computeIndex(current, place, text) : text),
    // A text that looks like a blind index is not looked up as plain text, because a request could then find a record
    // by its stored blind index.
    lookupTerms: (place, text) => [
      ...keys.map((key) => computeIndex(key, place, text)),
      ...(text.startsWith("#") ? [] : [text]),
    ],
    derive: (place) => keys.map((key) => key.of(place)),
    isUniform: (place) => uniform.has(place),
    markUniform(places) {
      uniform = new Set(places);
    },
  };
}

export const noKeys: Keyring = openKeyring(undefined);

function computeIndex(key: DataKey, place: string, text: string): string {
  const made = createHmac("sha256", key.of(place).blindIndex).update(text).digest();
  return `#${key.id}#${made.subarray(0, findBytes).toString("base64url")}`;
}

function encipher({ cipher: key, bound }: ColumnKeys, text: string): string {
  if (nextNonce === nonces.length) {
    randomFillSync(nonces);
    nextNonce = 0;
  }
  const nonce = nonces.subarray(nextNonce, (nextNonce += nonceBytes));
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(bound);
  const sealed = cipher.update(text, "utf8");
  return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

function decipher({ cipher: key, bound }: ColumnKeys, place: string, stored: string): string {
  const bytes = Buffer.from(stored.slice(idEnd + 1), "base64url");
  try {
    const nonce = bytes.subarray(0, nonceBytes);
    const opening = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes }).setAAD(bound);
    opening.setAuthTag(bytes.subarray(-tagBytes));
    return opening.update(bytes.subarray(nonceBytes, -tagBytes), undefined, "utf8") + opening.final("utf8");
  } catch (cause) {
    throw new Error(`an encrypted value of ${place} was modified or moved`, { cause });
  }
}

export interface SealedColumn {
  readonly table: string;
  readonly key: Readonly<Record<string, "bigint" | "integer" | "text" | "bytea">>;
  readonly column: string;
  readonly sealedIn?: string;
  /** The column with the blind index, which may be `column` itself. It requires `sealedIn`. */
  readonly found?: string;
  readonly compare?: (text: string) => string;
  /**
   * The name from which the keys are derived, by default the table and column. Columns with the same `place` share
   * keys.
   */
  readonly place?: string;
  /** The rows per batch of `quintet seal`, fewer than the default of 500 for a column with large values. */
  readonly batchRows?: number;
}

export const nameColumn = ({ table, column }: SealedColumn): string => `${table}.${column}`;

export const bindingOf = (column: SealedColumn): string => column.place ?? nameColumn(column);

export interface StoredValue {
  readonly plain: string;
  readonly apart: string | null;
  readonly found: string | null;
}

export function toStoredValue(keys: Keyring, column: SealedColumn, text: string): StoredValue {
  const place = bindingOf(column);
  if (column.sealedIn === undefined) return { plain: keys.seal(place, text), apart: null, found: null };
  if (keys.currentId === undefined) return { plain: text, apart: null, found: null };
  const found = keys.blindIndex(place, column.compare?.(text) ?? text);
  return { plain: column.found === column.column ? found : "", apart: keys.seal(place, text), found };
}

export function toText(keys: Keyring, column: SealedColumn, plain: string, apart: string | null): string {
  if (column.sealedIn === undefined) return keys.open(bindingOf(column), plain);
  return apart === null ? plain : keys.open(bindingOf(column), apart);
}

/**
 * Opens a value for display. If the value was tampered with or its key is lost, the value is returned sealed, since the
 * other fields of the record are still valid.
 */
export function openOrShow(keys: Keyring, column: SealedColumn, plain: string, apart: string | null = null): string {
  try {
    return toText(keys, column, plain, apart);
  } catch {
    return apart ?? plain;
  }
}

export const normalizePhone = (text: string): string => text.replaceAll(/[^\d+]/g, "");

const minPhoneDigits = 5;

/**
 * Returns the blind indexes under which a phone number is stored, or none if the keyword has fewer than five digits and
 * plus signs or there is no key.
 */
export function phoneLookupTerms(keys: Keyring, column: SealedColumn, keyword: string): string[] {
  const number = normalizePhone(keyword);
  if (keys.ids.length === 0 || number.length < minPhoneDigits) return [];
  return keys.lookupTerms(bindingOf(column), number).filter((spelling) => spelling.startsWith("#"));
}

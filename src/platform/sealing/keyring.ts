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

/** Keys derived for one column, so that values of two columns share none. */
export interface ColumnKeys {
  readonly cipher: KeyObject;
  readonly blindIndex: KeyObject;
  /** The AAD: a sealed value cannot be moved to another column. */
  readonly bound: Buffer;
}

export interface DataKey {
  /** Eight hexadecimal digits in every sealed value, which reveal nothing of the key. */
  readonly id: string;
  /** @param place the column, such as "library.reader.phone" */
  of(place: string): ColumnKeys;
}

/** @param master 32 random bytes */
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

/** Parses a key from the settings. @throws {Error} without repeating it */
export function readDataKey(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== dataKeyBytes || bytes.toString("base64") !== text.trim())
    throw new Error("is not 32 bytes in base64, as `openssl rand -base64 32` prints them");
  return bytes;
}

// A sealed value is "sealed:A256GCM:<key id>:<base64url of nonce, ciphertext, tag>" (algorithm name of RFC 7518); a
// blind index is "#<key id>#<base64url>". Anything else is plain. Plain text that looks sealed is stored with the
// prefix "sealed:plain:".

const prefix = "sealed:";
const escape = `${prefix}plain:`;
/** The prefix of everything the key seals. */
export const sealedBy = (id: string): string => `${prefix}A256GCM:${id}:`;
const idStart = sealedBy("").length - 1;
const idEnd = idStart + 8;
/** Other text with this prefix was typed by somebody before there was a key. */
const sealedForm = /^sealed:(?:plain|A256GCM:[\da-f]{8}):/;
const nonceBytes = 12;
const tagBytes = 16;
// RFC 2104 allows half the hash: 128 bits keep millions of values distinct and the index small.
const findBytes = 16;
const maxCached = 4096;
// Covers numbers, cards and secrets; longer values would crowd out many others.
const maxCachedChars = 512;
const nonces = Buffer.alloc(512 * nonceBytes);
let nextNonce = nonces.length;

/** The keys of a process, available on every database handle. */
export interface Keyring {
  /** The id of the sealing key; undefined if nothing is sealed. */
  readonly currentId: string | undefined;
  /** Ids of all keys, the current one first. */
  readonly ids: readonly string[];
  /** Encrypts a text for storage. @param place the column, such as "library.reader.phone" */
  seal(place: string, text: string): string;
  /** Decrypts a stored value. @throws {Error} for an unknown key, or a modified or moved value */
  open(place: string, stored: string): string;
  /** The blind index of a text under the current key; the text itself without a key. */
  blindIndex(place: string, text: string): string;
  /** All stored forms by which a text may be found: under every key, and plain. */
  lookupTerms(place: string, text: string): string[];
  /** Keys derived for other uses, the current one first. @param place such as "platform.backup" */
  derive(place: string): ColumnKeys[];
  /** Whether all values of the column were sealed by the current key when last checked. */
  isUniform(place: string): boolean;
  /** @param places the columns entirely sealed by the current key */
  markUniform(places: readonly string[]): void;
}

/** @param current seals; without it nothing is sealed @param older only decrypt */
export function openKeyring(current: DataKey | undefined, older: readonly DataKey[] = []): Keyring {
  const keys = [...(current ? [current] : []), ...older];
  const byId = new Map(keys.map((key) => [key.id, key]));
  // Pages show the same values repeatedly: decrypting takes 4 µs, a cache hit 0.1 µs.
  const cache = new Map<string, string>();
  let uniform: ReadonlySet<string> = new Set();
  const openUncached = (place: string, stored: string): string => {
    if (!sealedForm.test(stored)) return stored;
    if (stored.startsWith(escape)) return stored.slice(escape.length);
    const id = stored.slice(idStart, idEnd);
    const key = byId.get(id);
    if (!key) throw new Error(`a value of ${place} is sealed with the unknown data key ${id}`);
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
    // A blind index in a request is not accepted as a search term.
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

/** For a process without keys, which stores plain values. */
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
    throw new Error(`a sealed value of ${place} was modified or moved`, { cause });
  }
}

/** A column sealed with the data key, as used by `quintet seal`. */
export interface SealedColumn {
  /** Such as "library.reader". */
  readonly table: string;
  /** Primary key columns with their types. */
  readonly key: Readonly<Record<string, "bigint" | "integer" | "text" | "bytea">>;
  readonly column: string;
  /** The column for the sealed value, if not `column` itself. */
  readonly sealedIn?: string;
  /** The column for the blind index, which requires a separate sealed column; may be `column`. */
  readonly found?: string;
  /** Normalises a text for the index. */
  readonly compare?: (text: string) => string;
  /** The binding shared by several columns; by default table and column. */
  readonly place?: string;
  /** Rows per batch of `quintet seal`, by default 500; lower for large values. */
  readonly batchRows?: number;
}

export const nameColumn = ({ table, column }: SealedColumn): string => `${table}.${column}`;

export const bindingOf = (column: SealedColumn): string => column.place ?? nameColumn(column);

/** The stored columns of a value: plain, sealed and blind index. */
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

/** A phone number without spacing, for comparison. */
export const normalizePhone = (text: string): string => text.replaceAll(/[^\d+]/g, "");

const minPhoneDigits = 5;

/** Blind indexes matching a keyword that is a whole phone number; none otherwise. */
export function phoneLookupTerms(keys: Keyring, column: SealedColumn, keyword: string): string[] {
  const number = normalizePhone(keyword);
  if (keys.ids.length === 0 || number.length < minPhoneDigits) return [];
  return keys.lookupTerms(bindingOf(column), number).filter((spelling) => spelling.startsWith("#"));
}

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

/** Each column has keys of its own, so that equal values of two columns differ when stored. */
export interface ColumnKeys {
  readonly cipher: KeyObject;
  readonly blindIndex: KeyObject;
  /** The text is authenticated with the value (AAD), so that a sealed value cannot be moved to another column. */
  readonly bound: Buffer;
}

export interface DataKey {
  /** Every sealed value has these eight hexadecimal digits, which reveal nothing of the key. */
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

/** @throws {Error} without repeating the key */
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
// Numbers, cards and secrets are shorter; longer values would crowd out many others.
const maxCachedChars = 512;
const nonces = Buffer.alloc(512 * nonceBytes);
let nextNonce = nonces.length;

export interface Keyring {
  readonly currentId: string | undefined;
  readonly ids: readonly string[];
  seal(place: string, text: string): string;
  /** @throws {Error} for an unknown key, or a modified or moved value */
  open(place: string, stored: string): string;
  blindIndex(place: string, text: string): string;
  /** Returns all stored forms by which a text may be found: under every key, and plain. */
  lookupTerms(place: string, text: string): string[];
  /**
   * Returns keys for other uses than columns, the current one first.
   * @param place such as "platform.backup"
   */
  derive(place: string): ColumnKeys[];
  /** All values of the column were sealed by the current key when last checked. */
  isUniform(place: string): boolean;
  markUniform(places: readonly string[]): void;
}

/**
 * @param current seals; without it nothing is sealed
 * @param older only decrypt
 */
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

export interface SealedColumn {
  readonly table: string;
  readonly key: Readonly<Record<string, "bigint" | "integer" | "text" | "bytea">>;
  readonly column: string;
  readonly sealedIn?: string;
  /** The blind index requires a separate sealed column; it may be in `column`. */
  readonly found?: string;
  readonly compare?: (text: string) => string;
  /** Several columns can share a place, which is by default the table and column. */
  readonly place?: string;
  /** Large values need fewer rows per batch of `quintet seal` than the default of 500. */
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

export const normalizePhone = (text: string): string => text.replaceAll(/[^\d+]/g, "");

const minPhoneDigits = 5;

/** Returns none unless the keyword is a whole phone number. */
export function phoneLookupTerms(keys: Keyring, column: SealedColumn, keyword: string): string[] {
  const number = normalizePhone(keyword);
  if (keys.ids.length === 0 || number.length < minPhoneDigits) return [];
  return keys.lookupTerms(bindingOf(column), number).filter((spelling) => spelling.startsWith("#"));
}

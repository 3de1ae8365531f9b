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

/** What a data key makes for one column: values of two columns are never sealed, nor found, by the same key. */
export interface ColumnKeys {
  readonly cipher: KeyObject;
  readonly blindIndex: KeyObject;
  /** What a sealed value is bound to: in another column it does not open. */
  readonly bound: Buffer;
}

export interface DataKey {
  /** Eight hexadecimal digits by which sealed values name it; they tell nothing of the key. */
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

/** The bytes of a key as the settings have it. @throws {Error} without repeating it */
export function readDataKey(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== dataKeyBytes || bytes.toString("base64") !== text.trim())
    throw new Error("is not 32 bytes in base64, as `openssl rand -base64 32` prints them");
  return bytes;
}

// A sealed value is "sealed:A256GCM:<key id>:<base64url of nonce, what was sealed, tag>", with the name that RFC 7518 gives
// the algorithm; a key by which a value is found, "#<key id>#<base64url>". What is neither is as it was given. One that only
// looks sealed is stored behind "sealed:plain:".

const prefix = "sealed:";
const escape = `${prefix}plain:`;
/** How what the key seals begins, and all that it has ever sealed by today's algorithm. */
export const sealedBy = (id: string): string => `${prefix}A256GCM:${id}:`;
const idStart = sealedBy("").length - 1;
const idEnd = idStart + 8;
/** What has another form begins so because somebody has typed it, before there was a key to seal it. */
const sealedForm = /^sealed:(?:plain|A256GCM:[\da-f]{8}):/;
const nonceBytes = 12;
const tagBytes = 16;
// RFC 2104 allows half of the hash: 128 bits keep millions of values apart, and an index of them small.
const findBytes = 16;
const maxCached = 4096;
// Numbers, cards and secrets: what is longer would take up the memory of many, and is remembered by who serves it often.
const maxCachedChars = 512;
const nonces = Buffer.alloc(512 * nonceBytes);
let nextNonce = nonces.length;

/** The keys of a process. Every handle on the database has it, since what is stored there is sealed by it. */
export interface Keyring {
  /** Of the key that seals what is written; undefined: it is written as it is given. */
  readonly currentId: string | undefined;
  /** Of all keys that open, the present one first. */
  readonly ids: readonly string[];
  /** What is stored for a text. @param place the column, such as "library.reader.phone" */
  seal(place: string, text: string): string;
  /** The text of what is stored. @throws {Error} when another key has sealed it, or it was changed or moved */
  open(place: string, stored: string): string;
  /** By what a text is found that the present key has sealed; without a key the text itself. */
  blindIndex(place: string, text: string): string;
  /** Everything under which a text may be found: by the present key, the older ones, and as it is. */
  lookupTerms(place: string, text: string): string[];
  /** What all keys make for something beside the database, the present one first. @param place such as "platform.backup" */
  derive(place: string): ColumnKeys[];
  /** Whether the present key had sealed all values of the place when that was last asked. */
  isUniform(place: string): boolean;
  /** @param places all in which the present key has sealed everything */
  markUniform(places: readonly string[]): void;
}

/** @param current seals; left out, nothing is sealed from now on @param older open what they have sealed */
export function openKeyring(current: DataKey | undefined, older: readonly DataKey[] = []): Keyring {
  const keys = [...(current ? [current] : []), ...older];
  const byId = new Map(keys.map((key) => [key.id, key]));
  // A page that is read again and again has the same values: to open one takes 4 µs, to remember it 0.1.
  const cache = new Map<string, string>();
  let uniform: ReadonlySet<string> = new Set();
  const openUncached = (place: string, stored: string): string => {
    if (!sealedForm.test(stored)) return stored;
    if (stored.startsWith(escape)) return stored.slice(escape.length);
    const id = stored.slice(idStart, idEnd);
    const key = byId.get(id);
    if (!key) throw new Error(`a value of ${place} is sealed by the key ${id}, which is not among the data keys`);
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
    // Whoever sends what a key has made of a value is not looking for that value.
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

/** Of a process without a key: everything is stored as it is given. */
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
    throw new Error(`a sealed value of ${place} was changed, or belongs elsewhere`, { cause });
  }
}

/** A column whose values are sealed where there is a data key, as `quintet seal` and the tables of documents know it. */
export interface SealedColumn {
  /** Such as "library.reader". */
  readonly table: string;
  /** The primary key's columns, each with its type. */
  readonly key: Readonly<Record<string, "bigint" | "integer" | "text" | "bytea">>;
  readonly column: string;
  /** Where the sealed value stands; left out: in the column itself. */
  readonly sealedIn?: string;
  /** The column that has by what the exact value is found; then `apart` is needed. It may be `column` itself. */
  readonly found?: string;
  /** What of a text is compared where it is looked for; left out: all of it, as it is. */
  readonly compare?: (text: string) => string;
  /** What a value is bound to, where several columns share it; left out: table and column. */
  readonly place?: string;
  /** How many rows `quintet seal` takes at once; left out: 500. For columns whose values may be large. */
  readonly batchRows?: number;
}

export const nameColumn = ({ table, column }: SealedColumn): string => `${table}.${column}`;

export const bindingOf = (column: SealedColumn): string => column.place ?? nameColumn(column);

/** The columns of a value as they are stored: that of the value, that of the sealed one, and by what it is found. */
export interface StoredValue {
  readonly plain: string;
  readonly apart: string | null;
  readonly found: string | null;
}

/** What the columns have for a text. */
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

/** A phone number as it is compared: however it is spaced. */
export const normalizePhone = (text: string): string => text.replaceAll(/[^\d+]/g, "");

const minPhoneDigits = 5;

/** By what sealed numbers of the column are found that are the whole of a keyword; nothing of a keyword that is no number. */
export function phoneLookupTerms(keys: Keyring, column: SealedColumn, keyword: string): string[] {
  const number = normalizePhone(keyword);
  if (keys.ids.length === 0 || number.length < minPhoneDigits) return [];
  return keys.lookupTerms(bindingOf(column), number).filter((spelling) => spelling.startsWith("#"));
}

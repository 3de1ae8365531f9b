import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";

export const dataKeyBytes = 32;
const idBytes = 4;

/** What a data key makes for one column: values of two columns are never sealed, nor found, by the same key. */
export interface PlaceKeys {
  readonly cipher: KeyObject;
  readonly find: KeyObject;
  /** What a sealed value is bound to: in another column it does not open. */
  readonly bound: Buffer;
}

/** One data key. Of the 32 bytes themselves nothing is used but by HKDF. */
export interface DataKey {
  /** Eight hexadecimal digits by which sealed values name it; they tell nothing of the key. */
  readonly id: string;
  /** @param place the column, such as "library.reader.phone" */
  of(place: string): PlaceKeys;
}

/** @param master 32 random bytes */
export function openDataKey(master: Buffer): DataKey {
  const derive = (info: string, bytes: number): Buffer => Buffer.from(hkdfSync("sha256", master, "", info, bytes));
  const id = derive("quintet id", idBytes).toString("hex");
  const places = new Map<string, PlaceKeys>();
  return {
    id,
    of(place) {
      let keys = places.get(place);
      if (!keys) {
        const [cipher, find] = ["seal", "find"].map((use) => createSecretKey(derive(`quintet ${use} ${place}`, 32)));
        places.set(place, (keys = { cipher: cipher as KeyObject, find: find as KeyObject, bound: Buffer.from(place) }));
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

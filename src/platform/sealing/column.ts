import type { Keyring } from "./keyring.ts";

/** A column whose values are sealed where there is a data key, as `quintet seal` and the tables of documents know it. */
export interface SealedColumn {
  /** Such as "library.reader". */
  readonly table: string;
  /** The primary key's columns, each with its type. */
  readonly key: Readonly<Record<string, "bigint" | "integer" | "text" | "bytea">>;
  readonly column: string;
  /** Where the sealed value stands; left out: in the column itself. */
  readonly apart?: string;
  /** The column that has by what the exact value is found; then `apart` is needed. It may be `column` itself. */
  readonly found?: string;
  /** What of a text is compared where it is looked for; left out: all of it, as it is. */
  readonly compare?: (text: string) => string;
  /** What a value is bound to, where several columns share it; left out: table and column. */
  readonly place?: string;
  /** How many rows `quintet seal` takes at once; left out: 500. For columns whose values may be large. */
  readonly together?: number;
}

export const nameColumn = ({ table, column }: SealedColumn): string => `${table}.${column}`;

export const placeOf = (column: SealedColumn): string => column.place ?? nameColumn(column);

/** The columns of a value as they are stored: that of the value, that of the sealed one, and by what it is found. */
export interface StoredValue {
  readonly plain: string;
  readonly apart: string | null;
  readonly found: string | null;
}

/** What the columns have for a text. */
export function toStoredValue(keys: Keyring, column: SealedColumn, text: string): StoredValue {
  const place = placeOf(column);
  if (column.apart === undefined) return { plain: keys.seal(place, text), apart: null, found: null };
  if (keys.currentId === undefined) return { plain: text, apart: null, found: null };
  const found = keys.find(place, column.compare?.(text) ?? text);
  return { plain: column.found === column.column ? found : "", apart: keys.seal(place, text), found };
}

export function toText(keys: Keyring, column: SealedColumn, plain: string, apart: string | null): string {
  if (column.apart === undefined) return keys.open(placeOf(column), plain);
  return apart === null ? plain : keys.open(placeOf(column), apart);
}

/** A phone number as it is compared: however it is spaced. */
export const toDialled = (text: string): string => text.replaceAll(/[^\d+]/g, "");

const leastDialled = 5;

/** By what sealed numbers of the column are found that are the whole of a keyword; nothing of a keyword that is no number. */
export function findDialled(keys: Keyring, column: SealedColumn, keyword: string): string[] {
  const number = toDialled(keyword);
  if (keys.ids.length === 0 || number.length < leastDialled) return [];
  return keys.spell(placeOf(column), number).filter((spelling) => spelling.startsWith("#"));
}

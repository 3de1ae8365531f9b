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
  /** Between what the part of a text stands that is sealed; left out: all of it is. Not with `apart`. */
  readonly part?: SealedPart;
  /** The column is of the type json; left out: of text. */
  readonly isJson?: true;
  /** How many rows `quintet seal` takes at once; left out: 500. For columns whose values may be large. */
  readonly together?: number;
}

/** From behind the first `after` of a text to the last `before` in it. Neither has what LIKE takes for something else. */
export interface SealedPart {
  readonly after: string;
  readonly before: string;
}

export const nameColumn = ({ table, column }: SealedColumn): string => `${table}.${column}`;

/** What its values are bound to. */
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
  if (column.apart === undefined)
    return { plain: changePart(column, text, (part) => keys.seal(place, part)), apart: null, found: null };
  if (keys.currentId === undefined) return { plain: text, apart: null, found: null };
  const found = keys.find(place, column.compare?.(text) ?? text);
  return { plain: column.found === column.column ? found : "", apart: keys.seal(place, text), found };
}

/** The text that the columns have. */
export function toText(keys: Keyring, column: SealedColumn, plain: string, apart: string | null): string {
  if (column.apart === undefined) return changePart(column, plain, (part) => keys.open(placeOf(column), part));
  return apart === null ? plain : keys.open(placeOf(column), apart);
}

/** The text with another part; one that has none stays as it is. */
function changePart({ part: bounds }: SealedColumn, text: string, change: (part: string) => string): string {
  if (!bounds) return change(text);
  const start = text.indexOf(bounds.after) + bounds.after.length;
  const end = text.lastIndexOf(bounds.before);
  if (start < bounds.after.length || end <= start) return text;
  const part = text.slice(start, end);
  const changed = change(part);
  return changed === part ? text : text.slice(0, start) + changed + text.slice(end);
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

import pg from "pg";

export type Value =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly (string | number | bigint | boolean | Date | Uint8Array | null)[];

/**
 * Dates are converted here, because the driver would send them in local time, whose historic offsets PostgreSQL cannot
 * read. JavaScript writes years above 9999 as "+010000-…", PostgreSQL as "10000-…".
 * @throws {TypeError} for undefined, which the driver would send as null
 */
export function toParameter(value: Value): Exclude<Value, Date> {
  if (value === undefined) throw new TypeError("a value of a statement is undefined");
  if (value instanceof Date) return value.toISOString().replace(/^\+0*/, "");
  if (Array.isArray(value)) return (value as readonly Value[]).map(toParameter) as readonly string[];
  return value;
}

const oids = { bigint: 20, date: 1082, timestamp: 1114, timestamptz: 1184 } as const;
const arrayOids = {
  smallint: 1005,
  integer: 1007,
  bigint: 1016,
  text: 1009,
  numeric: 1231,
  timestamptz: 1185,
} as const;

/** JavaScript's parser is twice as fast as the library's, which is used only for years below 1000, BC and infinity. */
function toInstant(text: string): Date {
  const date = new Date(text);
  return text.startsWith("0") || Number.isNaN(date.valueOf()) ? parseInstant(text) : date;
}
const parseInstant = pg.types.getTypeParser(oids.timestamptz, "text") as (text: string) => Date;

/**
 * `toNumbers` parses only one-dimensional arrays, because the tables have no others; the library's parser is 2.5 times
 * slower.
 */
const toNumbers = (text: string): (number | null)[] =>
  text === "{}"
    ? []
    : text
        .slice(1, -1)
        .split(",")
        .map((item) => (item === "NULL" ? null : Number(item)));

const toTexts = pg.types.getTypeParser(arrayOids.text as number, "text") as (text: string) => (string | null)[];

type Parser = (text: string) => unknown;

/** A bigint is read as a number, since all ids and counts are below 2^53. A date is read as midnight UTC. */
const parsers = new Map<number, Parser>([
  [oids.bigint, Number],
  [oids.date, (text) => new Date(text)],
  [oids.timestamp, (text) => new Date(text)],
  [oids.timestamptz, toInstant],
  [arrayOids.smallint, toNumbers],
  [arrayOids.integer, toNumbers],
  [arrayOids.bigint, toNumbers],
  [arrayOids.numeric, toTexts],
  [arrayOids.timestamptz, (text) => toTexts(text).map((item) => (item === null ? null : toInstant(item)))],
]);

export const columnTypes = {
  getTypeParser: ((oid: number, format: "text") =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

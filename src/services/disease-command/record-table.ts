import { parseDateTime } from "#platform/contract/times.ts";
import type { Statement } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { toLink } from "#platform/process/links.ts";

// What a module says of its table.

/** How a field of the contract lies in a table. */
export interface Column {
  readonly name: string;
  /** The SQL that gives the field as it is on the wire; left out, the column itself. */
  readonly read?: (settings: Settings) => string;
  /** What is stored for a value of the wire; left out, the value itself, or null for "". */
  readonly write?: (value: never, settings: Settings) => unknown;
}

/** A filter: the SQL condition for a value of the query. */
export type Filter = (statement: Statement, value: never, settings: Settings) => string;

/** What is a module's own: its table, fields, filters and unique keys. */
export interface RecordTable<Field extends string = string> {
  readonly table: string;
  readonly columns: Readonly<Record<Field, Column>>;
  readonly filters?: Readonly<Record<string, Filter>>;
  /** The constraints whose breach means that the record exists already, each with the field to be told of it. */
  readonly unique?: Readonly<Record<string, Field>>;
  /** The field that names uploads, one or several with commas between. */
  readonly files?: Field;
  /** The field that lists give as null. */
  readonly unlisted?: Field;
}

/** The fields that a table must have for the records of a contract. */
export type FieldOf<R extends { readonly shape: object }> = Exclude<keyof R["shape"] & string, "id">;

export const plain = (name: string): Column => ({ name });

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** `yyyy-MM-dd HH:mm:ss` on the wire, an instant in the table. */
export const instant = (name: string): Column => ({
  name,
  read: ({ TIME_ZONE }) => `to_char(${name} at time zone ${quote(TIME_ZONE)}, 'YYYY-MM-DD HH24:MI:SS')`,
  write: (value: string, { TIME_ZONE }) => parseDateTime(value, TIME_ZONE),
});

/** SQL for the month of an instant, as `yyyy-MM`. */
export const toMonth = (name: string, { TIME_ZONE }: Settings): string =>
  `to_char(${name} at time zone ${quote(TIME_ZONE)}, 'YYYY-MM')`;

/** Where uploads are served. */
export const fileFolder = (settings: Settings): string => toLink(settings, "/disease-command/file/");

/** SQL for the address that a file's name is to follow. */
export const toFileAddress = (settings: Settings): string => quote(fileFolder(settings));

/** "1" and "2" on the wire, true and false in the table. */
export const yesOrNo = (name: string): Column => ({
  name,
  read: () => `case when ${name} then '1' else '2' end`,
  write: (value: "1" | "2") => value === "1",
});

export const equals =
  (name: string): Filter =>
  (statement, value) =>
    `${name} = ${statement.value(value)}`;

/** Stands anywhere in one of the columns, in upper or lower case. */
export const contains =
  (...names: string[]): Filter =>
  (statement, value) => {
    const place = statement.value(value);
    return `(${names.map((name) => `strpos(lower(${name}), lower(${place})) > 0`).join(" or ")})`;
  };

/** The first and the last day of a span, of a column that holds days. */
export const fromDay =
  (name: string): Filter =>
  (statement, value) =>
    `${name} >= ${statement.value(value)}::date`;

export const toDay =
  (name: string): Filter =>
  (statement, value) =>
    `${name} <= ${statement.value(value)}::date`;

export const since =
  (name: string): Filter =>
  (statement, value: string, { TIME_ZONE }) =>
    `${name} >= ${statement.value(parseDateTime(value, TIME_ZONE))}`;

export const until =
  (name: string): Filter =>
  (statement, value: string, { TIME_ZONE }) =>
    `${name} <= ${statement.value(parseDateTime(value, TIME_ZONE))}`;

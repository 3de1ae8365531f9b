import type { Db } from "./db.ts";
import { type Fragment, sql } from "./sql.ts";
import type { Value } from "./values.ts";

// The fields of a record, each with its column, are said once; what reads and writes the record is made of that.

declare const type: unique symbol;

/** The name of a column, or SQL that is read as one; it remembers what the column holds. */
export type Column<T> = string & { readonly [type]?: T };

export const column = <T>(name: string): Column<T> => name;

export type Columns<Field extends string = string> = Readonly<Record<Field, string>>;

export type RowOf<C extends Columns> = { readonly [F in keyof C]: C[F] extends Column<infer T> ? T : unknown };

/** A record as the table keeps it: what was left out is null. */
export type Stored<T> = {
  readonly [F in keyof T]-?: undefined extends T[F] ? Exclude<T[F], undefined> | null : T[F];
};

/** Of a select list: `name, wx_phone as "wxPhone"`. */
export const writeSelected = (columns: Columns): string =>
  Object.entries(columns)
    .map(([field, name]) => (field === name ? name : `${name} as "${field}"`))
    .join(", ");

/** As an insert or a COPY names them: `name, wx_phone`. */
export const writeNames = (columns: Columns): string => Object.values(columns).join(", ");

/** Takes the values of a record in the order of its columns; what it leaves out is null. */
export function compileValues<Field extends string>(columns: Columns<Field>) {
  const fields = Object.keys(columns) as Field[];
  return <T>(record: { readonly [F in Field]?: T | undefined }): (T | null)[] =>
    fields.map((field) => record[field] ?? null);
}

/** Inserts records of the columns and returns the id of each. The text is made once. */
export function compileInsert<Field extends string>(
  table: string,
  columns: Columns<Field>,
): (tx: Db, record: { readonly [F in Field]?: Value | undefined }) => Promise<number> {
  const toValues = compileValues(columns);
  const places = Object.keys(columns).map((_field, index) => `$${index + 1}`);
  const text = `insert into ${table} (${writeNames(columns)}) values (${places.join(", ")}) returning id`;
  return async (tx, record) => {
    const [row] = await tx.query<{ id: number }>(text, toValues(record));
    if (!row) throw new Error("an insert returned no row");
    return row.id;
  };
}

/** Of an update: gives each of the columns its value, or keeps it where the change leaves it out. One text for all changes. */
export const setGiven = <Field extends string>(
  columns: Columns<Field>,
  change: { readonly [F in Field]?: Value | undefined },
): Fragment =>
  sql.join(
    Object.entries<string>(columns).map(([field, name]) => {
      const value = change[field as Field];
      return sql`${sql.raw(name)} = case when ${value !== undefined} then ${value ?? null} else ${sql.raw(name)} end`;
    }),
    ", ",
  );

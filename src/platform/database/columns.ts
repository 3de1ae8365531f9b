import type { Db } from "./db.ts";
import { type Fragment, sql } from "./sql.ts";
import type { Value } from "./values.ts";

declare const type: unique symbol;

export type Column<T> = string & { readonly [type]?: T };

export const column = <T>(name: string): Column<T> => name;

export type Columns<Field extends string = string> = Readonly<Record<Field, string>>;

export type RowOf<C extends Columns> = { readonly [F in keyof C]: C[F] extends Column<infer T> ? T : unknown };

export type Stored<T> = {
  readonly [F in keyof T]-?: undefined extends T[F] ? Exclude<T[F], undefined> | null : T[F];
};

export const writeSelected = (columns: Columns): string =>
  Object.entries(columns)
    .map(([field, name]) => (field === name ? name : `${name} as "${field}"`))
    .join(", ");

export const writeNames = (columns: Columns): string => Object.values(columns).join(", ");

export function compileValues<Field extends string>(columns: Columns<Field>) {
  const fields = Object.keys(columns) as Field[];
  return <T>(record: { readonly [F in Field]?: T | undefined }): (T | null)[] =>
    fields.map((field) => record[field] ?? null);
}

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

/**
 * Assigns the given fields; an omitted field keeps its value. The statement's text is the same for all changes, so one
 * plan serves all of them.
 */
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

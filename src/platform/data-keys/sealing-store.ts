import { type Db, sql } from "#platform/database/index.ts";
import type { SealedColumn, StoredValue } from "#platform/sealing/column.ts";
import { differs } from "./progress-store.ts";

/** The primary key of a row, each column as text, in the order of the column's `key`. */
export type RowKey = readonly string[];

export interface DifferentRow {
  readonly key: RowKey;
  readonly plain: string;
  readonly apart: string | null;
}

const keyNames = ({ key }: SealedColumn): string[] => Object.keys(key);

/** Rows behind `after`, in the order of their key, that the present key has not sealed; nobody else changes them meanwhile. */
export async function lockDifferent(
  tx: Db,
  column: SealedColumn,
  { after, most }: { readonly after: RowKey | undefined; readonly most: number },
): Promise<DifferentRow[]> {
  const names = keyNames(column);
  const types = Object.values(column.key);
  const place = sql.raw(names.join(", "));
  const values = after?.map((value, index) => sql`${value}::text::${sql.raw(types[index] ?? "text")}`);
  // Rows that a writer holds are met again: a run ends when nothing is left.
  return tx<DifferentRow[]>`
    select array[${sql.raw(names.map((name) => `${name}::text`).join(", "))}] as key, ${sql.identifier(column.column)} as plain,
      ${column.apart === undefined ? sql`null::text` : sql.identifier(column.apart)} as apart
    from ${sql.identifier(column.table)}
    where ${differs(tx, column)} ${values ? sql`and (${place}) > (${sql.join(values, ", ")})` : sql``}
    order by ${place} limit ${most} for update skip locked`;
}

/** Gives rows what their value is stored as. */
export async function storeSealed(
  tx: Db,
  column: SealedColumn,
  rows: readonly { readonly key: RowKey; readonly stored: StoredValue }[],
): Promise<number> {
  const names = keyNames(column);
  const types = Object.values(column.key);
  const keyLists = names.map((_name, index) => rows.map(({ key }) => key[index] ?? ""));
  const { apart, found } = column;
  const given = [
    sql`${sql.identifier(column.column)} = new.plain`,
    ...(apart === undefined ? [] : [sql`${sql.identifier(apart)} = new.apart`]),
    ...(found === undefined || found === column.column ? [] : [sql`${sql.identifier(found)} = new.found`]),
  ];
  const same = names.map(
    (name, index) => sql`kept.${sql.raw(name)} = new.${sql.raw(`key_${index}::${types[index] ?? "text"}`)}`,
  );
  return tx.count`
    update ${sql.identifier(column.table)} as kept set ${sql.join(given, ", ")}
    from unnest(${rows.map(({ stored }) => stored.plain)}::text[], ${rows.map(({ stored }) => stored.apart)}::text[],
      ${rows.map(({ stored }) => stored.found)}::text[], ${sql.join(
        keyLists.map((list) => sql`${list}::text[]`),
        ", ",
      )}) as new (plain, apart, found, ${sql.raw(names.map((_name, index) => `key_${index}`).join(", "))})
    where ${sql.join(same, " and ")}`;
}

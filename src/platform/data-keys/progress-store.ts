import { type Db, sql, type Fragment } from "#platform/database/index.ts";
import { nameColumn, type SealedColumn } from "#platform/sealing/column.ts";

/** Which rows have a value that the present key has not sealed; without one, those that are sealed. */
export function differs({ keys: { currentId } }: Db, { column, apart }: SealedColumn): Fragment {
  const where = sql.identifier(apart ?? column);
  const value = sql.identifier(column);
  if (currentId === undefined) return sql`${where} like 'sealed:%' and ${where} not like 'sealed:plain:%'`;
  const present = `sealed:${currentId}:%`;
  // What stands apart leaves a value, or an empty text, in its place; an empty value is never sealed.
  return apart === undefined
    ? sql`${value} like '_%' and ${value} not like ${present}`
    : sql`((${where} is null and ${value} <> '') or ${where} not like ${present})`;
}

/** How many values are left that the present key has not sealed, or without one, that are sealed. */
export async function countLeft(db: Db, column: SealedColumn): Promise<number> {
  const [row] = await db<[{ left: number }]>`
    select count(*) as left from ${sql.identifier(column.table)} where ${differs(db, column)}`;
  return row.left;
}

/** The columns in which nothing is left. */
export async function listComplete(db: Db, columns: readonly SealedColumn[]): Promise<string[]> {
  const complete: string[] = [];
  for (const column of columns) {
    const left = await db`select 1 from ${sql.identifier(column.table)} where ${differs(db, column)} limit 1`;
    if (left.length === 0) complete.push(nameColumn(column));
  }
  return complete;
}

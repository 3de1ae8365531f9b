import { type Db, type Fragment, sql } from "#platform/database/index.ts";

const mostValues = 1000;

/** The values that there are of a dimension, in order. @param seen `and …`, of those that are seen, or nothing */
export const listValues = (
  db: Db,
  { table, column }: { readonly table: string; readonly column: string },
  seen: Fragment,
): Promise<string[]> => {
  const place = sql.raw(column);
  return db.values<string>`
    select distinct ${place} as value from ${sql.raw(table)} where ${place} <> '' ${seen} order by value limit ${mostValues}`;
};

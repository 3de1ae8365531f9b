import { type Db, type Fragment, sql } from "#platform/database/index.ts";

const mostValues = 1000;

/** @param seen an SQL condition that starts with `and`, or an empty fragment */
export const listValues = (
  db: Db,
  { table, column }: { readonly table: string; readonly column: string },
  seen: Fragment,
): Promise<string[]> => {
  const place = sql.raw(column);
  return db.values<string>`
    select distinct ${place} as value from ${sql.raw(table)} where ${place} <> '' ${seen} order by value limit ${mostValues}`;
};

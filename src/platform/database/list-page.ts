import type { ListOrder } from "#platform/contract/sorting.ts";
import type { Db } from "./db.ts";
import type { Statement } from "./statement.ts";

/** One page of a list, and how many rows the whole list has. */
export interface PageWithTotal<Row> {
  readonly rows: Row[];
  readonly totalCount: number;
}

/**
 * The answer of a statement that puts a page beside the total: `select total.count as "totalCount", … from total left
 * join page on true`. Past the last page its one row has the total alone.
 */
export const toPageWithTotal = <Row extends { readonly id: number | string }>(
  rows: (Row & { readonly totalCount: number })[],
): PageWithTotal<Row> => ({
  rows: rows[0]?.id === null ? [] : rows,
  totalCount: rows[0]?.totalCount ?? 0,
});

/** What a list is made of; its texts come from the code alone. */
export interface ListParts<Field extends string> {
  /** With its schema; in `columns`, `where` and `sortColumns` it goes by its name alone. */
  readonly table: string;
  readonly columns: string;
  /** `where …`, its values taken by the statement; or "". */
  readonly where: string;
  readonly sortColumns: Readonly<Record<Field, string>>;
  /** Set where the condition costs more than keeping what meets it: then it is looked at once. */
  readonly isCostly?: boolean;
}

/** One page and the exact total, out of one snapshot. Rows without a difference in the order go by their id. */
export async function listPage<Row extends { readonly id: number | string }, Field extends string>(
  db: Db,
  statement: Statement,
  { table, columns, where, sortColumns, isCostly = false }: ListParts<Field>,
  { field, descending, offset, limit }: ListOrder<Field>,
): Promise<PageWithTotal<Row>> {
  const direction = descending ? "desc" : "asc";
  const order = `order by place ${direction}, id ${direction}`;
  const counted = toPageWithTotal(
    await statement.run<Row & { totalCount: number }>(
      db,
      `with hit as ${isCostly ? "" : "not "}materialized (select id, ${sortColumns[field]} as place from ${table} ${where}),
         total as (select count(*) as count from hit),
         page as (select * from hit ${order} limit ${statement.value(limit)} offset ${statement.value(offset)})
       select total.count as "totalCount", ${columns} from total left join (page join ${table} using (id)) on true ${order}`,
    ),
  );
  const rows = counted.rows.map((row) => {
    const { totalCount: _total, ...rest } = row as Row & { totalCount?: number };
    return rest as unknown as Row;
  });
  return { ...counted, rows };
}

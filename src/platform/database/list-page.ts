import type { ListOrder } from "#platform/contract/sorting.ts";
import type { Db } from "./db.ts";
import type { Statement } from "./statement.ts";

export interface PageWithTotal<Row> {
  readonly rows: Row[];
  readonly totalCount: number;
}

/**
 * @param rows the rows of `select total.count as "totalCount", … from total left join page on true`; past the last
 * page, that is one row with only the total
 */
export const toPageWithTotal = <Row extends { readonly id: number | string }>(
  rows: (Row & { readonly totalCount: number })[],
): PageWithTotal<Row> => ({
  rows: rows[0]?.id === null ? [] : rows,
  totalCount: rows[0]?.totalCount ?? 0,
});

export interface ListParts<Field extends string> {
  /** The table's name is schema-qualified; the other texts refer to the table without the schema. */
  readonly table: string;
  readonly columns: string;
  readonly where: string;
  readonly sortColumns: Readonly<Record<Field, string>>;
  readonly isCostly?: boolean;
}

/** The page and the total come from one snapshot; rows that compare equal are sorted by id. */
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

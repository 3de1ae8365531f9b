/** One page of a list, and how many rows the whole list has. */
export interface Counted<Row> {
  readonly rows: Row[];
  readonly totalCount: number;
}

/**
 * The answer of a statement that puts a page beside the total: `select total.count as "totalCount", … from total left
 * join page on true`. Past the last page its one row has the total alone. At run time each row has the total too:
 * whoever sends rows on names their fields.
 */
export const toCounted = <Row extends { readonly id: number }>(
  rows: (Row & { readonly totalCount: number })[],
): Counted<Row> => ({
  rows: rows[0]?.id === null ? [] : rows,
  totalCount: rows[0]?.totalCount ?? 0,
});

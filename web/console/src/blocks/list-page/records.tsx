import type { Key, ReactNode } from "react";
import type { ListState } from "#console/blocks/list-page/address.ts";
import type { Column, Density } from "#console/blocks/list-page/columns.tsx";
import { type Paging, usePaging } from "#console/blocks/list-page/paging.ts";
import { RecordCards } from "#console/blocks/list-page/record-cards.tsx";
import { RecordTable } from "#console/blocks/list-page/record-table.tsx";
import { useIsPhone } from "#shared/media.ts";

export interface Selection<R> {
  readonly rows: readonly R[];
  readonly onChange: (rows: readonly R[]) => void;
  /** What a screen reader calls a row. */
  readonly nameOf: (row: R) => string;
}

export interface RecordsProps<R extends object> {
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly rowKey: (row: R) => Key;
  /** In place of no rows. */
  readonly empty: ReactNode;
  readonly density?: Density;
  readonly loading?: boolean;
  /** Sorting by whoever gives the rows. */
  readonly sorting?: Pick<ListState, "sort" | "order"> & {
    readonly onSort: (change: Pick<ListState, "sort" | "order">) => void;
  };
  readonly selection?: Selection<R>;
  /** Which page the rows are, where somebody else cuts them; left out, they are all and cut here. */
  readonly paging?: Paging;
  /** Rows on a page that is cut here. */
  readonly pageSize?: number;
}

/** Records as a table, whose head stays in sight; on a phone as cards. */
export function Records<R extends object>({ paging: given, pageSize = 50, ...props }: RecordsProps<R>) {
  const isPhone = useIsPhone();
  const pagination = usePaging(given, props.rows.length, pageSize);
  const Shape = isPhone ? RecordCards : RecordTable;
  return <Shape<R> {...props} pagination={pagination} />;
}

import { Table, type TableProps } from "antd";
import { type Key, type ReactNode, type RefCallback, useCallback, useState } from "react";
import type { PaginationProps } from "antd";
import { type Column, type Density, leastWidthOf, toTableColumn, widthOf } from "#console/blocks/list-page/columns.tsx";
import type { ListState } from "#console/blocks/list-page/address.ts";
import type { Paging } from "#console/blocks/list-page/paging.ts";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import { usePrinting } from "#console/printing.ts";

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

export interface ShapeProps<R extends object> extends Omit<RecordsProps<R>, "paging" | "pageSize"> {
  readonly pagination: PaginationProps;
}

const headerPx = 48;
const selectionPx = 44;
// A sheet of A4 between its margins.
const paperPx = 700;

/** Records as a table; on paper without what can be done with them. */
export function RecordTable<R extends object>(props: ShapeProps<R>) {
  const isPrinting = usePrinting();
  const { rows, rowKey, empty, density = "middle", loading = false, sorting, pagination } = props;
  const columns = isPrinting ? props.columns.filter(({ always }) => !always) : props.columns;
  const selection = isPrinting ? undefined : props.selection;
  const [place, roomPx] = useRoom();
  const { shown, widthPx, fits } = fitColumns(columns, selection ? selectionPx : 0, isPrinting ? paperPx : roomPx);
  const rowSelection = useRowSelection(selection, rowKey);
  const barPx = selection && selection.rows.length > 0 ? headerPx : 0;
  return (
    <div ref={place} className={fits || isPrinting ? "q-records q-records-fit" : "q-records"}>
      <Table<R>
        size={density}
        rowKey={rowKey}
        dataSource={[...rows]}
        columns={shown.map(toTableColumn<R>(sorting, fits || isPrinting))}
        loading={{ spinning: loading, delay: 150 }}
        locale={{ emptyText: empty }}
        pagination={pagination}
        // The library's own way of keeping the head in sight makes a table of its own of it, which nobody who hears the
        // page knows for the head of the other: only for what must be scrolled sideways; see console.css for the rest.
        {...(!fits && !isPrinting && { scroll: { x: widthPx }, sticky: { offsetHeader: headerPx + barPx } })}
        onChange={(_pagination, _filters, sorter, { action }) => {
          const [one] = [sorter].flat();
          const order = one?.order === "ascend" ? "asc" : one?.order === "descend" ? "desc" : undefined;
          if (action === "sort") sorting?.onSort({ sort: order && String(one?.columnKey), order });
        }}
        {...(rowSelection && { rowSelection })}
      />
    </div>
  );
}

type RowSelection<R> = NonNullable<TableProps<R>["rowSelection"]>;

function useRowSelection<R>(selection: Selection<R> | undefined, rowKey: (row: R) => Key): RowSelection<R> | undefined {
  const t = useTexts(texts);
  if (!selection) return undefined;
  return {
    columnWidth: selectionPx,
    preserveSelectedRowKeys: true,
    selectedRowKeys: selection.rows.map(rowKey),
    onChange: (_keys, next) => selection.onChange(next),
    getCheckboxProps: (row) => ({ "aria-label": t.selectRow(selection.nameOf(row)) }),
    getTitleCheckboxProps: () => ({ "aria-label": t.selectAll }),
  };
}

/** The columns with the widths that they get in the room: a little less than they ask for, before anything is scrolled. */
function fitColumns<R>(columns: readonly Column<R>[], besidePx: number, roomPx: number) {
  const sum = (of: readonly Column<R>[], px: (column: Column<R>) => number) =>
    of.reduce((all, column) => all + px(column), 0);
  // Buttons cannot be cut.
  const rigidPx =
    besidePx +
    sum(
      columns.filter(({ always }) => always),
      widthOf,
    );
  const soft = columns.filter(({ always }) => !always);
  const [askedPx, leastPx] = [sum(soft, widthOf), sum(soft, leastWidthOf)];
  const fits = roomPx >= rigidPx + leastPx;
  const lackingPx = Math.max(0, rigidPx + askedPx - roomPx);
  const share = fits && lackingPx > 0 ? lackingPx / (askedPx - leastPx) : 0;
  const give = (column: Column<R>) => Math.floor(widthOf(column) - share * (widthOf(column) - leastWidthOf(column)));
  const shown = columns.map((column) => (column.always ? column : { ...column, width: give(column) }));
  return { shown, widthPx: rigidPx + askedPx, fits };
}

/** How wide the element is that gets the ref: known before anything is painted. */
function useRoom(): readonly [RefCallback<HTMLElement>, number] {
  const [roomPx, setRoomPx] = useState(Infinity);
  const place = useCallback((element: HTMLElement) => {
    const measure = () => setRoomPx(element.clientWidth);
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    measure();
    return () => watch.disconnect();
  }, []);
  return [place, roomPx];
}

import { Table, type TableProps } from "antd";
import { type Key, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { PaginationProps } from "antd";
import { toTableColumn, widthOf } from "#console/blocks/list-page/columns.tsx";
import type { RecordsProps, Selection } from "#console/blocks/list-page/records.tsx";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#console/language/language.ts";
import { usePrinting } from "#console/printing.ts";

export interface ShapeProps<R extends object> extends Omit<RecordsProps<R>, "paging" | "pageSize"> {
  readonly pagination: PaginationProps;
}

const headerPx = 48;
const selectionPx = 44;

/** Records as a table. */
export function RecordTable<R extends object>(props: ShapeProps<R>) {
  const { columns, rows, rowKey, empty, density = "middle", loading = false, sorting, selection, pagination } = props;
  const place = useRef<HTMLDivElement>(null);
  const widthPx = columns.reduce((sum, column) => sum + widthOf(column), selection ? selectionPx : 0);
  const isPrinting = usePrinting();
  const isWide = useIsWide(place, widthPx);
  // Paper is not scrolled: what does not fit goes on in the next line of its cell.
  const fits = isWide || isPrinting;
  const rowSelection = useRowSelection(selection, rowKey);
  const barPx = selection && selection.rows.length > 0 ? headerPx : 0;
  return (
    <div ref={place} className={fits ? "q-records q-records-fit" : "q-records"}>
      <Table<R>
        size={density}
        rowKey={rowKey}
        dataSource={[...rows]}
        columns={columns.map(toTableColumn<R>(sorting, fits))}
        loading={{ spinning: loading, delay: 150 }}
        locale={{ emptyText: empty }}
        pagination={pagination}
        // The library's own way of keeping the head in sight makes a table of its own of it, which nobody who hears the
        // page knows for the head of the other: only for what must be scrolled sideways; see console.css for the rest.
        {...(!fits && { scroll: { x: widthPx }, sticky: { offsetHeader: headerPx + barPx } })}
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

function useRowSelection<R>(
  selection: Selection<R> | undefined,
  rowKey: (row: R) => Key,
): RowSelection<R> | undefined {
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

/** Whether the element has the width; before anything is drawn for the first time too. */
function useIsWide(place: RefObject<HTMLElement | null>, widthPx: number): boolean {
  const [hasPx, setHasPx] = useState(Infinity);
  useLayoutEffect(() => {
    if (place.current) setHasPx(place.current.clientWidth);
  }, [place]);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setHasPx(entry.contentRect.width));
    if (place.current) watch.observe(place.current);
    return () => watch.disconnect();
  }, [place]);
  return hasPx >= widthPx;
}

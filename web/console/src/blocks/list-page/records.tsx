import { type ListState, type Paging, usePaging } from "#console/blocks/list-page/address.ts";
import { useIsPhone } from "#shared/media.ts";
import { Checkbox, Pagination, type PaginationProps, Select, Spin, Table, type TableProps } from "antd";
import { type Key, type ReactNode, type RefCallback, useCallback, useState } from "react";
import { type Column, type Density, leastWidthOf, toTableColumn, widthOf } from "#console/blocks/list-page/columns.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { usePrinting } from "#console/printing.tsx";

export function Records<R extends object>({ paging: given, pageSize = 50, ...props }: RecordsProps<R>) {
  const isPhone = useIsPhone();
  const pagination = usePaging(given, props.rows.length, pageSize);
  const Shape = isPhone ? RecordCards : RecordTable;
  return <Shape<R> {...props} pagination={pagination} />;
}

interface Selection<R> {
  readonly rows: readonly R[];
  readonly onChange: (rows: readonly R[]) => void;
  readonly nameOf: (row: R) => string;
}

interface RecordsProps<R extends object> {
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly rowKey: (row: R) => Key;
  readonly empty: ReactNode;
  readonly density?: Density;
  readonly loading?: boolean;
  readonly sorting?: Pick<ListState, "sort" | "order"> & {
    readonly onSort: (change: Pick<ListState, "sort" | "order">) => void;
  };
  readonly selection?: Selection<R>;
  /** The current page if the server paginates; undefined if `rows` has all rows, which are then paginated here. */
  readonly paging?: Paging;
  readonly pageSize?: number;
}

interface ShapeProps<R extends object> extends Omit<RecordsProps<R>, "paging" | "pageSize"> {
  readonly pagination: PaginationProps;
}

const headerPx = 48;
const selectionPx = 44;
const paperPx = 700;

function RecordTable<R extends object>(props: ShapeProps<R>) {
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
        // Ant Design's sticky header is a separate table, which screen readers cannot relate to the rows, so only a
        // table that scrolls horizontally uses it; otherwise console.css makes the header sticky.
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
  const t = useTexts();
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

/** The columns first shrink towards their minimum widths; only then does the table scroll. */
function fitColumns<R>(columns: readonly Column<R>[], besidePx: number, roomPx: number) {
  const sum = (of: readonly Column<R>[], px: (column: Column<R>) => number) =>
    of.reduce((all, column) => all + px(column), 0);
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

function RecordCards<R extends object>(props: ShapeProps<R>) {
  const { columns, rows, rowKey, empty, loading = false, sorting, selection, pagination } = props;
  const { current = 1, pageSize = rows.length } = pagination;
  const shown = rows.length > pageSize ? rows.slice((current - 1) * pageSize, current * pageSize) : rows;
  const toggle = (row: R, isOn: boolean) => {
    const others = selection?.rows.filter((other) => rowKey(other) !== rowKey(row)) ?? [];
    selection?.onChange(isOn ? [...others, row] : others);
  };
  return (
    <Spin spinning={loading} delay={150}>
      <div className="q-buttons q-apart q-cards-bar">
        {selection && rows.length > 0 && <SelectAll rows={shown} rowKey={rowKey} selection={selection} />}
        {sorting && rows.length > 1 && <SortChoice columns={columns} sorting={sorting} />}
      </div>
      {rows.length === 0 && empty}
      <ul className="q-cards">
        {shown.map((row) => (
          <Card
            key={rowKey(row)}
            row={row}
            columns={columns}
            selection={selection}
            isSelected={selection?.rows.some((other) => rowKey(other) === rowKey(row)) ?? false}
            onToggle={(isOn) => toggle(row, isOn)}
          />
        ))}
      </ul>
      {rows.length > 0 && <Pagination {...pagination} size="medium" simple showSizeChanger={false} align="center" />}
    </Spin>
  );
}

interface CardProps<R extends object> {
  readonly row: R;
  readonly columns: readonly Column<R>[];
  readonly selection: Selection<R> | undefined;
  readonly isSelected: boolean;
  readonly onToggle: (isOn: boolean) => void;
}

function Card<R extends object>({ row, columns, selection, isSelected, onToggle }: CardProps<R>) {
  const t = useTexts();
  const [head, ...others] = columns.filter(({ always }) => !always);
  const actions = columns.filter(({ always }) => always);
  return (
    <li className={isSelected ? "q-record q-record-selected" : "q-record"}>
      <div className="q-record-head">
        {selection && (
          <Checkbox
            checked={isSelected}
            aria-label={t.selectRow(selection.nameOf(row))}
            onChange={({ target }) => onToggle(target.checked)}
          />
        )}
        {head && <strong className="q-value">{showHead(head, row)}</strong>}
      </div>
      <dl>
        {others
          .map((column) => ({ column, shown: show(column, row) }))
          .filter(({ shown }) => !isBlank(shown))
          .map(({ column: { field, title }, shown }) => (
            <div key={field}>
              <dt>{title}</dt>
              <dd className="q-value">{shown}</dd>
            </div>
          ))}
      </dl>
      {actions.length > 0 && (
        <div className="q-record-actions">
          {actions.map((column) => (
            <div key={column.field}>{show(column, row)}</div>
          ))}
        </div>
      )}
    </li>
  );
}

const isBlank = (shown: ReactNode): boolean => shown === null || shown === undefined || shown === false || shown === "";
const show = <R extends object>({ field, render }: Column<R>, row: R): ReactNode =>
  render ? render(row) : (row as Record<string, ReactNode>)[field];

function showHead<R extends object>(column: Column<R>, row: R): ReactNode {
  const shown = show(column, row);
  const isNumber = typeof shown === "number" || (typeof shown === "string" && /^\d+$/.test(shown));
  return isNumber ? `${column.title} ${shown}` : shown;
}

type SelectAllProps<R extends object> = Pick<ShapeProps<R>, "rows" | "rowKey"> & { readonly selection: Selection<R> };

function SelectAll<R extends object>({ rows, rowKey, selection }: SelectAllProps<R>) {
  const t = useTexts();
  const here = new Set(rows.map(rowKey));
  const elsewhere = selection.rows.filter((row) => !here.has(rowKey(row)));
  const count = selection.rows.length - elsewhere.length;
  return (
    <Checkbox
      checked={count === rows.length}
      indeterminate={count > 0 && count < rows.length}
      onChange={({ target }) => selection.onChange(target.checked ? [...elsewhere, ...rows] : elsewhere)}
    >
      {t.selectAll}
    </Checkbox>
  );
}

type SortProps<R extends object> = Pick<ShapeProps<R>, "columns"> & {
  readonly sorting: NonNullable<RecordsProps<R>["sorting"]>;
};

function SortChoice<R extends object>({ columns, sorting: { sort, order, onSort } }: SortProps<R>) {
  const t = useTexts();
  const options = columns
    .filter(({ sortable }) => sortable)
    .flatMap(({ field, title }) =>
      (["asc", "desc"] as const).map((way) => ({ value: `${way} ${field}`, label: t.sortWays[way](title) })),
    );
  if (options.length === 0) return null;
  return (
    <Select<string>
      allowClear
      aria-label={t.sort}
      placeholder={t.sort}
      popupMatchSelectWidth={false}
      value={sort && order ? `${order} ${sort}` : null}
      options={options}
      onChange={(chosen?: string) => {
        const [way, field] = chosen?.split(" ") ?? [];
        onSort({ sort: field, order: way === "asc" || way === "desc" ? way : undefined });
      }}
    />
  );
}

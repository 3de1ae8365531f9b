import { Checkbox, Pagination, Select, Spin } from "antd";
import type { ReactNode } from "react";
import type { Column } from "#console/blocks/list-page/columns.tsx";
import type { ShapeProps, RecordsProps, Selection } from "#console/blocks/list-page/record-table.tsx";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";

/** Records as cards, one below another: the first column is a card's head, and the buttons of the row its foot. */
export function RecordCards<R extends object>(props: ShapeProps<R>) {
  const { columns, rows, rowKey, empty, loading = false, sorting, selection, pagination } = props;
  const { current = 1, pageSize = rows.length } = pagination;
  // Rows that come as a page are no more than a page.
  const shown = rows.length > pageSize ? rows.slice((current - 1) * pageSize, current * pageSize) : rows;
  const toggle = (row: R, isOn: boolean) => {
    const others = selection?.rows.filter((other) => rowKey(other) !== rowKey(row)) ?? [];
    selection?.onChange(isOn ? [...others, row] : others);
  };
  return (
    <Spin spinning={loading} delay={150}>
      <div className="q-cards-bar">
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
  const t = useTexts(texts);
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

/** A bare number says nothing at the head of a card. */
function showHead<R extends object>(column: Column<R>, row: R): ReactNode {
  const shown = show(column, row);
  const isNumber = typeof shown === "number" || (typeof shown === "string" && /^\d+$/.test(shown));
  return isNumber ? `${column.title} ${shown}` : shown;
}

type SelectAllProps<R extends object> = Pick<ShapeProps<R>, "rows" | "rowKey"> & { readonly selection: Selection<R> };

function SelectAll<R extends object>({ rows, rowKey, selection }: SelectAllProps<R>) {
  const t = useTexts(texts);
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

/** What the heads of a table do by a click. */
function SortChoice<R extends object>({ columns, sorting: { sort, order, onSort } }: SortProps<R>) {
  const t = useTexts(texts);
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

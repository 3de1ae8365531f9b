import { SettingOutlined } from "@ant-design/icons";
import { Button, Checkbox, Popover, Radio, Space } from "antd";
import type { TableColumnType } from "antd";
import type { ReactNode } from "react";
import type { ListState } from "#console/blocks/list-page/address.ts";
import { useTexts } from "#console/blocks/texts.ts";
import { useRemembered } from "#shared/remembered.ts";

export interface Column<R> {
  /**
   * The name of the API's field, which is also sent to the server for sorting. A computed column may have any name that
   * is not a field's.
   */
  readonly field: string;
  readonly title: string;
  readonly render?: (row: R) => ReactNode;
  readonly width?: number;
  readonly sortable?: boolean;
  readonly hidden?: boolean;
  /** Long text wraps if true; otherwise it is truncated, and a tooltip shows all of it. */
  readonly wraps?: boolean;
  readonly align?: "right";
  readonly fixed?: "start" | "end";
  /** True for a column that users cannot hide, such as the row's buttons. */
  readonly always?: boolean;
  /** The values by which the column's header can filter the rows; only for lists that the server does not paginate. */
  readonly choices?: readonly string[];
}

const paddingPx = 16;
const sorterPx = 20;
const filterPx = 28;

/** Estimates a bold title's width: CJK characters are square, others a little more than half as wide. */
const titlePx = (title: string): number =>
  [...title].reduce((px, character) => px + (character > "\u2E7F" ? 14 : 8.5), 0);

type Sized = Pick<Column<never>, "width" | "title" | "sortable" | "choices">;

const headPx = ({ title, sortable, choices }: Sized): number =>
  Math.ceil(titlePx(title) + paddingPx + (sortable ? sorterPx : 0) + (choices ? filterPx : 0));

export const widthOf = ({ width = 140, ...head }: Sized): number => Math.max(width, headPx(head));

// A column that truncates its text would hide the seconds of a time if it were narrower than nine tenths of its preferred
// width. A column that wraps its text hides nothing, so it may be narrower.
const leastShare = { cut: 0.9, wrapped: 0.7 };

export const leastWidthOf = ({ wraps, ...column }: Sized & Pick<Column<never>, "wraps">): number =>
  Math.max(headPx(column), Math.ceil(widthOf(column) * leastShare[wraps ? "wrapped" : "cut"]));

export const actionColumn = <R,>(title: string, width: number, render: (row: R) => ReactNode): Column<R> => ({
  field: "actions",
  title,
  width,
  always: true,
  fixed: "end",
  render: (row) => (
    <Space size={[12, 0]} wrap>
      {render(row)}
    </Space>
  ),
});

export type Density = "small" | "middle";

interface Chosen {
  readonly fields: readonly string[];
  readonly density: Density;
}

export function useColumns<R>(list: string, columns: readonly Column<R>[]) {
  const standard: Chosen = {
    fields: columns.filter(({ hidden }) => !hidden).map(({ field }) => field),
    density: "middle",
  };
  const [chosen, choose] = useRemembered<Chosen>(`columns.${list}`, standard);
  const shown = columns.filter(({ field, always }) => always || chosen.fields.includes(field));
  return { shown, chosen, choose, standard };
}

interface ColumnChoiceProps<R> {
  readonly columns: readonly Column<R>[];
  readonly chosen: Chosen;
  readonly standard: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

export function ColumnChoice<R>({ columns, chosen, standard, onChoose }: ColumnChoiceProps<R>) {
  const t = useTexts();
  const content = (
    <div className="q-column-choice">
      <div>
        <Radio.Group
          size="small"
          optionType="button"
          aria-label={t.density}
          value={chosen.density}
          options={(["middle", "small"] as const).map((value) => ({ value, label: t.densities[value] }))}
          onChange={({ target }) => onChoose({ ...chosen, density: target.value as Density })}
        />
        <Button type="link" size="small" onClick={() => onChoose(standard)}>
          {t.columnsStandard}
        </Button>
      </div>
      <Checkbox.Group
        value={[...chosen.fields]}
        options={columns.filter(({ always }) => !always).map(({ field, title }) => ({ value: field, label: title }))}
        onChange={(fields) => onChoose({ ...chosen, fields })}
      />
    </div>
  );
  return (
    <Popover trigger="click" placement="bottomRight" title={t.columns} content={content}>
      <Button type="text" icon={<SettingOutlined aria-hidden />} aria-label={t.columns} />
    </Popover>
  );
}

const directions = { asc: "ascend", desc: "descend" } as const;

export const toTableColumn =
  <R,>({ sort, order }: Partial<Pick<ListState, "sort" | "order">> = {}, fits = false) =>
  ({ field, title, render, width, sortable, wraps, align, fixed, choices }: Column<R>): TableColumnType<R> => ({
    key: field,
    dataIndex: field,
    title,
    ...(align && { className: "q-figures" }),
    ...(width !== undefined && { width }),
    ...(align && { align }),
    ...(fixed && !fits && { fixed }),
    ...(render && { render: (_value: unknown, row: R) => render(row) }),
    ...(sortable && { sorter: true, sortOrder: sort === field && order ? directions[order] : null }),
    ...(choices && {
      filters: choices.map((value) => ({ text: value, value })),
      onFilter: (value, row) => (row as Record<string, unknown>)[field] === value,
    }),
    ...(!wraps && { ellipsis: { showTitle: true } }),
  });

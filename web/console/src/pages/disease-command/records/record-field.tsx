import type { ReactNode } from "react";
import type { Field } from "#console/blocks/fields.tsx";
import { formatCount } from "#console/blocks/format.ts";
import type { Column } from "#console/blocks/list-page/columns.tsx";

export interface Identified {
  readonly id: number;
}

export type RecordField<R> = Field & {
  readonly name: keyof R & string;
  /** "hidden": the list hides the column by default; "never": the list has no column for the field. */
  readonly listed?: "hidden" | "never";
  readonly asked?: false;
  readonly width?: number;
  readonly sortable?: false;
  readonly render?: (record: R) => ReactNode;
};

export const listAsked = <R,>(fields: readonly RecordField<R>[]): Field[] =>
  fields.filter(({ asked }) => asked === undefined);

export function showField<R extends object>(field: RecordField<R>, record: R): ReactNode {
  if (field.render) return field.render(record);
  const value = Reflect.get(record, field.name) as string | number | null | undefined;
  if (value === null || value === undefined || value === "") return null;
  if ("options" in field) return field.options.find((option) => option.value === value)?.label ?? String(value);
  if (typeof value !== "number") return value;
  const unit = field.kind === "number" && !field.label.includes(field.unit ?? "") ? field.unit : undefined;
  return unit === undefined ? formatCount(value) : `${formatCount(value)} ${unit}`;
}

const widths: Partial<Record<Field["kind"], number>> = {
  number: 120,
  date: 120,
  month: 100,
  dateTime: 170,
  select: 110,
  choices: 110,
};

export function toColumns<R extends object>(
  fields: readonly RecordField<R>[],
  isSortable: boolean,
  link?: (record: R, text: ReactNode) => ReactNode,
): Column<R>[] {
  return fields
    .filter(({ listed }) => listed !== "never")
    .map((field, place) => ({
      field: field.name,
      title: field.label,
      width: field.width ?? widths[field.kind] ?? 180,
      sortable: isSortable && field.sortable !== false,
      hidden: field.listed === "hidden",
      ...(field.kind === "number" && { align: "right" as const }),
      render: (record) => {
        const shown = showField(field, record);
        return place === 0 && link ? link(record, shown) : (shown ?? "—");
      },
    }));
}

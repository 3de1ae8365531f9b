import { openField } from "./fields.ts";
import type { ColumnKey } from "./headings.ts";
import type { Layout } from "./layout.ts";
import type { CellDecoder, RawRow } from "./raw-row.ts";

export interface Slots {
  readonly columns: number[];
  /** The slot of a column of the sheet; -1 stays -1. */
  add(column: number): number;
}

export function openSlots(): Slots {
  const columns: number[] = [];
  return { columns, add: (column) => (column < 0 ? -1 : columns.push(column) - 1) };
}

export const trimText = (text: string): string => text.trim();
// 工号 has 0 where nothing was entered.
const readWorkNumber = (text: string): string => (/^0(?:\.0+)?$/.test(text.trim()) ? "" : text.trim());

export function openPersonFields(
  layout: Layout,
  slots: Slots,
  decode: CellDecoder,
  finish: (text: string) => string,
): Record<"name" | "userId" | "workNumber", (row: RawRow) => string> {
  const field = (key: ColumnKey, convert: (text: string) => string): ((row: RawRow) => string) => {
    const read = openField(slots.add(layout.columns.get(key) ?? -1), decode, (text) => finish(convert(text)));
    return (row) => read(row) ?? "";
  };
  return {
    name: field("name", trimText),
    userId: field("userId", trimText),
    workNumber: field("workNumber", readWorkNumber),
  };
}

/** True for a row that says nothing of a person. */
export function isNobody(person: ReturnType<typeof openPersonFields>, row: RawRow): boolean {
  return person.name(row) === "" && person.userId(row) === "";
}

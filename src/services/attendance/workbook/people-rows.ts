import { copiedFields } from "#services/attendance/model.ts";
import { openField } from "./fields.ts";
import { findDayColumns } from "./layout.ts";
import { openPersonFields, openSlots, trimText } from "./person-fields.ts";
import { NOTHING } from "./row-outcome.ts";
import type { CopiedField } from "#services/attendance/model.ts";
import type { Field } from "./fields.ts";
import type { Layout } from "./layout.ts";
import type { CellDecoder } from "./raw-row.ts";
import type { MonthKept, RowReader } from "./row-outcome.ts";

/** 月度汇总: one object an employee. */
export function openMonthReader(layout: Layout, kept: MonthKept, decode: CellDecoder): RowReader {
  const slots = openSlots();
  const person = openPersonFields(layout, slots, decode, trimText);
  const field = (column: number, convert: (text: string) => string): Field =>
    openField(slots.add(column), decode, convert);
  const [group, department] = (["group", "department"] as const).map((key) =>
    field(layout.columns.get(key) ?? -1, trimText),
  );
  const copied = copiedFields.map((key) => [key, field(layout.columns.get(key) ?? -1, readFigure)] as const);
  const days = findDayColumns(layout, kept.month ?? "").columns.map((column) => field(column, readDayCell));
  return {
    columns: slots.columns,
    read(row) {
      const [name, userId, workNumber] = [person.name(row), person.userId(row), person.workNumber(row)];
      if (name === "" && userId === "") return NOTHING;
      const figures = Object.fromEntries(copied.map(([key, read]) => [key, read(row) ?? ""])) as Record<
        CopiedField,
        string
      >;
      return {
        kind: "row",
        row: {
          row: row.row,
          name,
          userId,
          workNumber,
          group: group?.(row) ?? "",
          department: department?.(row) ?? "",
          copied: figures,
          days: days.map((read) => read(row) ?? ""),
        },
      };
    },
  };
}

// As the export has it, but 5.0 as 5.
function readFigure(text: string): string {
  return text.trim().replace(/^(-?\d+)\.0+$/, "$1");
}

// Blank lines stay: each is a slot that a leave excused.
function readDayCell(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The sheet of identity cards: one object a person. */
export function openIdentityReader(layout: Layout, decode: CellDecoder): RowReader {
  const slots = openSlots();
  const person = openPersonFields(layout, slots, decode, trimText);
  const idCard = openField(slots.add(layout.columns.get("idCard") ?? -1), decode, readIdCard);
  return {
    columns: slots.columns,
    read(row) {
      const [name, userId, workNumber] = [person.name(row), person.userId(row), person.workNumber(row)];
      if (name === "" && userId === "" && workNumber === "") return NOTHING;
      return { kind: "row", row: { row: row.row, name, userId, workNumber, idCard: idCard(row) ?? "" } };
    },
  };
}

function readIdCard(text: string): string {
  return text.normalize("NFKC").replace(/[\s']/g, "").toUpperCase();
}

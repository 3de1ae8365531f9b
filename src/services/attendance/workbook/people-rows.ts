import type { CellDecoder, RawRow } from "#platform/workbooks/raw-row.ts";
import { openField } from "./fields.ts";
import type { Field } from "./fields.ts";
import { normalize } from "./headings.ts";
import { findDayColumns } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { openPersonFields, openSlots, trimText } from "./person-fields.ts";
import { MARK, NOTHING } from "./row-outcome.ts";
import type { MonthKept, RowReader } from "./row-outcome.ts";
import { type CopiedField, copiedFields } from "#services/attendance/copied-columns.ts";

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
  const dayColumns = findDayColumns(layout, kept.month ?? "");
  const days = dayColumns.columns.map((column) => field(column, readDayCell));
  const left = openLeftColumns(layout, dayColumns.all, field);
  return {
    columns: slots.columns,
    ruined: person.ruined,
    listLeft: left.list,
    read(row) {
      const what = person.judge(row);
      if (what !== "person") return what === "mark" ? MARK : NOTHING;
      person.note(row);
      left.see(row);
      const [name, userId, workNumber] = [person.name(row), person.userId(row), person.workNumber(row)];
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

// Of no use to anybody who looks for what is missing: it says who somebody is, as do the columns that are taken.
const OF_PEOPLE = /^(?:职位|职务|岗位|序号|编号|手机号?|手机号码|入职日期|离职日期)$/;
const NOT_MORE = /^(?:[-—/]*|0+(?:\.0+)?(?:天|小时|分钟|次)?|0小时0分钟)$/;

/** Watches the columns that no field takes, since leave kinds and overtime may stand there. */
function openLeftColumns(
  layout: Layout,
  dayColumns: ReadonlySet<number>,
  field: (column: number, convert: (text: string) => string) => Field,
): { see(row: RawRow): void; readonly list: () => string[] } {
  const taken = new Set([
    ...layout.columns.values(),
    ...dayColumns,
    ...layout.slots.flatMap(({ time, result }) => [time, result]),
  ]);
  const found: string[] = [];
  let open = [...layout.headings]
    .filter(
      ([column, heading]) =>
        !taken.has(column) && !OF_PEOPLE.test(normalize(heading)) && !layout.repeated.includes(heading),
    )
    .map(([column, heading]) => ({
      heading,
      read: field(column, (text) => (NOT_MORE.test(text.trim()) ? "" : "more")),
    }));
  return {
    see(row) {
      const filled = open.filter(({ read }) => read(row) === "more");
      if (filled.length === 0) return;
      found.push(...filled.map(({ heading }) => heading));
      open = open.filter((column) => !filled.includes(column));
    },
    list: () => found,
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
    ruined: person.ruined,
    read(row) {
      const what = person.judge(row);
      if (what === "mark" || what === "nobody") return what === "mark" ? MARK : NOTHING;
      person.note(row);
      const [name, userId, workNumber] = [person.name(row), person.userId(row), person.workNumber(row)];
      return { kind: "row", row: { row: row.row, name, userId, workNumber, idCard: idCard(row) ?? "" } };
    },
  };
}

// Longer than any card with spaces between its digits. What is longer is none, and stays as it is.
const MOST_CARD_CHARS = 64;

function readIdCard(text: string): string {
  if (text.length > MOST_CARD_CHARS) return text.trim();
  return text.normalize("NFKC").replace(/[\s']/g, "").toUpperCase();
}

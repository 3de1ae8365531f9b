import type { CellDecoder, RawRow } from "#platform/workbooks/raw-row.ts";
import { openField } from "./fields.ts";
import type { ColumnKey } from "./headings.ts";
import { readId, RUINED } from "./ids.ts";
import type { Layout } from "./layout.ts";
import { isMark } from "./not-people.ts";

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

export type IdField = "userId" | "workNumber";

/** Rows whose UserId or 工号 a spreadsheet program has ruined. */
export interface RuinedIds {
  readonly rows: readonly number[];
  /** How many names these rows have. */
  readonly names: ReadonlySet<string>;
  /** What stands there now. */
  readonly examples: ReadonlySet<string>;
}

export interface PersonFields {
  name(row: RawRow): string;
  /** "" where there is none, or none that could be used. */
  userId(row: RawRow): string;
  workNumber(row: RawRow): string;
  /** What the row is about: somebody with a name or a UserId, or with a 工号 alone; a total or a signature; or nobody. */
  judge(row: RawRow): "person" | "number" | "mark" | "nobody";
  /** Notes what of a row that is taken was of no use. */
  note(row: RawRow): void;
  readonly ruined: Readonly<Record<IdField, RuinedIds>>;
}

const MOST_EXAMPLES = 3;
const MOST_EXAMPLE_CHARS = 40;
const MOST_NAMES = 100_000;

/** @param finish what becomes of each text, for instance to stand in a line of COPY */
export function openPersonFields(
  layout: Layout,
  slots: Slots,
  decode: CellDecoder,
  finish: (text: string) => string,
): PersonFields {
  const slot = (key: ColumnKey): number => slots.add(layout.columns.get(key) ?? -1);
  const nameSlot = slot("name");
  const name = openField(nameSlot, decode, (text) => finish(text.trim()));
  const nameMark = openField(nameSlot, decode, (text) => (isMark(text.trim()) ? "mark" : ""));
  const [userId, workNumber] = (["userId", "workNumber"] as const).map((key) =>
    openIdField(slot(key), decode, finish),
  ) as [IdReader, IdReader];
  const readName = (row: RawRow): string => name(row) ?? "";
  return {
    name: readName,
    userId: userId.read,
    workNumber: workNumber.read,
    judge(row) {
      const [id, number] = [userId.judge(row), workNumber.judge(row)];
      const who = readName(row) === "" ? "" : nameMark(row) || "name";
      if (id === "id" || who === "name" || (who === "mark" && number === "id")) return "person";
      if (number === "id") return "number";
      return who === "mark" || id === "mark" || number === "mark" ? "mark" : "nobody";
    },
    note(row) {
      userId.note(row, readName);
      workNumber.note(row, readName);
    },
    ruined: { userId: userId.ruined, workNumber: workNumber.ruined },
  };
}

/** Of a row without a name and a UserId a 工号 alone makes nothing: it stands in footnotes too. */
export const isNobody = (what: ReturnType<PersonFields["judge"]>): boolean => what === "nobody" || what === "number";

interface IdReader {
  readonly read: (row: RawRow) => string;
  judge(row: RawRow): "" | "id" | "mark";
  note(row: RawRow, readName: (row: RawRow) => string): void;
  readonly ruined: RuinedIds;
}

function openIdField(slot: number, decode: CellDecoder, finish: (text: string) => string): IdReader {
  const [rows, names, examples] = [[] as number[], new Set<string>(), new Set<string>()];
  const readAny = openField(slot, decode, (text, kind) => {
    const id = readId(text, kind);
    if (id === RUINED && examples.size < MOST_EXAMPLES) examples.add(text.trim().slice(0, MOST_EXAMPLE_CHARS));
    return id === RUINED ? RUINED : finish(id);
  });
  const mark = openField(slot, decode, (text) => (isMark(text.trim()) ? "mark" : ""));
  return {
    read(row) {
      const id = readAny(row) ?? "";
      return id === RUINED ? "" : id;
    },
    judge(row) {
      const id = readAny(row) ?? "";
      return id === "" ? "" : mark(row) === "mark" ? "mark" : "id";
    },
    note(row, readName) {
      if (readAny(row) !== RUINED) return;
      rows.push(row.row);
      if (names.size < MOST_NAMES) names.add(readName(row));
    },
    ruined: { rows, names, examples },
  };
}

import { type CellDecoder, KIND, type RawRow } from "#platform/workbooks/raw-row.ts";
import { openField } from "./fields.ts";
import type { ColumnKey } from "./headings.ts";
import type { Layout } from "./layout.ts";

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

// An id of more than 15 digits that a spreadsheet program takes for a number loses its last digits for good, and two of
// them become one.

/** What a ruined id is read as; no cell can hold it. */
export const RUINED = "\0";

const EXPONENT = /^\d(?:\.\d{1,20})?E\+\d{2,3}$/i;
const TOO_LONG = /^\d{16}/;
const NOTHING = /^0(?:\.0+)?$/;

/** An id as the sheet has it, "" for the 0 that stands for none, or `RUINED`. */
export function readId(text: string, kind: number): string {
  const id = text.trim();
  if (NOTHING.test(id)) return "";
  const isNumber = kind === KIND.number || kind === KIND.dateNumber;
  return EXPONENT.test(id) || (isNumber && TOO_LONG.test(id)) ? RUINED : id;
}

// Rows that people or programs put below a table: sums and signatures. They are told by the words at the place of a name,
// and by having no id of anybody.

const MOST_CHARS = 64;
// A name goes on behind the word, a mark does not: 负责人某 is somebody.
const TOTAL = /^(?:合\s*计|总\s*计|小\s*计)\s*(?:$|[\d:：(（])/;
const SIGNATURE = /^(?:制\s*表|审\s*核|负\s*责)\s*人?\s*(?:$|[:：(（_])/;
const SPACED_SIGNATURE = /^(?:制\s*表|审\s*核|负\s*责)\s*人\s/;
// No name has a colon in it.
const TITLED_SIGNATURE = /^[^\s:：]{0,6}(?:制表|审核|负责)人?\s*[:：]/;

/** True for 合计, 总计, 小计, and for 制表人, 审核人, 负责人 with or without the name behind them. */
export function isMark(text: string): boolean {
  if (text.length > MOST_CHARS) return false;
  return [TOTAL, SIGNATURE, SPACED_SIGNATURE, TITLED_SIGNATURE].some((pattern) => pattern.test(text));
}

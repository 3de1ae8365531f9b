import { escapeCopyText } from "#platform/database/copy-text.ts";
import { type CellDecoder, KIND, type RawRow } from "#platform/workbooks/raw-row.ts";
import { monthOf, type Period } from "#services/attendance/days.ts";
import type { IdentityRow, MonthRow, Person } from "#services/attendance/model.ts";
import type { ColumnKey } from "./headings.ts";
import type { DayRange } from "./index.ts";
import type { Layout } from "./layout.ts";
import { monthRange } from "./times.ts";

export type Outcome =
  | { readonly kind: "row"; readonly row: MonthRow | IdentityRow }
  /** One line of COPY, or as many as `count` says. */
  | { readonly kind: "line"; readonly line: string; readonly count?: number }
  | { readonly kind: "bad"; readonly field: string; readonly reason: "day" | "time" | "no-time" }
  | typeof OUTSIDE
  | typeof MARK
  | typeof NOTHING;

/** The month that is kept: from the title or the request, or else taken from the first row with a day. */
export interface MonthKept {
  month: string | null;
  readonly periodStart: number;
  /** Its days, once they are asked for. */
  days?: DayRange;
  /** The first month met other than that one, if any. */
  other: string | null;
  /** Is told the day of each row that has one. */
  readonly note?: (day: string) => void;
}

/** How the rows of a sheet are read: the columns to choose, in the order of slots, and what to do with each row. */
export interface RowReader {
  readonly columns: readonly number[];
  read(row: RawRow): Outcome;
  readonly ruined: Readonly<Record<IdField, RuinedIds>>;
  /** Of a sheet that stands in for 月度汇总: the employees whom its rows were of. */
  readonly listPeople?: (period: Period) => MonthRow[];
  /** Headings of columns, of such a sheet, in which something stands that could not be added up. */
  readonly listUnlike?: () => string[];
  /** Headings of columns that are not taken and hold more than blanks and zeros. */
  listLeft?(): string[];
}

export const MARK = { kind: "mark" } as const;
export const OUTSIDE = { kind: "outside" } as const;
export const NOTHING = { kind: "nothing" } as const;

/** True for a day of another month; the first day of all decides where the month is not known. */
export function isOutside(kept: MonthKept, day: string): boolean {
  const { periodStart } = kept;
  kept.note?.(day);
  kept.month ??= monthOf(day, periodStart);
  const { start, end } = (kept.days ??= monthRange({ month: kept.month, periodStart }));
  if (start <= day && day <= end) return false;
  kept.other ??= monthOf(day, periodStart);
  return true;
}

/** The columns that are taken of a sheet, each read from a slot of its own. */
export interface TakenColumns {
  readonly columns: number[];
  /** A field of the column that a heading names; without such a column it is always as an empty cell. */
  of(key: ColumnKey, convert: Convert, isReady?: (raw: string) => boolean): Field;
  at(column: number, convert: Convert, isReady?: (raw: string) => boolean): Field;
}

export function openColumns(layout: Layout, decode: CellDecoder): TakenColumns {
  const columns: number[] = [];
  const at: TakenColumns["at"] = (column, convert, isReady) => {
    if (column < 0) return openField(-1, decode, convert);
    if (!columns.includes(column)) columns.push(column);
    const slot = columns.indexOf(column);
    return isReady ? openVariedField(slot, decode, isReady, convert) : openField(slot, decode, convert);
  };
  return { columns, at, of: (key, ...how) => at(layout.columns.get(key) ?? -1, ...how) };
}

export const trimText = (text: string): string => text.trim();

export type IdField = "userId" | "workNumber";

/** Rows whose UserId or 工号 a spreadsheet program has ruined, and the names that stand in them. */
export type RuinedIds = ReturnType<typeof openIdField>["ruined"];

const MOST_EXAMPLES = 3;
const MOST_EXAMPLE_CHARS = 40;
const MOST_NAMES = 100_000;
const COUNT_OF_PEOPLE = /^\d+\s*[人名位]$/;
const readMark = (text: string): string => (isMark(text.trim()) ? "mark" : "");

/** @param finish what becomes of each text, for instance to stand in a line of COPY */
export function openPersonFields(columns: TakenColumns, finish: (text: string) => string) {
  const nameField = columns.of("name", (text) => finish(text.trim()));
  const nameMark = columns.of("name", readMark);
  const userId = openIdField("userId", columns, finish);
  const workNumber = openIdField("workNumber", columns, finish);
  const count = columns.of("workNumber", (text) => (COUNT_OF_PEOPLE.test(text.trim()) ? "count" : ""));
  // What a row is about: somebody with a name or a UserId, or with a 工号 alone; a total or a signature; or nobody.
  const judge = (row: RawRow): "person" | "number" | "mark" | "nobody" => {
    const [id, number] = [userId.judge(row), workNumber.judge(row)];
    // 合计 and how many people there are.
    const isNumber = number === "id" && !(nameMark(row) === "mark" && count(row) === "count");
    const who = nameField(row) ? nameMark(row) || "name" : "";
    if (id === "id" || who === "name" || (who === "mark" && isNumber)) return "person";
    if (isNumber) return "number";
    return who === "mark" || id === "mark" || number === "mark" ? "mark" : "nobody";
  };
  return {
    judge,
    /** True for a total or a signature, and not where there is a UserId. */
    isMark: (row: RawRow): boolean => userId.read(row) === "" && judge(row) === "mark",
    /** Nobody with a name or a UserId. A 工号 alone makes nothing: it stands in footnotes too. */
    isNobody: (row: RawRow): boolean => judge(row) === "nobody" || judge(row) === "number",
    /** Who a row is about that is taken; "" where there is nothing, or nothing that could be used, which is noted. */
    take(row: RawRow): Person & { readonly row: number } {
      const name = nameField(row) ?? "";
      return { row: row.row, name, userId: userId.take(row, name), workNumber: workNumber.take(row, name) };
    },
    ruined: { userId: userId.ruined, workNumber: workNumber.ruined },
  };
}

function openIdField(key: IdField, columns: TakenColumns, finish: (text: string) => string) {
  const [rows, names, examples] = [[] as number[], new Set<string>(), new Set<string>()];
  const readAny = columns.of(key, (text, kind) => {
    const id = text.trim();
    const isNumber = kind === KIND.number || kind === KIND.dateNumber;
    const isRuined = EXPONENT.test(id) || (isNumber && TOO_LONG.test(id));
    if (!isRuined) return finish(NO_ID.test(id) ? "" : id);
    if (examples.size < MOST_EXAMPLES) examples.add(id.slice(0, MOST_EXAMPLE_CHARS));
    return RUINED;
  });
  const mark = columns.of(key, readMark);
  const read = (row: RawRow): string => {
    const id = readAny(row) ?? "";
    return id === RUINED ? "" : id;
  };
  return {
    read,
    judge: (row: RawRow): "" | "id" | "mark" => (readAny(row) ? (mark(row) === "mark" ? "mark" : "id") : ""),
    /** Reads it, and notes whose it is where it was ruined. */
    take(row: RawRow, name: string): string {
      if (readAny(row) !== RUINED) return read(row);
      rows.push(row.row);
      if (names.size < MOST_NAMES) names.add(name);
      return "";
    },
    ruined: { rows, names, examples },
  };
}

// An id of more than 15 digits that a spreadsheet program takes for a number loses its last digits for good, and two of
// them become one.

/** What a ruined id is read as; no cell can hold it. */
const RUINED = "\0";

const EXPONENT = /^\d(?:\.\d{1,20})?E\+\d{2,3}$/i;
const TOO_LONG = /^\d{16}/;
// The 0 that stands for none.
const NO_ID = /^0(?:\.0+)?$/;

// Rows that people or programs put below a table: sums and signatures. They are told by the words at the place of a name,
// and by having no id of anybody.

const MOST_CHARS = 64;
// A name goes on behind the word, a mark does not: 负责人某 is somebody. And no name has a colon in it.
const MARK_TEXTS = [
  /^(?:合\s*计|总\s*计|小\s*计)\s*(?:$|[\d:：(（])/,
  /^(?:制\s*表|审\s*核|负\s*责)\s*人?\s*(?:$|[:：(（_])/,
  /^(?:制\s*表|审\s*核|负\s*责)\s*人\s/,
  /^[^\s:：]{0,6}(?:制表|审核|负责)人?\s*[:：]/,
];

/** True for 合计, 总计, 小计, and for 制表人, 审核人, 负责人 with or without the name behind them. */
const isMark = (text: string): boolean => text.length <= MOST_CHARS && MARK_TEXTS.some((pattern) => pattern.test(text));

/** What a column's cells, of one of `KIND`, are turned into; null says that the text is not what it must be. */
type Convert = (text: string, kind: number) => string | null;

export type Field = (row: RawRow) => string | null;

// A column repeats its texts: names and days come in runs, results and addresses are a few hundred.
const MAX_KNOWN = 8192;
const MAX_KNOWN_CHARS = 512;

/** A field whose conversions are remembered. A slot of -1 is a column that is not there: always as an empty cell. */
function openField(slot: number, decode: CellDecoder, convert: Convert): Field {
  const blank = convert("", KIND.empty);
  if (slot < 0) return () => blank;
  let known = new Map<string, string | null>();
  let [lastRaw, lastKind, last] = ["", KIND.empty as number, blank];
  return ({ raws, kinds }) => {
    const raw = raws[slot] ?? "";
    const kind = kinds[slot] ?? KIND.empty;
    if (raw === lastRaw && kind === lastKind) return last;
    if (raw === "") return blank;
    if (kind !== lastKind) known = new Map();
    let value = known.get(raw);
    if (value === undefined) {
      value = convert(decode(raw, kind), kind);
      if (known.size >= MAX_KNOWN) known.clear();
      if (raw.length <= MAX_KNOWN_CHARS) known.set(copyText(raw), value);
    }
    [lastKind, last] = [kind, value];
    lastRaw = raw;
    return value;
  };
}

/** A field of cells that hardly repeat; plain texts for which `isReady` holds are taken as they are. */
function openVariedField(
  slot: number,
  decode: CellDecoder,
  isReady: (raw: string) => boolean,
  convert: Convert,
): Field {
  const blank = convert("", KIND.empty);
  return ({ raws, kinds }) => {
    const raw = raws[slot] ?? "";
    const kind = kinds[slot] ?? KIND.empty;
    if (raw === "") return blank;
    return (kind === KIND.inline || kind === KIND.plain) && isReady(raw) ? raw : convert(decode(raw, kind), kind);
  };
}

// A slice keeps the whole chunk of the sheet alive that it was cut from.
function copyText(raw: string): string {
  const encoding = NOT_LATIN1.test(raw) ? "utf16le" : "latin1";
  return Buffer.from(raw, encoding).toString(encoding);
}

// oxlint-disable-next-line no-control-regex -- CSV text is no bytes
const NOT_LATIN1 = /[^\0-\xff]/;

// Texts for COPY. They are kept as their UTF-8 bytes in Latin-1, one character a byte, so that a line becomes bytes by a
// plain copy.

// oxlint-disable-next-line no-control-regex -- bytes beyond ASCII are what the test is for
const NOT_ASCII = /[^\0-\x7f]/;

/** The value of one column: escaped, as UTF-8 bytes in Latin-1. */
export function toCopyValue(text: string): string {
  const escaped = escapeCopyText(text);
  return NOT_ASCII.test(escaped) ? Buffer.from(escaped).toString("latin1") : escaped;
}

export const toCopyText = (text: string): string => toCopyValue(text.trim());

/** Gathers lines put together from such values as bytes; it takes `roomBytes` before it has to grow. Each line is written at once: as one long text they cost the collector a second in a million. */
export function openCopyBatch(roomBytes: number) {
  let buffer = Buffer.allocUnsafeSlow(roomBytes);
  let used = 0;
  return {
    add(line: string): void {
      if (used + line.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow((used + line.length) * 2);
        buffer.copy(larger, 0, 0, used);
        buffer = larger;
      }
      used += buffer.write(line, used, "latin1");
    },
    bytes: () => used,
    /** The lines so far, in memory of their own that can be handed to another thread; the batch is empty again. */
    take(): Uint8Array<ArrayBuffer> {
      const taken = new Uint8Array(buffer.buffer, 0, used);
      [buffer, used] = [Buffer.allocUnsafeSlow(roomBytes), 0];
      return taken;
    },
  };
}

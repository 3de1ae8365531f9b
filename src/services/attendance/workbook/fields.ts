import { escapeCopyText } from "#platform/database/copy-text.ts";
import { type CellDecoder, KIND, type RawRow } from "#platform/workbooks/raw-row.ts";
import { SpreadsheetError } from "#platform/workbooks/index.ts";
import { monthOf, type Period } from "#services/attendance/days.ts";
import type { IdentityRow, MonthRow, Person } from "#services/attendance/model.ts";
import { type ColumnKey, HEADINGS } from "./headings.ts";
import type { DayRange } from "./parts.ts";
import type { Layout } from "./layout.ts";
import { monthRange } from "./times.ts";

export type Outcome =
  | { readonly kind: "row"; readonly row: MonthRow | IdentityRow }
  | { readonly kind: "line"; readonly line: string; readonly count?: number }
  | { readonly kind: "bad"; readonly field: string; readonly reason: "day" | "time" | "no-time" }
  | typeof OUTSIDE
  | typeof MARK
  | typeof NOTHING;

/** The month to read: that of the title, or that of the request, or that of the first row with a day. */
export interface MonthKept {
  month: string | null;
  readonly periodStart: number;
  days?: DayRange;
  other: string | null;
  readonly note?: (day: string) => void;
}

export interface RowReader {
  readonly columns: readonly number[];
  read(row: RawRow): Outcome;
  readonly ruined: Readonly<Record<IdField, RuinedIds>>;
  /** Lists the employees found in the rows, if the sheet replaces 月度汇总. */
  readonly listPeople?: (period: Period) => MonthRow[];
  /**
   * For a sheet that replaces 月度汇总, lists the columns that have no sum because their values have different forms.
   */
  readonly listUnlike?: () => string[];
  /** Lists the headings of ignored columns that have more than blanks and zeros. */
  listLeft?(): string[];
}

export const MARK = { kind: "mark" } as const;
export const OUTSIDE = { kind: "outside" } as const;
export const NOTHING = { kind: "nothing" } as const;

export function isOutside(kept: MonthKept, day: string): boolean {
  const { periodStart } = kept;
  kept.note?.(day);
  kept.month ??= monthOf(day, periodStart);
  const { start, end } = (kept.days ??= monthRange({ month: kept.month, periodStart }));
  if (start <= day && day <= end) return false;
  kept.other ??= monthOf(day, periodStart);
  return true;
}

export interface TakenColumns {
  readonly columns: number[];
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
  const of: TakenColumns["of"] = (key, convert, isReady) => {
    const column = layout.columns.get(key) ?? -1;
    return at(column, isIndexed(key, layout) ? refuseLong(key, convert) : convert, isReady);
  };
  return { columns, at, of };
}

// PostgreSQL's indexes cannot hold the keys of a person if they are much longer than this.
const MOST_KEY_CHARS = 255;

// The names of 月度汇总 are in no index.
const isIndexed = (key: ColumnKey, { kind }: Layout): boolean =>
  key === "name" ? kind !== "month" : ["userId", "workNumber", "group", "department"].includes(key);

const refuseLong =
  (key: ColumnKey, convert: Convert): Convert =>
  (text, kind) => {
    if (text.trim().length > MOST_KEY_CHARS)
      throw new SpreadsheetError("cell-text", { headings: [HEADINGS[key][0] ?? key], limit: MOST_KEY_CHARS });
    return convert(text, kind);
  };

export const trimText = (text: string): string => text.trim();

export type IdField = "userId" | "workNumber";

export type RuinedIds = ReturnType<typeof openIdField>["ruined"];

const MOST_EXAMPLES = 3;
const MOST_EXAMPLE_CHARS = 40;
const MOST_NAMES = 100_000;
const COUNT_OF_PEOPLE = /^\d+\s*[人名位]$/;
const readMark = (text: string): string => (isMark(text.trim()) ? "mark" : "");

/** @param finish transforms each text, for example escapes it for COPY */
export function openPersonFields(columns: TakenColumns, finish: (text: string) => string) {
  const nameField = columns.of("name", (text) => finish(text.trim()));
  const nameMark = columns.of("name", readMark);
  const userId = openIdField("userId", columns, finish);
  const workNumber = openIdField("workNumber", columns, finish);
  const count = columns.of("workNumber", (text) => (COUNT_OF_PEOPLE.test(text.trim()) ? "count" : ""));
  // Tells whether a row is a "person" (it has a name or UserId), a "number" (it has only a 工号), a "mark" (it is a total
  // or signature) or "nobody".
  const judge = (row: RawRow): "person" | "number" | "mark" | "nobody" => {
    const [id, number] = [userId.judge(row), workNumber.judge(row)];
    // A row of totals may have the number of people in the 工号 column.
    const isNumber = number === "id" && !(nameMark(row) === "mark" && count(row) === "count");
    const who = nameField(row) ? nameMark(row) || "name" : "";
    if (id === "id" || who === "name" || (who === "mark" && isNumber)) return "person";
    if (isNumber) return "number";
    return who === "mark" || id === "mark" || number === "mark" ? "mark" : "nobody";
  };
  return {
    judge,
    isMark: (row: RawRow): boolean => userId.read(row) === "" && judge(row) === "mark",
    /** A row with only a 工号 counts as nobody, since footnotes are numbered too. */
    isNobody: (row: RawRow): boolean => judge(row) === "nobody" || judge(row) === "number",
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
    take(row: RawRow, name: string): string {
      if (readAny(row) !== RUINED) return read(row);
      rows.push(row.row);
      if (names.size < MOST_NAMES) names.add(name);
      return "";
    },
    ruined: { rows, names, examples },
  };
}

// If a spreadsheet program takes an id of more than 15 digits for a number, the last digits of the id are lost, so that
// different ids may become the same.

/** This placeholder marks a corrupted id; no cell can contain it. */
const RUINED = "\0";

const EXPONENT = /^\d(?:\.\d{1,20})?E\+\d{2,3}$/i;
const TOO_LONG = /^\d{16}/;
const NO_ID = /^0(?:\.0+)?$/;

// Below a table there may be totals and signatures ("marks"), which have a keyword in the column of the name or of an
// id.

const MOST_CHARS = 64;
// A name may start with a keyword (负责人某). In a mark, the keyword is followed by nothing, a blank, a digit or
// punctuation; no name contains a colon.
const MARK_TEXTS = [
  /^(?:合\s*计|总\s*计|小\s*计)\s*(?:$|[\d:：(（])/,
  /^(?:制\s*表|审\s*核|负\s*责)\s*人?\s*(?:$|[:：(（_])/,
  /^(?:制\s*表|审\s*核|负\s*责)\s*人\s/,
  /^[^\s:：]{0,6}(?:制表|审核|负责)人?\s*[:：]/,
];

const isMark = (text: string): boolean => text.length <= MOST_CHARS && MARK_TEXTS.some((pattern) => pattern.test(text));

type Convert = (text: string, kind: number) => string | null;

export type Field = (row: RawRow) => string | null;

// The texts of a column repeat: names and days in consecutive rows, and results and addresses because there are only a
// few hundred different ones. Therefore converted texts are cached.
const MAX_KNOWN = 8192;
const MAX_KNOWN_CHARS = 512;

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

/**
 * Reads a column whose texts rarely repeat, so that a cache would not help. Plain text for which `isReady` is true
 * needs no conversion.
 */
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

// A substring would keep the whole chunk of the sheet in memory, so the text is copied.
function copyText(raw: string): string {
  const encoding = NOT_LATIN1.test(raw) ? "utf16le" : "latin1";
  return Buffer.from(raw, encoding).toString(encoding);
}

// oxlint-disable-next-line no-control-regex -- the pattern must match everything except Latin-1
const NOT_LATIN1 = /[^\0-\xff]/;

// A COPY line is a Latin-1 string with one character for each byte of the UTF-8 text, so that encoding the line is a
// plain copy.

// oxlint-disable-next-line no-control-regex -- the pattern must match everything except ASCII
const NOT_ASCII = /[^\0-\x7f]/;

export function toCopyValue(text: string): string {
  const escaped = escapeCopyText(text);
  return NOT_ASCII.test(escaped) ? Buffer.from(escaped).toString("latin1") : escaped;
}

export const toCopyText = (text: string): string => toCopyValue(text.trim());

/**
 * Lines are written into a buffer one by one, since joining them into one text costs a second of garbage collection per
 * million lines.
 */
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
    /** Returns the batch. Its buffer may be transferred to another thread, so the next batch gets a new one. */
    take(): Uint8Array<ArrayBuffer> {
      const taken = new Uint8Array(buffer.buffer, 0, used);
      [buffer, used] = [Buffer.allocUnsafeSlow(roomBytes), 0];
      return taken;
    },
  };
}

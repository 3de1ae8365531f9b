import { escapeCopyText } from "#platform/database/copy-text.ts";
import { type CellDecoder, KIND, type RawRow } from "#platform/workbooks/raw-row.ts";
import type { IdentityRow, MonthRow } from "#services/attendance/model.ts";
import type { ColumnKey } from "./headings.ts";
import type { Layout } from "./layout.ts";

/** What one row turned out to be. */
export type Outcome =
  | { readonly kind: "row"; readonly row: MonthRow | IdentityRow }
  | { readonly kind: "line"; readonly line: string }
  | { readonly kind: "bad"; readonly field: string; readonly reason: "day" | "time" | "no-time" }
  | typeof OUTSIDE
  | typeof MARK
  | typeof NOTHING;

/** The month that is kept: from the title or the request, or else taken from the first row with a day. */
export interface MonthKept {
  month: string | null;
  /** The first month met other than that one, if any. */
  other: string | null;
}

/** How the rows of a sheet are read: the columns to choose, in the order of slots, and what to do with each row. */
export interface RowReader {
  readonly columns: readonly number[];
  read(row: RawRow): Outcome;
  readonly ruined: PersonFields["ruined"];
  /** Headings of columns that are not taken and hold more than blanks and zeros. */
  listLeft?(): string[];
}

/** A total or a signature. */
export const MARK = { kind: "mark" } as const;
export const OUTSIDE = { kind: "outside" } as const;
export const NOTHING = { kind: "nothing" } as const;

/** True for a day of another month; the first day of all decides where the month is not known. */
export function isOutside(kept: MonthKept, day: string): boolean {
  if (kept.month === null) kept.month = day.slice(0, 7);
  if (day.startsWith(kept.month)) return false;
  kept.other ??= day.slice(0, 7);
  return true;
}

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

interface PersonFields {
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
const RUINED = "\0";

const EXPONENT = /^\d(?:\.\d{1,20})?E\+\d{2,3}$/i;
const TOO_LONG = /^\d{16}/;
const NO_ID = /^0(?:\.0+)?$/;

/** An id as the sheet has it, "" for the 0 that stands for none, or `RUINED`. */
function readId(text: string, kind: number): string {
  const id = text.trim();
  if (NO_ID.test(id)) return "";
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
function isMark(text: string): boolean {
  if (text.length > MOST_CHARS) return false;
  return [TOTAL, SIGNATURE, SPACED_SIGNATURE, TITLED_SIGNATURE].some((pattern) => pattern.test(text));
}

/** What a column's cells, of one of `KIND`, are turned into; null says that the text is not what it must be. */
type Convert = (text: string, kind: number) => string | null;

/** Reads one slot of each row, converted. */
export type Field = (row: RawRow) => string | null;

// A column repeats its texts: names and days come in runs, results and addresses are a few hundred.
const MAX_KNOWN = 8192;
const MAX_KNOWN_CHARS = 512;

/** A field whose conversions are remembered. A slot of -1 is a column that is not there: always as an empty cell. */
export function openField(slot: number, decode: CellDecoder, convert: Convert): Field {
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
export function openVariedField(
  slot: number,
  decode: CellDecoder,
  isReady: (raw: string) => boolean,
  convert: Convert,
): Field {
  const blank = convert("", KIND.empty);
  if (slot < 0) return () => blank;
  return ({ raws, kinds }) => {
    const raw = raws[slot] ?? "";
    const kind = kinds[slot] ?? KIND.empty;
    if (raw === "") return blank;
    return (kind === KIND.inline || kind === KIND.plain) && isReady(raw) ? raw : convert(decode(raw, kind), kind);
  };
}

// A slice keeps the whole chunk of the sheet alive that it was cut from.
function copyText(raw: string): string {
  return NOT_LATIN1.test(raw)
    ? Buffer.from(raw, "utf16le").toString("utf16le")
    : Buffer.from(raw, "latin1").toString("latin1");
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

/** `toCopyValue` without the spaces around it. */
export const toCopyText = (text: string): string => toCopyValue(text.trim());

/** Gathers lines put together from such values as bytes. */
interface CopyBatch {
  add(line: string): void;
  readonly bytes: () => number;
  /** The lines so far, in memory of their own that can be handed to another thread; the batch is empty again. */
  take(): Uint8Array<ArrayBuffer>;
}

/** A batch that takes `roomBytes` before it has to grow. Each line is written at once: as one long text they cost the collector a second in a million. */
export function openCopyBatch(roomBytes: number): CopyBatch {
  let buffer = Buffer.allocUnsafeSlow(roomBytes);
  let used = 0;
  return {
    add(line) {
      if (used + line.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow((used + line.length) * 2);
        buffer.copy(larger, 0, 0, used);
        buffer = larger;
      }
      used += buffer.write(line, used, "latin1");
    },
    bytes: () => used,
    take() {
      const taken = new Uint8Array(buffer.buffer, 0, used);
      [buffer, used] = [Buffer.allocUnsafeSlow(roomBytes), 0];
      return taken;
    },
  };
}

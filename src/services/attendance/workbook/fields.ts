import { KIND } from "#platform/workbooks/raw-row.ts";
import type { CellDecoder, RawRow } from "#platform/workbooks/raw-row.ts";

/** What a column's cells, of one of `KIND`, are turned into; null says that the text is not what it must be. */
export type Convert = (text: string, kind: number) => string | null;

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

import type { Bilingual } from "#platform/contract/language.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import { isDateTime, parseDateTime } from "#platform/contract/times.ts";
import type { CopyValue, Db } from "#platform/database/index.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";

// What a service says of its records in an old database, and how the values of an old row are read.

/** refused: the row stays behind; decide: it comes, and somebody has to do something; changed, merged: nobody has to. */
export type OldRule = "refused" | "decide" | "changed" | "merged";

export interface OldFinding {
  readonly rule: OldRule;
  readonly field: string;
  readonly value: string;
  readonly reason: Bilingual;
}

/** Of what no two rows have the same, and what becomes of a later one. */
export interface OldKey {
  /** SQL of the columns; what is null meets nothing. */
  readonly of: readonly string[];
  /** refuse it; have it replace what is here already; or set what the SQL says, and leave it to somebody. */
  readonly otherwise: "refuse" | "merge" | { readonly set: string; readonly reason: Bilingual };
  /** SQL for rows `id` and values that are taken too. */
  readonly taken?: string;
}

export interface OldRecord {
  /** As `import plan` calls it behind the service's name. */
  readonly name: string;
  readonly table: string;
  /** Those that are stored, without the id. */
  readonly columns: readonly string[];
  /** Of these, what a change of the old row does not touch. */
  readonly once?: readonly string[];
  /** SQL of what else of a row `here` would be a change of it. */
  readonly here?: string;
  /** A new row by column, with what is `staged` beside it. */
  readonly toRow: (old: OldRow, keys: Keyring) => Readonly<Record<string, CopyValue>>;
  /** What `settle` needs beside the columns: names with their types. */
  readonly staged?: Readonly<Record<string, string>>;
  readonly unique?: readonly OldKey[];
  /** Of which record of the service, listed before, a column has the id. */
  readonly refersTo?: Readonly<Record<string, string>>;
  /** Another row may have the id here, which then is another one. */
  readonly hasOwnIds?: true;
  /** Which rows do not come: SQL of a row `old`, of which `fate` is new or changed. */
  readonly barred?: readonly { readonly where: string; readonly field: string; readonly reason: Bilingual }[];
  /** What has to be there before rows of `old_<name>` are stored, in their transaction. */
  readonly prepare?: (tx: Db) => Promise<void>;
  /** What follows of rows of `old_<name>` whose `fate` is new or changed, in their transaction. */
  readonly settle?: (tx: Db) => Promise<void>;
  /** Which columns name uploads, by their names alone or by addresses, and how their record is known to those. */
  readonly files?: { readonly columns: readonly string[]; readonly holder: string; readonly byName?: true };
  /** By what `compare` counts, and what it adds up: SQL of a row. */
  readonly counted?: { readonly by: string; readonly sum?: string };
}

const says = (zh: string, en: string): Bilingual => ({ zh, en });
const reasons = {
  missing: says("必填，但没有值", "is needed, and has no value"),
  tooLong: says("超过500个字符", "is longer than 500 characters"),
  noTime: says("不是有效的时间", "is no time"),
  zeroTime: says("零日期，已置空", "a date of zeros became none"),
  noNumber: says("不是允许范围内的整数", "is no whole number that may stand here"),
  noDecimal: says("不是非负数", "is no number from zero on"),
  noChoice: says("不是已知的取值", "is none of the known values"),
  twiceCoded: says("UTF-8 被重复编码，已还原", "was written twice as UTF-8, and is put right"),
  unreadable: says("含有无法识别的字符，请核对", "has characters that could not be read: look at it"),
  unstorable: says("含有不能存储的字符，已去除", "had characters that cannot be stored"),
};

const zeroTime = /^0000-00-00/;
const mostShown = 200;
const mostIndexed = 500;
const mostBigint = 2n ** 63n - 1n;

export class OldRow {
  readonly findings: OldFinding[] = [];
  readonly #read: (field: string) => string | null;
  readonly #zoneOf: (field: string) => string;

  /** @param zoneOf of whose clocks the field's times are */
  constructor(read: (field: string) => string | null, zoneOf: (field: string) => string) {
    this.#read = read;
    this.#zoneOf = zoneOf;
  }

  get isRefused(): boolean {
    return this.findings.some(({ rule }) => rule === "refused");
  }

  find(rule: OldRule, field: string, reason: Bilingual, value = this.#read(field) ?? ""): void {
    this.findings.push({ rule, field, value: value.slice(0, mostShown), reason });
  }

  raw(field: string): string | null {
    return this.#read(field);
  }

  /** A text, as it was meant. */
  textOrNull(field: string): string | null {
    const given = this.#read(field);
    if (given === null) return null;
    if (given.includes("\u{FFFD}")) this.find("decide", field, reasons.unreadable);
    const meant = decodeTwiceCoded(given);
    if (meant !== given) this.find("changed", field, reasons.twiceCoded);
    const stored = toStorable(meant);
    if (stored !== meant) this.find("changed", field, reasons.unstorable);
    return stored;
  }

  text(field: string): string {
    return this.textOrNull(field) ?? "";
  }

  /** A text that an index has whole: PostgreSQL takes 2,700 bytes there. */
  indexed(field: string): string {
    const text = this.text(field);
    if (text.length > mostIndexed) this.find("refused", field, reasons.tooLong);
    return text;
  }

  /** A text by which something is known. */
  name(field: string): string {
    const text = this.indexed(field).trim();
    if (text === "") this.find("refused", field, reasons.missing);
    return text;
  }

  /** An instant, as PostgreSQL reads it. */
  timeOrNull(field: string): string | null {
    const given = this.#read(field)?.trim() ?? "";
    if (given === "") return null;
    if (zeroTime.test(given)) {
      this.find("changed", field, reasons.zeroTime);
      return null;
    }
    const text = (/^\d{4}-\d\d-\d\d$/.test(given) ? `${given} 00:00:00` : given).replace(/\.\d+$/, "");
    if (isDateTime(text)) return parseDateTime(text, this.#zoneOf(field)).toISOString();
    this.find("refused", field, reasons.noTime);
    return null;
  }

  time(field: string): string {
    const found = this.timeOrNull(field);
    if (found === null && !this.isRefused) this.find("refused", field, reasons.missing);
    return found ?? "";
  }

  day(field: string): string | null {
    const given = (this.#read(field) ?? "").slice(0, 10);
    if (given === "" || zeroTime.test(given)) return null;
    if (!isDateTime(`${given} 00:00:00`)) this.find("refused", field, reasons.noTime);
    return given;
  }

  integerOrNull(field: string, most = Number.MAX_SAFE_INTEGER): number | null {
    const given = this.#read(field)?.trim() ?? "";
    if (given === "") return null;
    const number = Number(given);
    if (/^-?\d+$/.test(given) && Math.abs(number) <= most) return number;
    this.find("refused", field, reasons.noNumber);
    return null;
  }

  decimalOrNull(field: string): number | null {
    const given = this.#read(field)?.trim() ?? "";
    if (given === "") return null;
    if (/^\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(given)) return Number(given);
    this.find("refused", field, reasons.noDecimal);
    return null;
  }

  /** One of the values; a bit is "0" or "1" however the dump wrote it. @param otherwise where there is none */
  choice<T extends string>(field: string, values: readonly T[], otherwise: T): T {
    const given = (this.#read(field) ?? "").trim().replace(/^0x0?(?=[01]$)/, "");
    const text = given === "\u0001" || given === "true" ? "1" : given === "\0" || given === "false" ? "0" : given;
    if (text === "") return otherwise;
    const found = values.find((value) => value === text);
    if (found === undefined) this.find("refused", field, reasons.noChoice);
    return found ?? otherwise;
  }

  /** In 64 bits, as text: what is longer than ids are here gets another one. */
  id(field = "id"): string {
    const given = this.#read(field)?.trim() ?? "";
    if (!/^[1-9]\d{0,18}$/.test(given) || BigInt(given) > mostBigint) this.find("refused", field, reasons.noNumber);
    return given;
  }
}

export const toFlag = (value: boolean): string => (value ? "t" : "f");

// MySQL's latin1 is Windows-1252, with the five places that that leaves empty.
const upper = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 128 }, (_, at) => 128 + at));
const byteOf = new Map(Array.from(upper, (letter, at) => [letter, 128 + at]));
const looksTwiceCoded = /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u2122]/;

/** Of a text whose UTF-8 was taken for Latin-1 and written as UTF-8 again, the text; any other as it is. */
function decodeTwiceCoded(text: string): string {
  if (!looksTwiceCoded.test(text)) return text;
  const bytes = Array.from(text, (letter) => byteOf.get(letter) ?? letter.codePointAt(0) ?? 256);
  if (bytes.some((byte) => byte > 255)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return text;
  }
}

import type { Bilingual } from "#platform/contract/language.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import { isDateTime, parseDateTime } from "#platform/contract/times.ts";
import type { CopyValue, Db } from "#platform/database/index.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";

// These types let a service describe how its records are read from an old database.

/**
 * `refused`: the row is not imported; `decide`: the row is imported, but somebody must act; `changed`: the row is
 * imported with a change that is reported; `merged`: the row overwrites the values of a row that exists on this
 * platform.
 */
export type OldRule = "refused" | "decide" | "changed" | "merged";

export interface OldFinding {
  readonly rule: OldRule;
  readonly field: string;
  readonly value: string;
  readonly reason: Bilingual;
}

export interface OldKey {
  readonly of: readonly string[];
  /**
   * What happens to a duplicate: it is refused, merged into the existing row, or changed by the SQL assignment `set`
   * and reported.
   */
  readonly otherwise: "refuse" | "merge" | { readonly set: string; readonly reason: Bilingual };
  /** An SQL query for further values that are already taken. Its rows contain an `id` and the values. */
  readonly taken?: string;
}

export interface OldRecord {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly once?: readonly string[];
  /**
   * An SQL expression that reads what other tables store about the record. If its value has changed since the last
   * import, the record counts as changed on this platform.
   */
  readonly here?: string;
  readonly toRow: (old: OldRow, keys: Keyring) => Readonly<Record<string, CopyValue>>;
  readonly staged?: Readonly<Record<string, string>>;
  readonly unique?: readonly OldKey[];
  /** The columns that reference records of another kind, which the service must list before this one. */
  readonly refersTo?: Readonly<Record<string, { readonly record: string; readonly table: string }>>;
  readonly hasOwnIds?: true;
  /** SQL conditions for rows to reject; `old` is a row whose `fate` is new or changed. */
  readonly barred?: readonly { readonly where: string; readonly field: string; readonly reason: Bilingual }[];
  readonly prepare?: (tx: Db) => Promise<void>;
  /** Processes the rows of `old_<name>` whose `fate` is new or changed, in the transaction that stores them. */
  readonly settle?: (tx: Db) => Promise<void>;
  readonly files?: { readonly columns: readonly string[]; readonly holder: string; readonly byName?: true };
  /** The command `compare` groups the rows by the SQL expression `by`, and adds up the SQL expression `sum`. */
  readonly counted?: { readonly by: string; readonly sum?: string };
}

const says = (zh: string, en: string): Bilingual => ({ zh, en });
const reasons = {
  missing: says("必填项为空", "required value is missing"),
  tooLong: says("超过500个字符", "longer than 500 characters"),
  noTime: says("时间无效", "invalid time"),
  zeroTime: says("零日期，已置空", "zero date, set to null"),
  noNumber: says("应为允许范围内的整数", "not an integer in the allowed range"),
  noDecimal: says("应为非负数", "not a non-negative number"),
  noChoice: says("取值未知", "unknown value"),
  twiceCoded: says("UTF-8 被重复编码，已还原", "double-encoded UTF-8, repaired"),
  unreadable: says("含有无法识别的字符，请核对", "contains unreadable characters; check the text"),
  unstorable: says("含有不能存储的字符，已去除", "characters that cannot be stored were removed"),
};

const zeroTime = /^0000-00-00/;
const mostShown = 200;
const mostIndexed = 500;
const mostBigint = 2n ** 63n - 1n;

export class OldRow {
  readonly findings: OldFinding[] = [];
  readonly #read: (field: string) => string | null;
  readonly #zoneOf: (field: string) => string;

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

  /** Reads a text that must fit into an index, where PostgreSQL allows about 2,700 bytes. */
  indexed(field: string): string {
    const text = this.text(field);
    if (text.length > mostIndexed) this.find("refused", field, reasons.tooLong);
    return text;
  }

  name(field: string): string {
    const text = this.indexed(field).trim();
    if (text === "") this.find("refused", field, reasons.missing);
    return text;
  }

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

  /**
   * Reads one of several values. Bits become "0" or "1", however the dump wrote them.
   * @param otherwise the value if the field is empty
   */
  choice<T extends string>(field: string, values: readonly T[], otherwise: T): T {
    const given = (this.#read(field) ?? "").trim().replace(/^0x0?(?=[01]$)/, "");
    const text = given === "\u0001" || given === "true" ? "1" : given === "\0" || given === "false" ? "0" : given;
    if (text === "") return otherwise;
    const found = values.find((value) => value === text);
    if (found === undefined) this.find("refused", field, reasons.noChoice);
    return found ?? otherwise;
  }

  /** Returns the id as text, since it may have 64 bits. The importer replaces ids that are above 2^53 - 1 or taken. */
  id(field = "id"): string {
    const given = this.#read(field)?.trim() ?? "";
    if (!/^[1-9]\d{0,18}$/.test(given) || BigInt(given) > mostBigint) this.find("refused", field, reasons.noNumber);
    return given;
  }
}

export const toFlag = (value: boolean): string => (value ? "t" : "f");

// MySQL's latin1 is Windows-1252, in which MySQL also defines the five undefined bytes.
const upper = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 128 }, (_, at) => 128 + at));
const byteOf = new Map(Array.from(upper, (letter, at) => [letter, 128 + at]));
const looksTwiceCoded = /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u2122]/;

/** Repairs a text whose UTF-8 bytes were read as MySQL's latin1 and encoded again. */
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

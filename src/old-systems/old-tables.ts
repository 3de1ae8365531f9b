import { createHash } from "node:crypto";

// What the dump and the old database itself have in common: tables, whose rows are texts.

export interface OldTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns whose times are in UTC, such as the timestamps of a dump that says so. */
  readonly inUtc: ReadonlySet<string>;
}

/** A value as text, numbers too, so that none of them is rounded. */
export type OldValue = string | null;

export interface OldReader {
  readonly table: (table: OldTable) => void;
  readonly row: (table: OldTable, values: readonly OldValue[]) => void;
  /** Of which tables rows are read; left out, of all. */
  readonly wants?: (table: string) => boolean;
  /** Awaited before more is read. */
  readonly settle?: () => Promise<void>;
}

/** Which columns of a table a digest is made of, and which of them is the key. */
export interface DigestPlan {
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
}

/** Rows by their keys. */
export interface Selection {
  readonly key: string;
  readonly keys: readonly string[];
}

/** An open place to read old tables from. */
export interface OldTables {
  /** @param only the tables of which some rows are enough */
  read(reader: OldReader, only?: ReadonlyMap<string, Selection>): Promise<void>;
  /** The key and digest of each row, as `digestOf` makes it; only a database can tell them without sending its rows. */
  readDigests?(
    plan: DigestPlan,
    row: (key: OldValue, digest: OldValue) => void,
    settle: () => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Tells a changed row from an unchanged one. MySQL computes the same: see `toDigestSql`. */
export function digestOf(values: readonly OldValue[]): string {
  const text = values.map((value) => (value === null ? "-" : `${Buffer.byteLength(value)}:${value}`)).join("");
  return createHash("md5").update(text).digest("hex");
}

export const toReason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

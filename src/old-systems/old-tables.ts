import { createHash } from "node:crypto";

export interface OldTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns whose times are in UTC, such as the timestamps of a dump that sets UTC. */
  readonly inUtc: ReadonlySet<string>;
}

/** A value is a text, so that numbers are not rounded. */
export type OldValue = string | null;

export interface OldReader {
  readonly table: (table: OldTable) => void;
  readonly row: (table: OldTable, values: readonly OldValue[]) => void;
  readonly wants?: (table: string) => boolean;
  readonly settle?: () => Promise<void>;
}

export interface DigestPlan {
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
}

export interface Selection {
  readonly key: string;
  readonly keys: readonly string[];
}

export interface OldTables {
  read(reader: OldReader, only?: ReadonlyMap<string, Selection>): Promise<void>;
  /**
   * Streams the key and the digest (see `digestOf`) of each row; only a database can compute digests without sending
   * the rows.
   */
  readDigests?(
    plan: DigestPlan,
    row: (key: OldValue, digest: OldValue) => void,
    settle: () => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** A digest that shows whether a row has changed; `toDigestSql` must compute the same in MySQL. */
export function digestOf(values: readonly OldValue[]): string {
  const text = values.map((value) => (value === null ? "-" : `${Buffer.byteLength(value)}:${value}`)).join("");
  return createHash("md5").update(text).digest("hex");
}

export const toReason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

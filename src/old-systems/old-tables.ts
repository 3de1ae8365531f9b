import { createHash } from "node:crypto";

// The common interface of dumps and live databases: tables with rows of texts.

export interface OldTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns with times in UTC, such as timestamps of a dump that sets UTC. */
  readonly inUtc: ReadonlySet<string>;
}

/** Values are text, so that numbers are not rounded. */
export type OldValue = string | null;

export interface OldReader {
  readonly table: (table: OldTable) => void;
  readonly row: (table: OldTable, values: readonly OldValue[]) => void;
  /** Selects tables to read; default: all. */
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
  /** @param only tables of which a selection of rows suffices */
  read(reader: OldReader, only?: ReadonlyMap<string, Selection>): Promise<void>;
  /** Streams each row's key and digest, as by `digestOf`; only a database can compute them without sending rows. */
  readDigests?(
    plan: DigestPlan,
    row: (key: OldValue, digest: OldValue) => void,
    settle: () => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** A digest for detecting changed rows. `toDigestSql` is the same in MySQL. */
export function digestOf(values: readonly OldValue[]): string {
  const text = values.map((value) => (value === null ? "-" : `${Buffer.byteLength(value)}:${value}`)).join("");
  return createHash("md5").update(text).digest("hex");
}

export const toReason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

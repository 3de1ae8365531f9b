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

/** Consecutive ids of a table, digested together. Smaller blocks locate changes better, larger ones are fewer. */
export const idsInBlock = 64;

export interface BlockPlan {
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
}

/** An id divided by `idsInBlock`, the number of its rows, and the XOR of the last 48 bits of each `digestOf`. */
export type Block = readonly [at: OldValue, rows: OldValue, digest: OldValue];

export interface Selection {
  readonly key: string;
  readonly blocks: readonly string[];
}

export interface OldTables {
  read(reader: OldReader, only?: ReadonlyMap<string, Selection>): Promise<void>;
  /** Only a database can compute blocks without sending rows. */
  readBlocks?(plan: BlockPlan, take: (block: Block) => void): Promise<void>;
  close(): Promise<void>;
}

/** A digest that shows whether a row has changed; `toDigestSql` must compute the same in MySQL. */
export const digestOf = (values: readonly OldValue[]): string =>
  createHash("md5")
    .update(values.map((value) => value ?? "\u0001").join("\0"))
    .digest("hex");

export const toReason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

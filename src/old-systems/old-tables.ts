import { createHash } from "node:crypto";

export interface OldTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns whose times are in UTC, such as the timestamps in a dump that sets UTC. */
  readonly inUtc: ReadonlySet<string>;
}

/** Values are texts, so that numbers are not rounded. */
export type OldValue = string | null;

export interface OldReader {
  readonly table: (table: OldTable) => void;
  readonly row: (table: OldTable, values: readonly OldValue[]) => void;
  readonly wants?: (table: string) => boolean;
  readonly settle?: () => Promise<void>;
}

/**
 * The number of consecutive ids in a block, whose rows have a common digest. Smaller blocks locate changes more
 * exactly, but there are more of them.
 */
export const idsInBlock = 16;

export interface BlockPlan {
  readonly table: string;
  readonly key: string;
  readonly columns: readonly string[];
}

/**
 * A block of rows: their ids divided by `idsInBlock`, their number, and the XOR of the last 48 bits of each row's
 * `digestOf`.
 */
export type Block = readonly [at: OldValue, rows: OldValue, digest: OldValue];

export interface Selection {
  readonly key: string;
  readonly blocks: readonly string[];
}

export interface OldTables {
  read(reader: OldReader, only?: ReadonlyMap<string, Selection>): Promise<void>;
  /** Undefined for dumps, since only a database server can compute digests without sending the rows. */
  readBlocks?(plan: BlockPlan, take: (block: Block) => void): Promise<void>;
  close(): Promise<void>;
}

/** A digest that shows whether a row has changed. `toDigestSql` must compute the same digest in MySQL. */
export const digestOf = (values: readonly OldValue[]): string =>
  createHash("md5")
    .update(values.map((value) => value ?? "\u0001").join("\0"))
    .digest("hex");

export const toReason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

import type { Cell } from "./sheet-xml.ts";

/** Rows arrive in batches: one wait a batch, not one a row, is what makes a cursor fast. */
export type RowBatches = AsyncIterable<readonly (readonly Cell[])[]> | Iterable<readonly (readonly Cell[])[]>;

export type RowSource = {
  /** The next batch that holds a row, or undefined after the last one. */
  nextBatch(): Promise<readonly (readonly Cell[])[] | undefined>;
  /** Tells the producer, once, that no more is wanted: its `return()` runs as soon as no batch is under way. */
  close(): Promise<void>;
};

/** Opens the batches for reading. `close` waits for a batch that is under way before it calls `return()`. */
export function openRowSource(batches: RowBatches): RowSource {
  const iterator = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  let underway: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const pull = async (): Promise<readonly (readonly Cell[])[] | undefined> => {
    while (!isOver) {
      const result = await iterator.next();
      if (result.done) isOver = true;
      else if (result.value.length > 0) return result.value;
    }
    return undefined;
  };
  return {
    nextBatch() {
      const batch = pull();
      underway = batch.catch(() => (isOver = true));
      return batch;
    },
    async close() {
      if (isOver) return;
      isOver = true;
      await underway;
      await iterator.return?.();
    },
  };
}

import { inLongTransaction, inTransaction, type Pool } from "#platform/database/index.ts";
import { nameColumn, type SealedColumn, toStoredValue, toText } from "#platform/sealing/column.ts";
import { deleteDataKeysBut, lockDataKeys, noteComplete } from "./key-store.ts";
import { countLeft, listComplete } from "./progress-store.ts";
import { lockDifferent, type RowKey, storeSealed } from "./sealing-store.ts";

// A transaction of some 50 ms: whoever writes one of its rows waits no longer.
const usuallyTogether = 500;

export interface SealingOptions {
  /** Is told of each column: how many values were brought to the present key, and how many are left. */
  readonly say: (line: string) => void;
}

/**
 * Seals every value of the columns by the present key, or without one opens every value, beside servers that go on, in
 * batches; cut off, it goes on where it was. Returns how many values are left, which is 0 unless servers with other keys
 * write meanwhile. When none is, the other keys are not needed any more.
 */
export async function sealAll(
  pool: Pool,
  columns: readonly SealedColumn[],
  { say }: SealingOptions,
): Promise<{ readonly changed: number; readonly left: number }> {
  let [changed, left] = [0, 0];
  for (const column of columns) {
    const done = await sealColumn(pool, column);
    const rest = await inLongTransaction(pool, (tx) => countLeft(tx, column));
    say(`${nameColumn(column)}: ${done} values ${pool.keys.currentId ? "sealed" : "opened"}, ${rest} left`);
    changed += done;
    left += rest;
  }
  await noteOutcome(pool, columns);
  return { changed, left };
}

async function sealColumn(pool: Pool, column: SealedColumn): Promise<number> {
  let changed = 0;
  // Once more over what a writer held the time before, or wrote behind it.
  for (let round = await sealOnce(pool, column); round > 0; round = await sealOnce(pool, column)) changed += round;
  return changed;
}

async function sealOnce(pool: Pool, column: SealedColumn): Promise<number> {
  let changed = 0;
  let after: RowKey | undefined;
  do {
    const from = after;
    const rows = await inTransaction(pool, async (tx) => {
      const found = await lockDifferent(tx, column, { after: from, most: column.together ?? usuallyTogether });
      if (found.length > 0)
        await storeSealed(
          tx,
          column,
          found.map(({ key, plain, apart }) => ({
            key,
            stored: toStoredValue(tx.keys, column, toText(tx.keys, column, plain, apart)),
          })),
        );
      return found;
    });
    changed += rows.length;
    after = rows.at(-1)?.key;
  } while (after);
  return changed;
}

/** The keys that are not needed any more go. */
async function noteOutcome(pool: Pool, columns: readonly SealedColumn[]): Promise<void> {
  const { currentId } = pool.keys;
  await inLongTransaction(pool, async (tx) => {
    await lockDataKeys(tx);
    const complete = await listComplete(tx, columns);
    if (currentId !== undefined) await noteComplete(tx, currentId, complete);
    if (complete.length === columns.length) await deleteDataKeysBut(tx, currentId);
  });
}

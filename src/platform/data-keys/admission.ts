import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";
import type { SealedColumn } from "#platform/sealing/column.ts";
import { insertDataKey, type KnownKey, listDataKeys, lockDataKeys, noteComplete, noteUniform } from "./key-store.ts";
import { listComplete } from "./progress-store.ts";

const proofPlace = "platform.data_key.proof";

/** Data keys with which this process must not work on the database. */
export class WrongDataKey extends Error {}

/**
 * Makes sure that this process can open whatever the database has sealed, and makes its key known there.
 * @throws {WrongDataKey} naming the keys that are needed
 */
export async function admitKeys(pool: Pool, columns: readonly SealedColumn[]): Promise<void> {
  const { currentId, ids } = pool.keys;
  // Nobody of those without a key should wait for a lock.
  if (ids.length === 0 && (await listDataKeys(pool)).length === 0) return;
  await inTransaction(pool, async (tx) => {
    await lockDataKeys(tx);
    const known = await listDataKeys(tx);
    refuseMissing(tx, known);
    for (const { id, proof } of known) refuseFalse(tx, id, proof);
    if (currentId !== undefined && !known.some(({ id }) => id === currentId)) {
      await insertDataKey(tx, currentId, tx.keys.seal(proofPlace, currentId));
      if (known.length === 0) await noteComplete(tx, currentId, await listComplete(tx, columns));
    }
    noteUniform(tx, await listDataKeys(tx), columns);
  });
}

function refuseMissing({ keys: { ids } }: Db, known: readonly KnownKey[]): void {
  const missing = known.filter(({ id }) => !ids.includes(id));
  if (missing.length === 0) return;
  const needed = missing.map(({ id, since }) => `${id} (since ${since.toISOString()})`).join(", ");
  const given = ids.length === 0 ? "no data key is set" : `the data keys of this process are ${ids.join(", ")}`;
  throw new WrongDataKey(
    `The database has values that the data key ${needed} has sealed, and ${given}. Set DATA_KEY (or DATA_KEY_FILE, DATA_KEY_COMMAND) to that key, or put it into DATA_KEY_OLD beside a new one. ` +
      "If it is lost, so are the identity cards, phone numbers and secrets that it has sealed; everything else is readable, and docs/operations.md says how to go on without them.",
  );
}

function refuseFalse({ keys }: Db, id: string, proof: string): void {
  let opened: string | undefined;
  try {
    opened = keys.open(proofPlace, proof);
  } catch {
    opened = undefined;
  }
  if (opened !== id)
    throw new WrongDataKey(`The data key ${id} does not open what the database has of it: it is another key.`);
}

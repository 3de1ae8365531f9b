import type { AuditKey } from "#platform/contract/audit-keys.ts";
import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";
import {
  findLastPiece,
  insertPiece,
  isAdopting,
  listUnadopted,
  listYoung,
  noteAdopted,
  readLines,
  removeYoung,
  takeChain,
} from "./chain-store.ts";
import { hashBytes, link, noHash } from "./link.ts";

// So many are read, hashed and stored in 15 ms; a process that dies loses a piece of work, and nothing else.
const pieceLines = 1000;

/**
 * Takes into the chain what it does not have yet: first what is older than it, then what was written since. One process
 * does so at a time, the others leave it to that. Returns how many lines it took in.
 */
export async function sealLines(pool: Pool, key: AuditKey | undefined, stop?: AbortSignal): Promise<number> {
  for (let sealed = 0; ;) {
    const lines = await inTransaction(pool, (tx) => sealPiece(tx, key));
    sealed += lines;
    if (lines === 0 || stop?.aborted) return sealed;
  }
}

async function sealPiece(tx: Db, key: AuditKey | undefined): Promise<number> {
  if (!(await takeChain(tx))) return 0;
  const old = (await isAdopting(tx)) ? await listUnadopted(tx, pieceLines) : undefined;
  if (old) await noteAdopted(tx, old.at(-1));
  const ids = old?.length ? old : await listYoung(tx, pieceLines);
  if (ids.length === 0) return 0;
  const [last, lines] = await Promise.all([findLastPiece(tx), readLines(tx, ids)]);
  const hashes: Buffer[] = [];
  let previous = last?.hashes.subarray(-hashBytes) ?? noHash;
  for (const { text } of lines) hashes.push((previous = link(previous, text, key)));
  const first = last ? last.first + last.lines : 1;
  await insertPiece(tx, { first, ids, hashes: Buffer.concat(hashes), keyId: key?.id ?? "" });
  await removeYoung(tx, ids);
  return ids.length;
}

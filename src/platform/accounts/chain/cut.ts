import { writeAudit } from "#platform/accounts/audit.ts";
import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";
import { cutPiece, findFirstPiece, takeChain } from "./chain-store.ts";
import { hashBytes } from "./link.ts";

/**
 * Removes the oldest lines of the audit log, which whoever checks the chain afterwards accepts: the last hash of each piece stays, and a
 * line of its own says what was removed. Piece by piece, each in a transaction; a piece with one line that is younger stays whole.
 * Returns how many lines were removed.
 */
export async function cutLines(pool: Pool, before: Date): Promise<number> {
  for (let removed = 0; ;) {
    const lines = await inLongTransaction(pool, (tx) => cutOldest(tx, before));
    removed += lines;
    if (lines === 0) return removed;
  }
}

async function cutOldest(tx: Db, before: Date): Promise<number> {
  if (!(await takeChain(tx))) throw new Error("the chain is being sealed by another process: try again");
  const piece = await findFirstPiece(tx, before);
  if (!piece) return 0;
  const hash = piece.hashes.subarray(-hashBytes);
  await cutPiece(tx, piece, hash);
  const place = piece.first + piece.lines - 1;
  const detail = { before: before.toISOString(), lines: piece.lines, place, hash: hash.toString("hex") };
  const who = { service: "platform", userName: "quintet audit cut", address: "" };
  await writeAudit(tx, { ...who, action: "cutAudit", outcome: "done", detail });
  return piece.lines;
}

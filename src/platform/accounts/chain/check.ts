import type { AuditKey } from "#platform/contract/audit-keys.ts";
import { type Db, inSnapshot, longLimits, type Pool, setLimits } from "#platform/database/index.ts";
import type { Anchor } from "./anchors.ts";
import { listPieces, type Piece, readLines } from "./chain-store.ts";
import { type Counts, countLines, listStrangers } from "./check-store.ts";
import { hashAt, hashBytes, link, noHash } from "./link.ts";

/** What a look at the whole chain has found. */
export interface ChainReport extends Pick<Counts, "young" | "unadopted"> {
  /** Lines of the chain that are there. */
  readonly lines: number;
  /** Lines that were removed on purpose. */
  readonly cut: number;
  /** Lines that were sealed without a key. */
  readonly withoutKey: number;
  readonly anchors: number;
  readonly faults: number;
  /** The first hundred, a sentence each. */
  readonly told: readonly string[];
}

const mostTold = 100;
const piecesAtOnce = 20;
const dayMs = 24 * 3600 * 1000;

interface Walk {
  /** What the next line is linked to; undefined behind a gap. */
  previous: Buffer | undefined;
  place: number;
  lines: number;
  cut: number;
  withoutKey: number;
  keyed: boolean;
  sealedAt: Date | undefined;
  faults: number;
  readonly told: string[];
  readonly adoptedTo: number;
  readonly keys: readonly AuditKey[];
  readonly anchors: ReadonlyMap<number, string>;
}

function tell(walk: Walk, fault: string): void {
  walk.faults++;
  if (walk.told.length < mostTold) walk.told.push(fault);
}

/**
 * Reads every line of the audit log and holds it against the chain, in one state of the database and in pieces. Beside
 * writers and sealers.
 * @param anchors what the chain has had; those of what was cut since are passed over
 */
export const checkChain = (
  pool: Pool,
  keys: readonly AuditKey[],
  anchors: readonly Pick<Anchor, "place" | "hash">[] = [],
): Promise<ChainReport> =>
  inSnapshot(pool, async (tx) => {
    await setLimits(tx, longLimits, "transaction");
    const counts = await countLines(tx);
    const walk: Walk = {
      previous: noHash,
      place: 0,
      lines: 0,
      cut: 0,
      withoutKey: 0,
      keyed: false,
      sealedAt: undefined,
      faults: 0,
      told: [],
      adoptedTo: counts.adoptedTo,
      keys,
      anchors: new Map(anchors.map(({ place, hash }) => [place, hash])),
    };
    for (let pieces; (pieces = await listPieces(tx, walk.place, piecesAtOnce)).length > 0;)
      for (const piece of pieces) await walkPiece(tx, walk, piece);
    await tellStrangers(tx, walk, counts);
    for (const { place } of anchors)
      if (place > walk.place)
        tell(walk, `the chain ends at place ${walk.place}, and an anchor has place ${place}: its end was cut off`);
    const { lines, cut, withoutKey, faults, told } = walk;
    const { young, unadopted } = counts;
    return { lines, cut, withoutKey, young, unadopted, anchors: anchors.length, faults, told };
  });

async function walkPiece(tx: Db, walk: Walk, piece: Piece): Promise<void> {
  if (piece.first !== walk.place + 1) {
    tell(walk, `places ${walk.place + 1} to ${piece.first - 1} of the chain are missing`);
    walk.previous = undefined;
  }
  if (piece.cutAt !== null) passCut(walk, piece);
  else if (piece.ids.length !== piece.lines || piece.hashes.length !== piece.lines * hashBytes)
    tell(walk, `the chain itself was changed at places ${piece.first} to ${piece.first + piece.lines - 1}`);
  else await walkLines(tx, walk, piece);
  walk.place = piece.first + piece.lines - 1;
  walk.previous = piece.hashes.subarray(-hashBytes);
  walk.sealedAt = piece.sealedAt;
}

/** Only the oldest lines are ever removed on purpose. */
function passCut(walk: Walk, piece: Piece): void {
  if (walk.lines > 0) tell(walk, `lines were removed at place ${piece.first}, in the middle of the chain`);
  walk.cut += piece.lines;
  checkAnchor(walk, piece.first + piece.lines - 1, piece.hashes.subarray(-hashBytes));
}

async function walkLines(tx: Db, walk: Walk, { first, ids, hashes, keyId, lines: count }: Piece): Promise<void> {
  const key = walk.keys.find(({ id }) => id === keyId);
  if (keyId === "") walk.withoutKey += count;
  if (keyId === "" && walk.keyed) tell(walk, `places ${first} to ${first + count - 1} were sealed without the key`);
  if (keyId !== "" && !key) tell(walk, `AUDIT_KEY does not have the key ${keyId}, which sealed place ${first} on`);
  walk.keyed ||= keyId !== "";
  const mayCompare = keyId === "" || key !== undefined;
  for (const [n, { id, at, text }] of (await readLines(tx, ids)).entries()) {
    const [place, hash] = [first + n, hashAt(hashes, n)];
    if (text === null) tell(walk, `line ${id} (place ${place}) was taken out`);
    else walk.lines++;
    if (text !== null && mayCompare && walk.previous && !link(walk.previous, text, key).equals(hash))
      tell(walk, `line ${id} (place ${place}) is not what was sealed`);
    // Whoever seals it has not seen it for a day before: it was put in later than it says.
    if (at && walk.sealedAt && id > walk.adoptedTo && at.getTime() < walk.sealedAt.getTime() - dayMs)
      tell(walk, `line ${id} (place ${place}) was put in long after its time, ${at.toISOString()}`);
    checkAnchor(walk, place, hash);
    walk.previous = hash;
  }
}

function checkAnchor(walk: Walk, place: number, hash: Buffer): void {
  const anchor = walk.anchors.get(place);
  if (anchor !== undefined && anchor !== hash.toString("hex"))
    tell(walk, `at place ${place} the chain is another than its anchor says`);
}

/** Lines that are neither in the chain nor on their way into it. */
async function tellStrangers(tx: Db, walk: Walk, { all, young, unadopted, lost }: Counts): Promise<void> {
  for (const id of lost) tell(walk, `line ${id} was taken out before it was sealed`);
  if (all === walk.lines + young + unadopted) return;
  const strangers = await listStrangers(tx, mostTold);
  for (const id of strangers) tell(walk, `line ${id} was put in past the chain`);
  if (strangers.length === 0)
    tell(walk, `${all} lines are there, and the chain tells of ${walk.lines + young + unadopted}`);
}

import type { Db } from "#platform/database/index.ts";
import { findLastPiece } from "./chain-store.ts";
import { hashBytes } from "./link.ts";

/** The chain up to a place, in one hash: kept elsewhere, it shows whether what the database has today is what it had then. */
export interface Anchor {
  readonly place: number;
  /** 64 hexadecimal digits. */
  readonly hash: string;
  readonly at: string;
}

/** What the log calls the anchor of a day. */
export const anchorMessage = "audit anchor";

/** The chain's end; undefined while it has no line. */
export async function readAnchor(db: Db): Promise<Anchor | undefined> {
  const last = await findLastPiece(db);
  if (!last) return undefined;
  const hash = last.hashes.subarray(-hashBytes).toString("hex");
  return { place: last.first + last.lines - 1, hash, at: last.sealedAt.toISOString() };
}

/** The anchors of a text: a JSON object a line, others than anchors are passed over, so a log will do. */
export function parseAnchors(text: string): Pick<Anchor, "place" | "hash">[] {
  return text.split("\n").flatMap((line) => {
    const { place, hash } = readObject(line);
    return Number.isSafeInteger(place) && typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash)
      ? [{ place: place as number, hash }]
      : [];
  });
}

function readObject(line: string): Partial<Record<keyof Anchor, unknown>> {
  try {
    return (JSON.parse(line) as Partial<Record<keyof Anchor, unknown>> | null) ?? {};
  } catch {
    return {};
  }
}

import type { Pool } from "#platform/database.ts";
import type { Claimed } from "./model.ts";
import { findBody } from "./queue-store.ts";

/** The bytes of events, made once for all projects that are sent them at about the same time. */
export interface Bodies {
  readonly load: (claimed: Claimed) => Buffer | Promise<Buffer | undefined>;
}

/** More than a claim brings for a handful of projects; bodies fetched singly are larger and not kept. */
const mostKept = 2000;

export function openBodies(pool: Pool): Bodies {
  const kept = new Map<number, Buffer>();
  const keep = (eventId: number, text: string): Buffer => {
    const known = kept.get(eventId);
    if (known) return known;
    const bytes = Buffer.from(text);
    kept.set(eventId, bytes);
    if (kept.size > mostKept) kept.delete(kept.keys().next().value ?? eventId);
    return bytes;
  };
  const fetchLarge = async (eventId: number): Promise<Buffer | undefined> => {
    const text = await findBody(pool, eventId);
    return text === undefined ? undefined : Buffer.from(text);
  };
  return { load: ({ eventId, body }) => (body === null ? fetchLarge(eventId) : keep(eventId, body)) };
}

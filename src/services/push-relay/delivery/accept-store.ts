import type { Db } from "#platform/database.ts";

/** A push of the campus platform, decrypted and checked. */
export interface ReceivedEvent {
  readonly schoolCode: string;
  /** As on the wire. */
  readonly event: string;
  readonly kind: "person" | "organisation" | "range";
  /** card_number, the organisation's id as text, or "" for what has no subject of its own. */
  readonly identity: string;
  /** SHA-256 of the event and raw_data as they were sent: the same one twice in a row is a repeat. */
  readonly hash: Buffer;
  /** The decrypted object as it came. */
  readonly data: string;
  readonly name: string | null;
  readonly updatedAt: Date | null;
  /** Whether the directory has it no more. */
  readonly removes: boolean;
}

/**
 * Stores an event with its deliveries in one statement, which is its own transaction when `db` is the pool.
 * @returns the event's id; null for a repeat, which is stored already.
 */
export async function acceptEvent(db: Db, event: ReceivedEvent, timeZone: string): Promise<number | null> {
  const { schoolCode, event: name, kind, identity, hash, data, updatedAt, removes } = event;
  const [row] = await db<{ id: number | null }[]>`
    select push_relay.accept(${schoolCode}, ${name}, ${kind}, ${identity}, ${hash}, ${data}, ${event.name}, ${updatedAt},
      ${removes}, ${timeZone}) as id`;
  return row?.id ?? null;
}

import type { Db } from "#platform/database/index.ts";
import type { ReceivedEvent } from "./campus-event.ts";
import { sealData } from "./sealed.ts";

/** A campus application as it was when its secrets were read; `version` changes with the row. */
export interface ApplicationVersion {
  readonly id: number;
  readonly version: string;
}

/** An event, and the application by which it was trusted. */
export interface TrustedEvent {
  readonly event: ReceivedEvent;
  readonly application: ApplicationVersion;
}

/** "stale": the application has changed, and nothing was stored. */
export type Acceptance = "stored" | "repeat" | "stale";

/**
 * Stores events about different subjects, their subjects' states and a delivery for each valid project, in one statement
 * that is on disk when it returns. The applications are compared in it, and so may come from memory.
 * @param zone time zone of the forwarded body's receivedTime
 */
export async function acceptEvents(db: Db, trusted: readonly TrustedEvent[], zone: string): Promise<Acceptance[]> {
  const column = <T>(read: (one: TrustedEvent) => T): T[] => trusted.map(read);
  const [row] = await db<[{ ids: number[] }]>`
    select push_relay.accept(
      ${column(({ application }) => application.id)}::bigint[], ${column(({ application }) => application.version)}::text[],
      ${column(({ event }) => event.schoolCode)}::text[], ${column(({ event }) => event.event)}::text[],
      ${column(({ event }) => event.kind)}::text[], ${column(({ event }) => event.identity)}::text[],
      ${column(({ event }) => event.hash)}::bytea[],
      ${column(({ event }) => sealData(db.keys, event.data))}::text[], ${column(({ event }) => event.name)}::text[],
      ${column(({ event }) => event.updatedAt)}::timestamptz[],
      ${column(({ event }) => event.removes)}::boolean[], ${zone}) as ids`;
  return row.ids.map((id) => (id > 0 ? "stored" : id === 0 ? "repeat" : "stale"));
}

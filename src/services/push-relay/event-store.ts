import type { Db } from "#platform/database.ts";
import type { ReceivedEvent } from "./campus-event.ts";

/** A campus application as it was when its secrets were read; `version` changes with the row. */
export interface ApplicationVersion {
  readonly id: number;
  readonly version: string;
}

/** null: the repeat of what is stored already. "stale": the application has changed, and nothing was stored. */
export type Acceptance = number | null | "stale";

/**
 * Stores an event, its subject's state and a delivery for each valid project, in one statement that is on disk when it
 * returns. The application is compared in it, and so may come from memory.
 * @param zone time zone of the forwarded body's receivedTime
 * @returns the event's id
 */
export async function acceptEvent(
  db: Db,
  event: ReceivedEvent,
  zone: string,
  application: ApplicationVersion,
): Promise<Acceptance> {
  const [row] = await db<{ id: number | null; current: boolean }[]>`
    select current, case when current then push_relay.accept(${event.schoolCode}, ${event.event}, ${event.kind},
      ${event.identity}, ${event.hash}, ${event.data}, ${event.name}, ${event.updatedAt}, ${event.removes}, ${zone}) end as id
    from (select exists (select from push_relay.campus_app
      where id = ${application.id} and xmin::text = ${application.version}) as current) as found`;
  return row?.current ? row.id : "stale";
}

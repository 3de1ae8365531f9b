import type { PersonRecords } from "#platform/process/person.ts";
import { openBody, openData } from "./sealed.ts";

export const persons: readonly PersonRecords[] = [
  {
    kind: "directory",
    show: async (db, { card }) => {
      if (!card) return [];
      const rows = await db<{ data: string | null }[]>`
        select school_code as "schoolCode", name, data, changed_at as "changedAt"
        from push_relay.subject where kind = 'person' and identity = ${card} order by id`;
      return rows.map((row) => ({ ...row, data: row.data === null ? null : openData(db.keys, row.data) }));
    },
    kept: "the data come from the campus platform; delete the person there, and the deletion reaches this server and all projects",
  },
  {
    kind: "event",
    show: async (db, { card }) => {
      if (!card) return [];
      const rows = await db<{ body: string }[]>`
        select event.event, push_relay.forwarded(event.*) as body, event.received_at as "receivedAt" from push_relay.event
        join push_relay.subject on subject.id = event.subject_id
        where subject.kind = 'person' and subject.identity = ${card} order by event.id desc limit 1000`;
      return rows.map((row) => ({ ...row, body: openBody(db.keys, row.body).body }));
    },
    kept: "projects must still receive the events, which are deleted when the relay's log expires",
  },
];

import type { Db } from "#platform/database/index.ts";
import type { Person, PersonRecords } from "#platform/process/person.ts";
import { normalizePhone } from "#platform/sealing/keyring.ts";
import { dataOf, writers } from "./forms.ts";
import { openContact, openData, openEvent } from "./sealed.ts";

async function findContacts(db: Db, { phone }: Person) {
  if (!phone) return [];
  const rows = await db<{ id: number; project: string; contact: string }[]>`
    select id, name as project, contact_sealed as contact from push_relay.project
    where contact_sealed is not null order by id`;
  return rows
    .map((row) => ({ ...row, contact: openContact(db.keys, row.contact) }))
    .filter(({ contact }) => !contact.includes("@") && normalizePhone(contact) === normalizePhone(phone));
}

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
      // The form "raw" would show encrypted data and the campus application's secret.
      return rows.map((row) => {
        const { form, head, data } = openEvent(db.keys, row.body);
        return { ...row, body: writers.json.write(head, dataOf(form, data)) };
      });
    },
    kept: "projects must still receive the events, which are deleted when the relay's log expires",
  },
  {
    kind: "project contact",
    show: findContacts,
    erase: async (tx, person) => {
      const ids = (await findContacts(tx, person)).map(({ id }) => id);
      return tx.count`update push_relay.project set contact_sealed = null where id = any(${ids})`;
    },
  },
];

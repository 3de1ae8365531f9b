import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import { releaseUploads } from "#platform/files/upload.ts";
import { erasedName, type Person, type PersonRecords } from "#platform/process/person.ts";
import { type RetainedRecords, retainRows } from "#platform/process/removal.ts";
import { normalizePhone } from "#platform/sealing/keyring.ts";
import { service, toHolder } from "./rules.ts";
import { findPhone, openPhones } from "./sealed.ts";
import { type StoredReport, storedColumns } from "./store.ts";

export const retained: readonly RetainedRecords[] = [
  retainRows({
    kind: "report",
    setting: "REPORTING_KEEP_DAYS",
    table: sql`reporting.report`,
    isOld: (since) => sql`(closed or deleted) and updated_at < ${since}`,
    remove: async (tx, ids) => {
      await tx.send`delete from reporting.report where id = any(${ids})`;
      await releaseUploads(tx, { service, records: ids.map(toHolder), removal: "atOnce" });
    },
  }),
];

const isOf = (db: Db, phone: string): Fragment => sql`(
  phone_found = any(${findPhone(db.keys, phone)})
  or (phone <> '' and regexp_replace(phone, '[^0-9+]', '', 'g') = ${normalizePhone(phone)}))`;

/** The person of a report is its submitter. The company and the project are not personal data. */
export const persons: readonly PersonRecords[] = [
  {
    kind: "report",
    show: async (db, { phone }) => {
      if (!phone) return [];
      const rows = await db<StoredReport[]>`
        select ${storedColumns} from reporting.report where ${isOf(db, phone)} order by id`;
      return rows.map((row) => {
        const { id, name, phone: number, wxPhone, company, entryName, createdAt } = openPhones(db.keys, row);
        return { id, name, phone: number, wxPhone, company, entryName, createdAt };
      });
    },
    erase: async (tx, { phone }: Person) => {
      if (!phone) return 0;
      const erased = await tx<{ openId: string | null }[]>`
        with gone as (select id, open_id from reporting.report where ${isOf(tx, phone)} order by id for update)
        update reporting.report set name = ${erasedName}, phone = '', phone_sealed = null, phone_found = null, wx_phone = null,
          open_id = null
        from gone where report.id = gone.id returning gone.open_id as "openId"`;
      const openIds = erased.flatMap(({ openId }) => openId ?? []);
      await tx`delete from reporting.submitter_session where open_id = any(${openIds})`;
      await tx`delete from reporting.known_open_id where open_id = any(${openIds})`;
      return erased.length;
    },
  },
];

import { Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { hashPerson } from "./store.ts";

export const noticePreferenceHandlers = (
  service: string,
  findPersons: (db: Db, guest: string) => Promise<readonly string[]>,
) => {
  const findHashes = async (db: Db, guest: string): Promise<string[]> => {
    const persons = new Set(await findPersons(db, guest));
    if (persons.size === 0) throw new Problem("notFound");
    return [...persons].map((person) => hashPerson(service, person));
  };
  return {
    readOwnNotices: async ({ db, guest }: { db: Db; guest: string }) => {
      const hashes = await findHashes(db, guest);
      const refusals = await db.count`
        select from platform.notice_refusal where service = ${service} and person_hash = any(${hashes})`;
      return { told: refusals === 0 };
    },
    changeOwnNotices: async ({ db, guest, body }: { db: Db; guest: string; body: { told: boolean } }) => {
      const hashes = await findHashes(db, guest);
      if (body.told)
        await db.send`delete from platform.notice_refusal where service = ${service} and person_hash = any(${hashes})`;
      else {
        await db.send`
          insert into platform.notice_refusal (service, person_hash) select ${service}, unnest(${hashes}::text[])
          on conflict do nothing`;
        // The condition on `kind` lets PostgreSQL use the index of waiting notices.
        await db.send`
          delete from platform.notice
          where state = 'waiting' and kind in (select kind from platform.notice_kind) and person_hash = any(${hashes})`;
      }
      return "1" as const;
    },
  };
};

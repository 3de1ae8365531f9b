import type { Db } from "#platform/database/index.ts";
import type { Person, PersonRecords } from "#platform/process/person.ts";
import { normalizePhone } from "#platform/sealing/keyring.ts";
import { openAddresses } from "./store.ts";

/** All contacts are decrypted and compared here, since there are few accounts. */
async function findContacts(db: Db, { user, phone }: Person) {
  if (!user && !phone) return [];
  const rows = await db<{ id: number; userName: string; addresses: string; told: boolean }[]>`
    select account_id as id, user_name as "userName", addresses, told
    from platform.notice_contact join platform.account on account.id = account_id order by account_id`;
  const dialled = phone && normalizePhone(phone);
  return rows
    .map(({ addresses, ...row }) => ({ ...row, ...openAddresses(db, addresses) }))
    .filter(
      ({ userName, userId, phone: given }) =>
        (user && (userName === user || userId === user)) || (dialled && given && normalizePhone(given) === dialled),
    );
}

export const personsOfNotices: readonly PersonRecords[] = [
  {
    kind: "notice contact",
    show: findContacts,
    erase: async (tx, person) => {
      const ids = (await findContacts(tx, person)).map(({ id }) => id);
      return tx.count`delete from platform.notice_contact where account_id = any(${ids})`;
    },
  },
];

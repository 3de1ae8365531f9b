import { sql } from "#platform/database/index.ts";
import type { PersonRecords } from "#platform/process/person.ts";
import { normalizePhone } from "#platform/sealing/keyring.ts";

/** Contacts are searched by phone number only, since names are not unique. */
const contact = (kind: string, table: string, name: string, phone: string, erase: string): PersonRecords => {
  const isOf = (number: string) =>
    sql`regexp_replace(${sql.raw(phone)}, '[^0-9+]', '', 'g') = ${normalizePhone(number)}`;
  return {
    kind,
    show: async (db, { phone: number }) =>
      number
        ? db`select id, ${sql.raw(name)} as name, ${sql.raw(phone)} as phone
            from disease_command.${sql.raw(table)} where ${isOf(number)} order by id`
        : [],
    erase: async (tx, { phone: number }) =>
      number ? tx.count`update disease_command.${sql.raw(table)} set ${sql.raw(erase)} where ${isOf(number)}` : 0,
  };
};

export const persons: readonly PersonRecords[] = [
  contact("team leader", "emergency_team", "leader", "leader_phone", "leader = null, leader_phone = null"),
  contact("team member", "emergency_team_member", "name", "phone", "name = '已删除', phone = null"),
  contact("scenic spot", "scenic_spot", "person_in_charge", "phone", "person_in_charge = '已删除', phone = ''"),
];

import type { PersonRecords } from "#platform/process/person.ts";

export const personsOfAccounts: readonly PersonRecords[] = [
  {
    kind: "account",
    show: async (db, { user }) =>
      user
        ? db`select id, service, user_name as "userName", name, enabled, created_at as "createdAt"
            from platform.account where user_name = ${user} order by id`
        : [],
    kept: "only operators and the service's administrators can delete accounts",
  },
  {
    kind: "session",
    show: async (db, { user }) =>
      user
        ? db`select address, user_agent as "userAgent", session.created_at as "createdAt", last_used_at as "lastUsedAt"
            from platform.session join platform.account on account.id = account_id where user_name = ${user} order by session.id`
        : [],
    erase: async (tx, { user }) =>
      user
        ? tx.count`delete from platform.session using platform.account
            where account.id = account_id and user_name = ${user}`
        : 0,
  },
  {
    kind: "audit line",
    show: async (db, { user }) =>
      user
        ? db`select at, service, action, outcome, address from platform.audit where user_name = ${user} order by id desc limit 1000`
        : [],
    kept: "audit entries are deleted only after AUDIT_KEEP_DAYS",
  },
];

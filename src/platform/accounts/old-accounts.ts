import { type OldRecord, toFlag } from "#platform/process/old-row.ts";
import { toNameKey } from "./account-store.ts";
import { wrapOldPassword } from "./old-password.ts";

const mostName = 255;
const unknownPassword = {
  zh: "密码散列类型未知，须重置密码",
  en: "unknown password hash type: reset the password",
};
const alike = {
  zh: "用户名与其他账号过于相似（例如仅大小写不同），须改名后才能登录",
  en: "the user name is too similar to another account's (for example, only the case differs): rename the account before its first login",
};

export const oldAccounts = (service: string, types: readonly [superior: string, other: string]): OldRecord => ({
  name: "administrators",
  table: "platform.account",
  columns: ["service", "user_name", "name_key", "name", "password_hash", "super", "enabled", "created_at"],
  once: ["created_at"],
  hasOwnIds: true,
  unique: [
    { of: ["service", "user_name"], otherwise: "refuse" },
    {
      of: ["service", "name_key"],
      otherwise: { set: "name_key = null", reason: alike },
      taken: `select id, '${service}', name_key from platform.account where service = 'platform'`,
    },
  ],
  toRow: (old) => {
    const userName = old.name("userName").slice(0, mostName);
    const hash = old.raw("password") ?? "";
    const wrapped = hash === "" ? undefined : wrapOldPassword({ hash, salt: old.raw("salt") ?? "", userName });
    if (hash !== "" && wrapped === undefined) old.find("decide", "password", unknownPassword, "***");
    return {
      service,
      user_name: userName,
      name_key: toNameKey(userName),
      name: old.text("name"),
      password_hash: wrapped ?? null,
      super: toFlag(old.choice("adminType", types, types[1]) === types[0]),
      enabled: toFlag(old.choice("status", ["0", "1"], "1") === "1"),
      created_at: old.timeOrNull("time") ?? new Date().toISOString(),
    };
  },
});

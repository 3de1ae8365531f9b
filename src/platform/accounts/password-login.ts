import type { Account } from "#platform/accounts/account-store.ts";
import { toNameKey } from "#platform/accounts/name-key.ts";
import { explain, type Problem } from "#platform/contract/problem.ts";
import type { Pool } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";

export type PasswordSettings = Pick<Settings, "PASSWORD_LOGIN_ONLY">;

/** Why the account must not be opened with a password, right as it is; undefined where it may. */
export function refusePassword(
  { PASSWORD_LOGIN_ONLY: names }: PasswordSettings,
  { service, userName }: Pick<Account, "service" | "userName">,
): Problem | undefined {
  const key = toNameKey(userName);
  if (names.length === 0 || (service === "platform" && names.some((name) => toNameKey(name) === key))) return undefined;
  return explain("forbidden", "此账号只能通过统一身份认证登录", "this account is opened by the campus sign-on alone");
}

/** What the start says where nobody would get in while the campus cannot be asked. */
export async function warnOfNoPassword(
  pool: Pool,
  { PASSWORD_LOGIN_ONLY: names }: PasswordSettings,
): Promise<string[]> {
  if (names.length === 0) return [];
  const [found] = await pool`
    select from platform.account where service = 'platform' and enabled and password_hash is not null
      and name_key = any(${names.map(toNameKey)}) limit 1`;
  return found ? [] : ["PASSWORD_LOGIN_ONLY names no enabled operator: without the campus sign-on nobody gets in"];
}

import { type Condition, isAbove } from "#platform/process/condition.ts";
import { keyMark } from "./access-keys.ts";

const endingDays = 14;

const keyEnding: Condition = {
  name: "key-ending",
  title: { zh: "访问密钥即将过期", en: "An access key expires soon" },
  remedy: {
    zh: "在“服务账号”页轮换该密钥，并更新使用它的程序；不再使用的请吊销",
    en: "Rotate it on the page Service accounts and give the program the new one; revoke it if nobody uses it",
  },
  severity: "warning",
  find: async ({ platform: { pool } }) => {
    const ending = await pool<{ id: number; name: string; userName: string; expiresAt: Date }[]>`
      select access_key.id, access_key.name, user_name as "userName", expires_at as "expiresAt"
      from platform.access_key join platform.account on account.id = account_id
      where enabled and revoked_at is null and rotated_at is null
        and expires_at > now() and expires_at < now() + make_interval(days => ${endingDays})
      order by expires_at limit 100`;
    return ending.map(({ id, name, userName, expiresAt }) => {
      const [mark, day] = [keyMark(id), expiresAt.toISOString().slice(0, 10)];
      return {
        subject: mark,
        says: {
          zh: `服务账号 ${userName} 的密钥 ${mark}（${name}）将于 ${day} 过期`,
          en: `The key ${mark} (${name}) of the service account ${userName} expires on ${day}`,
        },
        figures: { expires: day },
      };
    });
  },
};

const signOnAway: Condition = {
  name: "sign-on-away",
  title: { zh: "统一身份认证不可用", en: "Campus sign-on is not reached" },
  remedy: {
    zh: "检查认证系统与网络；期间可用密码登录",
    en: "See the provider and the network; passwords work meanwhile",
  },
  severity: "warning",
  of: { part: "sign-on", holds: ({ oidcReached, casReached }) => oidcReached === false || casReached === false },
  holdMinutes: 5,
};

const manyUnsent = 100;

const auditStuck: Condition = {
  name: "audit-stuck",
  title: { zh: "审计日志未能外发", en: "Lines of the audit log do not leave" },
  remedy: { zh: "检查 AUDIT_LOG 所指的接收端", en: "See what takes the lines of AUDIT_LOG" },
  severity: "warning",
  of: { part: "audit", holds: ({ unsent, lost }) => isAbove(unsent, manyUnsent) || isAbove(lost, 0) },
};

export const accountConditions: readonly Condition[] = [keyEnding, signOnAway, auditStuck];

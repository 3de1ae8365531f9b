import { type Condition, isAbove } from "#platform/process/condition.ts";
import { keyMark } from "./access-keys.ts";
import { dutiesCombined } from "./duties.ts";
import { isOfCodes, maxFromOneAddress, windowMinutes } from "./login.ts";
import { maxPerDay } from "./second-factor/factors.ts";

const endingDays = 14;

const keyEnding: Condition = {
  name: "key-ending",
  title: { zh: "访问密钥即将过期", en: "An access key expires soon" },
  remedy: {
    zh: "在“服务账号”页轮换该密钥，并更新使用它的程序；不再使用的密钥请吊销",
    en: "Rotate the key on the Service accounts page and update the program that uses it, or revoke the key if it is unused",
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
  title: { zh: "统一身份认证不可用", en: "Campus sign-on is unreachable" },
  remedy: {
    zh: "检查认证系统与网络；恢复前可使用密码登录（如设置了 PASSWORD_LOGIN_ONLY，仅限其中的操作员）",
    en: "Check the identity provider and the network; password logins still work, but only for the operators in PASSWORD_LOGIN_ONLY if it is set",
  },
  severity: "warning",
  of: { part: "sign-on", holds: ({ oidcReached, casReached }) => oidcReached === false || casReached === false },
  holdMinutes: 5,
};

const manyUnsent = 100;

const auditStuck: Condition = {
  name: "audit-stuck",
  title: { zh: "审计日志未能外发", en: "Audit entries are not being forwarded" },
  remedy: { zh: "检查 AUDIT_LOG 所指的接收端", en: "Check the receiver configured in AUDIT_LOG" },
  severity: "warning",
  of: { part: "audit", holds: ({ unsent, lost }) => isAbove(unsent, manyUnsent) || isAbove(lost, 0) },
};

const signInLocked: Condition = {
  name: "sign-in-locked",
  title: { zh: "密码或验证码多次出错，已锁定", en: "Accounts locked after repeated wrong passwords or codes" },
  remedy: {
    zh: "在“审计日志”中查看失败登录的来源；操作员账号可用命令 quintet operator unlock 解除锁定",
    en: "Check the source of the failed logins in the audit log; to unlock an operator, run quintet operator unlock",
  },
  severity: "warning",
  find: async ({ platform: { pool } }) => {
    const [{ names, codes }] = await pool<[{ names: number; codes: number }]>`
      select count(*) filter (where not is_code) as names, count(*) filter (where is_code) as codes from (
        select ${isOfCodes} as is_code from platform.login_failure
        where failed_at > now() - interval '1 day' group by account_key
        having count(*) filter (where failed_at > now() - make_interval(mins => ${2 * windowMinutes})) >= ${maxFromOneAddress}
          or (${isOfCodes} and count(*) >= ${maxPerDay})
      ) as locked`;
    if (names + codes === 0) return [];
    const says = {
      zh: `${names} 个登录名的密码、${codes} 个账号的验证码多次输入错误`,
      en: `User names with repeated wrong passwords: ${names}; accounts with repeated wrong codes: ${codes}`,
    };
    return [{ subject: "", says, figures: { names, codes } }];
  },
};

const secondFactorUnset: Condition = {
  name: "second-factor-unset",
  title: { zh: "SECOND_FACTOR 未设置", en: "SECOND_FACTOR is not set" },
  remedy: {
    zh: "设置 SECOND_FACTOR：console 或 all 要求两步验证；off 表示仅用密码登录",
    en: "Set SECOND_FACTOR to console or all to require a second factor, or to off to allow logins with a password only",
  },
  severity: "warning",
  find: async ({ platform: { settings } }) =>
    settings.SECOND_FACTOR === undefined
      ? [
          {
            subject: "",
            says: {
              zh: "SECOND_FACTOR 未设置，仅凭密码即可登录",
              en: "SECOND_FACTOR is not set: accounts are protected by a password only",
            },
          },
        ]
      : [],
};

export const accountConditions: readonly Condition[] = [
  secondFactorUnset,
  signInLocked,
  keyEnding,
  signOnAway,
  auditStuck,
  dutiesCombined,
];

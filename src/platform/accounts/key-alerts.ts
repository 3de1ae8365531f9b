import { listEndingKeys } from "#platform/accounts/access-key-store.ts";
import { keyMark } from "#platform/accounts/access-keys.ts";
import type { AlertCondition } from "#platform/process/alert.ts";

const keyEnding: AlertCondition = {
  name: "key-ending",
  title: { zh: "访问密钥即将过期", en: "An access key expires soon" },
  remedy: {
    zh: "在“服务账号”页轮换该密钥，并更新使用它的程序；不再使用的请吊销",
    en: "Rotate it on the page Service accounts and give the program the new one; revoke it if nobody uses it",
  },
  threshold: { unit: { zh: "天", en: "days" }, least: 1, most: 90, standard: 14 },
  find: async ({ platform: { pool }, threshold }) =>
    (await listEndingKeys(pool, threshold)).map(({ id, name, userName, expiresAt }) => {
      const [mark, day] = [keyMark(id), expiresAt.toISOString().slice(0, 10)];
      return {
        subject: mark,
        says: {
          zh: `服务账号 ${userName} 的密钥 ${mark}（${name}）将于 ${day} 过期`,
          en: `The key ${mark} (${name}) of the service account ${userName} expires on ${day}`,
        },
        figures: { expires: day },
      };
    }),
};

/** What there can be alerts of about access keys. */
export const keyConditions: readonly AlertCondition[] = [keyEnding];

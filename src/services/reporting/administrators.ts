import { administratorsOf } from "#platform/accounts/account-rules.ts";
import type { Account } from "#platform/accounts/account-store.ts";
import { accountHandlers, mapRights } from "#platform/accounts/administrator-handlers.ts";
import { downloadCookie, setCookie } from "#platform/accounts/cookies.ts";
import { signIn } from "#platform/accounts/login.ts";
import { changeAccount, createAccount, listAccountPage, removeAccounts } from "#platform/accounts/manage-accounts.ts";
import { formatDateTime, parsePeriod } from "#platform/contract/times.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { service } from "./rules.ts";

const kind = administratorsOf(service);
const codes = mapRights<1 | 2, 0 | 1>({ superior: 1, other: 2, enabled: 1, disabled: 0 });

export function administratorHandlers(platform: Platform) {
  const { settings } = platform;
  const zone = settings.TIME_ZONE;
  const toAdministrator = (account: Account) => ({
    id: account.id,
    userName: account.userName,
    name: account.name,
    password: null,
    time: formatDateTime(account.createdAt, zone),
    ...codes.write(account),
  });
  return {
    login: withoutTransaction(async (call) => {
      const { account, token, expireTime } = await signIn(platform, service, call);
      const cookie = { value: token, seconds: settings.TOKEN_HOURS * 3600 };
      setCookie(downloadCookie(service), call.reply, settings, cookie);
      return { ...toAdministrator(account), token, expireTime };
    }),

    addAdministrator: withoutTransaction((call) => {
      const { userName, name, password, rights, scope, ...given } = call.body;
      return createAccount(kind, call, { userName, name, password, rights, scope, ...codes.read(given) });
    }),

    deleteAdministrators: (call) => removeAccounts(kind, call, call.body.ids ?? []),

    updateAdministrator: withoutTransaction((call) => {
      const { id, userName, name, password, rights, scope, ...given } = call.body;
      return changeAccount(kind, call, { id, userName, name, password, rights, scope, ...codes.read(given) });
    }),

    listAdministrators: ({ db, query }) => {
      const { userName, name, time } = query;
      const period = time === undefined ? undefined : parsePeriod(time, zone);
      const filter = { service, userName, name, createdFrom: period?.start, createdTo: period?.end };
      return listAccountPage(db, filter, query, { usual: "time", toRow: toAdministrator });
    },

    ...accountHandlers(platform, service),
  } satisfies Partial<Handlers<typeof endpoints>>;
}

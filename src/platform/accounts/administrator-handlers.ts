import type { Account } from "#platform/accounts/account-store.ts";
import { accountHandlers } from "#platform/accounts/endpoints.ts";
import { administratorsOf } from "#platform/accounts/kinds.ts";
import { type LoggedIn, login, type LoginAttempt } from "#platform/accounts/login.ts";
import {
  type AccountListQuery,
  changeAccount,
  createAccount,
  type HashingCall,
  listAccountPage,
  removeAccounts,
  type RemovingCall,
} from "#platform/accounts/manage-accounts.ts";
import type { Rights } from "#platform/contract/rights.ts";
import type { Db } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";

// The administrators of a service on the wire: what all services share, and the handlers of those that write them alike.

type Service = LoginAttempt["service"];

interface LoginCall {
  readonly body: { readonly userName: string; readonly password: string; readonly secondFactor?: "later" | undefined };
  readonly address: string;
  readonly userAgent: string;
  readonly reply: { header(name: string, value: string): unknown };
}

/** Signs in at the service; the token stands in a header of the answer too. @throws {Problem} as `login`. */
export async function signIn(
  platform: Platform,
  service: Service,
  { body, address, userAgent, reply }: LoginCall,
): Promise<LoggedIn> {
  const tokenHours = platform.settings.TOKEN_HOURS;
  const session = await login(platform, { service, ...body, address, userAgent, tokenHours });
  reply.header("admin_token", session.token);
  return session;
}

/** With which values a service says what an administrator may, and whether they may log in. */
interface RightsSpelling<Type, Status> {
  readonly superior: Type;
  readonly other: Type;
  readonly enabled: Status;
  readonly disabled: Status;
}

/** Reads rights off the wire and writes them there. What a body leaves out is undefined. */
export const spellRights = <const Type, const Status>(words: RightsSpelling<Type, Status>) => ({
  read: ({ adminType, status }: { adminType?: Type | undefined; status?: Status | undefined }) => ({
    isSuper: adminType === undefined ? undefined : adminType === words.superior,
    enabled: status === undefined ? undefined : status === words.enabled,
  }),
  write: ({ isSuper, enabled, rights, fromSignOn }: Account) => ({
    adminType: isSuper ? words.superior : words.other,
    status: enabled ? words.enabled : words.disabled,
    ...(rights && { rights: [...rights] }),
    ...(fromSignOn && { fromSignOn: true as const }),
  }),
});

type Digit = "0" | "1";

/** "0" for super administrators, "1" for those who may log in. */
export const digits = spellRights<Digit, Digit>({ superior: "0", other: "1", enabled: "1", disabled: "0" });

const toAdministrator = (account: Account) => ({
  id: account.id,
  userName: account.userName,
  password: null,
  ...digits.write(account),
});

interface NewBody {
  readonly userName: string;
  readonly password: string;
  readonly adminType: Digit;
  readonly status: Digit;
  readonly rights?: Rights | undefined;
}
type ChangedBody = { readonly [F in keyof NewBody]?: NewBody[F] | undefined } & { readonly id?: number | undefined };

/** The handlers of a service whose administrators have a user name alone, and rights in digits. */
export function administratorHandlers(platform: Platform, service: Service, usual: "id" | "time") {
  const kind = administratorsOf(service, "needed");
  return {
    listAdministrators: ({ db, query }: { db: Db; query: AccountListQuery }) =>
      listAccountPage(db, { service }, query, { usual, toRow: toAdministrator }),

    saveAdministrator: {
      withoutTransaction: (call: HashingCall & { body: NewBody }) => {
        const { userName, password, rights, ...given } = call.body;
        return createAccount(kind, call, { userName, name: userName, password, rights, ...digits.read(given) });
      },
    },

    updateAdministrator: {
      withoutTransaction: (call: HashingCall & { body: ChangedBody }) => {
        const { id, userName, password, rights, ...given } = call.body;
        return changeAccount(kind, call, { id, userName, name: userName, password, rights, ...digits.read(given) });
      },
    },

    deleteAdministrator: (call: RemovingCall & { params: { id: number } }) =>
      removeAccounts(kind, call, [call.params.id]),

    ...accountHandlers(platform, service),
  };
}

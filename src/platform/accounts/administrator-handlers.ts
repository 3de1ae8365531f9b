import { createPublicKey } from "node:crypto";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Rights } from "#platform/contract/rights.ts";
import { listNamed, type Scope } from "#platform/contract/scope.ts";
import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { administratorsOf } from "./account-rules.ts";
import { type Account, type AccountWithHash, findAccount, lockAccount, updateAccount } from "./account-store.ts";
import { accountEndpoints } from "./administrator-contract.ts";
import { auditRefusal, byCaller } from "./audit.ts";
import { clearCookie, downloadCookie } from "./cookies.ts";
import { toOwnPassword } from "./login-requirements.ts";
import { findLockSeconds, lockedProblem, recordAttempt, toAttempt } from "./login.ts";
import {
  type AccountListQuery,
  changeAccount,
  createAccount,
  type HashingCall,
  listAccountPage,
  removeAccounts,
  type RemovingCall,
} from "./manage-accounts.ts";
import { decryptPassword, unreadable, verifyPassword } from "./password.ts";
import { endSessionsOf } from "./session.ts";

export const mapRights = <const Type, const Status>(words: {
  readonly superior: Type;
  readonly other: Type;
  readonly enabled: Status;
  readonly disabled: Status;
}) => ({
  read: ({ adminType, status }: { adminType?: Type | undefined; status?: Status | undefined }) => ({
    isSuper: adminType === undefined ? undefined : adminType === words.superior,
    enabled: status === undefined ? undefined : status === words.enabled,
  }),
  write: ({ isSuper, enabled, rights, scope, fromSignOn }: Account) => ({
    adminType: isSuper ? words.superior : words.other,
    status: enabled ? words.enabled : words.disabled,
    ...(rights && { rights: [...rights] }),
    ...toWireScope(scope),
    ...(fromSignOn && { fromSignOn: true as const }),
  }),
});

export const toWireScope = (scope: Scope) =>
  scope && { scope: Object.fromEntries(listNamed(scope).map(([name, texts]) => [name, [...texts]])) };

type Digit = "0" | "1";

export const digits = mapRights<Digit, Digit>({ superior: "0", other: "1", enabled: "1", disabled: "0" });

interface NewBody {
  readonly userName: string;
  readonly password: string;
  readonly adminType: Digit;
  readonly status: Digit;
  readonly rights?: Rights | undefined;
  readonly scope?: Scope | undefined;
}
type ChangedBody = { readonly [F in keyof NewBody]?: NewBody[F] | undefined } & { readonly id?: number | undefined };

export function administratorHandlers(platform: Platform, service: string, usual: "id" | "time") {
  const kind = administratorsOf(service, true);
  return {
    listAdministrators: ({ db, query }: { db: Db; query: AccountListQuery }) => {
      const toRow = (row: Account) => ({ id: row.id, userName: row.userName, password: null, ...digits.write(row) });
      return listAccountPage(db, { service }, query, { usual, toRow });
    },

    saveAdministrator: withoutTransaction((call: HashingCall & { body: NewBody }) => {
      const { userName, password, rights, scope, ...given } = call.body;
      return createAccount(kind, call, { userName, name: userName, password, rights, scope, ...digits.read(given) });
    }),

    updateAdministrator: withoutTransaction((call: HashingCall & { body: ChangedBody }) => {
      const { id, userName, password, rights, scope, ...given } = call.body;
      return changeAccount(kind, call, {
        id,
        userName,
        name: userName,
        password,
        rights,
        scope,
        ...digits.read(given),
      });
    }),

    deleteAdministrator: (call: RemovingCall & { params: { id: number } }) =>
      removeAccounts(kind, call, [call.params.id]),

    ...accountHandlers(platform, service),
  };
}

interface PasswordCall extends Omit<HashingCall, "db"> {
  /** Both passwords are encrypted with the public key and encoded in base64. */
  readonly body: { readonly id?: number | undefined; readonly password: string; readonly newPassword: string };
  readonly address: string;
}

/**
 * A wrong old password counts as a failed login, so an open session allows no more guesses than the login.
 * @throws {Problem} idMissing; forbidden for another account's id; tokenInvalid if the account was deleted or changed
 * meanwhile; accountLocked; notAllowedNow for a wrong old password; badFormat for the new password; tooManyRequests
 */
async function changeOwnPassword(platform: Platform, service: string, call: PasswordCall): Promise<string> {
  const { body, caller, audit, transact } = call;
  if (body.id === undefined) throw new Problem("idMissing");
  if (body.id !== caller.accountId)
    throw explain("forbidden", "只能修改本人的密码", "you can only change your own password");
  const account = await findAccount(platform.pool, caller.accountId, caller.service);
  if (!account) throw new Problem("tokenInvalid");
  const [old = "", next = ""] = [body.password, body.newPassword].map((text) =>
    decryptPassword(platform.privateKey, text),
  );
  // An undecryptable new password must get the same answer as a wrong old one, so that the answer does not reveal
  // invalid ciphertexts.
  const problem = await checkOldPassword(platform.pool, account, next === unreadable ? next : old, call.address);
  if (problem) {
    const entry = { service, ...byCaller(caller), action: "updatePassword", address: call.address };
    await auditRefusal(platform, { ...entry, outcome: "failed", detail: { problem: problem.problem } });
    throw problem;
  }
  const change = await toOwnPassword(platform.settings, caller, account, next);
  audit.records = [account.id];
  return transact(async (tx) => {
    if (!(await lockAccount(tx, account))) throw new Problem("tokenInvalid");
    await updateAccount(tx, account.id, change);
    await endSessionsOf(tx, [account.id]);
    return "1";
  });
}

async function checkOldPassword(
  pool: Pool,
  account: AccountWithHash,
  password: string,
  address: string,
): Promise<Problem | undefined> {
  const attempt = toAttempt(account.userName, address, account);
  const locked = await findLockSeconds(pool, attempt);
  if (locked > 0) return lockedProblem(locked);
  const matches = await verifyPassword(password, account.passwordHash, "change");
  const lockedMeanwhile = await inTransaction(pool, (tx) => recordAttempt(tx, attempt, matches ? 1 : 0));
  if (lockedMeanwhile > 0) return lockedProblem(lockedMeanwhile);
  return matches ? undefined : explain("notAllowedNow", "原密码错误", "the old password is wrong");
}

export function accountHandlers(platform: Platform, service: string): Handlers<ReturnType<typeof accountEndpoints>> {
  const publicKey = createPublicKey(platform.privateKey).export({ type: "spki", format: "der" }).toString("base64");
  return {
    logout: async ({ db, caller, reply }) => {
      await db`delete from platform.session where id = ${caller.sessionId}`;
      clearCookie(downloadCookie(service), reply, platform.settings);
      return "1";
    },
    updatePassword: withoutTransaction((call) => changeOwnPassword(platform, service, call)),
    publicKey: async () => publicKey,
  };
}

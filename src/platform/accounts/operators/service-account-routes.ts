import {
  type AccessKey,
  insertKey,
  keyMark,
  listKeys,
  listUses,
  lockKeys,
  retireKey,
  revokeKeys,
  writeUses,
} from "#platform/accounts/access-keys.ts";
import {
  type AccountKind,
  beyondPowers,
  getLockedAccount,
  serviceAccountsOf,
} from "#platform/accounts/account-rules.ts";
import { type Account, canSee } from "#platform/accounts/account-store.ts";
import { changeAccount, createAccount, listAccountPage, removeAccounts } from "#platform/accounts/manage-accounts.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { coversRights } from "#platform/contract/rights.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { ServiceAccountEndpoints } from "./service-account-contract.ts";

export function serviceAccountHandlers(platform: Platform, all: readonly string[]): Handlers<ServiceAccountEndpoints> {
  const kind = serviceAccountsOf(all);
  return {
    ...keys(platform, kind),
    listServiceAccounts: ({ db, query, caller }) => {
      const toRow = (account: Account) => ({
        id: account.id,
        userName: account.userName,
        name: account.name,
        rights: [...(account.rights ?? [])],
        status: account.enabled ? ("1" as const) : ("0" as const),
        endable: kind.mayManage(caller, account),
        createTime: formatDateTime(account.createdAt, platform.settings.TIME_ZONE),
      });
      return listAccountPage(db, { service: kind.service, seenBy: caller }, query, { usual: "createTime", toRow });
    },
    createServiceAccount: withoutTransaction((call) => {
      const { name = "", status = "1", ...given } = call.body;
      return createAccount(kind, call, { ...given, name, enabled: status === "1" });
    }),
    updateServiceAccount: withoutTransaction((call) => {
      const { status, ...given } = call.body;
      return changeAccount(kind, call, { ...given, enabled: status && status === "1" });
    }),
    deleteServiceAccounts: (call) => removeAccounts(kind, call, call.body),
  };
}

const dayMs = 86_400_000;

/** @throws {Problem} notFound; forbidden for an account that exceeds the powers of the caller */
async function getOwner(tx: Db, kind: AccountKind, caller: Caller, id: number): Promise<Account> {
  const account = await getLockedAccount(tx, kind.service, id);
  if (!kind.mayManage(caller, account)) throw beyondPowers();
  return account;
}

async function getKeys(tx: Db, kind: AccountKind, caller: Caller, ids: readonly number[]): Promise<AccessKey[]> {
  const found = await lockKeys(tx, ids);
  if (found.length === 0) throw new Problem("notFound");
  for (const accountId of new Set(found.map((key) => key.accountId))) await getOwner(tx, kind, caller, accountId);
  return found;
}

const nameKeys = (keys: readonly Pick<AccessKey, "id">[]) => keys.map(({ id }) => keyMark(id)).join(",");

function keys({ settings: { TIME_ZONE: zone }, pool, clock }: Platform, kind: AccountKind) {
  // Key uses that this process has not yet written are written before reading. A failure to write them must not prevent
  // reading.
  const tellUses = () => writeUses(pool).catch(() => undefined);
  return {
    listAccessKeys: async ({ db, query: { accountId }, caller }) => {
      if (!(await canSee(db, caller, accountId, kind.service))) throw new Problem("notFound");
      await tellUses();
      return (await listKeys(db, accountId)).map((key) => ({
        id: key.id,
        mark: keyMark(key.id),
        name: key.name,
        rights: key.rights && [...key.rights],
        networks: key.networks && [...key.networks],
        state: toKeyState(key, clock()),
        createTime: formatDateTime(key.createdAt, zone),
        expireTime: formatDateTime(key.expiresAt, zone),
        lastUseTime: key.lastUsedAt && formatDateTime(key.lastUsedAt, zone),
        uses: key.uses,
      }));
    },
    createAccessKey: async ({ db, body: { accountId, name, days, rights = null, networks = null }, caller, audit }) => {
      const account = await getOwner(db, kind, caller, accountId);
      if (!coversRights(account.rights ?? [], rights ?? [], []))
        throw explain(
          "forbidden",
          "密钥的权限超出该服务账号的权限",
          "the key has rights that the service account lacks",
        );
      const made = await insertKey(db, zone, { accountId, name, rights, networks, lifetimeMs: days * dayMs });
      audit.records = [accountId];
      audit.detail = { keys: nameKeys([made]), name, days };
      return made;
    },
    rotateAccessKey: async ({ db, body: { id, graceHours }, caller, audit }) => {
      const old = found((await getKeys(db, kind, caller, [id]))[0]);
      if (old.rotatedAt !== null) throw explain("notAllowedNow", "该密钥已轮换过", "the key has already been rotated");
      if (old.revokedAt !== null) throw explain("notAllowedNow", "该密钥已被吊销", "the key has been revoked");
      const lifetimeMs = old.expiresAt.getTime() - old.createdAt.getTime();
      const made = await insertKey(db, zone, { ...old, lifetimeMs });
      await retireKey(db, id, graceHours);
      audit.records = [old.accountId];
      audit.detail = { keys: nameKeys([old, made]), graceHours };
      return made;
    },
    revokeAccessKeys: async ({ db, body, caller, audit }) => {
      if (body.length === 0) throw new Problem("idMissing");
      const found = await getKeys(db, kind, caller, body);
      await revokeKeys(
        db,
        found.map(({ id }) => id),
      );
      audit.records = [...new Set(found.map(({ accountId }) => accountId))];
      audit.detail = { keys: nameKeys(found) };
      return String(found.length);
    },
    readAccessKeyUse: async ({ db, query: { id }, caller }) => {
      await tellUses();
      return listUses(db, caller, id);
    },
  } satisfies Partial<Handlers<ServiceAccountEndpoints>>;
}

function toKeyState({ revokedAt, rotatedAt, expiresAt }: AccessKey, nowMs: number) {
  if (revokedAt !== null) return "revoked";
  if (expiresAt.getTime() <= nowMs) return "expired";
  return rotatedAt === null ? "valid" : "rotated";
}

import {
  type AccessKey,
  endRotated,
  insertKey,
  listKeys,
  listUses,
  lockKeys,
  type NewKey,
  revokeKeys,
  serviceAccounts,
} from "#platform/accounts/access-key-store.ts";
import { keyMark, makeSecret, writeKey, writeUses } from "#platform/accounts/access-keys.ts";
import {
  type Account,
  deleteAccounts,
  findAccount,
  insertAccount,
  listAccounts,
  lockAccounts,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { beyondRights, getLockedAccount, refuseTakenName } from "#platform/accounts/guards.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { coversRights, type Rights } from "#platform/contract/rights.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db, Pool } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { operatorSorts } from "./operator-changes.ts";
import { toKeyRecord, toServiceAccountRecord } from "./records.ts";
import { hasRightsOf, toOrderedRights } from "./rules.ts";
import type { ServiceAccountEndpoints } from "./service-account-contract.ts";

type AllHandlers = Handlers<ServiceAccountEndpoints>;

/** @param all the services that there are */
export const serviceAccountHandlers = (platform: Platform, all: readonly string[]): AllHandlers => ({
  ...accounts(platform, all),
  ...keys(platform, all),
});

/** Whoever may do less than a service account must not get at what it may do. @throws {Problem} forbidden. */
function refuseMore(all: readonly string[], caller: Caller, rights: Rights): void {
  if (!hasRightsOf(all, caller, rights ?? [])) throw beyondRights();
}

const accounts = (
  { settings }: Platform,
  all: readonly string[],
): Pick<
  AllHandlers,
  "listServiceAccounts" | "createServiceAccount" | "updateServiceAccount" | "deleteServiceAccounts"
> => ({
  listServiceAccounts: async ({ db, query, caller }) => {
    const order = { field: operatorSorts[query.orderField ?? "createTime"], ...toRange(query) };
    const { rows, totalCount } = await listAccounts(db, { service: serviceAccounts }, order);
    return toPage(
      rows.map((row) => toServiceAccountRecord(row, settings.TIME_ZONE, hasRightsOf(all, caller, row.rights ?? []))),
      totalCount,
      query,
    );
  },
  createServiceAccount: async ({ db, body: { userName, name = "", rights: given, status = "1" }, caller, audit }) => {
    const rights = toOrderedRights(all, given);
    refuseMore(all, caller, rights);
    await refuseTakenName(db, serviceAccounts, userName);
    const account = { service: serviceAccounts, userName, name, rights, passwordHash: null, isSuper: false };
    const id = await insertAccount(db, { ...account, enabled: status === "1" });
    audit.records = [id];
    audit.detail = { userName };
    return String(id);
  },
  updateServiceAccount: async ({ db, body: { id, userName, name, rights, status }, caller, audit }) => {
    const account = await getLockedAccount(db, serviceAccounts, id);
    refuseMore(all, caller, account.rights);
    const next = rights && toOrderedRights(all, rights);
    if (next) refuseMore(all, caller, next);
    if (userName !== undefined && userName !== account.userName) await refuseTakenName(db, serviceAccounts, userName);
    await updateAccount(db, id, { userName, name, rights: next, enabled: status && status === "1" });
    audit.records = [id];
    audit.detail = { userName: userName ?? account.userName };
    return "1";
  },
  deleteServiceAccounts: async ({ db, body, caller, audit }) => {
    if (body.length === 0) throw new Problem("idMissing");
    const removed = await lockAccounts(db, serviceAccounts, body);
    if (removed.length === 0) throw new Problem("notFound");
    for (const { rights } of removed) refuseMore(all, caller, rights);
    const ids = removed.map(({ id }) => id);
    await deleteAccounts(db, ids);
    audit.records = ids;
    audit.detail = { userNames: removed.map(({ userName }) => userName).join(",") };
    return String(removed.length);
  },
});

const dayMs = 86_400_000;

/** Makes the key and shows it, once. */
async function makeKey(tx: Db, zone: string, key: Omit<NewKey, "secretHash">) {
  const { secret, secretHash } = makeSecret();
  const { id, expiresAt } = await insertKey(tx, { ...key, secretHash });
  return { id, key: writeKey(id, secret), expireTime: formatDateTime(expiresAt, zone) };
}

/** The account of the key, locked. @throws {Problem} notFound; forbidden for one with rights that the caller lacks. */
async function getOwner(tx: Db, all: readonly string[], caller: Caller, id: number): Promise<Account> {
  const account = await getLockedAccount(tx, serviceAccounts, id);
  refuseMore(all, caller, account.rights);
  return account;
}

/** The keys and the accounts behind them. @throws {Problem} as `getOwner`. */
async function getKeys(tx: Db, all: readonly string[], caller: Caller, ids: readonly number[]): Promise<AccessKey[]> {
  const found = await lockKeys(tx, ids);
  if (found.length === 0) throw new Problem("notFound");
  for (const accountId of new Set(found.map((key) => key.accountId))) await getOwner(tx, all, caller, accountId);
  return found;
}

const nameKeys = (keys: readonly Pick<AccessKey, "id">[]): { keys: string } => ({
  keys: keys.map(({ id }) => keyMark(id)).join(","),
});

const keys = (
  { settings: { TIME_ZONE: zone }, pool, clock }: Platform,
  all: readonly string[],
): Pick<
  AllHandlers,
  "listAccessKeys" | "createAccessKey" | "rotateAccessKey" | "revokeAccessKeys" | "readAccessKeyUse"
> => ({
  listAccessKeys: async ({ db, query: { accountId } }) => {
    if (!(await findAccount(db, serviceAccounts, accountId))) throw new Problem("notFound");
    await tellUses(pool);
    return (await listKeys(db, accountId)).map((key) => toKeyRecord(key, zone, clock()));
  },
  createAccessKey: async ({ db, body: { accountId, name, days, rights = null, networks = null }, caller, audit }) => {
    const account = await getOwner(db, all, caller, accountId);
    if (!coversRights(account.rights ?? [], rights ?? [], []))
      throw explain("forbidden", "超出该服务账号的权限", "beyond the rights of the service account");
    const made = await makeKey(db, zone, { accountId, name, rights, networks, lifetimeMs: days * dayMs });
    audit.records = [accountId];
    audit.detail = { ...nameKeys([made]), name, days };
    return made;
  },
  rotateAccessKey: async ({ db, body: { id, graceHours }, caller, audit }) => {
    const [old] = await getKeys(db, all, caller, [id]);
    if (!old) throw new Problem("notFound");
    if (old.rotatedAt !== null) throw explain("notAllowedNow", "该密钥已轮换过", "the key has been rotated already");
    if (old.revokedAt !== null) throw explain("notAllowedNow", "该密钥已被吊销", "the key has been revoked");
    const { accountId, name, rights, networks } = old;
    const lifetimeMs = old.expiresAt.getTime() - old.createdAt.getTime();
    const made = await makeKey(db, zone, { accountId, name, rights, networks, lifetimeMs });
    await endRotated(db, id, graceHours);
    audit.records = [accountId];
    audit.detail = { ...nameKeys([old, made]), graceHours };
    return made;
  },
  revokeAccessKeys: async ({ db, body, caller, audit }) => {
    if (body.length === 0) throw new Problem("idMissing");
    const found = await getKeys(db, all, caller, body);
    await revokeKeys(
      db,
      found.map(({ id }) => id),
    );
    audit.records = [...new Set(found.map(({ accountId }) => accountId))];
    audit.detail = nameKeys(found);
    return String(found.length);
  },
  readAccessKeyUse: async ({ db, query: { id } }) => {
    await tellUses(pool);
    return listUses(db, id);
  },
});

/** What this process has counted is told without waiting for its minute; what cannot be written is no reason to tell nothing. */
const tellUses = (pool: Pool): Promise<void> => writeUses(pool).catch(() => undefined);

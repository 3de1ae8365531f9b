import {
  type Account,
  deleteAccounts,
  findForLogin,
  insertAccount,
  isNameTakenElsewhere,
  lockAccountChanges,
  toNameKey,
  updateAccount,
} from "#platform/accounts/account-store.ts";
import { noteChanges, writeAudit } from "#platform/accounts/audit.ts";
import { endSessionsOf } from "#platform/accounts/session.ts";
import { areSameRights } from "#platform/contract/rights.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { chooseRoles, type Person, type Role } from "#platform/sign-on/index.ts";
import { type Identity, insertIdentity, isOf } from "./identity-store.ts";

// Accounts created by the campus sign-on mirror the campus roles and have no password. Campus roles never change an
// account created by hand.

/**
 * Applies the person's campus roles, even if the sign-on is refused afterwards. Returns the services at which no
 * account could be created, because another account has the name or the identity.
 */
export async function applyCampusRoles(
  { pool, settings: { SIGN_ON_ROLES } }: Pick<Platform, "pool" | "settings">,
  { identity, person, address }: { readonly identity: Identity; readonly person: Person; readonly address: string },
): Promise<readonly string[]> {
  const roles = SIGN_ON_ROLES ? chooseRoles(SIGN_ON_ROLES, person.roles) : [];
  if (roles.length === 0 && (await findOwnAccounts(pool, identity)).length === 0) return [];
  return inTransaction(pool, async (tx) => {
    await lockAccountChanges(tx);
    await noteChanges(tx);
    const { changed, taken } = await setCampusRoles(tx, identity, person.name, roles);
    if (changed.length === 0) return taken;
    const written = roles.map(({ service, isSuper, rights }) =>
      [service, isSuper ? "super" : "administrator", ...(rights === null ? [] : [rights.join("+")])].join("/"),
    );
    const userName = identity.identity;
    const detail = { provider: identity.provider, identity: userName, roles: written.join("; ") };
    const line = { service: "platform", userName, action: "finishSignOn", outcome: "done", address } as const;
    await writeAudit(tx, { ...line, records: changed, detail });
    return taken;
  });
}

type OwnAccount = Pick<Account, "id" | "service" | "isSuper" | "rights" | "name">;

const findOwnAccounts = (db: Db, identity: Identity): Promise<OwnAccount[]> =>
  db<OwnAccount[]>`
    select id, service, super as "isSuper", rights, name from platform.account
    where from_sign_on and id in (select account_id from platform.external_identity where ${isOf(identity)})
    order by id`;

/**
 * Changes the identity's accounts to the given roles, and ends the sessions of accounts whose powers changed; the
 * caller must hold the lock on account changes. Returns the ids of the changed accounts, and the services at which no
 * account could be created because the name or identity is taken.
 * @param roles at most one per service
 */
async function setCampusRoles(tx: Db, identity: Identity, name: string | undefined, roles: readonly Role[]) {
  const own = await findOwnAccounts(tx, identity);
  const withdrawn = own.filter(({ service }) => !roles.some((role) => role.service === service));
  const changed: number[] = [];
  const taken: string[] = [];
  for (const account of withdrawn)
    if (await changeOwn(tx, account, { isSuper: account.service === "platform", rights: [] })) changed.push(account.id);
  for (const role of roles) {
    const account = own.find(({ service }) => service === role.service);
    if (account) {
      if (await changeOwn(tx, account, { ...role, name })) changed.push(account.id);
      continue;
    }
    // An operator's name must differ from the names of all administrators, so somebody who becomes or ceases to be an
    // operator gets new accounts, and the old ones are deleted first.
    const inTheWay = withdrawn.filter((one) => (one.service === "platform") !== (role.service === "platform"));
    const ids = inTheWay.map(({ id }) => id);
    if (ids.length > 0) await deleteAccounts(tx, ids);
    if (await isTaken(tx, identity, role.service)) taken.push(role.service);
    else changed.push(await makeOwn(tx, identity, role, name));
  }
  return { changed, taken };
}

async function changeOwn(tx: Db, account: OwnAccount, change: Omit<Role, "service"> & { name?: string | undefined }) {
  const { isSuper, rights, name } = change;
  const hasOtherPowers = account.isSuper !== isSuper || !areSameRights(account.rights, rights);
  if (!hasOtherPowers && (name === undefined || name === account.name)) return false;
  await updateAccount(tx, account.id, { isSuper, rights, name });
  if (hasOtherPowers) await endSessionsOf(tx, [account.id]);
  return true;
}

/** Whether the name or the identity is taken at the service. A name without visible characters counts as taken. */
async function isTaken(tx: Db, identity: Identity, service: string): Promise<boolean> {
  const listed = await tx.count`
    select 1 from platform.external_identity join platform.account on account.id = account_id
    where ${isOf(identity)} and service = ${service} limit 1`;
  const name = identity.identity;
  if (listed || toNameKey(name) === "" || (await findForLogin(tx, service, name))) return true;
  return isNameTakenElsewhere(tx, service, name);
}

async function makeOwn(tx: Db, identity: Identity, role: Role, name = identity.identity): Promise<number> {
  const account = { ...role, userName: identity.identity, name, passwordHash: null, enabled: true };
  const id = await insertAccount(tx, account);
  await tx`update platform.account set from_sign_on = true where id = ${id}`;
  await insertIdentity(tx, identity, id);
  return id;
}

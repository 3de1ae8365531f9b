import { takeAccountTurn } from "#platform/accounts/account-store.ts";
import { noteChanges, writeAudit } from "#platform/accounts/audit.ts";
import { inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { chooseRoles, type Person, type Role } from "#platform/sign-on/index.ts";
import type { Identity } from "./identity-store.ts";
import { setCampusRoles, hasOwnAccounts } from "./campus-account-store.ts";

interface SomebodyBack {
  readonly identity: Identity;
  readonly person: Person;
  readonly address: string;
}

/**
 * Has the accounts that signing on has made of somebody be what the campus says of them now, also that they are nothing
 * any more; done before anybody is let in, and whether or not they are. Returns the services at which accounts made by
 * hand stand in the way.
 */
export async function applyCampusRoles(
  { pool, settings: { SIGN_ON_ROLES } }: Pick<Platform, "pool" | "settings">,
  { identity, person, address }: SomebodyBack,
): Promise<readonly string[]> {
  const roles = SIGN_ON_ROLES ? chooseRoles(SIGN_ON_ROLES, person.roles) : [];
  if (roles.length === 0 && !(await hasOwnAccounts(pool, identity))) return [];
  return inTransaction(pool, async (tx) => {
    await takeAccountTurn(tx);
    await noteChanges(tx);
    const { changed, taken } = await setCampusRoles(tx, { identity, name: person.name, roles });
    const detail = {
      provider: identity.provider,
      identity: identity.identity,
      roles: roles.map(describeRole).join("; "),
    };
    const line = { service: "platform", userName: identity.identity, action: "finishSignOn", address } as const;
    if (changed.length > 0) await writeAudit(tx, { ...line, outcome: "done", records: changed, detail });
    return taken;
  });
}

const describeRole = ({ service, isSuper, rights }: Role): string =>
  `${service}/${isSuper ? "super" : "administrator"}${rights === null ? "" : `/${rights.join("+")}`}`;

import { findForLogin, insertAccount } from "#platform/accounts/account-store.ts";
import { insertIdentity } from "#platform/accounts/sign-on/identity-store.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type CasPerson, openDemoCas } from "./cas-server.ts";
import { openDemoProvider } from "./oidc-provider.ts";
import { readRoleClaim } from "#platform/sign-on/index.ts";
import { serviceNames } from "#quintet/app.ts";
import type { Settings } from "#quintet/settings.ts";

const clientId = "quintet-demonstration";
const known = { sub: "demo-campus", name: "演示操作员（已登记）" };
const clerk = { sub: "demo-clerk", name: "演示管理员（按用户组开通）", memberOf: ["clerks"] };
const stranger = { sub: "demo-stranger", name: "演示访客（无账号）" };
// A sign-on creates an account for its own provider only, so the clerk gets a second account by CAS, which needs another
// user name.
const casClerk = { ...clerk, sub: "demo-clerk-cas" };
const roles = "memberOf: clerks = reporting/administrator/reporting.read+reporting.export";

/**
 * Starts the demo's sign-on providers and returns the settings with their addresses. Returns the given settings if a
 * sign-on is configured, if the server's address is unknown, or in production, since the providers ask for no password.
 */
export async function openDemoSignOn(given: Settings): Promise<Settings> {
  if (given.OIDC_ISSUER !== undefined || given.CAS_URL !== undefined || given.NODE_ENV === "production") return given;
  const isHere = given.HOST === "127.0.0.1" && given.PORT !== 0;
  const PUBLIC_URL = given.PUBLIC_URL ?? (isHere ? `http://127.0.0.1:${given.PORT}` : undefined);
  if (PUBLIC_URL === undefined) return given;
  const [{ issuer }, { url }] = await Promise.all([
    openDemoProvider({ people: [known, clerk, stranger], clientId }),
    openDemoCas({ listPeople: () => [known, casClerk, stranger].map(toCasPerson) }),
  ]);
  const SIGN_ON_ROLES = given.SIGN_ON_ROLES ?? readRoleClaim(roles, serviceNames);
  return { ...given, PUBLIC_URL, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, CAS_URL: url, SIGN_ON_ROLES };
}

interface Somebody {
  readonly sub: string;
  readonly name: string;
  readonly memberOf?: readonly string[];
}

const toCasPerson = ({ sub, name, memberOf = [] }: Somebody): CasPerson => ({
  user: sub,
  label: name,
  attributes: [["displayName", name] as const, ...memberOf.map((group) => ["memberOf", group] as const)],
});

export async function listDemoPerson({ pool, settings }: Platform, say: (line: string) => void): Promise<void> {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID, CAS_URL: url } = settings;
  if (issuer === undefined || url === undefined || OIDC_CLIENT_ID !== clientId) return;
  await inTransaction(pool, async (tx) => {
    const id = (await findForLogin(tx, "platform", known.sub))?.id ?? (await makeOperator(tx));
    await tx`delete from platform.external_identity where account_id = ${id}`;
    await insertIdentity(tx, { provider: "oidc", issuer, identity: known.sub }, id);
    await insertIdentity(tx, { provider: "cas", issuer: url, identity: known.sub }, id);
    // Accounts from an earlier run's provider would block this run's accounts of the same user names.
    await tx`delete from platform.account where from_sign_on and user_name = any(${[clerk.sub, casClerk.sub]})`;
  });
  say(
    `campus sign-on: the console's two buttons for campus sign-on open an OpenID Connect and a CAS provider on this machine, ` +
      `which ask for no password; ${known.name} signs in as an operator, ${clerk.name} with the role that SIGN_ON_ROLES assigns to a group, and ${stranger.name} is rejected`,
  );
}

const makeOperator = (tx: Db): Promise<number> =>
  insertAccount(tx, {
    service: "platform",
    userName: known.sub,
    name: "演示操作员",
    passwordHash: null,
    isSuper: true,
    enabled: true,
    services: null,
  });

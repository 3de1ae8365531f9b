import { randomBytes } from "node:crypto";
import { insertAccount } from "#platform/accounts/account-store.ts";
import { hashPassword } from "#platform/accounts/password.ts";
import { readSettings } from "#quintet/settings.ts";
import { startSession } from "#platform/accounts/session.ts";
import type { Access, ServiceContract } from "#platform/contract/endpoint.ts";
import type { Pool } from "#platform/database/index.ts";
import { proveCard } from "./cards.ts";
import type { Operation } from "./shot.ts";

/**
 * Kinds of credentials that must not pass authorization, except that `lower` and `foreign` pass for operations that are
 * open to every account.
 */
const wrongKinds = ["none", "empty", "unknown", "long", "lower", "foreign", "revoked"] as const;
export const callerKinds = ["right", "alsoRight", ...wrongKinds] as const;
export type CallerKind = (typeof callerKinds)[number];

interface Role {
  readonly service: string;
  readonly isSuper: boolean;
  readonly services?: readonly string[];
}

const hasAccounts = ({ endpoints }: ServiceContract): boolean =>
  Object.values(endpoints).some(({ access }) => access.who === "anyone" && access.limit === "login");

export type Callers = ReturnType<typeof createCallers>;

/**
 * Inserts sessions into the database instead of logging in: each login would hash a password, and the tested requests
 * often end sessions.
 */
export function createCallers(pool: Pool, contracts: readonly ServiceContract[]) {
  const sessions = new Map<string, string>();
  const issued = new Set<string>();
  const open = async (role: Role): Promise<string> => {
    const key = JSON.stringify(role);
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const token = await startNew(pool, role);
    issued.add(token);
    sessions.set(key, token);
    return token;
  };
  const operator: Role = { service: "platform", isSuper: true };
  const rightRole = (contract: ServiceContract, access: Access): Role =>
    access.who === "operator" || !hasAccounts(contract)
      ? operator
      : { service: contract.name, isSuper: access.who === "super" };
  const wrongRole = (kind: CallerKind, { name }: ServiceContract, access: Access): Role => {
    const elsewhere = contracts.find((one) => one.name !== name && one.name !== "platform" && hasAccounts(one))?.name;
    if (kind === "lower" && access.who === "super") return { service: name, isSuper: false };
    if (kind === "lower" && access.who !== "operator") return { ...operator, services: [elsewhere ?? "attendance"] };
    return elsewhere === undefined ? { ...operator, services: ["attendance"] } : { service: elsewhere, isSuper: true };
  };
  const tokenFor = async (kind: CallerKind, contract: ServiceContract, access: Access) => {
    if (kind === "none") return undefined;
    if (kind === "empty") return "";
    if (kind === "unknown") return randomBytes(32).toString("base64url");
    if (kind === "long") return "k".repeat(6000);
    // A revoked session belongs to a disabled account.
    if (kind === "revoked") return startNew(pool, rightRole(contract, access), false);
    if (kind === "alsoRight") return open(operator);
    return open(kind === "right" ? rightRole(contract, access) : wrongRole(kind, contract, access));
  };
  return {
    async prove(kind: CallerKind, { contract, endpoint: { access } }: Operation, spelling = "admin_token") {
      if (access.who === "anyone") return { headers: {}, token: undefined };
      if (access.who === "guest") return { headers: proveCard(kind, access.guests.header), token: undefined };
      const token = await tokenFor(kind, contract, access);
      return { headers: token === undefined ? {} : { [spelling]: token }, token };
    },
    /**
     * Drops the token from the cache of sessions by role, so that the next request with the same role gets a new
     * session.
     */
    forget(token: string | undefined) {
      for (const [key, known] of sessions) if (known === token) sessions.delete(key);
    },
    issued,
  };
}

async function startNew(pool: Pool, { service, isSuper, services }: Role, enabled = true): Promise<string> {
  const userName = `caller-${randomBytes(6).toString("hex")}`;
  const accountId = await insertAccount(pool, {
    service,
    userName,
    name: "",
    passwordHash: null,
    isSuper,
    enabled,
    services: services ?? null,
  });
  const { token } = await startSession(pool, {
    accountId,
    address: "127.0.0.1",
    userAgent: "",
    settings: readSettings({}),
  });
  return token;
}

export async function makeLogin(pool: Pool, service: string): Promise<{ userName: string; password: string }> {
  const login = { userName: `login-${service}`, password: "correct-horse-9" };
  await insertAccount(pool, {
    service,
    userName: login.userName,
    name: "",
    passwordHash: await hashPassword(login.password),
    isSuper: service === "platform",
    enabled: true,
    services: null,
  });
  return login;
}

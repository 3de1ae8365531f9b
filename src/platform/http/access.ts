import type { FastifyRequest } from "fastify";
import { countUse, isAccessKey, authenticateKey } from "#platform/accounts/access-keys.ts";
import { auditRefusal, byCaller } from "#platform/accounts/audit.ts";
import { downloadCookie, readCookie } from "#platform/accounts/cookies.ts";
import { refuseUnmetRequirements } from "#platform/accounts/login-requirements.ts";
import { getTicketHolder, getTokenHolder } from "#platform/accounts/session.ts";
import { type Caller, isOperator, mayServe } from "#platform/contract/caller.ts";
import { toPlainAddress } from "#platform/contract/networks.ts";
import { type Access, type Endpoint, guestsOf } from "#platform/contract/endpoint.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { chooseDuty, concernsAccounts, mayUse, requiredGroup } from "#platform/contract/rights.ts";
import { narrowTo, type Dimensions } from "#platform/contract/scope.ts";
import { enforceRateLimit } from "#platform/http/rate-limit.ts";
import { listOpenServices } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Service } from "#platform/process/service.ts";

// Both spellings are accepted, because many proxies drop headers whose names contain underscores.
export const tokenHeaders = ["admin_token", "admin-token"] as const;

export interface Guarded {
  readonly service: string;
  readonly dimensions: Dimensions;
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly identifyGuest: Service["identifyGuest"];
}

export type Guard = Pick<Platform, "pool" | "settings" | "log" | "clock">;

/**
 * Returns the session token or access key of the request, "" for an empty header, or undefined if there is none.
 * @throws {Problem} tokenInvalid if the headers contain different tokens, since a proxy may have checked only one of them
 */
export function readTokenHeader({ headers }: FastifyRequest): string | undefined {
  let token: string | undefined;
  // Apart from METRICS_TOKEN, which metrics.ts reads, Authorization contains only access keys, so other schemes and
  // tokens are ignored here.
  const key = /^Bearer +(qk_\S*)$/i.exec(headers.authorization ?? "")?.[1];
  for (const value of [headers["admin_token"], headers["admin-token"], key]) {
    if (value === undefined) continue;
    const given = String(value);
    if (token && given && token !== given)
      throw explain("tokenInvalid", "请求头中包含两个不同的令牌", "the request headers contain two different tokens");
    token ||= given;
  }
  return token;
}

export const auditForbidden = (
  guard: Guard,
  { service, name }: Guarded,
  caller: Caller,
  address: string,
): Promise<void> => auditRefusal(guard, { service, ...byCaller(caller), action: name, outcome: "refused", address });

/**
 * Identifies the caller, checks the required right, and sets the request's `caller` or `guest`.
 * @throws {Problem} headerMissing, tokenEmpty, tokenInvalid, forbidden, passwordGiven, factorNeeded, tooManyRequests,
 * or a problem that `identifyGuest` throws
 */
export async function authorise(request: FastifyRequest, guarded: Guarded, guard: Guard): Promise<void> {
  const { service, name, endpoint, identifyGuest } = guarded;
  const { access } = endpoint;
  const { pool, settings } = guard;
  if (access.who === "anyone") {
    if (access.orAdministrator) return void (request.caller = await findAdministrator(request, guarded, guard));
    const { limit = "open" } = access;
    const most = limit === "login" ? settings.RATE_LIMIT_LOGIN : settings.RATE_LIMIT_OPEN;
    return enforceRateLimit(pool, limit, request.clientAddress, most);
  }
  const guests = guestsOf(access);
  // A request with both a token and a guest's headers is identified by the token.
  const comes = (header: string) => readTokenHeader(request) === undefined && header in request.headers;
  if (identifyGuest && guests && (access.who === "guest" || comes(guests.header))) {
    const guest = await identifyGuest(request);
    if (access.who === "guest" && access.mostPerMinute !== undefined) {
      const most = access.mostPerMinute === "open" ? settings.RATE_LIMIT_OPEN : access.mostPerMinute;
      // The limit counts per guest and not per address, because guests behind a gateway or campus network may share an
      // address.
      await enforceRateLimit(pool, `${service}/${name}`, guest, most);
    }
    request.guest = guest;
    return;
  }
  const caller = await identify(request, guarded, guard);
  if (!caller) return;
  // Rights are checked before validation, so in an operation that can send a file, any `format` other than json
  // requires the right to export.
  const asFile = !["json", "", undefined].includes((request.query as { format?: string }).format);
  if (!mayCall(caller, guarded, asFile)) {
    await auditForbidden(guard, guarded, caller, request.clientAddress);
    throw new Problem("forbidden");
  }
  refuseUnmetRequirements(settings, endpoint, caller);
  request.caller = caller;
}

async function findAdministrator(request: FastifyRequest, guarded: Guarded, guard: Guard): Promise<Caller | undefined> {
  const { service, endpoint } = guarded;
  try {
    const token = readTokenHeader(request) || readCookie(downloadCookie(service), request, guard.settings);
    const caller = token ? await getCaller(request, token, guard) : undefined;
    if (!caller || !mayServe(caller, service) || !mayUse(caller, service, "read")) return undefined;
    if (!isOpenToScope(caller, guarded)) return undefined;
    refuseUnmetRequirements(guard.settings, endpoint, caller);
    return caller;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

const toDutiful = (caller: Caller, { SEPARATE_DUTIES }: Guard["settings"]): Caller =>
  SEPARATE_DUTIES === "1" ? { ...caller, duty: chooseDuty(caller) } : caller;

function mayCall(caller: Caller, guarded: Guarded, asFile: boolean): boolean {
  const { endpoint, service } = guarded;
  if (!hasRole(caller, endpoint.access, service) || !mayUse(caller, service, requiredGroup(endpoint, asFile)))
    return false;
  if (!isOpenToScope(caller, guarded)) return false;
  if (caller.keyId === undefined) return true;
  // A stolen key must not allow the creation of accounts or further keys, which would remain after the stolen key is
  // revoked. Programs do not manage their own account either.
  return !endpoint.changesAccounts && (requiredGroup(endpoint) !== "own" || endpoint.method === "GET");
}

const isOpenToScope = ({ scope }: Caller, { endpoint, dimensions }: Guarded): boolean =>
  endpoint.scoped === true || concernsAccounts(requiredGroup(endpoint)) || narrowTo(scope, dimensions) === null;

function hasRole(caller: Caller, access: Access, service: string): boolean {
  if (access.who === "account") return true;
  if (access.who === "operator") return isOperator(caller);
  return mayServe(caller, service) && (access.who !== "super" || caller.isSuper || isOperator(caller));
}

/** Returns the caller. Returns undefined only if UNDOCUMENTED_AUTH opens the operation and no token was sent. */
async function identify(request: FastifyRequest, guarded: Guarded, guard: Guard): Promise<Caller | undefined> {
  const { pool, settings } = guard;
  const { service, name } = guarded;
  const { access } = guarded.endpoint;
  const token = readTokenHeader(request);
  if (token) return getCaller(request, token, guard);
  if (access.who === "administrator" && access.headerUndocumented && listOpenServices(settings).includes(service))
    return undefined;
  if (token === "") throw new Problem("tokenEmpty");
  if (access.who !== "download") throw new Problem("headerMissing");
  const { ticket } = request.query as { ticket?: unknown };
  if (typeof ticket === "string" && ticket !== "") {
    // Some browsers and proxies send HEAD before a download, which must not use up the ticket.
    const isUsedUp = request.method !== "HEAD";
    return toDutiful(await getTicketHolder(pool, { ticket, purpose: `${service}/${name}`, isUsedUp }), settings);
  }
  const cookie = readCookie(downloadCookie(service), request, settings);
  if (!cookie) throw new Problem("headerMissing");
  return getCaller(request, cookie, guard);
}

export async function getCaller(request: FastifyRequest, token: string, guard: Guard): Promise<Caller> {
  const { pool, settings } = guard;
  const isUse = request.headers["x-unattended"] === undefined;
  const holder = isAccessKey(token)
    ? getKeyHolder(request, token, guard)
    : getTokenHolder(pool, token, settings, isUse);
  return toDutiful(await holder, settings);
}

/**
 * Returns the caller of a valid access key. Attempts with unusable keys are limited per client address to
 * RATE_LIMIT_LOGIN; valid keys are not counted, so somebody who guesses keys does not block users of valid keys at the
 * same address. Keys are not locked, because 256 bits cannot be guessed and anybody who knows the visible part could
 * cause a lock.
 */
async function getKeyHolder(request: FastifyRequest, token: string, guard: Guard): Promise<Caller> {
  const { pool, settings, clock } = guard;
  const judged = await authenticateKey(pool, token, toPlainAddress(request.ip));
  if ("caller" in judged) {
    countUse(pool, judged.caller.keyId ?? 0, clock());
    return judged.caller;
  }
  await enforceRateLimit(pool, "access key", request.clientAddress, settings.RATE_LIMIT_LOGIN);
  if (judged.mark !== undefined)
    await auditRefusal(guard, {
      service: "platform",
      userName: judged.mark,
      action: "useAccessKey",
      outcome: "failed",
      detail: { problem: judged.problem.message },
      address: request.clientAddress,
    });
  throw judged.problem;
}

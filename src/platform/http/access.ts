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

// Many proxies drop header names with underscores, so each spelling is as good as the other.
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
 * The token, under either name, or an access key; "" when a header is there and empty.
 * @throws {Problem} tokenInvalid for two that differ: a proxy may have looked at the one and we at the other.
 */
export function readTokenHeader({ headers }: FastifyRequest): string | undefined {
  let token: string | undefined;
  // Of what stands in Authorization, an access key alone; another's way of signing in there is not ours.
  const key = /^Bearer +(qk_\S*)$/i.exec(headers.authorization ?? "")?.[1];
  for (const value of [headers["admin_token"], headers["admin-token"], key]) {
    if (value === undefined) continue;
    const given = String(value);
    if (token && given && token !== given)
      throw explain("tokenInvalid", "请求头中有两个不同的令牌", "the headers carry two different tokens");
    token ||= given;
  }
  return token;
}

/** What a refusal for lack of permission leaves in the audit log. */
export const auditForbidden = (
  guard: Guard,
  { service, name }: Guarded,
  caller: Caller,
  address: string,
): Promise<void> => auditRefusal(guard, { service, ...byCaller(caller), action: name, outcome: "refused", address });

/**
 * Finds out who calls, when the operation may be called at all: the request's `caller` or `guest`.
 * @throws {Problem} headerMissing, tokenEmpty, tokenInvalid, forbidden, passwordGiven, factorNeeded or tooManyRequests.
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
  // Where administrators may call as well, a token goes before what a guest shows.
  const comes = (header: string) => readTokenHeader(request) === undefined && header in request.headers;
  if (identifyGuest && guests && (access.who === "guest" || comes(guests.header))) {
    const guest = await identifyGuest(request);
    if (access.who === "guest" && access.mostPerMinute !== undefined) {
      const most = access.mostPerMinute === "open" ? settings.RATE_LIMIT_OPEN : access.mostPerMinute;
      // By guest and not by address: behind a gateway, or on a campus, all of them may have one address.
      await enforceRateLimit(pool, `${service}/${name}`, guest, most);
    }
    request.guest = guest;
    return;
  }
  const caller = await identify(request, guarded, guard);
  if (!caller) return;
  // As the query says before it is judged: what will not be read as "xlsx" later gives rows, and takes no more for that.
  const asFile = ((request.query as { format?: unknown }).format ?? "json") !== "json";
  if (!mayCall(caller, guarded, asFile)) {
    await auditForbidden(guard, guarded, caller, request.clientAddress);
    throw new Problem("forbidden");
  }
  refuseUnmetRequirements(settings, endpoint, caller);
  request.caller = caller;
}

/** Who calls what is open to anyone, and may read the service; nobody where what they show is worth nothing. */
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

/** The caller as they count: where duties are separated, with one of them. */
const toDutiful = (caller: Caller, { SEPARATE_DUTIES }: Guard["settings"]): Caller =>
  SEPARATE_DUTIES === "1" ? { ...caller, duty: chooseDuty(caller) } : caller;

function mayCall(caller: Caller, guarded: Guarded, asFile: boolean): boolean {
  const { endpoint, service } = guarded;
  if (!hasRole(caller, endpoint.access, service) || !mayUse(caller, service, requiredGroup(endpoint, asFile)))
    return false;
  if (!isOpenToScope(caller, guarded)) return false;
  if (caller.keyId === undefined) return true;
  // A key in wrong hands must not make accounts and keys that outlive it, nor does a machine look after itself.
  return !endpoint.changesAccounts && (requiredGroup(endpoint) !== "own" || endpoint.method === "GET");
}

/** Whether the operation keeps to the scope that the caller has of the service, if there is one. */
const isOpenToScope = ({ scope }: Caller, { endpoint, dimensions }: Guarded): boolean =>
  endpoint.scoped === true || concernsAccounts(requiredGroup(endpoint)) || narrowTo(scope, dimensions) === null;

function hasRole(caller: Caller, access: Access, service: string): boolean {
  if (access.who === "account") return true;
  if (access.who === "operator") return isOperator(caller);
  return mayServe(caller, service) && (access.who !== "super" || caller.isSuper || isOperator(caller));
}

/** The caller behind the token; undefined only where UNDOCUMENTED_AUTH leaves the operation open and no token came. */
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
    // A HEAD request asks what a link leads to, as some browsers and proxies do before the download.
    const isUsedUp = request.method !== "HEAD";
    return toDutiful(await getTicketHolder(pool, { ticket, purpose: `${service}/${name}`, isUsedUp }), settings);
  }
  const cookie = readCookie(downloadCookie(service), request, settings);
  if (!cookie) throw new Problem("headerMissing");
  return getCaller(request, cookie, guard);
}

/** Who the token belongs to: a session's, or an access key. @throws {Problem} tokenInvalid, forbidden, tooManyRequests. */
export async function getCaller(request: FastifyRequest, token: string, guard: Guard): Promise<Caller> {
  const { pool, settings } = guard;
  const isUse = request.headers["x-unattended"] === undefined;
  const holder = isAccessKey(token)
    ? getKeyHolder(request, token, guard)
    : getTokenHolder(pool, token, settings, isUse);
  return toDutiful(await holder, settings);
}

/**
 * Whose the key is. Keys that are worth nothing count against the limit of logins, by address; a right one never does,
 * so a machine whose neighbour guesses goes on. Nothing locks a key: 256 bits are not guessed, and a lock could be
 * brought about by whoever knows the part that may be seen.
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

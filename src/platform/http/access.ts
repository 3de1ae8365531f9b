import type { FastifyRequest } from "fastify";
import { auditRefusal, byCaller } from "#platform/accounts/audit.ts";
import { readDownloadCookie } from "#platform/accounts/download-cookie.ts";
import { refuseUnmetRequirements } from "#platform/accounts/login-requirements.ts";
import { findCaller, findTicket, redeemTicket } from "#platform/accounts/session.ts";
import { type Caller, isOperator, mayServe } from "#platform/contract/caller.ts";
import { type Access, type Endpoint, guestsOf } from "#platform/contract/endpoint.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { mayTake, takenBy } from "#platform/contract/rights.ts";
import type { Pool } from "#platform/database/index.ts";
import { getCaller, readBearerKey } from "#platform/http/key-access.ts";
import { countHit } from "#platform/http/rate-limit.ts";
import { listOpenServices } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Service } from "#platform/process/service.ts";

// Many proxies drop header names with underscores, so each spelling is as good as the other.
export const tokenHeaders = ["admin_token", "admin-token"] as const;

export interface Guarded {
  readonly service: string;
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly identifyGuest: Service["identifyGuest"];
}

export type Guard = Pick<Platform, "pool" | "settings" | "log" | "clock">;

/** Who calls: an administrator or operator, a guest of the service, or anybody. */
export interface Identity {
  readonly caller?: Caller | undefined;
  readonly guest?: string;
}

/**
 * The token, under either name, or an access key; "" when a header is there and empty.
 * @throws {Problem} tokenInvalid for two that differ: a proxy may have looked at the one and we at the other.
 */
export function readTokenHeader(request: FastifyRequest): string | undefined {
  const values = [...tokenHeaders.map((name) => request.headers[name]), readBearerKey(request)].filter(
    (value) => value !== undefined,
  );
  const [token, other] = new Set(values.map(String).filter((value) => value !== ""));
  if (other !== undefined)
    throw explain("tokenInvalid", "请求头中有两个不同的令牌", "the headers carry two different tokens");
  return token ?? (values.length > 0 ? "" : undefined);
}

/**
 * Who calls, when the operation may be called at all.
 * @throws {Problem} headerMissing, tokenEmpty, tokenInvalid, forbidden, passwordGiven, factorNeeded or tooManyRequests.
 */
export async function authorise(request: FastifyRequest, guarded: Guarded, guard: Guard): Promise<Identity> {
  const { access } = guarded.endpoint;
  if (access.who === "anyone") {
    await limit(request, access, guard);
    return {};
  }
  if (comesAsGuest(request, access)) {
    const guest = await getGuest(request, guarded);
    if (access.who === "guest" && access.mostPerMinute !== undefined)
      await limitGuest(guest, access.mostPerMinute, guarded, guard);
    return { guest };
  }
  const caller = await identify(request, guarded, guard);
  if (caller && !mayCall(caller, guarded, asksForFile(request))) {
    await auditRefusal(guard, {
      service: guarded.service,
      ...byCaller(caller),
      action: guarded.name,
      outcome: "refused",
      address: request.clientAddress,
    });
    throw new Problem("forbidden");
  }
  if (caller) refuseUnmetRequirements(guard.settings, guarded.endpoint, caller);
  return { caller };
}

/** Where administrators may call as well, a token goes before what a guest shows. */
function comesAsGuest(request: FastifyRequest, access: Access): boolean {
  if (access.who === "guest") return true;
  const guests = guestsOf(access);
  return guests !== undefined && readTokenHeader(request) === undefined && guests.header in request.headers;
}

async function getGuest(request: FastifyRequest, { service, identifyGuest }: Guarded): Promise<string> {
  if (!identifyGuest) throw new Error(`${service} identifies no guests`);
  return identifyGuest(request);
}

/** Whether nothing has to be judged before the call. */
export const isOpenToAll = (access: Access): boolean =>
  access.who === "anyone" && (access.limit === undefined || access.limit === "refusals");

async function limit(
  request: FastifyRequest,
  access: Extract<Access, { who: "anyone" }>,
  { pool, settings }: Guard,
): Promise<void> {
  if (!access.limit || access.limit === "refusals") return;
  const most = access.limit === "login" ? settings.RATE_LIMIT_LOGIN : settings.RATE_LIMIT_OPEN;
  await count(pool, access.limit, request.clientAddress, most);
}

/** By guest and not by address: behind a gateway, or on a campus, all of them may have one address. */
async function limitGuest(
  guest: string,
  most: number | "open",
  { service, name }: Guarded,
  { pool, settings }: Guard,
): Promise<void> {
  await count(pool, `${service}/${name}`, guest, most === "open" ? settings.RATE_LIMIT_OPEN : most);
}

async function count(pool: Pool, scope: string, whose: string, most: number): Promise<void> {
  const retryAfter = await countHit(pool, scope, whose, most);
  if (retryAfter !== undefined)
    throw new Problem("tooManyRequests", { headers: { "retry-after": String(retryAfter) } });
}

/** As the query says before it is judged: what will not be read as "xlsx" later gives rows, and takes no more for that. */
const asksForFile = ({ query }: FastifyRequest): boolean =>
  [(query as { format?: unknown }).format].flat().some((format) => format !== undefined && format !== "json");

const mayCall = (caller: Caller, { endpoint, service }: Guarded, asFile: boolean): boolean =>
  hasRole(caller, endpoint.access, service) &&
  mayTake(caller, service, takenBy(endpoint, asFile)) &&
  (caller.keyId === undefined || isForMachines(endpoint));

/** A key that came into wrong hands must not make accounts and keys that outlive it, nor does a machine look after itself. */
const isForMachines = (endpoint: Endpoint): boolean =>
  !endpoint.changesAccounts && (takenBy(endpoint) !== "own" || endpoint.method === "GET");

function hasRole(caller: Caller, access: Access, service: string): boolean {
  if (access.who === "account") return true;
  if (access.who === "operator") return isOperator(caller);
  return mayServe(caller, service) && (access.who !== "super" || caller.isSuper || isOperator(caller));
}

/** The caller behind the token; undefined only where UNDOCUMENTED_AUTH leaves the operation open and no token came. */
async function identify(request: FastifyRequest, guarded: Guarded, guard: Guard): Promise<Caller | undefined> {
  const { settings } = guard;
  const { access } = guarded.endpoint;
  const token = readTokenHeader(request);
  if (access.who === "download" && token === undefined) return identifyDownload(request, guarded, guard);
  const open =
    access.who === "administrator" && access.headerUndocumented && listOpenServices(settings).includes(guarded.service);
  if (open && !token) return undefined;
  if (token === undefined) throw new Problem("headerMissing");
  if (token === "") throw new Problem("tokenEmpty");
  return getCaller(request, token, guard);
}

function require(caller: Caller | undefined): Caller {
  if (!caller) throw new Problem("tokenInvalid");
  return caller;
}

async function identifyDownload(
  request: FastifyRequest,
  { service, name }: Guarded,
  { pool, settings }: Pick<Guard, "pool" | "settings">,
): Promise<Caller> {
  const { ticket } = request.query as { ticket?: unknown };
  if (typeof ticket === "string" && ticket !== "") {
    // A HEAD request asks what a link leads to, as some browsers and proxies do before the download.
    const use = request.method === "HEAD" ? findTicket : redeemTicket;
    return require(await use(pool, ticket, `${service}/${name}`));
  }
  const cookie = readDownloadCookie(request, settings, service);
  if (!cookie) throw new Problem("headerMissing");
  return require(await findCaller(pool, cookie, settings));
}

import type { FastifyRequest } from "fastify";
import { type Caller, findCaller, isOperator, mayServe, redeemTicket } from "#platform/accounts/session.ts";
import { byCaller, writeAudit } from "#platform/audit.ts";
import { listOpenServices, type Settings } from "#platform/config.ts";
import type { Pool } from "#platform/database.ts";
import type { Access, Endpoint } from "#platform/endpoint.ts";
import { Problem } from "#platform/problem.ts";
import { countHit } from "#platform/rate-limit.ts";

// Many proxies drop header names with underscores, so each spelling is as good as the other.
const tokenHeaders = ["admin_token", "admin-token"] as const;

export interface Guarded {
  readonly service: string;
  readonly name: string;
  readonly endpoint: Endpoint;
}

export interface Guard {
  readonly pool: Pool;
  readonly settings: Settings;
}

/** The cookie in which a login leaves the token for the service's downloads. */
export const downloadCookie = (service: string): string => `${service}_download`;

/**
 * What limits count as one client: an IPv4 address, or the /64 of an IPv6 address, which is what one site is given.
 * "unknown" when the client had gone before its request was looked at.
 */
export function toClientAddress(ip: string | undefined): string {
  if (ip === undefined) return "unknown";
  if (ip.startsWith("::ffff:") && ip.includes(".")) return ip.slice("::ffff:".length);
  if (!ip.includes(":")) return ip;
  const [head = "", tail = ""] = (ip.split("%")[0] ?? "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const missing = ip.includes("::") ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...Array<string>(missing).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || "0", 16).toString(16))
    .join(":")}::/64`;
}

export function readTokenHeader(request: FastifyRequest): string | undefined {
  const values = tokenHeaders.map((name) => request.headers[name]).filter((value) => value !== undefined);
  return values.map(String).find((value) => value !== "") ?? (values.length > 0 ? "" : undefined);
}

/**
 * Who calls, when the operation may be called at all.
 * @throws {Problem} headerMissing, tokenEmpty, tokenInvalid, forbidden or tooManyRequests.
 */
export async function authorise(request: FastifyRequest, guarded: Guarded, guard: Guard): Promise<Caller | undefined> {
  const { access } = guarded.endpoint;
  if (access.who === "anyone") {
    await limit(request, access, guard);
    return undefined;
  }
  const caller = await identify(request, guarded, guard);
  if (caller && !mayCall(caller, access, guarded.service)) {
    await writeAudit(guard.pool, {
      service: guarded.service,
      ...byCaller(caller),
      action: guarded.name,
      outcome: "refused",
      address: request.clientAddress,
    });
    throw new Problem("forbidden");
  }
  return caller;
}

async function limit(
  request: FastifyRequest,
  access: Extract<Access, { who: "anyone" }>,
  { pool, settings }: Guard,
): Promise<void> {
  if (!access.limit) return;
  const most = access.limit === "login" ? settings.RATE_LIMIT_LOGIN : settings.RATE_LIMIT_OPEN;
  const retryAfter = await countHit(pool, access.limit, request.clientAddress, most);
  if (retryAfter !== undefined)
    throw new Problem("tooManyRequests", { headers: { "retry-after": String(retryAfter) } });
}

function mayCall(caller: Caller, access: Access, service: string): boolean {
  if (access.who === "account") return true;
  if (access.who === "operator") return isOperator(caller);
  return mayServe(caller, service) && (access.who !== "super" || caller.isSuper || isOperator(caller));
}

/** The caller behind the token; undefined only where UNDOCUMENTED_AUTH leaves the operation open and no token came. */
async function identify(
  request: FastifyRequest,
  guarded: Guarded,
  { pool, settings }: Guard,
): Promise<Caller | undefined> {
  const { access } = guarded.endpoint;
  const token = readTokenHeader(request);
  if (access.who === "download" && token === undefined) return identifyDownload(request, guarded, pool);
  const open =
    access.who === "administrator" && access.headerUndocumented && listOpenServices(settings).includes(guarded.service);
  if (open && !token) return undefined;
  if (token === undefined) throw new Problem("headerMissing");
  if (token === "") throw new Problem("tokenEmpty");
  return require(await findCaller(pool, token));
}

function require(caller: Caller | undefined): Caller {
  if (!caller) throw new Problem("tokenInvalid");
  return caller;
}

async function identifyDownload(request: FastifyRequest, { service, name }: Guarded, pool: Pool): Promise<Caller> {
  const { ticket } = request.query as { ticket?: unknown };
  if (typeof ticket === "string" && ticket !== "")
    return require(await redeemTicket(pool, ticket, `${service}/${name}`));
  const cookie = request.cookies[downloadCookie(service)];
  if (!cookie) throw new Problem("headerMissing");
  return require(await findCaller(pool, cookie));
}

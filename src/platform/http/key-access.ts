import type { FastifyRequest } from "fastify";
import { countUse, isAccessKey, judgeKey } from "#platform/accounts/access-keys.ts";
import { auditRefusal } from "#platform/accounts/audit.ts";
import { findCaller } from "#platform/accounts/session.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { toPlainAddress } from "#platform/contract/client-address.ts";
import { Problem } from "#platform/contract/problem.ts";
import { countHit } from "#platform/http/rate-limit.ts";
import type { Platform } from "#platform/process/platform.ts";

/** Of what stands in Authorization, an access key alone; another's way of signing in there is not ours. */
export const readBearerKey = (request: FastifyRequest): string | undefined =>
  /^Bearer +(qk_\S*)$/i.exec(request.headers.authorization ?? "")?.[1];

type Guard = Pick<Platform, "pool" | "settings" | "log" | "clock">;

/** Who the token belongs to: a session's, or an access key. @throws {Problem} tokenInvalid, forbidden, tooManyRequests. */
export async function getCaller(request: FastifyRequest, token: string, guard: Guard): Promise<Caller> {
  if (isAccessKey(token)) return getKeyHolder(request, token, guard);
  const caller = await findCaller(guard.pool, token, guard.settings);
  if (!caller) throw new Problem("tokenInvalid");
  return caller;
}

/**
 * Whose the key is. Keys that are worth nothing count against the limit of logins, by address; a right one never does,
 * so a machine whose neighbour guesses goes on. Nothing locks a key: 256 bits are not guessed, and a lock could be
 * brought about by whoever knows the part that may be seen.
 */
async function getKeyHolder(request: FastifyRequest, token: string, guard: Guard): Promise<Caller> {
  const { pool, settings, clock } = guard;
  const judged = await judgeKey(pool, token, toPlainAddress(request.ip));
  if ("caller" in judged) {
    countUse(pool, judged.caller.keyId ?? 0, clock());
    return judged.caller;
  }
  const retryAfter = await countHit(pool, "access key", request.clientAddress, settings.RATE_LIMIT_LOGIN);
  if (retryAfter !== undefined)
    throw new Problem("tooManyRequests", { headers: { "retry-after": String(retryAfter) } });
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

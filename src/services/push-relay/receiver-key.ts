import { timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { hashToken, makeToken } from "#platform/accounts/session.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { enforceRateLimit } from "#platform/http/rate-limit.ts";
import type { Platform } from "#platform/process/platform.ts";

const keyPattern = /^qr_(\d{1,15})_[\w-]{43}$/;

export async function replaceKey(tx: Db, projectId: number): Promise<string> {
  const key = `qr_${projectId}_${makeToken().token}`;
  await tx`
    insert into push_relay.project_key (project_id, hash) values (${projectId}, ${hashToken(key)})
    on conflict (project_id) do update set hash = excluded.hash`;
  return key;
}

async function isKeyOf(db: Db, projectId: number, key: string): Promise<boolean> {
  const hash = await db.value<Buffer | undefined>`
    select hash from push_relay.project_key join push_relay.project on project.id = project_id
    where project_id = ${projectId} and deleted_at is null`;
  return hash !== undefined && timingSafeEqual(hash, hashToken(key));
}

/**
 * Returns the project's id as text. Only wrong keys are counted, and their rate limit is as high as the one for
 * sign-ins.
 * @throws {Problem} headerMissing, tokenEmpty, tokenInvalid or tooManyRequests
 */
export async function identifyReceiver(
  { headers, clientAddress }: FastifyRequest,
  { pool, settings }: Pick<Platform, "pool" | "settings">,
): Promise<string> {
  const [, key] = /^Bearer(?: +(.*))?$/i.exec(headers.authorization ?? "") ?? [];
  if (headers.authorization === undefined) throw new Problem("headerMissing");
  if (key === undefined || key === "") throw new Problem("tokenEmpty");
  const id = keyPattern.exec(key)?.[1];
  if (id !== undefined && (await isKeyOf(pool, Number(id), key))) return id;
  await enforceRateLimit(pool, "receiver key", clientAddress, settings.RATE_LIMIT_LOGIN);
  throw new Problem("tokenInvalid");
}

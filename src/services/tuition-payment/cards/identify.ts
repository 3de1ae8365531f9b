import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { hashToken, makeToken } from "#platform/accounts/session.ts";
import { isLoopback } from "#platform/contract/networks.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { isDateTime, parseDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import { findCardNumber, spellCardNumber } from "#services/tuition-payment/sealed.ts";
import type { TuitionPlatform } from "#services/tuition-payment/settings.ts";

// Who of the students calls. The headers have one spelling each, unlike the administrators' token: a gateway that sets
// card_number and drops what a client sent under that name would let a second spelling through.

type CardGuard = Pick<TuitionPlatform, "pool" | "settings" | "clock">;

const mostLength = 64;
// No comma: that is how a header that came twice reads. A proxy that adds its own to the client's must not win by chance.
// No # in front, as what stands for a sealed card has.
const cardPattern = /^(?!#)[\x21-\x2b\x2d-\x7e]+$/;

/**
 * The number of the card that the call carries, proved as STUDENT_IDENTITY says.
 * @throws {Problem} outsideNotConfigured where it says nothing, headerMissing, tokenEmpty, badFormat, tooLong,
 *   tokenInvalid for a proof that is none for this card, forbidden where a demonstration is called from elsewhere.
 */
export async function identifyCard(request: FastifyRequest, guard: CardGuard): Promise<string> {
  if (guard.settings.STUDENT_IDENTITY === undefined)
    throw explain("outsideNotConfigured", "STUDENT_IDENTITY 未设置", "STUDENT_IDENTITY is not set");
  const cardNumber = readHeader(request, "card_number");
  if (!cardNumber) throw missing("card_number");
  if (cardNumber.length > mostLength)
    throw explain("tooLong", `card_number: 最多${mostLength}个字符`, `card_number: at most ${mostLength} characters`);
  if (!cardPattern.test(cardNumber))
    throw explain("badFormat", "card_number: 应为一个卡号", "card_number: must be one card number");
  await prove(request, cardNumber, guard);
  return cardNumber;
}

async function prove(request: FastifyRequest, cardNumber: string, guard: CardGuard): Promise<void> {
  const { STUDENT_IDENTITY: identity } = guard.settings;
  if (identity === "header") return;
  if (identity === "signed") return proveSignature(request, cardNumber, guard);
  if (identity === "campus") return proveToken(request, cardNumber, guard);
  if (!isLoopback(guard.settings.HOST) || isForwarded(request))
    throw explain(
      "forbidden",
      "STUDENT_IDENTITY=demo 仅限本机直接访问",
      "STUDENT_IDENTITY=demo serves this machine alone, and no proxy",
    );
}

/** `card_sign` must be hex HMAC-SHA256 of `card_number.card_time`, at most five minutes old, or ahead of our clock. */
function proveSignature(request: FastifyRequest, cardNumber: string, { settings, clock }: CardGuard): void {
  const time = readHeader(request, "card_time");
  const sign = readHeader(request, "card_sign");
  if (!time) throw missing("card_time");
  if (!sign) throw missing("card_sign");
  const secret = settings.STUDENT_IDENTITY_SECRET ?? "";
  const wanted = createHmac("sha256", secret).update(`${cardNumber}.${time}`).digest();
  const given = /^[0-9a-f]{64}$/i.test(sign) ? Buffer.from(sign, "hex") : Buffer.alloc(wanted.length);
  const signedMs = readTimeMs(time, settings.TIME_ZONE);
  const isFresh = signedMs !== undefined && Math.abs(clock() - signedMs) <= lifetimeMs;
  if (!timingSafeEqual(wanted, given) || !isFresh) throw new Problem("tokenInvalid");
}

async function proveToken(request: FastifyRequest, cardNumber: string, { pool }: CardGuard): Promise<void> {
  const token = readHeader(request, "card_token");
  if (token === undefined) throw missing("card_token");
  if (token === "") throw new Problem("tokenEmpty");
  // It must have been issued for that very card, and still hold.
  const sessions = await pool`
    select 1 from platform.card_session
    where token_hash = ${hashToken(token)} and card_number = any(${spellCardNumber(pool.keys, cardNumber)}) and expires_at > now()`;
  if (sessions.length === 0) throw new Problem("tokenInvalid");
}

const readHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return value === undefined ? undefined : String(value);
};

const missing = (name: string): Problem => explain("headerMissing", name, name);

/** Whether anything says that the call passed a proxy; not every proxy leaves a sign, so this proves no card. */
export const isForwarded = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  Object.keys(headers).some((name) => name.startsWith("x-forwarded") || forwardingHeaders.has(name));

const forwardingHeaders = new Set([
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-original-host",
  "x-original-forwarded-for",
  "true-client-ip",
  "cf-connecting-ip",
]);

const lifetimeMs = 300_000;

/** Epoch seconds or milliseconds, or `yyyy-MM-dd HH:mm:ss`. */
function readTimeMs(time: string, zone: string): number | undefined {
  if (/^\d{10}$/.test(time)) return Number(time) * 1000;
  if (/^\d{13}$/.test(time)) return Number(time);
  return isDateTime(time) ? parseDateTime(time, zone).getTime() : undefined;
}

/** Signs the holder of a card in, after somebody else has made sure that it is theirs. */
export async function startCardSession(db: Db, cardNumber: string, hours: number) {
  const { token, hash } = makeToken();
  const [row] = await db<{ expiresAt: Date }[]>`
    insert into platform.card_session (token_hash, card_number, expires_at)
    values (${hash}, ${findCardNumber(db.keys, cardNumber)}, now() + make_interval(hours => ${hours})) returning expires_at as "expiresAt"`;
  return { token, expireTime: row?.expiresAt.getTime() ?? 0 };
}

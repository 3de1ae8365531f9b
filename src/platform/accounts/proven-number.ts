import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { hashToken, makeToken } from "#platform/accounts/session.ts";
import { isLoopback } from "#platform/contract/networks.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { isDateTime, parseDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import { type createConfiguredCampusClient, OutsideError } from "#platform/messaging/index.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { NumberHeaders, ProvingWay } from "#platform/contract/proven-contract.ts";
import type { Platform } from "#platform/process/platform.ts";

// Guests are identified by a number in a header. The administrators' token header has several spellings, but the
// number's header has only one: a gateway that sets the number and strips the client's header would miss a second
// spelling.

export interface Proof {
  readonly headers: NumberHeaders;
  readonly noun: Bilingual;
  /** The name of the setting that chooses the proof. If it is not set, all guests are refused. */
  readonly setting: string;
  readonly way: ProvingWay | undefined;
  readonly secret: string | undefined;
  /**
   * Returns the forms in which sessions may store a number. The first is the form for new sessions. No two services
   * share a form.
   */
  readonly spell: (number: string) => readonly string[];
}

type Guard = Pick<Platform, "pool" | "settings" | "clock">;

const mostLength = 64;
// Node joins repeated headers with a comma, so refusing commas keeps a client from adding a second number to the
// proxy's. A number must not start with #, because sealed values do.
const numberPattern = /^(?!#)[\x21-\x2b\x2d-\x7e]+$/;

/**
 * @throws {Problem} outsideNotConfigured if the setting is not set; headerMissing, tokenEmpty, badFormat, tooLong;
 * tokenInvalid for an invalid proof; forbidden in a demonstration for calls that are forwarded or that other machines
 * could make
 */
export async function identifyNumber(request: FastifyRequest, guard: Guard, proof: Proof): Promise<string> {
  const { headers, noun, setting, way } = proof;
  if (way === undefined) throw explain("outsideNotConfigured", `${setting} 未设置`, `${setting} is not set`);
  const number = readHeader(request, headers.number);
  if (!number) throw missing(headers.number);
  const at = headers.number;
  if (number.length > mostLength)
    throw explain("tooLong", `${at}: 最多${mostLength}个字符`, `${at}: at most ${mostLength} characters`);
  if (!numberPattern.test(number))
    throw explain("badFormat", `${at}: 应为一个${noun.zh}`, `${at}: must be a single ${noun.en}`);
  if (way === "signed") proveSignature(request, number, guard, proof);
  if (way === "campus") await proveToken(request, number, guard, proof);
  if (way === "demo" && (!isLoopback(guard.settings.HOST) || isForwarded(request)))
    throw explain(
      "forbidden",
      `${setting}=demo 仅限本机直接访问`,
      `${setting}=demo accepts only direct requests from this machine`,
    );
  return number;
}

/**
 * The signature is the hex HMAC-SHA256 of `number.time`. The time may differ from the server's clock by at most five
 * minutes.
 */
function proveSignature(request: FastifyRequest, number: string, { settings, clock }: Guard, proof: Proof): void {
  const { headers, secret = "" } = proof;
  const time = readHeader(request, headers.time);
  const sign = readHeader(request, headers.sign);
  if (!time) throw missing(headers.time);
  if (!sign) throw missing(headers.sign);
  const wanted = createHmac("sha256", secret).update(`${number}.${time}`).digest();
  const given = /^[0-9a-f]{64}$/i.test(sign) ? Buffer.from(sign, "hex") : Buffer.alloc(wanted.length);
  const signedMs = readTimeMs(time, settings.TIME_ZONE);
  const isFresh = signedMs !== undefined && Math.abs(clock() - signedMs) <= lifetimeMs;
  if (!timingSafeEqual(wanted, given) || !isFresh) throw new Problem("tokenInvalid");
}

async function proveToken(request: FastifyRequest, number: string, { pool }: Guard, proof: Proof): Promise<void> {
  const { headers, spell } = proof;
  const token = readHeader(request, headers.token);
  if (token === undefined) throw missing(headers.token);
  if (token === "") throw new Problem("tokenEmpty");
  const sessions = await pool`
    select 1 from platform.card_session
    where token_hash = ${hashToken(token)} and card_number = any(${[...spell(number)]}) and expires_at > now()`;
  if (sessions.length === 0) throw new Problem("tokenInvalid");
}

const readHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return value === undefined ? undefined : String(value);
};

const missing = (name: string): Problem => explain("headerMissing", name, name);

/**
 * Whether the headers show that a proxy forwarded the request. Not every proxy adds such a header, so false proves
 * nothing.
 */
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

function readTimeMs(time: string, zone: string): number | undefined {
  if (/^\d{10}$/.test(time)) return Number(time) * 1000;
  if (/^\d{13}$/.test(time)) return Number(time);
  return isDateTime(time) ? parseDateTime(time, zone).getTime() : undefined;
}

export async function startNumberSession(db: Db, spelt: string, hours: number) {
  const { token, hash } = makeToken();
  const [row] = await db<{ expiresAt: Date }[]>`
    insert into platform.card_session (token_hash, card_number, expires_at)
    values (${hash}, ${spelt}, now() + make_interval(hours => ${hours})) returning expires_at as "expiresAt"`;
  return { token, expireTime: row?.expiresAt.getTime() ?? 0 };
}

export async function exchangeForNumber(
  campus: ReturnType<typeof createConfiguredCampusClient>,
  code: string,
): Promise<string> {
  if (!campus) throw new Problem("outsideNotConfigured");
  return (await campus.exchangeCode(code).catch(refuse)).cardNumber;
}

/**
 * Reports an invalid code as notAllowedNow, a rejected user as forbidden, and any other failure of the campus platform
 * as outsideFailed.
 */
function refuse(error: unknown): never {
  if (!(error instanceof OutsideError)) throw error;
  if (error.kind === "code-invalid")
    throw explain("notAllowedNow", "code 无效、已使用或已过期", "the code is invalid, already used or expired");
  if (error.kind === "refused" && !error.retryable)
    throw explain("forbidden", "校园平台拒绝了该用户", "the campus platform rejected this user");
  throw new Problem("outsideFailed");
}

import { z } from "zod";
import type { Clock } from "#platform/contract/clock.ts";
import { joinUrl, requestJson } from "./http.ts";
import { OutsideError } from "./outside-error.ts";
import { isBusy, retryOnce } from "./retry.ts";
import type { CachedToken, ForcedCount, TokenCache, TokenLease } from "./token-cache.ts";
import { toShanghaiDay, tokenErrcodes, toWeChatError, untilShanghaiMidnight } from "./wechat-errors.ts";

export type AppTokenOptions = {
  appId: string;
  secret: string;
  baseUrl: string;
  timeoutMs: number;
  tokens: TokenCache;
  now: Clock;
};

/** The platform's limits on a refresh by force. */
const forcedPauseMs = 30_000;
const forcedPerDay = 20;

/** Covers clocks that differ between processes; the platform itself renews five minutes before the end, both tokens then being valid. */
const marginMs = 60_000;

const tokenAnswer = z.object({
  access_token: z.string().min(1).max(4096),
  expires_in: z.number().int().positive(),
});

/** Runs a call with the application's token; when the token is refused, once more with a newer one. */
export async function withAppToken<T>(options: AppTokenOptions, call: (token: string) => Promise<T>): Promise<T> {
  const token = await getToken(options);
  try {
    return await call(token);
  } catch (error) {
    if (!(error instanceof OutsideError) || !tokenErrcodes.has(error.errcode)) throw error;
  }
  return call(await refreshToken(options, token));
}

async function getToken(options: AppTokenOptions): Promise<string> {
  const cached = await options.tokens.find(cacheName(options));
  return cached !== null && isFresh(cached, options.now()) ? cached.value : refreshToken(options, null);
}

/** @param refused the token that the platform would not take, if that is why. Whoever stored another one spares us the call. */
async function refreshToken(options: AppTokenOptions, refused: string | null): Promise<string> {
  const token = await options.tokens.refresh(cacheName(options), {
    accept: (stored) => stored.value !== refused && isFresh(stored, options.now()),
    fetch: (lease) => fetchToken(options, lease, refused),
  });
  if (token === null) throw unavailable("another process is still refreshing the access token", 1000);
  return token.value;
}

/**
 * Asks in the normal way first, which answers with a newer token when there is one and costs none of the twenty
 * refreshes a day. Only when the platform hands out the very token that it refuses is a new one forced.
 */
async function fetchToken(options: AppTokenOptions, lease: TokenLease, refused: string | null): Promise<CachedToken> {
  const usual = await retryOnce(isBusy, () => requestToken(options, false));
  if (usual.value !== refused) return usual;
  await lease.noteForced(countForced(lease.forced, options.now()));
  const forced = await requestToken(options, true);
  if (forced.value === refused) throw unavailable("the platform keeps a token that it refuses", forcedPauseMs);
  return forced;
}

async function requestToken(options: AppTokenOptions, force: boolean): Promise<CachedToken> {
  const { appId, secret, baseUrl, timeoutMs, now } = options;
  const askedAtMs = now();
  const answer = await requestJson({
    service: "wechat",
    url: joinUrl(baseUrl, "/cgi-bin/stable_token"),
    body: { grant_type: "client_credential", appid: appId, secret, force_refresh: force },
    timeoutMs,
    answer: tokenAnswer,
    toError: (errcode, errmsg) => toWeChatError(errcode, errmsg, "secret", now()),
  });
  return { value: answer.access_token, expiresAtMs: askedAtMs + answer.expires_in * 1000 };
}

/** The count with one more refresh by force. @throws OutsideError where the platform's limits do not allow it yet. */
function countForced(forced: ForcedCount | null, nowMs: number): ForcedCount {
  if (forced === null) return { lastAtMs: nowMs, count: 1 };
  const sinceMs = nowMs - forced.lastAtMs;
  if (sinceMs < forcedPauseMs) throw unavailable("a token was forced a moment ago", forcedPauseMs - sinceMs);
  const today = toShanghaiDay(nowMs) === toShanghaiDay(forced.lastAtMs) ? forced.count : 0;
  if (today >= forcedPerDay) throw unavailable("no forced token is left today", untilShanghaiMidnight(nowMs));
  return { lastAtMs: nowMs, count: today + 1 };
}

function isFresh(token: CachedToken, nowMs: number): boolean {
  return token.expiresAtMs - nowMs > marginMs;
}

function cacheName({ appId }: AppTokenOptions): string {
  return `wechat:${appId}`;
}

function unavailable(reason: string, retryAfterMs: number): OutsideError {
  return new OutsideError(reason, {
    service: "wechat",
    kind: "unavailable",
    retryable: true,
    retryAfterMs,
  });
}

import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { isBusy, OutsideError, retryOnce } from "./outside-call.ts";

export const tokenAnswer = z.object({
  access_token: z.string().min(1).max(4096),
  expires_in: z.number().int().positive(),
});

type Token = { value: string; expiresAtMs: number };

/**
 * A token is renewed this long before it expires, which allows for clock skew. WeChat accepts the old and the new token
 * during the last five minutes of the old one.
 */
const marginMs = 60_000;

/**
 * These error codes mean that the token is invalid, replaced or expired. The call is then retried once with a new
 * token.
 */
const tokenErrcodes: ReadonlySet<number | undefined> = new Set([40001, 40014, 42001]);

/**
 * Each process caches the token. The external platforms return the same valid token to every caller, so processes need
 * not share it. If a token was replaced, the current one is requested.
 */
export function openAppToken(now: Clock, ask: () => Promise<z.output<typeof tokenAnswer>>) {
  let known: Token | undefined;
  let asking: Promise<Token> | undefined;
  const request = async (): Promise<Token> => {
    const askedAtMs = now();
    const { access_token: value, expires_in: seconds } = await ask();
    return { value, expiresAtMs: askedAtMs + seconds * 1000 };
  };
  const find = async (): Promise<Token> => {
    if (known && known.expiresAtMs - now() > marginMs) return known;
    return (asking ??= retryOnce(isBusy, request).finally(() => (asking = undefined)));
  };
  const lend = async (): Promise<Token> => {
    try {
      return (known = await find());
    } catch (error) {
      throw error instanceof OutsideError ? Object.assign(error, { mayBeDone: false }) : error;
    }
  };
  return async <T>(use: (token: string) => Promise<T>): Promise<T> => {
    const token = await lend();
    try {
      return await use(token.value);
    } catch (error) {
      if (!(error instanceof OutsideError) || !tokenErrcodes.has(error.errcode)) throw error;
    }
    if (known === token) known = undefined;
    return use((await lend()).value);
  };
}

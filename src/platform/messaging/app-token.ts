import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { isBusy, OutsideError, retryOnce } from "./outside-call.ts";

/** What each of the platforms answers to whoever asks for a token. */
export const tokenAnswer = z.object({
  access_token: z.string().min(1).max(4096),
  expires_in: z.number().int().positive(),
});

type Token = { value: string; expiresAtMs: number };

/** For clocks that differ. WeChat itself renews five minutes before the end, both tokens then being valid. */
const marginMs = 60_000;

/** What the platforms answer to a token that is forged, replaced or expired; refreshed and retried once. */
const tokenErrcodes: ReadonlySet<number | undefined> = new Set([40001, 40014, 42001]);

/**
 * The application's token in this process. Others have the same: the platforms give every caller the one that is valid. So
 * processes share nothing, and one that finds its token replaced asks for the newer one.
 */
export function openAppToken(now: Clock, ask: () => Promise<z.output<typeof tokenAnswer>>) {
  let known: Token | undefined;
  let asking: Promise<Token> | undefined;
  const request = async (): Promise<Token> => {
    const askedAtMs = now();
    const { access_token: value, expires_in: seconds } = await ask();
    return { value, expiresAtMs: askedAtMs + seconds * 1000 };
  };
  /** The token that is known, or a newer one, which is asked for once for all who need it. */
  const find = async (): Promise<Token> => {
    if (known && known.expiresAtMs - now() > marginMs) return known;
    return (asking ??= retryOnce(isBusy, request).finally(() => (asking = undefined)));
  };
  const lend = async (): Promise<Token> => {
    try {
      return (known = await find());
    } catch (error) {
      // What the token was for has not begun.
      throw error instanceof OutsideError ? Object.assign(error, { mayBeDone: false }) : error;
    }
  };
  /** Runs a call with the token; when it is refused, once more with a newer one. */
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

import { z } from "zod";
import type { Clock } from "#platform/contract/clock.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { requestJson } from "./http.ts";
import { OutsideError } from "./outside-error.ts";
import { isBusy, retryOnce } from "./retry.ts";
import { tokenErrcodes, toWeChatError } from "./wechat-errors.ts";

export type AppTokenOptions = {
  appId: string;
  secret: string;
  baseUrl: string;
  timeoutMs: number;
  now: Clock;
};

type Token = { value: string; expiresAtMs: number };

/** WeChat does nothing at a refresh by force that follows another so soon. */
const forcedPauseMs = 30_000;
/** For clocks that differ. WeChat itself renews five minutes before the end, both tokens then being valid. */
const marginMs = 60_000;

const tokenAnswer = z.object({
  access_token: z.string().min(1).max(4096),
  expires_in: z.number().int().positive(),
});

/**
 * The application's token in this process. Others have the same: WeChat gives every caller the one that is valid, and allows
 * 10,000 calls for it a minute. So processes share nothing, and one that finds its token replaced asks for the newer one.
 */
export class AppToken {
  readonly #options: AppTokenOptions;
  #known: Token | undefined;
  #refused: string | undefined;
  #asking: Promise<string> | undefined;
  #forcedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AppTokenOptions) {
    this.#options = options;
  }

  /** Runs a call with the token; when it is refused, once more with a newer one. */
  async lend<T>(call: (token: string) => Promise<T>): Promise<T> {
    const token = await this.#find();
    try {
      return await call(token);
    } catch (error) {
      if (!(error instanceof OutsideError) || !tokenErrcodes.has(error.errcode)) throw error;
    }
    this.#refused = token;
    return call(await this.#find());
  }

  /** The token that is known, or a newer one, which is asked for once for all who need it. */
  async #find(): Promise<string> {
    const { value, expiresAtMs } = this.#known ?? {};
    const isFresh = expiresAtMs !== undefined && expiresAtMs - this.#options.now() > marginMs;
    if (value !== undefined && isFresh && value !== this.#refused) return value;
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)));
  }

  /** In the normal way first, which costs none of the twenty refreshes by force a day. */
  async #ask(): Promise<string> {
    const usual = await retryOnce(isBusy, () => requestToken(this.#options, false));
    this.#known = usual.value === this.#refused ? await this.#force() : usual;
    return this.#known.value;
  }

  async #force(): Promise<Token> {
    const waitMs = this.#forcedAtMs + forcedPauseMs - this.#options.now();
    if (waitMs > 0) throw unavailable("a token was forced a moment ago", waitMs);
    this.#forcedAtMs = this.#options.now();
    const forced = await requestToken(this.#options, true);
    if (forced.value === this.#refused) throw unavailable("the platform keeps a token that it refuses", forcedPauseMs);
    return forced;
  }
}

async function requestToken(options: AppTokenOptions, force: boolean): Promise<Token> {
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

const unavailable = (reason: string, retryAfterMs: number): OutsideError =>
  new OutsideError(reason, { service: "wechat", kind: "unavailable", retryable: true, retryAfterMs });

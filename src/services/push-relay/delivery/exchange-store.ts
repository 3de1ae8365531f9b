import { toStorable } from "#platform/contract/storable-text.ts";
import type { Db } from "#platform/database/index.ts";
import type { Response } from "#platform/outbound/send.ts";
import { sealAnswer } from "#services/push-relay/sealed.ts";

/** Where a push went, and what came back of it; as it is stored, one for all pushes to which it applies. */
export interface Exchange {
  readonly url: string;
  /** Names and values as a JSON object; null without an answer, as the body then is. */
  readonly headers: string | null;
  readonly body: string | null;
  /** Whether there was more of the body. */
  readonly cut: boolean;
}

/** What stands where a secret was. */
export const masked = "***";

/** The attempt's own time tells it too, and it alone would make each second's answers others. */
const leftOut: ReadonlySet<string> = new Set(["date"]);
/** What lets somebody in. */
const secret: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "authorization", "proxy-authorization"]);

export function toExchange(url: string, response: Response | null): Exchange {
  if (!response) return { url, headers: null, body: null, cut: false };
  const { body, cut } = response;
  const all = (body.length === 1 && body[0] ? body[0] : Buffer.concat(body)).toString();
  // A character that the cut went through is left out.
  const text = cut ? all.replace(/\u{fffd}$/u, "") : all;
  const kept: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(response.headers))
    if (!leftOut.has(name)) kept[name] = secret.has(name) ? masked : String(value);
  return {
    url,
    headers: maskSignatures(toStorable(JSON.stringify(kept))),
    body: maskSignatures(toStorable(text)),
    cut,
  };
}

// As JSON and forms write it too: some receivers send back what they got.
const signature = /\bv1(?:,|%2C)(?:\w|\+|\\?\/|%2[BF]){43}(?:=|\\u003d|%3D)/gi;

const maskSignatures = (text: string): string => (text === "" ? text : text.replaceAll(signature, `v1,${masked}`));

/** Stores them; their numbers, in their order. */
async function storeExchanges(db: Db, exchanges: readonly Exchange[]): Promise<number[]> {
  const column = <K extends keyof Exchange>(name: K) => exchanges.map((exchange) => exchange[name]);
  const bodies = exchanges.map(({ body }) => (body === null ? null : sealAnswer(db.keys, body)));
  const ids = await db.values<number>`
    insert into push_relay.exchange (url, headers, body, cut)
    select url, headers, body, cut
    from unnest(${column("url")}::text[], ${column("headers")}::text[], ${bodies}::text[],
      ${column("cut")}::boolean[]) with ordinality as each (url, headers, body, cut, place)
    order by place returning id`;
  return ids.toSorted((a, b) => a - b);
}

/** `migrations/0004_push_relay.sql` relies on it. */
const longestUseMs = 3_600_000;
/** Of 32 KB at most: a receiver that answers differently each time must not fill the memory. */
const mostKnown = 500;

/** The number of each exchange, null for none; those that were not met lately are stored. */
export type NumberExchanges = (db: Db, exchanges: readonly (Exchange | null)[]) => Promise<(number | null)[]>;

/** Knows the numbers of the exchanges that this process has met lately, since most of them are always the same. */
export function openExchangeBook(nowMs: () => number): NumberExchanges {
  let known = new Map<string, { id: number; untilMs: number }>();
  return async (db, exchanges) => {
    const keys = exchanges.map((one) => (one ? `${one.url}\n${one.headers}\n${one.cut}\n${one.body}` : ""));
    const now = nowMs();
    const unknown = new Map<string, Exchange>();
    for (const [index, key] of keys.entries()) {
      const exchange = exchanges[index];
      if (exchange && (known.get(key)?.untilMs ?? 0) <= now) unknown.set(key, exchange);
    }
    const all = unknown.size === 0 ? known : new Map(known);
    const ids = unknown.size === 0 ? [] : await storeExchanges(db, [...unknown.values()]);
    for (const [index, key] of [...unknown.keys()].entries())
      all.set(key, { id: ids[index] ?? 0, untilMs: now + longestUseMs });
    known = all.size > mostKnown ? new Map() : all;
    return keys.map((key) => all.get(key)?.id ?? null);
  };
}

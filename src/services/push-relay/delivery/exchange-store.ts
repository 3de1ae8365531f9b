import { toStorable } from "#platform/contract/storable-text.ts";
import type { Db } from "#platform/database/index.ts";
import type { Response } from "#platform/outbound/send.ts";
import { sealAnswer } from "#services/push-relay/sealed.ts";

export interface Exchange {
  readonly url: string;
  readonly headers: string | null;
  readonly body: string | null;
  readonly cut: boolean;
}

export const masked = "***";

/**
 * The date header is left out, so that responses that differ only in the date are stored once. The attempt records the
 * time anyway.
 */
const leftOut: ReadonlySet<string> = new Set(["date"]);
const secret: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "authorization", "proxy-authorization"]);

export function toExchange(url: string, response: Response | null): Exchange {
  if (!response) return { url, headers: null, body: null, cut: false };
  const { body, cut } = response;
  const all = (body.length === 1 && body[0] ? body[0] : Buffer.concat(body)).toString();
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

// A receiver may echo the request in its response, so signatures are masked, also in JSON or form encoding.
const signature = /\bv1(?:,|%2C)(?:\w|\+|\\?\/|%2[BF]){43}(?:=|\\u003d|%3D)/gi;

const maskSignatures = (text: string): string => (text === "" ? text : text.replaceAll(signature, `v1,${masked}`));

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

/** A stored exchange is used for new deliveries for this long. `migrations/0004_push_relay.sql` relies on the value. */
const longestUseMs = 3_600_000;
/**
 * A response takes up to 32 KB, so this limit keeps the cache within 16 MB even if a receiver answers differently each
 * time.
 */
const mostKnown = 500;

export type NumberExchanges = (db: Db, exchanges: readonly (Exchange | null)[]) => Promise<(number | null)[]>;

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

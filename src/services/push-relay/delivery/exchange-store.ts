import type { Db } from "#platform/database/index.ts";
import { sealAnswer } from "#services/push-relay/sealed.ts";
import type { Exchange } from "./exchange.ts";

/** Stores them; their numbers, in their order. */
export async function storeExchanges(db: Db, exchanges: readonly Exchange[]): Promise<number[]> {
  const column = <K extends keyof Exchange>(name: K) => exchanges.map((exchange) => exchange[name]);
  const bodies = exchanges.map(({ body }) => (body === null ? null : sealAnswer(db.keys, body)));
  const rows = await db<{ id: number }[]>`
    insert into push_relay.exchange (url, headers, body, cut)
    select url, headers, body, cut
    from unnest(${column("url")}::text[], ${column("headers")}::text[], ${bodies}::text[],
      ${column("cut")}::boolean[]) with ordinality as each (url, headers, body, cut, place)
    order by place returning id`;
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

/**
 * Removes the next of those that no attempt can name any more. @returns how many.
 * A delivery that has succeeded names one of its own hour; those older than the log keeps are gone with it, given a day.
 */
export async function removeOldExchanges(db: Db, most: number, deliveredDays: number): Promise<number> {
  return db.count`
    delete from push_relay.exchange where id in (
      select id from push_relay.exchange
      where created_at < now() - make_interval(days => ${deliveredDays + 1})
        and not exists (select from push_relay.attempt where attempt.exchange_id = exchange.id)
      order by created_at limit ${most})`;
}

/** Knows the numbers of the exchanges that this process has met lately, since most of them are always the same. */
export interface ExchangeBook {
  /** The number of each, null for none; those that are not known are stored. */
  number(db: Db, exchanges: readonly (Exchange | null)[]): Promise<(number | null)[]>;
}

/** `migrations/0004_push_relay.sql` relies on it. */
const longestUseMs = 3_600_000;
/** Of 32 KB at most: a receiver that answers differently each time must not fill the memory. */
const mostKnown = 500;

interface Known {
  readonly id: number;
  readonly untilMs: number;
}

export function openExchangeBook(nowMs: () => number): ExchangeBook {
  let known = new Map<string, Known>();

  const storeUnknown = async (db: Db, keys: readonly string[], exchanges: readonly (Exchange | null)[]) => {
    const now = nowMs();
    const unknown = new Map<string, Exchange>();
    for (const [index, key] of keys.entries()) {
      const exchange = exchanges[index];
      if (exchange && (known.get(key)?.untilMs ?? 0) <= now) unknown.set(key, exchange);
    }
    if (unknown.size === 0) return known;
    const ids = await storeExchanges(db, [...unknown.values()]);
    const entries = [...unknown.keys()].map(
      (key, index) => [key, { id: ids[index] ?? 0, untilMs: now + longestUseMs }] as const,
    );
    const all = new Map([...known, ...entries]);
    known = all.size > mostKnown ? new Map() : all;
    return all;
  };

  return {
    async number(db, exchanges) {
      const keys = exchanges.map((exchange) => (exchange ? toKey(exchange) : ""));
      const all = await storeUnknown(db, keys, exchanges);
      return keys.map((key) => all.get(key)?.id ?? null);
    },
  };
}

const toKey = ({ url, headers, body, cut }: Exchange): string => `${url}\n${headers}\n${cut}\n${body}`;

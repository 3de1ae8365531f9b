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

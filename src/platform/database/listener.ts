import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { closed, type DatabaseClient, openConnection } from "./client.ts";
import { toFailure } from "./failures.ts";

interface Subscription {
  readonly channel: string;
  readonly onNotify: (payload: string) => void;
  readonly onListen: () => void;
}

const answerMs = 5000;
const pauseMs = 500;

/**
 * All subscriptions share one LISTEN connection, which is opened on first use and reopened when it is lost. The
 * connection sends nothing else, so only periodic probes show whether the server is gone.
 */
export function openListener(address: string, name: string) {
  const subscriptions = new Set<Subscription>();
  const over = new AbortController();
  let current: Promise<DatabaseClient> | undefined;

  const attach = async (): Promise<DatabaseClient> => {
    const client = await openConnection(address, { name, answerMs });
    client.on("notification", ({ channel, payload = "" }) => {
      for (const subscription of subscriptions) if (subscription.channel === channel) subscription.onNotify(payload);
    });
    for (const channel of new Set([...subscriptions].map((subscription) => subscription.channel)))
      await subscribe(client, channel);
    keep(client);
    for (const subscription of subscriptions) subscription.onListen();
    return client;
  };
  const keep = (client: DatabaseClient): void => {
    const ask = () => void client.query("select 1").catch(() => client.destroyWith(closed()));
    const asking = setInterval(ask, 2 * answerMs).unref();
    const lose = (): void => {
      clearInterval(asking);
      if (over.signal.aborted) return;
      current = reattach();
      current.catch(() => undefined);
    };
    if (client.isClosed) lose();
    else client.once("end", lose);
  };
  const reattach = async (): Promise<DatabaseClient> => {
    for (;;) {
      await delay(pauseMs, undefined, { ref: false, signal: over.signal });
      const client = await attach().catch(() => undefined);
      if (client) return client;
    }
  };
  return {
    listen: async (channel: string, onNotify: (payload: string) => void, onListen = (): void => {}): Promise<void> => {
      const subscription = { channel, onNotify, onListen };
      subscriptions.add(subscription);
      try {
        if (!current) await (current = attach());
        else await subscribe(await current, channel).then(onListen);
      } catch (error) {
        subscriptions.delete(subscription);
        if (subscriptions.size === 0) current = undefined;
        throw error;
      }
    },
    end: async (): Promise<void> => {
      over.abort();
      await (await current?.catch(() => undefined))?.end();
    },
  };
}

async function subscribe(client: DatabaseClient, channel: string): Promise<void> {
  try {
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
  } catch (error) {
    const failure = toFailure(error);
    client.destroyWith(failure);
    throw failure;
  }
}

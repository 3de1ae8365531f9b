import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";
import type { DatabaseTls } from "#platform/database-address.ts";
import { type OpenConnections, SteadySocket, toAddress } from "#platform/steady-socket.ts";

export interface Listener {
  readonly meta: postgres.ListenMeta;
  end(): Promise<void>;
}

export interface ListenOptions {
  readonly open: OpenConnections;
  readonly tls: DatabaseTls | undefined;
  readonly channel: string;
  readonly onNotify: (payload: string) => void;
  readonly onListen: (() => void) | undefined;
}

const pauseMs = 500;

/**
 * Listens to a channel, on a connection of its own that is made again as often as it is lost. `onListen` is called each
 * time: what was told meanwhile is lost. @throws when the first connection cannot be made
 */
export async function openListener({ open, tls, channel, onNotify, onListen }: ListenOptions): Promise<Listener> {
  const over = new AbortController();
  let ear: Listener;

  const attach = async (): Promise<Listener> => {
    let socket: SteadySocket | undefined;
    const sql = open((place) => {
      const made: SteadySocket = new SteadySocket(toAddress(place), {
        tls,
        onLost: () => void reattach(end),
        onGone() {},
      });
      return (socket = made);
    });
    const end = async (): Promise<void> => {
      await sql.end({ timeout: 0 });
      if (socket?.readyState === "closed") socket.bury();
    };
    try {
      return { meta: await sql.listen(channel, onNotify, onListen), end };
    } catch (error) {
      await end();
      throw error;
    }
  };
  const reattach = async (endLost: () => Promise<void>): Promise<void> => {
    await endLost();
    while (!over.signal.aborted) {
      await delay(pauseMs, undefined, { ref: false });
      const next = over.signal.aborted ? undefined : await attach().catch(() => undefined);
      if (!next) continue;
      ear = next;
      return over.signal.aborted ? next.end() : undefined;
    }
  };

  ear = await attach();
  return {
    meta: ear.meta,
    async end() {
      over.abort();
      await ear.end();
    },
  };
}

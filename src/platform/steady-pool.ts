import type postgres from "postgres";
import type { DatabaseTls } from "#platform/database-address.ts";
import { type Listener, openListener } from "#platform/steady-listener.ts";
import { type OpenConnections, type Place, SteadySocket, toAddress } from "#platform/steady-socket.ts";

/** A set of connections: those that are there, and those that are lost. */
interface Generation {
  readonly sql: postgres.Sql;
  readonly sockets: Set<SteadySocket>;
  readonly lost: Set<SteadySocket>;
}

/** What works on connections that are still there may finish within this time, in seconds. */
const finishSeconds = 600;
/** And what waits for one of them gets its turn. */
const turnMs = 60_000;
/** When all are lost, those who work on them are told by their next statement; after this they are cut off. */
const giveUpMs = 2000;

/**
 * A pool that goes on when connections are lost. postgres.js would use a lost connection again and stumble over what is
 * left of it; here new statements go to a new set of connections, and the old one is left to those that work on it.
 */
export function openSteadyPool(open: OpenConnections, tls?: DatabaseTls): postgres.Sql {
  const old = new Set<Generation>();
  const listeners: Listener[] = [];
  let current = openGeneration();

  function openGeneration(): Generation {
    const generation: Generation = {
      sockets: new Set(),
      lost: new Set(),
      sql: open((place) => openSocket(place, generation)),
    };
    return generation;
  }
  function openSocket(place: Place, generation: Generation): SteadySocket {
    const socket: SteadySocket = new SteadySocket(toAddress(place), {
      tls,
      onLost() {
        generation.lost.add(socket);
        replace(generation);
      },
      onGone() {
        generation.sockets.delete(socket);
        if (generation !== current && generation.sockets.size === 0) endLater(generation, giveUpMs, 0);
      },
    });
    generation.sockets.add(socket);
    return socket;
  }
  function replace(generation: Generation): void {
    if (generation !== current) return;
    old.add(generation);
    current = openGeneration();
    endLater(generation, turnMs, finishSeconds);
  }
  function endLater(generation: Generation, waitMs: number, timeout: number): void {
    setTimeout(() => void endGeneration(generation, { timeout }), waitMs).unref();
  }
  async function endGeneration(generation: Generation, options?: { timeout?: number | undefined }): Promise<void> {
    await generation.sql.end(options);
    for (const socket of generation.lost) socket.bury();
    old.delete(generation);
  }
  const end: postgres.Sql["end"] = async (options) => {
    const endings = [...old, current].map((generation) => endGeneration(generation, options));
    await Promise.all([...endings, ...listeners.map((listener) => listener.end())]);
  };
  const listen: postgres.Sql["listen"] = async (channel, onNotify, onListen) => {
    const listener = await openListener({ open, tls, channel, onNotify, onListen });
    listeners.push(listener);
    return listener.meta;
  };

  const own = { end, listen };
  const target = (() => {}) as unknown as postgres.Sql;
  return new Proxy(target, {
    apply: (_target, _self, args: Parameters<postgres.Sql>) => current.sql(...args),
    get: (_target, key) => Reflect.get(key in own ? own : current.sql, key),
  });
}

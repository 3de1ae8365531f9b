import type postgres from "postgres";
import { type SocketAddress, SteadySocket } from "#platform/steady-socket.ts";

/** What postgres.js asks for a socket with. */
interface Place {
  readonly path?: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

export type OpenSocket = (place: Place) => SteadySocket;
type OpenConnections = (socket: OpenSocket) => postgres.Sql;

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
export function openSteadyPool(open: OpenConnections): postgres.Sql {
  const old = new Set<Generation>();
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
    await Promise.all([...old, current].map((generation) => endGeneration(generation, options)));
  };

  const target = (() => {}) as unknown as postgres.Sql;
  return new Proxy(target, {
    apply: (_target, _self, args: Parameters<postgres.Sql>) => current.sql(...args),
    get: (_target, key) => (key === "end" ? end : Reflect.get(current.sql, key)),
  });
}

const toAddress = ({ path, host, port }: Place): SocketAddress =>
  path ? { path } : { host: host[0] ?? "localhost", port: port[0] ?? 5432 };

import type { EventClient, Subscribe } from "#platform/contract/endpoint.ts";
import type { Pool } from "#platform/database/index.ts";
import { type ChangeName, changeNames } from "./screen-contract.ts";

// The triggers in migrations/0006_disease_command.sql notify this channel.
const channel = "disease_command";

export interface Change {
  readonly module: ChangeName;
}

export interface Changes {
  /** Starts listening; must be called once, before the first client subscribes. */
  listen(): Promise<void>;
  readonly subscribe: Subscribe<Change>;
}

/** Passes notifications on to clients. All clients of a process share one connection that listens. */
export function openChanges(pool: Pool): Changes {
  const clients = new Set<EventClient<Change>>();
  const tell = (name: string): void => {
    const module = changeNames.find((known) => known === name);
    if (module) for (const client of clients) client.send({ module });
  };
  // Called after a reconnection. All streams are ended, since notifications may have been missed and clients must read
  // everything again.
  const endAll = (): void => {
    for (const client of clients) client.end();
  };
  return {
    listen: async () => await pool.listen(channel, tell, endAll),
    subscribe: (client) => {
      clients.add(client);
      return () => void clients.delete(client);
    },
  };
}

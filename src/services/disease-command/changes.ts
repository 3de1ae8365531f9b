import type { EventClient, Subscribe } from "#platform/contract/endpoint.ts";
import type { Pool } from "#platform/database/index.ts";
import { type ChangeName, changeNames } from "./screen-contract.ts";

// The NOTIFY channel of the triggers in migrations/0006_disease_command.sql.
const channel = "disease_command";

export interface Change {
  readonly module: ChangeName;
}

export interface Changes {
  /** Starts listening; to be called once, before the first client. */
  listen(): Promise<void>;
  readonly subscribe: Subscribe<Change>;
}

/** Forwards PostgreSQL notifications to all clients, over one connection per process. */
export function openChanges(pool: Pool): Changes {
  const clients = new Set<EventClient<Change>>();
  const tell = (name: string): void => {
    const module = changeNames.find((known) => known === name);
    if (module) for (const client of clients) client.send({ module });
  };
  // Also called after reconnecting: notifications were missed, so all clients must start afresh.
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

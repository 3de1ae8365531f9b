import type { EventClient, Subscribe } from "#platform/contract/endpoint.ts";
import type { Pool } from "#platform/database/index.ts";
import { type ChangeName, changeNames } from "./screen-contract.ts";

// The channel of the triggers in migrations/0006_disease_command.sql.
const channel = "disease_command";

export interface Change {
  readonly module: ChangeName;
}

export interface Changes {
  /** Begins to listen; once, before the first client. */
  listen(): Promise<void>;
  readonly subscribe: Subscribe<Change>;
}

/** Passes what PostgreSQL tells on to everybody who follows: one connection a process, however many follow. */
export function openChanges(pool: Pool): Changes {
  const clients = new Set<EventClient<Change>>();
  const tell = (name: string): void => {
    const module = changeNames.find((known) => known === name);
    if (module) for (const client of clients) client.send({ module });
  };
  // Also when the connection was lost and is there again. What was told meanwhile is lost, so everybody begins anew.
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

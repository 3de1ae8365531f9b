import { createHash } from "node:crypto";
import { pino } from "pino";
import { openPool, type Pool } from "#platform/database/index.ts";
import { createSecret } from "#platform/outbound/signature.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { readSettings, type Settings } from "#quintet/settings.ts";
import { acceptEvents } from "#services/push-relay/campus-event.ts";
import type { ReceivedEvent } from "#services/push-relay/received-event.ts";
import { createRelay, type Relay } from "#services/push-relay/delivery/index.ts";
import { noSelections } from "#services/push-relay/selection-store.ts";
import type { RelayPlatform } from "#services/push-relay/settings.ts";
import { createTestDatabase } from "#test/database.ts";
import { until } from "#test/until.ts";

/** The relay's delivery on a database of its own, without HTTP. */
export interface RelayGround {
  readonly pool: Pool;
  readonly settings: Settings;
  readonly relay: Relay;
  readonly logged: string[];
  addProject(url: string, name?: string): Promise<Project>;
  /**
   * Stores an event about a person and wakes the relay. Returns false for a repeated event.
   * @param by the pool that stores the event
   */
  accept(identity: string, more?: Partial<ReceivedEvent>, by?: Pool): Promise<boolean>;
  openWith(keys: Keyring): Pool;
  drained(): Promise<void>;
  until(question: () => Promise<boolean>): Promise<void>;
}

export interface Project {
  readonly id: number;
  readonly secret: string;
}

const quick = {
  PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
  PUSH_RETRY_SECONDS: "0.05,0.1,0.2",
  PUSH_TIMEOUT_SECONDS: "1",
  PUSH_LEASE_SECONDS: "3",
  PUSH_POLL_MS: "20",
};

let counter = 0;

export async function openRelayGround(
  given: Readonly<Record<string, string>> = {},
  { start = true, keys }: { readonly start?: boolean; readonly keys?: Keyring } = {},
): Promise<RelayGround> {
  const { url, pool: plain, closers } = await createTestDatabase();
  const openWith = (own: Keyring): Pool => {
    const opened = openPool(url, { connections: 4, keys: own });
    closers.push(() => opened.end());
    return opened;
  };
  const pool = keys ? openWith(keys) : plain;
  const settings = readSettings({ ...quick, ...given });
  const logged: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
  const relay = createRelay({ pool, settings, log, clock: Date.now } as unknown as RelayPlatform);
  closers.push(() => relay.stop());
  if (start) relay.start();
  const [application] = await pool<[{ id: number; version: string }]>`
    insert into push_relay.campus_app (app_key, app_secret, school_code)
    values ('0A1B2C3D4E5F6071', '00112233445566778899AABBCCDDEEFF', '1000000001') returning id, xmin::text as version`;
  return {
    pool,
    settings,
    relay,
    logged,
    async addProject(url, name = `project ${++counter}`) {
      const secret = createSecret();
      const [row] = await pool<{ id: number }[]>`
        insert into push_relay.project (url, name, secret) values (${url}, ${name}, ${secret}) returning id`;
      return { id: row?.id ?? 0, secret };
    },
    openWith,
    async accept(identity, more = {}, by = pool) {
      const data = more.data ?? JSON.stringify({ card_number: identity, name: "陈小明", n: ++counter });
      const [outcome] = await acceptEvents(
        by,
        [
          {
            application,
            event: {
              schoolCode: "1000000001",
              event: "updateUser",
              kind: "person",
              identity,
              hash: createHash("sha256")
                .update((more.event ?? "updateUser") + data)
                .digest(),
              data,
              name: "陈小明",
              updatedAt: null,
              removes: false,
              ...more,
            },
          },
        ],
        settings.TIME_ZONE,
        noSelections,
      );
      relay.wake();
      return outcome === "stored";
    },
    until: async (question) => void (await until("what the relay is to do", question, { everyMs: 0 })),
    drained: async () =>
      void (await until("nothing is due", async () => {
        const [row] = await pool<{ count: number }[]>`
          select count(*) as count from push_relay.queue join push_relay.project on project.id = project_id
          where deleted_at is null`;
        return row?.count === 0;
      })),
  };
}

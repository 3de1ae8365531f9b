// The relay's delivery engine without HTTP in front. It takes its settings from the environment and starts on a message
// from the parent.
import { pino } from "pino";
import { systemClock } from "#platform/contract/times.ts";
import { openPool } from "#platform/database/index.ts";
import { loadKeyring } from "#platform/sealing/settings.ts";
import { readSettings } from "#quintet/settings.ts";
import { createRelay } from "#services/push-relay/delivery/index.ts";
import type { RelayPlatform } from "#services/push-relay/settings.ts";

const settings = readSettings(process.env);
const { DATABASE_URL, DATABASE_POOL, DATA_KEY } = settings;
const keys = await loadKeyring({ DATA_KEY });
const pool = openPool(DATABASE_URL ?? "", { connections: DATABASE_POOL, keys });
const relay = createRelay({
  pool,
  settings,
  log: pino({ level: "warn" }),
  clock: systemClock,
} as unknown as RelayPlatform);
await pool`select 1`;
process.once("message", () => relay.start());
process.once("SIGTERM", () => {
  process.exit(0);
});
process.send?.("ready");

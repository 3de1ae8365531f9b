// The relay's way out as a process has it, without HTTP in front. Started by the benchmark with its settings in the
// environment; begins when told.
import { pino } from "pino";
import { systemClock } from "#platform/contract/clock.ts";
import { openPool } from "#platform/database/index.ts";
import { readSettings } from "#quintet/settings.ts";
import { createRelay } from "#services/push-relay/delivery/index.ts";
import type { RelayPlatform } from "#services/push-relay/settings.ts";

const settings = readSettings(process.env);
const pool = openPool(settings.DATABASE_URL ?? "", { connections: settings.DATABASE_POOL });
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

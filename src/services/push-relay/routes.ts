import type { Handlers } from "#platform/process/handler.ts";
import { applicationHandlers } from "./applications.ts";
import type { endpoints } from "./contract.ts";
import type { Relay } from "./delivery/index.ts";
import { logHandlers } from "./log-routes.ts";
import { projectHealthHandlers } from "./project-health.ts";
import { projectHandlers } from "./project-routes.ts";
import { receiveHandlers } from "./receive.ts";
import type { RelayPlatform } from "./settings.ts";

/** What each operation of the contract does. */
export const pushRelayHandlers = (platform: RelayPlatform, relay: Relay): Handlers<typeof endpoints> => ({
  ...receiveHandlers(platform, relay.noteEvent),
  ...projectHandlers(platform, relay),
  ...projectHealthHandlers(platform),
  ...applicationHandlers,
  ...logHandlers(platform, relay),
});

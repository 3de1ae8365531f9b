import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { warnOfForgery } from "./applications.ts";
import { relayConditions } from "./conditions.ts";
import { pushRelay } from "./contract.ts";
import { createRelay } from "./delivery/index.ts";
import { persons } from "./person-store.ts";
import { pushRelayHandlers } from "./routes.ts";
import { sealedColumns } from "./sealed.ts";
import { type RelayPlatform, relaySettings, type RelaySettings } from "./settings.ts";

/** The push relay: what the campus platform tells reaches every project, in order. */
export const pushRelayModule: ServiceModule<RelaySettings> = {
  contract: pushRelay,
  settings: relaySettings,
  create: createPushRelay,
  conditions: relayConditions,
  sealed: sealedColumns,
  persons,
};

function createPushRelay(platform: RelayPlatform): Service {
  const relay = createRelay(platform);
  return defineService(pushRelay, pushRelayHandlers(platform, relay), {
    findWarnings: () => warnOfForgery(platform.pool),
    constraints: { campus_app_key: "alreadyExists", project_url_name_key: "alreadyExists" },
    start: () => relay.start(),
    settle: () => relay.stop(),
    metrics: relay.metrics,
    health: [() => relay.health()],
    tasks: relay.tasks,
    recurring: relay.recurring,
  });
}

import type { Platform } from "#platform/process/platform.ts";
import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { warnOfForgery } from "./applications.ts";
import { pushRelay } from "./contract.ts";
import { createRelay } from "./delivery/index.ts";
import { loadDemo, wakeDemo } from "./demo.ts";
import { pushRelayHandlers } from "./routes.ts";

/** The push relay: what the campus platform tells reaches every project, in order. */
export const pushRelayModule: ServiceModule = {
  contract: pushRelay,
  create: createPushRelay,
  demo: loadDemo,
  wakeDemo,
};

function createPushRelay(platform: Platform): Service {
  const relay = createRelay(platform);
  return defineService(pushRelay, pushRelayHandlers(platform, relay), {
    findWarnings: () => warnOfForgery(platform.pool),
    constraints: { campus_app_key: "alreadyExists", project_url_name_key: "alreadyExists" },
    start: () => relay.start(),
    settle: () => relay.stop(),
    health: () => relay.health(),
    tasks: relay.tasks,
    recurring: relay.recurring,
  });
}

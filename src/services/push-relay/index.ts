import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { applicationHandlers, warnOfForgery } from "./applications.ts";
import { relayConditions } from "./conditions.ts";
import { pushRelay } from "./contract.ts";
import { createRelay } from "./delivery/index.ts";
import { logHandlers } from "./log-routes.ts";
import { relayNotices } from "./notices.ts";
import { oldRecords } from "./old-records.ts";
import { ownHandlers } from "./own-routes.ts";
import { persons } from "./person-store.ts";
import { projectHealthHandlers } from "./project-health.ts";
import { projectHandlers } from "./project-routes.ts";
import { pullHandlers } from "./pull-routes.ts";
import { receiveHandlers } from "./receive.ts";
import { identifyReceiver } from "./receiver-key.ts";
import { sealedColumns } from "./sealed.ts";
import { type RelayPlatform, relaySettings, type RelaySettings } from "./settings.ts";

export const pushRelayModule: ServiceModule<RelaySettings> = {
  contract: pushRelay,
  settings: relaySettings,
  setup: [
    {
      name: "first-application",
      title: { zh: "登记校园应用", en: "Register the campus application" },
      about: { zh: "登记后才能接收校园平台的推送", en: "Required to receive the campus platform's pushes" },
      page: "/push-relay/applications",
      isDone: ({ pool }) => pool.value<boolean>`select exists (select from push_relay.campus_app)`,
    },
  ],
  create: createPushRelay,
  conditions: relayConditions,
  notices: relayNotices,
  sealed: sealedColumns,
  persons,
  oldRecords,
  dimensionColumns: { project: ["push_relay.project", "name"] },
};

function createPushRelay(platform: RelayPlatform): Service {
  const relay = createRelay(platform);
  const handlers = {
    ...receiveHandlers(platform, relay.noteEvent),
    ...projectHandlers(platform, relay),
    ...projectHealthHandlers(platform),
    ...applicationHandlers,
    ...logHandlers(platform, relay),
    ...pullHandlers(platform, relay),
    ...ownHandlers(platform, relay),
  };
  return defineService(pushRelay, handlers, {
    identifyGuest: (request) => identifyReceiver(request, platform),
    findWarnings: () => warnOfForgery(platform.pool),
    pages: [
      {
        entry: "public/receiver",
        paths: ["/h5/receiver/"],
        title: { zh: "接收方", en: "Receiver" },
        about: {
          zh: "推送项目的接收方可查看投递记录并再次发送",
          en: "Receivers of push projects can check their deliveries and have them sent again",
        },
      },
    ],
    constraints: { campus_app_key: "alreadyExists", project_url_name_key: "alreadyExists" },
    start: () => relay.start(),
    settle: () => relay.stop(),
    metrics: relay.metrics,
    health: [() => relay.health()],
    tasks: relay.tasks,
    recurring: relay.recurring,
  });
}
